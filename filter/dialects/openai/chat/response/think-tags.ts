// Reads reasoning that a server leaves in the content between <think> and </think>, as Ollama, llama.cpp, LM Studio and vLLM do
// without a parser. The tags may be cut anywhere between two pieces of a stream, and their brackets escaped (`\u003c`), as Go
// writes them. Only tags at the beginning of a message count: later ones are the model's own words.
import { byteAt } from "../../../../bytes/text/at";
import { isBlank } from "../../../../bytes/json/blank";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";

/** How a server marks reasoning in the content: the values of `think_tags`. */
export const TAGS_NONE: i32 = 0;
export const TAGS_PAIR: i32 = 1;
/** The chat template has written <think> already. */
export const TAGS_CLOSING: i32 = 2;

const OPEN = constant("<think>");
const CLOSE = constant("</think>");
const BACKSLASH: u32 = 0x5c;
const LESS: u32 = 0x3c;
const GREATER: u32 = 0x3e;

/** White space before a tag is held up to here. */
const MAX_HELD: u32 = 256;

/** The opening tag may come. */
const BEFORE: i32 = 0;
/** Reasoning, of which nothing has been read. */
const BEGUN: i32 = 1;
const INSIDE: i32 = 2;
/** The closing tag has been read, the text has not begun. */
const CLOSED: i32 = 3;
const AFTER: i32 = 4;

/** Gets the parts of the content. */
export abstract class TagSink {
  abstract taggedText(pointer: usize, length: u32): void;
  abstract taggedReasoning(pointer: usize, length: u32): void;
}

export class ThinkTags {
  private state: i32;
  /** What may be the beginning of a tag, or white space before one; escaped. */
  private held: ByteBuffer = new ByteBuffer();
  /** Characters of the tag that end `held`. */
  private matched: u32 = 0;

  constructor(kind: i32) {
    this.state = kind == TAGS_CLOSING ? BEGUN : BEFORE;
  }

  /** Whether the content is text from here on. */
  get isOver(): bool {
    return this.state == AFTER;
  }

  /** Reads a piece of the content. */
  read(pointer: usize, length: u32, sink: TagSink): void {
    const end = pointer + length;
    let from = pointer;
    while (pointer < end && this.state != AFTER) {
      const size = unitSize(pointer, end);
      const state = this.state;
      const tag = state == BEFORE ? OPEN : CLOSE;
      if (state != CLOSED && charOf(pointer, size) == byteAt(tag.pointer, this.matched)) {
        // The bytes before the tag are no part of it.
        if (this.matched++ == 0) this.pass(from, <u32>(pointer - from), sink);
        this.held.bytes(pointer, size);
        pointer += size;
        from = pointer;
        if (this.matched == tag.length) this.tagEnds();
      } else if (this.matched > 0) {
        // The same character may begin the tag.
        this.flush(sink);
      } else if (state != INSIDE && isBlank(pointer, size)) {
        if (state == BEFORE) this.held.bytes(pointer, size);
        pointer += size;
        from = pointer;
        if (this.held.length > MAX_HELD) this.flush(sink);
      } else {
        if (state == BEFORE || state == CLOSED) {
          this.flush(sink);
          this.state = AFTER;
        } else {
          this.state = INSIDE;
          pointer += size;
        }
      }
    }
    if (from < end) this.pass(from, <u32>(end - from), sink);
  }

  /** The content is over: what is held was no tag. */
  finish(sink: TagSink): void {
    this.flush(sink);
    this.state = AFTER;
  }

  release(): void {
    this.held.release();
  }

  private tagEnds(): void {
    this.state = this.state == BEFORE ? BEGUN : CLOSED;
    this.held.clear();
    this.matched = 0;
  }

  private flush(sink: TagSink): void {
    const held = this.held;
    this.matched = 0;
    if (held.length > 0) {
      if (this.state == BEFORE) this.state = AFTER;
      this.pass(held.pointer, held.length, sink);
    }
    held.clear();
  }

  private pass(pointer: usize, length: u32, sink: TagSink): void {
    if (length == 0) return;
    if (this.state == BEGUN || this.state == INSIDE) {
      this.state = INSIDE;
      sink.taggedReasoning(pointer, length);
    } else sink.taggedText(pointer, length);
  }
}

/** Returns the bytes of one character of the inside of a JSON string; of one byte of a longer one. */
function unitSize(pointer: usize, end: usize): u32 {
  if (byteAt(pointer) != BACKSLASH || pointer + 1 >= end) return 1;
  const size: u32 = byteAt(pointer, 1) == 0x75 ? 6 : 2;
  return min(size, <u32>(end - pointer));
}

/** Returns the ASCII character at `pointer`, if it may belong to a tag. */
function charOf(pointer: usize, size: u32): u32 {
  if (size == 1) return byteAt(pointer);
  if (size == 2) return byteAt(pointer, 1) == 0x2f ? 0x2f : 0;
  if (size != 6 || byteAt(pointer, 2) != 0x30 || byteAt(pointer, 3) != 0x30) return 0;
  if (byteAt(pointer, 4) != 0x33) return 0;
  const last = byteAt(pointer, 5) | 0x20;
  if (last == 0x63) return LESS;
  return last == 0x65 ? GREATER : 0;
}
