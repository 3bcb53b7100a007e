// References inside of a JSON schema (`{"$ref": "#/$defs/Address"}`), for APIs that do not resolve them.
// @see https://json-schema.org/draft/2020-12/json-schema-core#name-direct-references-with-ref
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { startsWith } from "../../bytes/text/at";
import { ByteBuffer, constant, sameBytes, Span } from "../../bytes/text/bytes";
import { writeString, writeValue } from "./request-writing";

const REF = constant("$ref");
const TYPE = constant("type");
const DEFS = constant("$defs");
const DEFINITIONS = constant("definitions");
const TO_DEFS = constant("#/$defs/");
const TO_DEFINITIONS = constant("#/definitions/");

/** Definitions that refer to each other in a circle are cut here; what is nested deeper is copied. */
const MAX_DEPTH: i32 = 64;
/** Definitions that refer to each other may double with each step. Bytes that all references of a request add. */
const MAX_ADDED: u32 = 1 << 20;
/** Each reference is compared with the names of the definitions. Nodes of definitions that all references of a request pass. */
const MAX_PASSED: u32 = 16 << 20;

/** Returns the definition that a schema refers to; NO_NODE if it has no reference, or one to another place. */
export function referredSchema(tape: Tape, root: u32, schema: u32): u32 {
  const ref = tape.member(schema, REF);
  if (!tape.isString(ref)) return NO_NODE;
  const found = definitionOf(tape, tape.member(root, DEFS), ref, TO_DEFS);
  if (found != NO_NODE) return found;
  return definitionOf(tape, tape.member(root, DEFINITIONS), ref, TO_DEFINITIONS);
}

/** The references in the schemas of one request, and what they may still add to it. */
export class SchemaRefs {
  private added: u32 = 0;
  private passed: u32 = 0;
  /** The schema of the last reference, and its definitions. */
  private root: u32 = NO_NODE;
  private defs: u32 = NO_NODE;
  private definitions: u32 = NO_NODE;

  /** Begins a request. */
  begin(): void {
    this.added = 0;
    this.passed = 0;
    this.root = NO_NODE;
  }

  /**
   * Returns what takes the place of a schema in `root`: the definition that it refers to; itself, if it has no reference or one
   * to another place; NO_NODE if it is part of that definition, or the request refers to too much.
   */
  resolve(tape: Tape, root: u32, schema: u32): u32 {
    const ref = tape.member(schema, REF);
    if (!tape.isString(ref)) return schema;
    if (root != this.root) {
      this.root = root;
      this.defs = tape.member(root, DEFS);
      this.definitions = tape.member(root, DEFINITIONS);
    }
    let referred = this.find(tape, this.defs, ref, TO_DEFS);
    if (referred == NO_NODE) referred = this.find(tape, this.definitions, ref, TO_DEFINITIONS);
    if (this.passed > MAX_PASSED) return NO_NODE;
    if (referred == NO_NODE) return schema;
    const size = tape.size(referred) + 1;
    const isPart = referred <= schema && schema < tape.next(referred);
    if (isPart || size > MAX_ADDED - this.added) return NO_NODE;
    this.added += size;
    return referred;
  }

  private find(tape: Tape, definitions: u32, ref: u32, prefix: Span): u32 {
    if (this.passed > MAX_PASSED) return NO_NODE;
    const found = definitionOf(tape, definitions, ref, prefix);
    if (tape.isObject(definitions))
      this.passed += (found == NO_NODE ? tape.next(definitions) : found) - definitions;
    return found;
  }
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
 * @param isInput whether it is an object, although the client may have left its type out
 */
export function writeInlinedSchema(
  tape: Tape,
  schema: u32,
  refs: SchemaRefs,
  isInput: bool,
  out: ByteBuffer,
): void {
  new Inliner(tape, schema, refs, isInput, out).write(schema, 0);
}

class Inliner {
  constructor(
    private tape: Tape,
    private root: u32,
    private refs: SchemaRefs,
    private isInput: bool,
    private out: ByteBuffer,
  ) {}

  write(node: u32, depth: i32): void {
    const tape = this.tape;
    const out = this.out;
    const schema = this.refs.resolve(tape, this.root, node);
    if (schema != node) {
      if (schema == NO_NODE || depth >= MAX_DEPTH) out.text("{}");
      else this.write(schema, depth + 1);
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
    if (this.isInput && object == this.root && tape.member(object, TYPE) == NO_NODE) {
      out.text('"type":"object"');
      isFirst = false;
    }
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
