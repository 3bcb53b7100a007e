// The configured system prompt in a chat completions body that keeps its dialect. Every other byte stays.
import { Edits } from "../../../../bytes/json/edit";
import { Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";

/** Puts the configured system prompt (the inside of a JSON string) before the client's messages; all are kept. */
export function addSystemPrompt(tape: Tape, prompt: Span, edits: Edits): void {
  const messages = tape.member(0, constant("messages"));
  if (!tape.isArray(messages)) return;
  edits.append(constant('{"role":"system","content":"'));
  edits.append(prompt);
  edits.append(constant('"}'));
  if (!tape.isEmpty(messages)) edits.append(constant(","));
  edits.insertAppended(tape.start(messages) + 1);
}
