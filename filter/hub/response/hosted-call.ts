// What the provider ran for the model, the call and its result in one event: no call of the client. Texts are the insides of JSON
// strings.
import { readTexts, TextTarget } from "../hosted-texts";
import { Tape } from "../../bytes/json/tape";
import { ByteBuffer, Span } from "../../bytes/text/bytes";
import { findByte } from "../../bytes/text/find";

/** No string of JSON has it. */
const LINE_END: u32 = 0x0a;

const part = new Span(0, 0);

export class HostedCall extends TextTarget {
  /** By which a provider's result finds its call. */
  id: ByteBuffer = new ByteBuffer();
  /** What was searched for, the code, the address of the page, or the arguments of an MCP tool (JSON). */
  input: ByteBuffer = new ByteBuffer();
  /** What the code wrote, or the text of an MCP tool. */
  output: ByteBuffer = new ByteBuffer();
  /** The MCP tool and its server. */
  name: ByteBuffer = new ByteBuffer();
  server: ByteBuffer = new ByteBuffer();
  isError: bool = false;
  /** Whether the result has all that the provider's has: no image or file was left out. */
  isWhole: bool = true;
  /** Address and title of each page that a search has found, with a line end after each. */
  private pages: ByteBuffer = new ByteBuffer();

  constructor(
    /** HOSTED_ of hub/request/hosted-tools.ts. */
    public kind: i32,
  ) {
    super();
  }

  addResultText(tape: Tape, node: u32): void {
    appendString(tape, node, this.output);
  }

  /** Reads the texts of a result, which may be missing; what else it has is left out. */
  readOutput(tape: Tape, result: u32): void {
    if (tape.isPresent(result) && !readTexts(tape, result, this)) this.isWhole = false;
  }

  addPage(tape: Tape, url: u32, title: u32): void {
    if (!tape.isString(url)) return;
    appendString(tape, url, this.pages);
    this.pages.byte(LINE_END);
    appendString(tape, tape.isString(title) ? title : url, this.pages);
    this.pages.byte(LINE_END);
  }

  /** Appends a value for each page, comma-separated: the address after `head`, the title, if `between` is not empty, and `tail`. */
  writePages(head: Span, between: Span, tail: Span, out: ByteBuffer): void {
    const end = this.pages.pointer + this.pages.length;
    for (let at = this.pages.pointer; at < end;) {
      if (at > this.pages.pointer) out.byte(0x2c);
      out.span(head);
      at = writeLine(at, end, out);
      if (between.length > 0) {
        out.span(between);
        at = writeLine(at, end, out);
      } else {
        at = findByte(at, end, LINE_END) + 1;
      }
      out.span(tail);
    }
  }

  release(): void {
    this.id.release();
    this.input.release();
    this.output.release();
    this.name.release();
    this.server.release();
    this.pages.release();
  }
}

/** Appends a string of the tape; nothing for another value. */
export function appendString(tape: Tape, node: u32, out: ByteBuffer): void {
  if (tape.isString(node)) out.bytes(tape.pointer(node), tape.size(node));
}

function writeLine(at: usize, end: usize, out: ByteBuffer): usize {
  const stop = findByte(at, end, LINE_END);
  out.bytes(at, <u32>(stop - at));
  return stop + 1;
}

/** Returns a part of a text whose parts end with a line end, until the next call. It must have the part. */
export function partOf(text: Span, index: i32): Span {
  const end = text.pointer + text.length;
  let at = text.pointer;
  for (; index > 0; index--) at = findByte(at, end, LINE_END) + 1;
  part.pointer = at;
  part.length = <u32>(findByte(at, end, LINE_END) - at);
  return part;
}
