// The client's request once the API has answered: the target's system prompt first, the answer behind the user's text.
import { escape } from "../bytes/json/text";
import { Edits } from "../bytes/json/edit";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { lastUserMessage } from "./conversation";

const MESSAGES = constant("messages");
const CONTENT = constant("content");
const COMMA = constant(",");
const SYSTEM_MESSAGE = constant('{"role":"system","content":"');
const CLOSE_OBJECT = constant('"}');
const CONTEXT = constant("\\n\\ncontext: ");
const TEXT_PART = constant('{"type":"text","text":"');

const escaped = scratchBuffer();
const span = new Span(0, 0);

/** Adds the edits that put `answer` (plain bytes, valid UTF-8) and the target's system prompt into the request. */
export function augment(tape: Tape, systemPromptJson: Span, answer: Span, edits: Edits): void {
  escaped.clear();
  escape(answer.pointer, answer.length, escaped);
  span.pointer = escaped.pointer;
  span.length = escaped.length;
  const messages = tape.member(0, MESSAGES);
  if (systemPromptJson.length > 0) {
    edits.append(SYSTEM_MESSAGE);
    edits.append(systemPromptJson);
    edits.append(CLOSE_OBJECT);
    edits.append(COMMA);
    edits.insertAppended(tape.start(messages) + 1);
  }
  const content = tape.member(lastUserMessage(tape), CONTENT);
  if (content == NO_NODE) return;
  edits.append(tape.isString(content) ? CONTEXT : TEXT_PART);
  edits.append(span);
  if (tape.isString(content)) {
    edits.insertAppended(tape.end(content));
    return;
  }
  edits.append(CLOSE_OBJECT);
  if (!tape.isEmpty(content)) edits.append(COMMA);
  edits.insertAppended(tape.start(content) + 1);
}
