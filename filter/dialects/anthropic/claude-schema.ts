// Writes JSON schemas in the subset that Claude's APIs support. What they refuse moves to the description, which the model
// reads: OpenAI's strict mode accepts most of it, so a request would fail only after a fallback.
// @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
// @see https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/lib/_parse/_transform.py
import { isBlank } from "../../bytes/json/blank";
import { readCount } from "../../bytes/json/number";
import { KIND_FALSE, NO_NODE, Tape } from "../../bytes/json/tape";
import { escape } from "../../bytes/json/text";
import { byteAt } from "../../bytes/text/at";
import { ByteBuffer, constant, sameBytes, Span } from "../../bytes/text/bytes";
import {
  BLANK_LINE,
  isObjectSchema,
  separate,
  writeName,
  writeValue,
} from "../../hub/request/request-writing";
import { referredSchema } from "../../hub/request/schema-refs";

const ADDITIONAL = constant("additionalProperties");
const ALL_OF = constant("allOf");
const ANY_OF = constant("anyOf");
const DESCRIPTION = constant("description");
const ITEMS = constant("items");
const ONE_OF = constant("oneOf");
const PROPERTIES = constant("properties");

/** Refused in a schema that is enforced: "For 'array' type, property 'uniqueItems' is not supported". */
const REFUSED: Span[] = [
  constant("minimum"),
  constant("maximum"),
  constant("exclusiveMinimum"),
  constant("exclusiveMaximum"),
  constant("multipleOf"),
  constant("minLength"),
  constant("maxLength"),
  constant("pattern"),
  constant("maxItems"),
  constant("uniqueItems"),
  constant("contains"),
  constant("minContains"),
  constant("maxContains"),
  constant("prefixItems"),
  constant("minProperties"),
  constant("maxProperties"),
  constant("patternProperties"),
  constant("propertyNames"),
  constant("dependentRequired"),
  constant("dependentSchemas"),
  constant("unevaluatedItems"),
  constant("unevaluatedProperties"),
  constant("not"),
  constant("if"),
  constant("then"),
  constant("else"),
];

const FORMATS: Span[] = [
  constant("date-time"),
  constant("time"),
  constant("date"),
  constant("duration"),
  constant("email"),
  constant("hostname"),
  constant("uri"),
  constant("ipv4"),
  constant("ipv6"),
  constant("uuid"),
];

/** Deeper schemas are copied as they are. */
const MAX_DEPTH: i32 = 64;
/** Unions with more branches or properties allow every object. */
const MAX_BRANCHES: i32 = 32;
const MAX_PROPERTIES: i32 = 512;

/** Writes a schema that the API enforces: every object closed, nothing that it refuses. */
export function writeStrictSchema(tape: Tape, schema: u32, out: ByteBuffer): void {
  writeStrict(tape, schema, 0, out);
}

/** Returns whether a tool's schema is a union at the top, which the API refuses: "input_schema does not support oneOf, allOf, or anyOf at the top level". */
export function isUnion(tape: Tape, schema: u32): bool {
  const end = tape.next(schema);
  for (let key = tape.first(schema); key < end; key = tape.next(key + 1)) {
    if (isUnionName(tape, key)) return true;
  }
  return false;
}

function isUnionName(tape: Tape, key: u32): bool {
  return tape.equals(key, ONE_OF) || tape.equals(key, ANY_OF) || tape.equals(key, ALL_OF);
}

// ---- Schemas that are enforced

function writeStrict(tape: Tape, schema: u32, depth: i32, out: ByteBuffer): void {
  if (!tape.isObject(schema) || depth > MAX_DEPTH) {
    writeValue(tape, schema, out);
    return;
  }
  out.byte(0x7b);
  // Once for all members: a name may come many times.
  const isClosed = isOpen(tape, schema);
  const hasAnyOf = tape.member(schema, ANY_OF) != NO_NODE;
  if (isClosed) out.text('"additionalProperties":false');
  let moved = 0;
  const end = tape.next(schema);
  for (let key = tape.first(schema); key < end; key = tape.next(key + 1)) {
    if (isMoved(tape, key, isClosed, hasAnyOf)) moved++;
  }
  for (let key = tape.first(schema); key < end; key = tape.next(key + 1)) {
    if (isMoved(tape, key, isClosed, hasAnyOf)) continue;
    if (moved > 0 && tape.equals(key, DESCRIPTION)) continue;
    writeStrictMember(tape, key, depth, out);
  }
  if (moved > 0) {
    openDescription(tape, schema, out);
    for (let key = tape.first(schema); key < end; key = tape.next(key + 1)) {
      if (isMoved(tape, key, isClosed, hasAnyOf)) describe(tape, key, out);
    }
    out.text('}"');
  }
  out.byte(0x7d);
}

