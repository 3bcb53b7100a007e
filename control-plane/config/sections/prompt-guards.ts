// `prompt_guards`: the reply that it gives, and what happens when it cannot be asked.
import type { z } from "zod";
import { type Guard, GUARDED_LISTENERS } from "../../../model/prompts.ts";
import { readSystemPrompt } from "../provider/system-prompt.ts";
import type { Reading } from "../reading.ts";
import { mapping, oneOf, text } from "../schema-words.ts";
import { type Draft, section } from "../section.ts";

const jailbreakSchema = mapping(
  {
    on_exception: mapping(
      { message: text("The response to a prompt that the guard rejects.") },
      "What happens when the guard rejects a prompt.",
    ).optional(),
    on_failure: oneOf(["refuse", "allow"], {
      description:
        "What happens if the guard is unavailable: `refuse` responds with 503, `allow` passes the prompt. A message too long for the guard gets a 413 with both.",
      default: "refuse",
    }).optional(),
    applies_to: oneOf([...GUARDED_LISTENERS, "both"], {
      description:
        "Whose requests are checked: chat completions, messages and responses of the ingress listener, of the egress listener, or of both.",
      default: "ingress",
    }).optional(),
  },
  "Checks the last user message for jailbreaks.",
);

const schema = mapping(
  {
    input_guards: mapping(
      { jailbreak: jailbreakSchema.optional() },
      "Guards of what clients send.",
    ).optional(),
  },
  "Guards of the listeners.",
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
      { hint: "it is the guard's response, for example: message: I cannot help with that." },
    );
    return undefined;
  }
  const { applies_to: listeners = "ingress", on_failure: onFailure } = jailbreak;
  return {
    listeners: listeners === "both" ? [...GUARDED_LISTENERS] : [listeners],
    message,
    failsOpen: onFailure === "allow",
  };
}
