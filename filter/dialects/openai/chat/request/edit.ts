// Edits of a chat completions body that keeps its dialect. Every other byte stays.
import { Edits } from "../../../../bytes/json/edit";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";

const MESSAGES = constant("messages");
const STREAM_OPTIONS = constant("stream_options");
const INCLUDE_USAGE = constant("include_usage");

const COMMA = constant(",");
const TRUE = constant("true");
const USAGE_OBJECT = constant('{"include_usage":true}');
const USAGE_OPTION = constant('"include_usage":true');
const STREAM_OPTIONS_MEMBER = constant('"stream_options":{"include_usage":true},');
const SYSTEM_MESSAGE = constant('{"role":"system","content":"');
const CLOSE_OBJECT = constant('"}');

/** Puts the configured system prompt (the inside of a JSON string) before the client's messages; all are kept. */
export function addSystemPrompt(tape: Tape, prompt: Span, edits: Edits): void {
  const messages = tape.member(0, MESSAGES);
  if (!tape.isArray(messages)) return;
  edits.append(SYSTEM_MESSAGE);
  edits.append(prompt);
  edits.append(CLOSE_OBJECT);
  if (!tape.isEmpty(messages)) edits.append(COMMA);
  edits.insertAppended(tape.start(messages) + 1);
}

/** Asks a stream for its usage. Returns whether the client had not: then the extra chunk is removed for it. */
export function askUsage(tape: Tape, edits: Edits): bool {
  const options = tape.member(0, STREAM_OPTIONS);
  if (options == NO_NODE) {
    edits.insert(tape.start(0) + 1, STREAM_OPTIONS_MEMBER);
    return true;
  }
  if (!tape.isObject(options)) {
    if (tape.isPresent(options)) return false;
    edits.replace(tape.start(options), tape.end(options), USAGE_OBJECT);
    return true;
  }
  const usage = tape.member(options, INCLUDE_USAGE);
  if (tape.isTrue(usage)) return false;
  if (usage != NO_NODE) {
    edits.replace(tape.outerStart(usage), tape.outerEnd(usage), TRUE);
    return true;
  }
  edits.append(USAGE_OPTION);
  if (!tape.isEmpty(options)) edits.append(COMMA);
  edits.insertAppended(tape.start(options) + 1);
  return true;
}
