// Reading the configuration document: small typed questions to a JSON tape, every failure collected as a sentence.
import { freeBlock } from "../memory/blocks";
import { unescape } from "../bytes/json/text";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";

/** The first thing that was wrong with the document; empty while all is well. */
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

/** A string node's text in a block that lives as long as the VM. */
export function bytesOf(tape: Tape, node: u32): Span {
  const out = new ByteBuffer();
  unescape(tape.pointer(node), tape.size(node), out);
  out.reserve(0);
  return new Span(out.pointer, out.length);
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

/** A small non-negative integer, or -1 with a problem. */
export function integerOf(tape: Tape, node: u32): i32 {
  const size = tape.size(node);
  if (node == NO_NODE || size == 0 || size > 9) {
    reportProblem("a number is missing or too large");
    return -1;
  }
  let value: i32 = 0;
  for (let i: u32 = 0; i < size; i++) {
    const digit = <i32>load<u8>(tape.pointer(node) + i) - 0x30;
    if (digit < 0 || digit > 9) {
      reportProblem("a number is not a whole one");
      return -1;
    }
    value = value * 10 + digit;
  }
  return value;
}

/** Returns how many members an object has. */
export function membersOf(tape: Tape, object: u32): u32 {
  let count: u32 = 0;
  const end = tape.next(object);
  for (let key = tape.first(object); key < end; key = tape.next(key + 1)) count++;
  return count;
}

/** Refuses a member that this version does not know: an old filter must not half-understand a new configuration. */
export function onlyKnownMembers(tape: Tape, object: u32, known: string[]): void {
  const end = tape.next(object);
  for (let key = tape.first(object); key < end; key = tape.next(key + 1)) {
    const name = textOf(tape, key);
    if (!known.includes(name)) reportProblem("unknown member '" + name + "'");
  }
}
