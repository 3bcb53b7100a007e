// Writes a JSON schema in the subset of OpenAPI that models before Gemini 2.5 support. Google rejects any other name with 400
// ("Unknown name … Cannot find field"), so what has no place there is left out: the schema becomes wider, never wrong.
// @see https://ai.google.dev/api/caching#Schema
import { writeName, writeValue } from "../../../../hub/request/request-writing";
import { NO_NODE } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { GeminiContents } from "./write-contents";

/** Members that mean the same in both. */
const SAME: Span[] = [
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

export abstract class OldSchemas extends GeminiContents {
  /** The schema with the definitions. */
  private root: u32 = NO_NODE;

  /** Writes a schema, with its definitions in the places that refer to them. */
  protected writeOldSchema(schema: u32): void {
    this.root = schema;
    this.writeSubset(schema, 0);
  }

  /** Writes the schema; anything but an object, or one that is nested too deep, allows everything. */
  private writeSubset(schema: u32, depth: i32): void {
    const tape = this.tape;
    if (!tape.isObject(schema) || depth > MAX_DEPTH) {
      this.out.text("{}");
      return;
    }
    const referred = this.refs.resolve(tape, this.root, schema);
    if (referred != schema && referred != NO_NODE) {
      this.writeSubset(referred, depth + 1);
      return;
    }
    this.out.byte(0x7b);
    const end = tape.next(schema);
    for (let key = tape.first(schema); key < end; key = tape.next(key + 1))
      this.writeSchemaMember(key, depth);
    this.out.byte(0x7d);
  }

  private writeSchemaMember(key: u32, depth: i32): void {
    const tape = this.tape;
    const value = key + 1;
    if (tape.equals(key, constant("type"))) this.writeType(value);
    else if (tape.equals(key, constant("properties"))) this.writeProperties(value, depth);
    else if (tape.equals(key, constant("items"))) {
      this.begin(constant('"items":'));
      this.writeSubset(value, depth + 1);
    } else if (tape.equals(key, constant("anyOf")) || tape.equals(key, constant("oneOf"))) {
      this.writeChoices(value, depth);
    } else if (tape.equals(key, constant("enum"))) this.writeEnum(value);
    else if (tape.equals(key, constant("const")) && tape.isString(value)) {
      this.begin(constant('"enum":['));
      writeValue(tape, value, this.out);
      this.out.byte(0x5d);
    } else if (
      tape.indexIn(key, SAME) >= 0 ||
      (tape.equals(key, constant("format")) && tape.equals(value, constant("date-time")))
    ) {
      writeName(tape, key, this.out);
      writeValue(tape, value, this.out);
    }
  }

  /** A list of types is one of them, and null another member. */
  private writeType(value: u32): void {
    const tape = this.tape;
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
      this.begin(constant('"type":'));
      writeValue(tape, type, this.out);
    }
    if (isNullable) this.begin(constant('"nullable":true'));
  }

  private writeProperties(value: u32, depth: i32): void {
    const tape = this.tape;
    this.begin(constant('"properties":{'));
    const end = tape.next(value);
    for (let key = tape.first(value); key < end && tape.isObject(value); key = tape.next(key + 1)) {
      writeName(tape, key, this.out);
      this.writeSubset(key + 1, depth + 1);
    }
    this.out.byte(0x7d);
  }

  private writeChoices(value: u32, depth: i32): void {
    const tape = this.tape;
    if (!tape.isArray(value)) return;
    this.begin(constant('"anyOf":['));
    const end = tape.next(value);
    for (let item = tape.first(value); item < end; item = tape.next(item)) {
      this.separate();
      this.writeSubset(item, depth + 1);
    }
    this.out.byte(0x5d);
  }

  /** Only texts are supported. */
  private writeEnum(value: u32): void {
    const tape = this.tape;
    if (!tape.isArray(value)) return;
    const end = tape.next(value);
    for (let item = tape.first(value); item < end; item = tape.next(item)) {
      if (!tape.isString(item)) return;
    }
    this.begin(constant('"enum":'));
    writeValue(tape, value, this.out);
  }
}
