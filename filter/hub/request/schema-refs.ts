// References inside of a JSON schema (`{"$ref": "#/$defs/Address"}`), for APIs that do not resolve them.
// @see https://json-schema.org/draft/2020-12/json-schema-core#name-direct-references-with-ref
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { startsWith } from "../../bytes/text/at";
import { ByteBuffer, constant, sameBytes, Span } from "../../bytes/text/bytes";
import { writeString, writeValue } from "./request-writing";

const REF = constant("$ref");
const DEFS = constant("$defs");
const DEFINITIONS = constant("definitions");
const TO_DEFS = constant("#/$defs/");
const TO_DEFINITIONS = constant("#/definitions/");

/** Definitions that refer to each other in a circle are cut here; what is nested deeper is copied. */
const MAX_DEPTH: i32 = 64;
/** Definitions that refer to each other may double with each step. Bytes of one schema. */
const MAX_INLINED: u32 = 256 << 10;

/** Returns the definition that a schema refers to; NO_NODE if it has no reference, or one to another place. */
export function referredSchema(tape: Tape, root: u32, schema: u32): u32 {
  const ref = tape.member(schema, REF);
  if (!tape.isString(ref)) return NO_NODE;
  const found = definitionOf(tape, tape.member(root, DEFS), ref, TO_DEFS);
  if (found != NO_NODE) return found;
  return definitionOf(tape, tape.member(root, DEFINITIONS), ref, TO_DEFINITIONS);
}

/** Returns whether a schema is part of the definition that it refers to. */
export function isRecursive(tape: Tape, schema: u32, referred: u32): bool {
  return referred <= schema && schema < tape.next(referred);
}

function definitionOf(tape: Tape, definitions: u32, ref: u32, prefix: Span): u32 {
  const pointer = tape.pointer(ref);
  const size = tape.size(ref);
  if (!tape.isObject(definitions) || !startsWith(pointer, size, prefix)) return NO_NODE;
  const end = tape.next(definitions);
  for (let key = tape.first(definitions); key < end; key = tape.next(key + 1)) {
    const length = size - prefix.length;
    if (sameBytes(tape.pointer(key), tape.size(key), pointer + prefix.length, length))
      return key + 1;
  }
  return NO_NODE;
}

/**
 * Writes a schema with its definitions in the places that refer to them. A reference to a definition around it becomes `{}`,
 * which allows everything.
 */
export function writeInlinedSchema(tape: Tape, schema: u32, out: ByteBuffer): void {
  new Inliner(tape, schema, out).write(schema, 0);
}

class Inliner {
  private limit: u32;

  constructor(
    private tape: Tape,
    private root: u32,
    private out: ByteBuffer,
  ) {
    this.limit = out.length + tape.size(root) + MAX_INLINED;
  }

  write(node: u32, depth: i32): void {
    const tape = this.tape;
    const out = this.out;
    const referred = referredSchema(tape, this.root, node);
    if (referred != NO_NODE) {
      const isCut = depth >= MAX_DEPTH || out.length >= this.limit;
      if (isCut || isRecursive(tape, node, referred)) out.text("{}");
      else this.write(referred, depth + 1);
    } else if (depth >= MAX_DEPTH) {
      writeValue(tape, node, out);
    } else if (tape.isObject(node)) {
      this.writeMembers(node, depth);
    } else if (tape.isArray(node)) {
      out.byte(0x5b);
      const end = tape.next(node);
      for (let item = tape.first(node), isFirst = true; item < end; item = tape.next(item)) {
        if (!isFirst) out.byte(0x2c);
        isFirst = false;
        this.write(item, depth + 1);
      }
      out.byte(0x5d);
    } else {
      writeValue(tape, node, out);
    }
  }

  private writeMembers(object: u32, depth: i32): void {
    const tape = this.tape;
    const out = this.out;
    out.byte(0x7b);
    let isFirst = true;
    const end = tape.next(object);
    for (let key = tape.first(object); key < end; key = tape.next(key + 1)) {
      const isDefinitions = tape.equals(key, DEFS) || tape.equals(key, DEFINITIONS);
      if (object == this.root && isDefinitions) continue;
      if (!isFirst) out.byte(0x2c);
      isFirst = false;
      writeString(tape.pointer(key), tape.size(key), out);
      out.byte(0x3a);
      this.write(key + 1, depth + 1);
    }
    out.byte(0x7d);
  }
}
