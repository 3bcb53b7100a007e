// Pieces of a request: strings, values, schemas.
import { KIND_OBJECT, NO_NODE, Tape } from "../../bytes/json/tape";
import { escape, unescape } from "../../bytes/json/text";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../bytes/text/bytes";
import { byteAt } from "../../bytes/text/at";

const QUOTE: u32 = 0x22;

/** An empty line, inside a JSON string. */
export const BLANK_LINE = constant("\\n\\n");

const TYPE = constant("type");
const ADDITIONAL = constant("additionalProperties");

/** Writes a JSON string whose inside is already escaped. */
export function writeString(pointer: usize, length: u32, out: ByteBuffer): void {
  out.byte(QUOTE);
  out.bytes(pointer, length);
  out.byte(QUOTE);
}

/** Writes a comma, unless a list or an object has just been opened. */
export function separate(out: ByteBuffer): void {
  const last = out.length == 0 ? 0x7b : byteAt(out.pointer, out.length - 1);
  if (last != 0x5b && last != 0x7b) out.byte(0x2c);
}

/** Begins a member of an object, with its name in the tape. */
export function writeName(tape: Tape, key: u32, out: ByteBuffer): void {
  separate(out);
  writeString(tape.pointer(key), tape.size(key), out);
  out.byte(0x3a);
}

/** Writes a value after `name`, which is `,"name":`; nothing if the value is missing. */
export function writeMember(tape: Tape, node: u32, name: Span, out: ByteBuffer): void {
  if (!tape.isPresent(node)) return;
  out.span(name);
  writeValue(tape, node, out);
}

/** Writes a value as the client wrote it. */
export function writeValue(tape: Tape, node: u32, out: ByteBuffer): void {
  const start = tape.outerStart(node);
  out.bytes(tape.base + start, tape.outerEnd(node) - start);
}

const plainText = scratchBuffer();

/** Writes a JSON string cut to at most `limit` bytes of its plain text, never inside a character. */
export function writeShortened(pointer: usize, length: u32, limit: u32, out: ByteBuffer): void {
  plainText.clear();
  unescape(pointer, length, plainText);
  let kept = min(plainText.length, limit);
  while (kept > 0 && kept < plainText.length && (byteAt(plainText.pointer, kept) & 0xc0) == 0x80)
    kept--;
  out.byte(QUOTE);
  escape(plainText.pointer, kept, out);
  out.byte(QUOTE);
}

/**
 * Returns whether OpenAI's strict mode accepts a schema: every object closed, every property required.
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function isStrictSchema(tape: Tape, schema: u32): bool {
  for (let node = schema, end = tape.next(schema); node < end; node++) {
    if (!isObjectSchema(tape, node)) continue;
    const additional = tape.member(node, ADDITIONAL);
    if (additional == NO_NODE || !tape.isPresent(additional) || tape.isTrue(additional))
      return false;
    if (tape.isObject(additional)) return false;
    if (
      childCount(tape, tape.member(node, constant("properties")), 2) !=
      childCount(tape, tape.member(node, constant("required")), 1)
    )
      return false;
  }
  return true;
}

/** Returns whether a node is a schema with `"type": "object"`, not a property named type. */
export function isObjectSchema(tape: Tape, node: u32): bool {
  return tape.kind(node) == KIND_OBJECT && tape.equals(tape.member(node, TYPE), constant("object"));
}

/** Counts the children of an array (`step` 1) or the members of an object (`step` 2). */
function childCount(tape: Tape, node: u32, step: u32): u32 {
  let count: u32 = 0;
  if (node == NO_NODE) return 0;
  for (
    let child = tape.first(node), end = tape.next(node);
    child < end;
    child = tape.next(child + step - 1)
  )
    count++;
  return count;
}

/** The instruction that replaces a format of JSON without a schema: the inside of a JSON string. */
export const JSON_SENTENCE = constant(
  "Answer with one JSON object and nothing else: no text around it, no code fence.",
);

/** Writes the instruction that replaces a response schema nothing enforces: the inside of a JSON string. */
export function writeSchemaSentence(tape: Tape, schema: u32, out: ByteBuffer): void {
  out.text(
    "Answer with one JSON object and nothing else: no text around it, no code fence. It must match this JSON schema: ",
  );
  escape(tape.pointer(schema), tape.size(schema), out);
}
