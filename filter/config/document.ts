// The configuration document while it is read: its members by their declarations (contract/filter-document.ts), which decide
// what must be there. A member that nobody reads is a problem: an old filter must not apply only a part of a new
// configuration.
import { scan, scanMessage, SCAN_OK } from "../bytes/json/scan";
import { escape, escapeText, unescape } from "../bytes/json/text";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { byteAt, isDigit, isLetter } from "../bytes/text/at";
import {
  ByteBuffer,
  constant,
  sameBytes,
  sameSpan,
  scratchBuffer,
  Span,
} from "../bytes/text/bytes";
import { decimal } from "../bytes/text/decimal";
import { findByte } from "../bytes/text/find";

const QUOTE: u32 = 0x22;
const COLON: u32 = 0x3a;
const QUESTION: u32 = 0x3f;
const EQUALS: u32 = 0x3d;
const UNDERSCORE: u32 = 0x5f;
const BAR: u32 = 0x7c;
const TRUE = constant("true");

const NONE = constant("");
const name = new Span(0, 0);
const part = new Span(0, 0);
const plain = scratchBuffer();
const json = scratchBuffer();

export class Document {
  readonly tape: Tape = new Tape();
  /** The first problem; empty if there is none. */
  problem: string = "";
  /** Whether each node is the value of a member that was read. */
  private isRead: StaticArray<bool> = new StaticArray<bool>(0);

  constructor(readonly environment: Map<string, string>) {}

  /** Scans the text, and returns the outermost value. */
  open(pointer: usize, length: u32): u32 {
    const code = scan(this.tape, pointer, length);
    if (code != SCAN_OK) this.report("not valid JSON: " + scanMessage(code));
    else this.isRead = new StaticArray<bool>(this.tape.count);
    return this.tape.root();
  }

  /** Reports the members that were not read, and frees the values. */
  close(): void {
    const tape = this.tape;
    for (let node: u32 = 0; node < tape.count; node++) {
      if (!tape.isObject(node)) continue;
      const end = tape.next(node);
      for (let key = tape.first(node); key < end; key = tape.next(key + 1)) {
        if (!this.isRead[key + 1]) this.report("unknown member '" + textOf(tape, key) + "'");
      }
    }
    tape.release();
  }

  report(problem: string): void {
    if (this.problem.length == 0) this.problem = problem;
  }

  /** Reports a variable that a `kind` called `user` needs. */
  reportVariable(variable: string, kind: string, user: string): void {
    const place = kind + " '" + user + "'";
    this.report(
      "the environment variable '" + variable + "' of " + place + " is not set for Envoy",
    );
  }

  /** Returns the value of an environment variable; empty if it is not set. */
  variable(variable: string): string {
    return this.environment.has(variable) ? this.environment.get(variable) : "";
  }

  /** Returns the value of a member; NO_NODE if it is missing, which is a problem unless it is declared with `?`. */
  member(object: u32, declaration: Span): u32 {
    const end = nameEnd(declaration);
    name.pointer = declaration.pointer;
    name.length = <u32>(end - declaration.pointer);
    const node = this.tape.member(object, name);
    if (node != NO_NODE) this.isRead[node] = true;
    else if (!isOptional(declaration, end)) this.report("'" + name.toText() + "' is missing");
    return node;
  }

  has(object: u32, declaration: Span): bool {
    return this.member(object, declaration) != NO_NODE;
  }

  text(object: u32, declaration: Span): string {
    return textOf(this.tape, this.stringMember(object, declaration));
  }

  /** Returns the bytes of a text, which live as long as the VM; empty if it is missing. */
  bytes(object: u32, declaration: Span): Span {
    const node = this.stringMember(object, declaration);
    return node == NO_NODE ? NONE : bytesOf(this.tape, node);
  }

  /** Returns a text as the inside of a JSON string. */
  escaped(object: u32, declaration: Span): Span {
    const node = this.stringMember(object, declaration);
    if (node == NO_NODE) return NONE;
    const text = plainOf(this.tape, node);
    json.clear();
    escape(text.pointer, text.length, json);
    return json.keep();
  }

  private stringMember(object: u32, declaration: Span): u32 {
    const node = this.member(object, declaration);
    if (node != NO_NODE && !this.tape.isString(node))
      this.report("'" + name.toText() + "' must be a string");
    return node;
  }

  /** Returns a small whole number; its default, or 0, if it is missing. */
  number(object: u32, declaration: Span): i32 {
    const node = this.member(object, declaration);
    return node == NO_NODE ? max(decimal(defaultOf(declaration)), 0) : this.numberOf(node);
  }

  /** Returns a number that is below `count`: an index into a list. */
  index(object: u32, declaration: Span, count: i32): i32 {
    const value = this.number(object, declaration);
    if (value >= count) this.report("'" + name.toText() + "' is an index that is too large");
    return value;
  }