/** Returns whether a schema is an object's, and not closed. */
function isOpen(tape: Tape, schema: u32): bool {
  return isObjectSchema(tape, schema) && tape.kind(tape.member(schema, ADDITIONAL)) != KIND_FALSE;
}

/**
 * Returns whether a member of a schema moves to its description.
 * @param isClosed whether the schema gets a new `additionalProperties`
 */
function isMoved(tape: Tape, key: u32, isClosed: bool, hasAnyOf: bool): bool {
  const value = key + 1;
  if (tape.indexIn(key, REFUSED) >= 0) return true;
  if (tape.equals(key, constant("minItems"))) return readCount(tape, value) > 1;
  if (tape.equals(key, constant("format"))) return tape.indexIn(value, FORMATS) < 0;
  // A list for a tuple was JSON Schema's form until 2020.
  if (tape.equals(key, ITEMS)) return tape.isArray(value);
  if (tape.equals(key, ONE_OF)) return hasAnyOf;
  return tape.equals(key, ADDITIONAL) && isClosed;
}

function writeStrictMember(tape: Tape, key: u32, depth: i32, out: ByteBuffer): void {
  const value = key + 1;
  const isMap =
    tape.equals(key, PROPERTIES) ||
    tape.equals(key, constant("$defs")) ||
    tape.equals(key, constant("definitions"));
  if (tape.equals(key, ONE_OF)) {
    separate(out);
    out.text('"anyOf":');
  } else {
    writeName(tape, key, out);
  }
  if (isMap && tape.isObject(value)) {
    out.byte(0x7b);
    const end = tape.next(value);
    for (let name = tape.first(value); name < end; name = tape.next(name + 1)) {
      writeName(tape, name, out);
      writeStrict(tape, name + 1, depth + 1, out);
    }
    out.byte(0x7d);
  } else if (isUnionName(tape, key) && tape.isArray(value)) {
    out.byte(0x5b);
    const end = tape.next(value);
    for (let item = tape.first(value); item < end; item = tape.next(item)) {
      separate(out);
      writeStrict(tape, item, depth + 1, out);
    }
    out.byte(0x5d);
  } else if (tape.equals(key, ITEMS)) {
    writeStrict(tape, value, depth + 1, out);
  } else {
    writeValue(tape, value, out);
  }
}

/** Writes the schema's own description, and opens the list of what moves there: `{minimum: 0, maxItems: 5}`. */
function openDescription(tape: Tape, schema: u32, out: ByteBuffer): void {
  separate(out);
  out.text('"description":"');
  const own = tape.member(schema, DESCRIPTION);
  if (tape.isString(own) && !isBlank(tape.pointer(own), tape.size(own))) {
    out.bytes(tape.pointer(own), tape.size(own));
    out.span(BLANK_LINE);
  }
  out.byte(0x7b);
}

/** Appends a member as text, the inside of a JSON string. */
function describe(tape: Tape, key: u32, out: ByteBuffer): void {
  const value = key + 1;
  if (byteAt(out.pointer, out.length - 1) != 0x7b) out.text(", ");
  out.bytes(tape.pointer(key), tape.size(key));
  out.text(": ");
  const start = tape.outerStart(value);
  escape(tape.base + start, tape.outerEnd(value) - start, out);
}

// ---- Unions

const branches = new StaticArray<u32>(MAX_BRANCHES);
let branchCount = 0;

/**
 * Writes a tool's schema that is a union as one object with the properties of all branches, each as wide as its widest branch.
 * The union itself is in the description.
 */
export function writeMergedUnion(tape: Tape, schema: u32, isStrict: bool, out: ByteBuffer): void {
  const isMerged = isMergeable(tape, schema);
  out.text('{"type":"object"');
  if (isMerged) {
    out.text(',"properties":{');
    const own = tape.member(schema, PROPERTIES);
    writeProperties(tape, own, NO_NODE, -1, isStrict, out);
    for (let i = 0; i < branchCount; i++) {
      const properties = tape.member(unchecked(branches[i]), PROPERTIES);
      writeProperties(tape, properties, own, i, isStrict, out);
    }
    out.byte(0x7d);
  }
  if (isStrict) out.text(',"additionalProperties":false');
  const end = tape.next(schema);
  for (let key = tape.first(schema); key < end; key = tape.next(key + 1)) {
    if (isMergedMember(tape, key, isStrict)) continue;
    if (isStrict) writeStrictMember(tape, key, 0, out);
    else {
      writeName(tape, key, out);
      writeValue(tape, key + 1, out);
    }
  }
  openDescription(tape, schema, out);
  for (let key = tape.first(schema); key < end; key = tape.next(key + 1)) {
    if (isUnionName(tape, key)) describe(tape, key, out);
  }
  out.text('}"}');
}

