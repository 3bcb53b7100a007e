// `prompt_guards`: the reply that it gives, and what happens when it cannot be asked.
import type { z } from "zod";
import type { Guard } from "../../ir/prompt.ts";
import { readSystemPrompt } from "../provider/system-prompt.ts";
import type { Reading } from "../reading.ts";
import { mapping, oneOf, text } from "../schema-words.ts";
import { type Draft, section } from "./section.ts";

const jailbreakSchema = mapping(
  {
    on_exception: mapping(
      { message: text("The reply to a prompt that the guard refuses.") },
      "What happens when the guard triggers.",
    ).optional(),
    on_failure: oneOf(["refuse", "allow"], {
      description:
        "What happens to a prompt when the guard cannot be asked: `refuse` answers 503, `allow` lets it pass.",
      default: "refuse",
    }).optional(),
  },
  "Guard against jailbreaks: the last message of the user on the ingress listener is checked.",
);

const schema = mapping(
  {
    input_guards: mapping(
      { jailbreak: jailbreakSchema.optional() },
      "Guards of what clients send.",
    ).optional(),
  },
  "Guards of the ingress listener.",
);

export const promptGuards = section({
  key: "prompt_guards",
  schema,
  read({ reading }, value) {
    const guard = readGuard(reading, value?.input_guards?.jailbreak);
    return guard === undefined ? {} : { prompt: { guard } };
  },
});

const PATH = ["prompt_guards", "input_guards", "jailbreak"];

/** Undefined when none is configured. */
function readGuard(
  reading: Reading,
  jailbreak: Draft<z.output<typeof jailbreakSchema>> | undefined,
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