  flag(object: u32, declaration: Span): bool {
    const node = this.member(object, declaration);
    return node == NO_NODE ? sameSpan(defaultOf(declaration), TRUE) : this.tape.isTrue(node);
  }

  /** Returns the index of a value among the words of its type; -1 if it is missing and has no default. */
  choice(object: u32, declaration: Span): i32 {
    const node = this.member(object, declaration);
    const value = node == NO_NODE ? defaultOf(declaration) : spanOf(this.tape, node);
    if (value.length == 0) return -1;
    // `name: a|b = a`
    const end = declaration.pointer + declaration.length;
    let from = findByte(declaration.pointer, end, COLON) + 2;
    for (let index = 0; ; index++) {
      let to = from;
      while (to < end && isOfWord(byteAt(to))) to++;
      if (sameBytes(from, <u32>(to - from), value.pointer, value.length)) return index;
      if (to >= end || byteAt(to) != BAR) break;
      from = to + 1;
    }
    this.report("unknown value of '" + name.toText() + "'");
    return -1;
  }

  /** Returns the values of a list, which may be missing. */
  items(object: u32, declaration: Span): u32[] {
    return this.itemsOf(this.member(object, declaration));
  }

  itemsOf(list: u32): u32[] {
    const items = new Array<u32>();
    const end = this.tape.next(list);
    for (let item = this.tape.first(list); item < end; item = this.tape.next(item))
      items.push(item);
    return items;
  }

  /** Returns the names in an object that may have any. */
  keys(object: u32, declaration: Span): u32[] {
    const keys = new Array<u32>();
    const node = this.member(object, declaration);
    const end = this.tape.next(node);
    for (let key = this.tape.first(node); key < end; key = this.tape.next(key + 1)) {
      this.isRead[key + 1] = true;
      keys.push(key);
    }
    return keys;
  }

  /** Returns the texts of a list, as `bytes` does. */
  spans(object: u32, declaration: Span): Span[] {
    const items = this.items(object, declaration);
    const spans = new Array<Span>();
    for (let i = 0; i < items.length; i++) spans.push(bytesOf(this.tape, items[i]));
    return spans;
  }

  numbers(object: u32, declaration: Span): i32[] {
    const items = this.items(object, declaration);
    const numbers = new Array<i32>();
    for (let i = 0; i < items.length; i++) numbers.push(this.numberOf(items[i]));
    return numbers;
  }

  /** Returns those of `all` whose indices are in a list, which may be missing. */
  pick<Item>(object: u32, declaration: Span, all: Item[]): Item[] {
    const indices = this.numbers(object, declaration);
    const picked = new Array<Item>();
    for (let i = 0; i < indices.length; i++) {
      const index = indices[i];
      if (index >= 0 && index < all.length) picked.push(all[index]);
      else this.report("'" + name.toText() + "' has an index that is too large");
    }
    return picked;
  }

  /** Returns a small whole number, or -1 with a problem reported. */
  numberOf(node: u32): i32 {
    const value = decimal(spanOf(this.tape, node));
    if (value < 0) this.report("a number of '" + name.toText() + "' is too large or not whole");
    return value;
  }
}

/** Returns the bytes of a value, until the next call. */
function spanOf(tape: Tape, node: u32): Span {
  part.pointer = tape.pointer(node);
  part.length = tape.size(node);
  return part;
}

/** Returns where the name of a member ends: at `?` or `:`, or with the text (scripts/constant-bytes.ts leaves types out). */
function nameEnd(declaration: Span): usize {
  const end = declaration.pointer + declaration.length;
  let at = declaration.pointer;
  while (at < end && isOfWord(byteAt(at))) at++;
  return at;
}

function isOptional(declaration: Span, end: usize): bool {
  const hasMore = end < declaration.pointer + declaration.length;
  return hasMore && byteAt(end) == QUESTION;
}

function isOfWord(byte: u32): bool {
  return byte == UNDERSCORE || isLetter(byte) || isDigit(byte);
}

/** Returns the text of a default, until the next call; empty without one. */
function defaultOf(declaration: Span): Span {
  const end = declaration.pointer + declaration.length;
  const equals = findByte(declaration.pointer, end, EQUALS);
  part.pointer = equals == 0 ? end : equals + 2;
  part.length = <u32>(end - part.pointer);
  return part;
}

/** Returns a string node's text, until the next call. */
function plainOf(tape: Tape, node: u32): ByteBuffer {
  plain.clear();
  unescape(tape.pointer(node), tape.size(node), plain);
  return plain;
}

/** Returns a string node's text, which lives as long as the VM. */
export function bytesOf(tape: Tape, node: u32): Span {
  return plainOf(tape, node).keep();
}

/** Returns a text as a JSON string with its quotes. */
export function quoted(text: string): Span {
  json.clear();
  json.byte(QUOTE);
  escapeText(text, json);
  json.byte(QUOTE);
  return json.keep();
}

export function textOf(tape: Tape, node: u32): string {
  return tape.isString(node) ? plainOf(tape, node).toText() : "";
}
