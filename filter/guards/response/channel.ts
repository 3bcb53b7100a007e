// One text of a stream, whose parts come in events: what of it is held, and the event in which that may leave.
import { KIND_ARRAY, KIND_OBJECT, Tape } from "../../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../bytes/text/bytes";
import { byteAt } from "../../bytes/text/at";

const COMMA: u32 = 0x2c;
const COLON: u32 = 0x3a;
const QUOTE: u32 = 0x22;
const OPEN_BRACE: u32 = 0x7b;
const CLOSE_BRACE: u32 = 0x7d;
const OPEN_BRACKET: u32 = 0x5b;
const CLOSE_BRACKET: u32 = 0x5d;

export const SEQUENCE_NUMBER = constant("sequence_number");
/** Members of an event that are not repeated; all others that are no list or object are. */
const NOT_REPEATED: Span[] = [SEQUENCE_NUMBER, constant("obfuscation"), constant("usage")];
/** Members of the objects in it that are. */
const REPEATED: Span[] = [constant("index"), constant("type"), constant("format")];
const FINISH_REASON = constant("finish_reason");
export const LOGPROBS = constant("logprobs");

const closing = scratchBuffer();

export class Channel {
  /** What has not been sent, as it is in JSON. */
  held: ByteBuffer = new ByteBuffer();
  /** The last bytes of the text that was sent, in UTF-8. */
  context: ByteBuffer = new ByteBuffer();
  /** Whether anything of it has come. */
  hasBegun: bool = false;
  /** Whether the text is over. */
  isEnding: bool = false;
  /** Whether what was found last goes on. */
  isUnfinished: bool = false;
  /** The number of the last event with a part of it. */
  lastEvent: u32 = 0;
  /** An event like the last one, before and after the text. */
  private before: ByteBuffer = new ByteBuffer();
  private after: ByteBuffer = new ByteBuffer();
  private isNumbered: bool = false;

  constructor(
    public group: u32,
    public name: u32,
    public depth: i32,
    public isCall: bool,
  ) {}

  /** Keeps the form of the event in a tape, in which `node` is the text. */
  keepForm(tape: Tape, node: u32, event: Span): void {
    const out = this.before;
    if (out.length > 0) return;
    if (event.length > 0) {
      out.span(constant("event: "));
      out.span(event);
      out.byte(0x0a);
    }
    out.span(constant("data: "));
    this.isNumbered = tape.member(0, SEQUENCE_NUMBER) < tape.count;
    closing.clear();
    let at: u32 = 0;
    while (at != node && at < tape.count) at = open(tape, at, node, out);
    out.byte(QUOTE);
    const after = this.after;
    after.byte(QUOTE);
    // The outermost brace comes after the number.
    for (let i = closing.length; i > 1; i--) after.byte(byteAt(closing.pointer, i - 1));
  }

  /** Writes what is held as an event. Returns whether the event has a number. */
  write(number: i64, out: ByteBuffer): bool {
    out.bytes(this.before.pointer, this.before.length);
    out.bytes(this.held.pointer, this.held.length);
    out.bytes(this.after.pointer, this.after.length);
    if (this.isNumbered) {
      out.span(constant(',"sequence_number":'));
      out.integer(number);
    }
    out.span(constant("}\n\n"));
    return this.isNumbered;
  }

  release(): void {
    this.held.release();
    this.context.release();
    this.before.release();
    this.after.release();
  }
}

/** Writes the beginning of the object or list `at` up to the value in which `node` is. Returns that value. */
function open(tape: Tape, at: u32, node: u32, out: ByteBuffer): u32 {
  const end = tape.next(at);
  if (tape.kind(at) == KIND_ARRAY) {
    out.byte(OPEN_BRACKET);
    closing.byte(CLOSE_BRACKET);
    let item = tape.first(at);
    while (item < end && node >= tape.next(item)) item = tape.next(item);
    return item;
  }
  out.byte(OPEN_BRACE);
  closing.byte(CLOSE_BRACE);
  let inside: u32 = 0;
  for (let key = tape.first(at); key < end; key = tape.next(key + 1)) {
    if (node > key && node < tape.next(key + 1)) inside = key;
  }
  if (inside == 0) return tape.count;
  const isOuter = at == 0;
  const isOfCall = !isOuter && tape.kind(inside + 1) == KIND_OBJECT;
  for (let key = tape.first(at); key < end; key = tape.next(key + 1)) {
    if (key == inside) continue;
    const value = key + 1;
    const isEmptied = tape.equals(key, FINISH_REASON) || tape.equals(key, LOGPROBS);
    const isKept = isOuter
      ? tape.indexIn(key, NOT_REPEATED) < 0
      : tape.indexIn(key, REPEATED) >= 0 && (!isOfCall || tape.equals(key, REPEATED[0]));
    if (!isEmptied && (!isKept || tape.kind(value) >= KIND_ARRAY)) continue;
    writeName(tape, key, out);
    if (!isEmptied)
      out.bytes(tape.base + tape.outerStart(value), tape.outerEnd(value) - tape.outerStart(value));
    else out.span(tape.isArray(value) ? constant("[]") : constant("null"));
    out.byte(COMMA);
  }
  writeName(tape, inside, out);
  return inside + 1;
}

function writeName(tape: Tape, key: u32, out: ByteBuffer): void {
  out.bytes(tape.base + tape.outerStart(key), tape.size(key) + 2);
  out.byte(COLON);
}
