// Writes a JSON schema in the subset of OpenAPI that models before Gemini 2.5 support. Google rejects any other name with 400
// ("Unknown name … Cannot find field"), so what has no place there is left out: the schema becomes wider, never wrong.
// @see https://ai.google.dev/api/caching#Schema
import { writeString, writeValue } from "../../../../hub/request/request-writing";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { separate } from "./write-parts";

const ENUM_MEMBER = constant('"enum":[');

/** Members that mean the same in both. */
const SAME: StaticArray<Span> = [
  constant("title"),
  constant("description"),
  constant("nullable"),
  constant("required"),
  constant("minItems"),
  constant("maxItems"),
  constant("minLength"),
  constant("maxLength"),
  constant("minimum"),
  constant("maximum"),
  constant("pattern"),
  constant("propertyOrdering"),
];

const MAX_DEPTH: i32 = 32;

/** Writes the schema; anything but an object, or one that is nested too deep, allows everything. */
export function writeOldSchema(tape: Tape, schema: u32, out: ByteBuffer, depth: i32 = 0): void {
  if (!tape.isObject(schema) || depth > MAX_DEPTH) {
    out.text("{}");
    return;
  }
  out.byte(0x7b);
  const end = tape.next(schema);
  for (let key = tape.first(schema); key < end; key = tape.next(key + 1))
    writeMember(tape, key, out, depth);
  out.byte(0x7d);
}

function writeMember(tape: Tape, key: u32, out: ByteBuffer, depth: i32): void {
  const value = key + 1;
  if (tape.equals(key, constant("type"))) writeType(tape, value, out);
  else if (tape.equals(key, constant("properties"))) writeProperties(tape, value, out, depth);
  else if (tape.equals(key, constant("items"))) {
    open(constant('"items":'), out);
    writeOldSchema(tape, value, out, depth + 1);
  } else if (tape.equals(key, constant("anyOf")) || tape.equals(key, constant("oneOf"))) {
    writeChoices(tape, value, out, depth);
  } else if (tape.equals(key, constant("enum"))) writeEnum(tape, value, out);
  else if (tape.equals(key, constant("const")) && tape.isString(value)) {
    open(ENUM_MEMBER, out);
    writeValue(tape, value, out);
    out.byte(0x5d);
  } else if (
    isSame(tape, key) ||
    (tape.equals(key, constant("format")) && tape.equals(value, constant("date-time")))
  ) {
    writePair(tape, key, out);
  }
}

function isSame(tape: Tape, key: u32): bool {
  for (let i = 0; i < SAME.length; i++) {
    if (tape.equals(key, unchecked(SAME[i]))) return true;
  }
  return false;
}

/** A list of types is one of them, and null another member. */
function writeType(tape: Tape, value: u32, out: ByteBuffer): void {
  let type = tape.isString(value) ? value : NO_NODE;
  let isNullable = false;
  if (tape.isArray(value)) {
    const end = tape.next(value);
    for (let item = tape.first(value); item < end; item = tape.next(item)) {
      if (tape.equals(item, constant("null"))) isNullable = true;
      else if (type == NO_NODE) type = item;
    }
  }
  if (tape.isString(type)) {
    open(constant('"type":'), out);
    writeValue(tape, type, out);
  }
  if (isNullable) open(constant('"nullable":true'), out);
}

function writeProperties(tape: Tape, value: u32, out: ByteBuffer, depth: i32): void {
  open(constant('"properties":{'), out);
  const end = tape.next(value);
  for (let key = tape.first(value); key < end && tape.isObject(value); key = tape.next(key + 1)) {
    separate(out);
    writeString(tape.pointer(key), tape.size(key), out);
    out.byte(0x3a);
    writeOldSchema(tape, key + 1, out, depth + 1);
  }
  out.byte(0x7d);
}

function writeChoices(tape: Tape, value: u32, out: ByteBuffer, depth: i32): void {
  if (!tape.isArray(value)) return;
  open(constant('"anyOf":['), out);
  const end = tape.next(value);
  for (let item = tape.first(value); item < end; item = tape.next(item)) {
    separate(out);
    writeOldSchema(tape, item, out, depth + 1);
  }
  out.byte(0x5d);
}

/** Only texts are supported. */
function writeEnum(tape: Tape, value: u32, out: ByteBuffer): void {
  if (!tape.isArray(value)) return;
  const end = tape.next(value);
  for (let item = tape.first(value); item < end; item = tape.next(item)) {
    if (!tape.isString(item)) return;
  }
  open(ENUM_MEMBER, out);
  for (let item = tape.first(value); item < end; item = tape.next(item)) {
    separate(out);
    writeValue(tape, item, out);
  }
  out.byte(0x5d);
}

function writePair(tape: Tape, key: u32, out: ByteBuffer): void {
  separate(out);
  writeString(tape.pointer(key), tape.size(key), out);
  out.byte(0x3a);
  writeValue(tape, key + 1, out);
}

function open(head: Span, out: ByteBuffer): void {
  separate(out);
  out.span(head);
}