/** Returns whether a member of a union is written with the merged object, or not at all. */
function isMergedMember(tape: Tape, key: u32, isStrict: bool): bool {
  if (isUnionName(tape, key) || tape.equals(key, DESCRIPTION) || tape.equals(key, PROPERTIES))
    return true;
  if (tape.equals(key, constant("type"))) return true;
  return isStrict && (tape.equals(key, ADDITIONAL) || tape.indexIn(key, REFUSED) >= 0);
}

/** Finds the branches of all unions at the top of a schema. Returns whether they are few enough to merge. */
export function isMergeable(tape: Tape, schema: u32): bool {
  branchCount = 0;
  let properties = 0;
  const end = tape.next(schema);
  for (let key = tape.first(schema); key < end; key = tape.next(key + 1)) {
    if (!isUnionName(tape, key) || !tape.isArray(key + 1)) continue;
    const listEnd = tape.next(key + 1);
    for (let item = tape.first(key + 1); item < listEnd; item = tape.next(item)) {
      if (branchCount == MAX_BRANCHES) return false;
      const referred = referredSchema(tape, schema, item);
      const branch = referred == NO_NODE ? item : referred;
      unchecked((branches[branchCount++] = branch));
      properties += countMembers(tape, tape.member(branch, PROPERTIES));
      if (properties > MAX_PROPERTIES) return false;
    }
  }
  return true;
}

function countMembers(tape: Tape, object: u32): i32 {
  let count = 0;
  if (!tape.isObject(object)) return 0;
  const end = tape.next(object);
  for (let key = tape.first(object); key < end; key = tape.next(key + 1)) count++;
  return count;
}

/** Writes the properties of branch `index` that neither the schema itself (`own`) nor an earlier branch has. */
function writeProperties(
  tape: Tape,
  properties: u32,
  own: u32,
  index: i32,
  isStrict: bool,
  out: ByteBuffer,
): void {
  if (!tape.isObject(properties)) return;
  const end = tape.next(properties);
  for (let key = tape.first(properties); key < end; key = tape.next(key + 1)) {
    if (index >= 0 && (has(tape, own, key) || isInEarlier(tape, key, index))) continue;
    writeName(tape, key, out);
    const others = index < 0 ? 0 : countInLater(tape, key, index);
    if (others == 0) {
      writeProperty(tape, key + 1, isStrict, out);
      continue;
    }
    out.text('{"anyOf":[');
    writeProperty(tape, key + 1, isStrict, out);
    for (let i = index + 1; i < branchCount; i++) {
      const other = find(tape, tape.member(unchecked(branches[i]), PROPERTIES), key);
      if (other == NO_NODE) continue;
      out.byte(0x2c);
      writeProperty(tape, other, isStrict, out);
    }
    out.text("]}");
  }
}

function writeProperty(tape: Tape, schema: u32, isStrict: bool, out: ByteBuffer): void {
  if (isStrict) writeStrict(tape, schema, 1, out);
  else writeValue(tape, schema, out);
}

function isInEarlier(tape: Tape, key: u32, index: i32): bool {
  for (let i = 0; i < index; i++) {
    if (has(tape, tape.member(unchecked(branches[i]), PROPERTIES), key)) return true;
  }
  return false;
}

function countInLater(tape: Tape, key: u32, index: i32): i32 {
  let count = 0;
  for (let i = index + 1; i < branchCount; i++) {
    if (has(tape, tape.member(unchecked(branches[i]), PROPERTIES), key)) count++;
  }
  return count;
}

function has(tape: Tape, object: u32, key: u32): bool {
  return find(tape, object, key) != NO_NODE;
}

/** Returns the value of the member with the name of another one. */
function find(tape: Tape, object: u32, key: u32): u32 {
  if (!tape.isObject(object)) return NO_NODE;
  const end = tape.next(object);
  for (let other = tape.first(object); other < end; other = tape.next(other + 1)) {
    if (sameBytes(tape.pointer(other), tape.size(other), tape.pointer(key), tape.size(key)))
      return other + 1;
  }
  return NO_NODE;
}
