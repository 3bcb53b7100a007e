// The texts of a request in which a policy finds values: what becomes of each of them is an edit of the bytes that the value has,
// however they are escaped, and of no others.
import { TextRole, TextVisitor } from "../dialects/texts";
import { Edits } from "../bytes/json/edit";
import { Tape } from "../bytes/json/tape";
import { readUnits, UnitPlaces } from "../bytes/json/text-units";
import { byteAt, isDigit, startsWith } from "../bytes/text/at";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { contains } from "../bytes/text/find";
import { Finder } from "./finder";
import { KIND_NAMES } from "./kind-names";
import { GuardKind } from "./kind-numbers";
import { Placeholders, writeKindPlaceholder } from "./placeholders";

const ESCAPE_OF_UNIT = constant("\\u");
const ESCAPE_OF_SLASH = constant("\\/");
const DATA_URL = constant("data:");
const IN_BASE64 = constant(";base64,");
/** Where the media type of a data URL ends at the latest. Bytes. */
const MAX_MEDIA_TYPE: u32 = 128;
const BACKSLASH: u32 = 0x5c;
const QUOTE: u32 = 0x22;
const ESCAPED_QUOTE = constant('\\"');

const plain = scratchBuffer();
const value = scratchBuffer();
const nested = scratchBuffer();
const placeholder = scratchBuffer();
const span = new Span(0, 0);
const places = new UnitPlaces();

/** How a policy looks through the texts of a request. */
export class MaskedTexts extends TextVisitor {
  findings: u32 = 0;
  /** What was found: bits by the indices of GUARD_KINDS. */
  kinds: u64 = 0;
  /** Whether there were too many values, or no memory for them. */
  hasFailed: bool = false;
  /** Signed texts of the model, which are masked after all others: by what was found there. */
  private signed: u32[] = [];
  private isSigned: bool = false;

  constructor(
    private finder: Finder,
    /** Of the hash in placeholders. */
    private key: Span,
    private isReversible: bool,
    private placeholders: Placeholders,
    /** Gets the edits; null if values are only counted. */
    private edits: Edits | null,
    /** Whether the first finding is enough. */
    private stopsAtFirst: bool,
  ) {
    super();
  }

  visit(tape: Tape, text: u32, role: TextRole): void {
    if (this.isOver) return;
    // A provider rejects what it has signed if it is not what its model wrote: which had the placeholders of this conversation.
    if (role == TextRole.Reasoning && tape.equals(tape.next(text), constant("signature")))
      this.signed.push(text);
    else this.look(tape, text, role == TextRole.ToolArguments);
  }

  /** Called after all texts were visited. */
  end(tape: Tape): void {
    this.isSigned = true;
    for (let i = 0; i < this.signed.length && !this.isOver; i++)
      this.look(tape, this.signed[i], false);
  }

  private get isOver(): bool {
    return this.hasFailed || (this.stopsAtFirst && this.findings > 0);
  }

  private look(tape: Tape, text: u32, isCall: bool): void {
    const pointer = tape.pointer(text);
    const length = tape.size(text);
    if (isMedia(pointer, length)) return;
    const depth = tape.isEscaped(text) ? depthOf(pointer, length) : 0;
    let bytes = pointer;
    let size = length;
    if (depth > 0) {
      plain.clear();
      readUnits(pointer, length, depth, true, plain);
      bytes = plain.pointer;
      size = plain.length;
      places.begin(pointer, length, depth);
    }
    const finder = this.finder;
    for (let at: u32 = 0; !this.isOver && finder.next(bytes, at, size, true); at = finder.stop) {
      const start = depth > 0 ? places.to(finder.start) : finder.start;
      const stop = depth > 0 ? places.to(finder.stop) : finder.stop;
      this.take(tape.start(text), pointer, bytes, start, stop, isCall);
    }
  }

  /** @param start of the value in the string's bytes, which begin at `pointer` and at the offset `from` of the body */
  private take(from: u32, pointer: usize, bytes: usize, start: u32, stop: u32, isCall: bool): void {
    const kind = this.finder.kind;
    readValue(bytes + this.finder.start, this.finder.stop - this.finder.start, kind);
    const name = KIND_NAMES[kind];
    if (this.isSigned && !this.placeholders.has(this.key, name, value.pointer, value.length))
      return;
    this.findings++;
    this.kinds |= (<u64>1) << kind;
    const edits = this.edits;
    if (edits === null) return;
    placeholder.clear();
    if (!this.isReversible) writeKindPlaceholder(name, placeholder);
    else if (!this.placeholders.write(this.key, name, value.pointer, value.length, placeholder)) {
      this.hasFailed = true;
      return;
    }
    const isNumber = isCall && isBareNumber(pointer, start, stop);
    if (isNumber) edits.append(ESCAPED_QUOTE);
    edits.append(placeholder.view(span));
    if (isNumber) edits.append(ESCAPED_QUOTE);
    edits.replaceAppended(from + start, from + stop);
  }
}

/** Returns how often a string has to be unescaped: values are found in escaped text too, unless letters or signs are escaped. */
function depthOf(pointer: usize, length: u32): i32 {
  if (!contains(pointer, length, ESCAPE_OF_UNIT) && !contains(pointer, length, ESCAPE_OF_SLASH))
    return 0;
  plain.clear();
  readUnits(pointer, length, 1, true, plain);
  const isTwice =
    contains(plain.pointer, plain.length, ESCAPE_OF_UNIT) ||
    contains(plain.pointer, plain.length, ESCAPE_OF_SLASH);
  return isTwice ? 2 : 1;
}

/** A file in a data URL: its base64 is no text. */
function isMedia(pointer: usize, length: u32): bool {
  if (!startsWith(pointer, length, DATA_URL)) return false;
  return contains(pointer, min(length, MAX_MEDIA_TYPE), IN_BASE64);
}

/** Sets `value` to what was found as plain text: only private keys have escapes in it, of line ends. */
function readValue(pointer: usize, length: u32, kind: i32): void {
  value.clear();
  value.bytes(pointer, length);
  if (kind != GuardKind.PrivateKey) return;
  for (let times = 0; times < 2; times++) {
    nested.clear();
    readUnits(value.pointer, value.length, 1, true, nested);
    value.clear();
    value.bytes(nested.pointer, nested.length);
  }
}

/** Returns whether a value is a number of JSON in a string of JSON: a placeholder needs quotes there. */
function isBareNumber(pointer: usize, start: u32, stop: u32): bool {
  for (let at = start; at < stop; at++) {
    if (!isDigit(byteAt(pointer, at))) return false;
  }
  // In quotes there has been an odd number of them, each with one backslash in the body.
  let quotes: u32 = 0;
  let backslashes: u32 = 0;
  for (let at: u32 = 0; at < start; at++) {
    const byte = byteAt(pointer, at);
    if (byte == BACKSLASH) backslashes++;
    else {
      if (byte == QUOTE && backslashes % 4 == 1) quotes++;
      backslashes = 0;
    }
  }
  return quotes > 0 && quotes % 2 == 0;
}
