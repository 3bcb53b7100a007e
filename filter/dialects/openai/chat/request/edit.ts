// Edits of a chat completions body that keeps its dialect. Every other byte stays.
import { Edits } from "../../../../bytes/json/edit";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";

const COMMA = constant(",");

/** Puts the configured system prompt (the inside of a JSON string) before the client's messages; all are kept. */
export function addSystemPrompt(tape: Tape, prompt: Span, edits: Edits): void {
  const messages = tape.member(0, constant("messages"));
  if (!tape.isArray(messages)) return;
  edits.append(constant('{"role":"system","content":"'));
  edits.append(prompt);
  edits.append(constant('"}'));
  if (!tape.isEmpty(messages)) edits.append(COMMA);
  edits.insertAppended(tape.start(messages) + 1);
}

/** Asks a stream for its usage. Returns whether the client had not: then the extra chunk is removed for it. */
export function askUsage(tape: Tape, edits: Edits): bool {
  const options = tape.member(0, constant("stream_options"));
  if (options == NO_NODE) {
    edits.insert(tape.start(0) + 1, constant('"stream_options":{"include_usage":true},'));
    return true;
  }
  if (!tape.isObject(options)) {
    if (tape.isPresent(options)) return false;
    edits.replace(tape.start(options), tape.end(options), constant('{"include_usage":true}'));
    return true;
  }
  const usage = tape.member(options, constant("include_usage"));
  if (tape.isTrue(usage)) return false;
  if (usage != NO_NODE) {
    edits.replace(tape.outerStart(usage), tape.outerEnd(usage), constant("true"));
    return true;
  }
  edits.append(constant('"include_usage":true'));
  if (!tape.isEmpty(options)) edits.append(COMMA);
  edits.insertAppended(tape.start(options) + 1);
  return true;
}
