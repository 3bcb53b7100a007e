// The messages of a chat completions request. Texts are appended as they are: the inside of a JSON string.
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant } from "../bytes/text/bytes";

const MESSAGES = constant("messages");
const ROLE = constant("role");
const USER = constant("user");
const CONTENT = constant("content");
const TYPE = constant("type");
const TEXT = constant("text");
const INPUT = constant('{"input":"');
const LINE_END = constant("\\n");

/** Returns the node of the user's last message, NO_NODE if there is none. */
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

/** Begins a JSON object with the text of the user's last message as its first member, `input`. */
export function appendInput(tape: Tape, out: ByteBuffer): void {
  out.span(INPUT);
  appendText(tape, lastUserMessage(tape), out);
}

/** Appends the text of a message; the texts of a list of parts are joined by line feeds. */
function appendText(tape: Tape, message: u32, out: ByteBuffer): void {
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

/** Appends the texts of all messages of the user, joined by line feeds. */
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

/** Appends the client's `messages`, unchanged. */
export function appendMessages(tape: Tape, out: ByteBuffer): void {
  const messages = tape.member(0, MESSAGES);
  out.bytes(tape.pointer(messages), tape.size(messages));
}
