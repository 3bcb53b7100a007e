// The messages of a prompt's request. Texts are appended as they are: the inside of a JSON string.
import { Conversation } from "../dialects/conversation";
import { TextRole, TextVisitor } from "../dialects/texts";
import { Tape } from "../bytes/json/tape";
import { endsWith } from "../bytes/text/at";
import { ByteBuffer, constant } from "../bytes/text/bytes";
import { Prompt } from "./prompt";

const CONTENT = constant("content");
const TEXT = constant("text");
const LINE_END = constant("\\n");
const MESSAGE_END = constant('"}');

/** Collects the texts of the user, joined by line feeds: those of the last message, or of all. */
class UserTexts extends TextVisitor {
  private hasMessage: bool = false;
  private start: u32;
  /** Where the texts of the current message begin. */
  private from: u32;

  constructor(
    private isLastOnly: bool,
    private out: ByteBuffer,
  ) {
    super();
    this.start = out.length;
    this.from = out.length;
  }

  beginMessage(role: TextRole): void {
    if (role != TextRole.User) return;
    const out = this.out;
    if (this.isLastOnly) out.length = this.start;
    else if (this.hasMessage) out.span(LINE_END);
    this.hasMessage = true;
    this.from = out.length;
  }

  visit(tape: Tape, text: u32, role: TextRole): void {
    if (role != TextRole.User) return;
    if (this.out.length > this.from) this.out.span(LINE_END);
    this.out.bytes(tape.pointer(text), tape.size(text));
  }
}

/** Begins a JSON object with the texts of the user's last message as its first member, `input`. */
export function appendInput(prompt: Prompt, out: ByteBuffer): void {
  out.text('{"input":"');
  prompt.exchange.client.dialect.texts(prompt.tape, new UserTexts(true, out));
}

/** Appends the texts of all messages of the user, joined by line feeds. */
export function appendUserTurns(prompt: Prompt, out: ByteBuffer): void {
  prompt.exchange.client.dialect.texts(prompt.tape, new UserTexts(false, out));
}

/** Appends the text of a content; the texts of a list of parts are joined by line feeds. */
function appendText(tape: Tape, content: u32, out: ByteBuffer): void {
  if (tape.isString(content)) {
    out.bytes(tape.pointer(content), tape.size(content));
    return;
  }
  if (!tape.isArray(content)) return;
  const from = out.length;
  const end = tape.next(content);
  for (let part = tape.first(content); part < end; part = tape.next(part)) {
    const text = tape.member(part, TEXT);
    if (!isText(tape, part) || !tape.isString(text)) continue;
    if (out.length > from) out.span(LINE_END);
    out.bytes(tape.pointer(text), tape.size(text));
  }
}

/** `text`, or `input_text` and `output_text` of Responses. */
function isText(tape: Tape, part: u32): bool {
  const type = tape.member(part, constant("type"));
  return tape.isString(type) && endsWith(tape.pointer(type), tape.size(type), TEXT);
}

/** Appends the conversation as the `messages` of chat completions: the client's own, or the texts of its items. */
export function appendMessages(conversation: Conversation, tape: Tape, out: ByteBuffer): void {
  const messages = tape.member(0, conversation.list);
  if (!conversation.isOfItems) {
    out.bytes(tape.pointer(messages), tape.size(messages));
  } else if (tape.isString(messages)) {
    out.text('[{"role":"user","content":"');
    appendText(tape, messages, out);
    out.span(MESSAGE_END);
    out.byte(0x5d);
  } else {
    appendItems(tape, messages, out);
  }
}

/** Items that are no messages are left out. */
function appendItems(tape: Tape, items: u32, out: ByteBuffer): void {
  out.byte(0x5b);
  const from = out.length;
  const end = tape.next(items);
  for (let item = tape.first(items); item < end; item = tape.next(item)) {
    const role = tape.member(item, constant("role"));
    if (!tape.isString(role)) continue;
    if (out.length > from) out.byte(0x2c);
    out.text('{"role":"');
    out.bytes(tape.pointer(role), tape.size(role));
    out.text('","content":"');
    appendText(tape, tape.member(item, CONTENT), out);
    out.span(MESSAGE_END);
  }
  out.byte(0x5d);
}
