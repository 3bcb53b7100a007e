// What the user said, out of a chat completions request: still escaped, as the inside of a JSON string.
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant } from "../bytes/text/bytes";

const MESSAGES = constant("messages");
const ROLE = constant("role");
const USER = constant("user");
const CONTENT = constant("content");
const TYPE = constant("type");
const TEXT = constant("text");
const LINE_END = constant("\\n");

/** The node of the last message of the user, NO_NODE when there is none. */
export function lastUserMessage(tape: Tape): u32 {
  const messages = tape.member(0, MESSAGES);
  if (!tape.isArray(messages)) return NO_NODE;
  let last = NO_NODE;
  const end = tape.next(messages);
  for (let message = tape.first(messages); message < end; message = tape.next(message)) {
    if (tape.equals(tape.member(message, ROLE), USER)) last = message;
  }
  return last;
}

/** Appends the text of a message; of a list of parts the texts, a line each. */
export function appendText(tape: Tape, message: u32, out: ByteBuffer): void {
  const content = tape.member(message, CONTENT);
  if (tape.isString(content)) {
    out.bytes(tape.pointer(content), tape.size(content));
    return;
  }
  if (!tape.isArray(content)) return;
  const from = out.length;
  const end = tape.next(content);
  for (let part = tape.first(content); part < end; part = tape.next(part)) {
    const text = tape.member(part, TEXT);
    if (!tape.equals(tape.member(part, TYPE), TEXT) || !tape.isString(text)) continue;
    if (out.length > from) out.span(LINE_END);
    out.bytes(tape.pointer(text), tape.size(text));
  }
}

/** Appends all that the user said, a line a turn. */
export function appendUserTurns(tape: Tape, out: ByteBuffer): void {
  const messages = tape.member(0, MESSAGES);
  if (!tape.isArray(messages)) return;
  const end = tape.next(messages);
  let isFirst = true;
  for (let message = tape.first(messages); message < end; message = tape.next(message)) {
    if (!tape.equals(tape.member(message, ROLE), USER)) continue;
    if (!isFirst) out.span(LINE_END);
    isFirst = false;
    appendText(tape, message, out);
  }
}

/** Appends the client's list of messages as it is. */
export function appendMessages(tape: Tape, out: ByteBuffer): void {
  const messages = tape.member(0, MESSAGES);
  out.bytes(tape.pointer(messages), tape.size(messages));
}
