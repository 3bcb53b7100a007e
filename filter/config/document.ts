// Reads the configuration document: small typed accessors to a JSON tape, which report every failure as a sentence.
import { escape, escapeText, unescape } from "../bytes/json/text";
import { Tape } from "../bytes/json/tape";
import { byteAt } from "../bytes/text/at";
import { ByteBuffer, sameBytes, scratchBuffer, Span } from "../bytes/text/bytes";
import { decimal } from "../bytes/text/decimal";

const SPACE: u32 = 0x20;
const QUOTE: u32 = 0x22;

const digits = new Span(0, 0);
const plain = scratchBuffer();
const json = scratchBuffer();

/** The first problem of the document; empty while there is none. */
export let documentProblem: string = "";

export function reportProblem(problem: string): void {
  if (documentProblem.length == 0) documentProblem = problem;
}

export function clearProblem(): void {
  documentProblem = "";
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

/** Returns a string node's text as the inside of a JSON string. */
export function escapedOf(tape: Tape, node: u32): Span {
  const text = plainOf(tape, node);
  json.clear();
  escape(text.pointer, text.length, json);
  return json.keep();
}

/** Returns a text as a JSON string with its quotes. */
export function quoted(text: string): Span {
  json.clear();
  json.byte(QUOTE);
  escapeText(text, json);
  json.byte(QUOTE);
  return json.keep();
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
  return tape.isString(node) ? plainOf(tape, node).toText() : "";
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
