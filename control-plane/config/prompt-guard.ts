// `prompt_guards.input_guards.jailbreak`: the reply that it gives, and what happens when it cannot be asked.
import type { Guard } from "../ir/prompt.ts";
import type { Reading } from "./reading.ts";
import type { Configuration } from "./schema.ts";
import type { Draft } from "./shape.ts";
import { readSystemPrompt } from "./provider/system-prompt.ts";

type Guards = NonNullable<NonNullable<Configuration["prompt_guards"]>["input_guards"]>;

const PATH = ["prompt_guards", "input_guards", "jailbreak"];

/** Undefined when none is configured. */
export function readGuard(
  reading: Reading,
  jailbreak: Draft<NonNullable<Guards["jailbreak"]>> | undefined,
): Guard | undefined {
  if (jailbreak === undefined) return undefined;
  const at = [...PATH, "on_exception", "message"];
  const written = jailbreak.on_exception?.message;
  const message = readSystemPrompt(reading, at, written);
  if (message === undefined) {
    const isEmpty = written?.trim() === "";
    reading.problem(
      isEmpty ? at : PATH,
      isEmpty ? "the message is empty" : "on_exception.message is missing",
      { hint: "the guard answers with it, for example: message: I cannot help with that." },
    );
    return undefined;
  }
  return { message, failsOpen: jailbreak.on_failure === "allow" };
}
