// Reads the configuration document: small typed accessors to a JSON tape, which report every failure as a sentence.
import { freeBlock } from "../memory/blocks";
import { unescape } from "../bytes/json/text";
import { Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";
import { decimal } from "../bytes/text/decimal";

const digits = new Span(0, 0);

/** The first problem of the document; empty while there is none. */
export let documentProblem: string = "";

export function reportProblem(problem: string): void {
  if (documentProblem.length == 0) documentProblem = problem;
}

export function clearProblem(): void {
  documentProblem = "";
}

export function memberOf(tape: Tape, object: u32, name: string): u32 {
  const span = constant(name);
  const node = tape.member(object, span);
  freeBlock(span.pointer);
  return node;
}

/** Returns a string node's text in a block that lives as long as the VM. */
export function bytesOf(tape: Tape, node: u32): Span {
  const out = new ByteBuffer();
  unescape(tape.pointer(node), tape.size(node), out);
  out.reserve(0);
  return new Span(out.pointer, out.length);
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

export function stringMember(tape: Tape, object: u32, name: string): string {
  const node = memberOf(tape, object, name);
  if (!tape.isString(node)) reportProblem("'" + name + "' must be a string");
  return textOf(tape, node);
}

export function optionalString(tape: Tape, object: u32, name: string): string {
  return textOf(tape, memberOf(tape, object, name));
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
 */
export function onlyKnownMembers(tape: Tape, object: u32, known: string[]): void {
  const end = tape.next(object);
  for (let key = tape.first(object); key < end; key = tape.next(key + 1)) {
    const name = textOf(tape, key);
    if (!known.includes(name)) reportProblem("unknown member '" + name + "'");
  }
}
