// Reads the configuration document: small typed accessors to a JSON tape, which report every failure as a sentence.
import { freeBlock } from "../memory/blocks";
import { unescape } from "../bytes/json/text";
import { Tape } from "../bytes/json/tape";
import { byteAt } from "../bytes/text/at";
import { ByteBuffer, sameBytes, Span } from "../bytes/text/bytes";
import { decimal } from "../bytes/text/decimal";

const SPACE: u32 = 0x20;

const digits = new Span(0, 0);

/** The first problem of the document; empty while there is none. */
export let documentProblem: string = "";

export function reportProblem(problem: string): void {
  if (documentProblem.length == 0) documentProblem = problem;
}

export function clearProblem(): void {
  documentProblem = "";
}

/** Returns a string node's text in a block that lives as long as the VM. */
export function bytesOf(tape: Tape, node: u32): Span {
  const out = new ByteBuffer();
  unescape(tape.pointer(node), tape.size(node), out);
  return out.keep();
}

/** Returns the texts of a list, which may be missing, as `bytesOf` does. */
export function spansOf(tape: Tape, list: u32): Span[] {
  const spans = new Array<Span>();
  const end = tape.next(list);
  for (let item = tape.first(list); item < end; item = tape.next(item))
    spans.push(bytesOf(tape, item));
  return spans;
}

export function textOf(tape: Tape, node: u32): string {
  if (!tape.isString(node)) return "";
  const span = bytesOf(tape, node);
  const text = String.UTF8.decodeUnsafe(span.pointer, span.length);
  freeBlock(span.pointer);
  return text;
}

export function stringMember(tape: Tape, object: u32, name: Span): string {
  const node = tape.member(object, name);
  if (!tape.isString(node)) reportProblem("'" + name.toText() + "' must be a string");
  return textOf(tape, node);
}

export function optionalString(tape: Tape, object: u32, name: Span): string {
  return textOf(tape, tape.member(object, name));
}

/** Returns a small non-negative integer, or -1 with a problem reported. */
export function integerOf(tape: Tape, node: u32): i32 {
  digits.pointer = tape.pointer(node);
  digits.length = tape.size(node);
  const value = decimal(digits);
  if (value < 0) reportProblem("a number is missing, too large or not whole");
  return value;
}

/** Returns how many members an object has. */
export function membersOf(tape: Tape, object: u32): u32 {
  let count: u32 = 0;
  const end = tape.next(object);
  for (let key = tape.first(object); key < end; key = tape.next(key + 1)) count++;
  return count;
}

/**
 * Rejects a member that this version does not support: an old filter must not apply only a part of a new configuration.
 * @param known the supported members, with a space between two of them
 */
export function onlyKnownMembers(tape: Tape, object: u32, known: Span): void {
  const end = tape.next(object);
  for (let key = tape.first(object); key < end; key = tape.next(key + 1)) {
    if (!hasWord(known, tape.pointer(key), tape.size(key)))
      reportProblem("unknown member '" + textOf(tape, key) + "'");
  }
}

function hasWord(words: Span, pointer: usize, length: u32): bool {
  for (let from: u32 = 0, to: u32 = 0; from < words.length; from = ++to) {
    while (to < words.length && byteAt(words.pointer, to) != SPACE) to++;
    if (sameBytes(words.pointer + from, to - from, pointer, length)) return true;
  }
  return false;
}
