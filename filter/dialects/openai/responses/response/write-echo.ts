// Writes the members of a request that its response repeats, with OpenAI's defaults. A member without a default is left out: the
// published schemas have no null for it.
// @see https://platform.openai.com/docs/api-reference/responses/object
import { writeValue } from "../../../../hub/request/request-writing";
import { minify } from "../../../../bytes/json/minify";
import {
  KIND_FALSE,
  KIND_NUMBER,
  KIND_OBJECT,
  KIND_STRING,
  KIND_TRUE,
  NO_NODE,
  Tape,
} from "../../../../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";

/** A longer text is not repeated: every event of the lifecycle has them all. Bytes. */
const MAX_TEXT: u32 = 1024;
/** No more objects and lists are repeated above this size of all members. Bytes. */
const MAX_ECHO: u32 = 64 << 10;

const TOOLS = constant("tools");

const NULL = constant("null");
const ZERO = constant("0");
const ONE = constant("1");

/** A member that an object of a response always has, and what stands for a missing one. */
class Default {
  constructor(
    public name: Span,
    public value: Span,
  ) {}
}

const OF_FUNCTIONS: StaticArray<Default> = [
  new Default(constant("description"), NULL),
  new Default(constant("parameters"), NULL),
  new Default(constant("strict"), NULL),
];
const OF_REASONING: StaticArray<Default> = [
  new Default(constant("effort"), NULL),
  new Default(constant("summary"), NULL),
];
const OF_TEXT: StaticArray<Default> = [
  new Default(constant("format"), constant('{"type":"text"}')),
];
const NO_DEFAULTS: StaticArray<Default> = [];

/** Kinds of values, a bit for each. */
const STRINGS: u32 = 1 << KIND_STRING;
const NUMBERS: u32 = 1 << KIND_NUMBER;
const OBJECTS: u32 = 1 << KIND_OBJECT;
const BOOLEANS: u32 = (1 << KIND_TRUE) | (1 << KIND_FALSE);

const value = scratchBuffer();

/** Appends the members, each with a comma before it. */
export function writeEcho(tape: Tape, out: ByteBuffer): void {
  echo(tape, constant("frequency_penalty"), NUMBERS, ZERO, out);
  echo(tape, constant("instructions"), STRINGS, NULL, out);
  echo(tape, constant("max_output_tokens"), NUMBERS, NULL, out);
  echo(tape, constant("max_tool_calls"), NUMBERS, NULL, out);
  echo(tape, constant("metadata"), OBJECTS, constant("{}"), out);
  echo(tape, constant("parallel_tool_calls"), BOOLEANS, constant("true"), out);
  echo(tape, constant("presence_penalty"), NUMBERS, ZERO, out);
  echo(tape, constant("prompt_cache_key"), STRINGS, NULL, out);
  echoObject(
    tape,
    constant("reasoning"),
    OF_REASONING,
    constant('{"effort":null,"summary":null}'),
    out,
  );
  echo(tape, constant("safety_identifier"), STRINGS, NULL, out);
  echo(tape, constant("temperature"), NUMBERS, ONE, out);
  echoObject(tape, constant("text"), OF_TEXT, constant('{"format":{"type":"text"}}'), out);
  echo(tape, constant("tool_choice"), STRINGS | OBJECTS, constant('"auto"'), out);
  echo(tape, constant("top_logprobs"), NUMBERS, ZERO, out);
  echo(tape, constant("top_p"), NUMBERS, ONE, out);
  echo(tape, constant("truncation"), STRINGS, constant('"disabled"'), out);
  echo(tape, constant("user"), STRINGS, constant(""), out);
  out.text(',"previous_response_id":null');
  echoTools(tape, out);
}

/** Writes the client's value, or the default: for a value of another kind, and for a long one. */
function echo(tape: Tape, name: Span, kinds: u32, otherwise: Span, out: ByteBuffer): void {
  const node = tape.member(0, name);
  const isShort = tape.isObject(node) ? fits(tape, node, out) : tape.size(node) <= MAX_TEXT;
  value.clear();
  if (((1 << tape.kind(node)) & kinds) != 0 && isShort) writeValue(tape, node, value);
  put(name, otherwise, out);
}

/** As `echo`, with the members that the client's object lacks. */
function echoObject(
  tape: Tape,
  name: Span,
  defaults: StaticArray<Default>,
  otherwise: Span,
  out: ByteBuffer,
): void {
  const node = tape.member(0, name);
  value.clear();
  if (tape.isObject(node) && fits(tape, node, out)) fill(tape, node, defaults);
  put(name, otherwise, out);
}

function echoTools(tape: Tape, out: ByteBuffer): void {
  const list = tape.member(0, TOOLS);
  value.clear();
  if (tape.isArray(list) && fits(tape, list, out)) {
    value.byte(0x5b);
    const end = tape.next(list);
    for (let tool = tape.first(list); tool < end; tool = tape.next(tool)) {
      if (!tape.isObject(tool)) continue;
      if (value.length > 1) value.byte(0x2c);
      const type = tape.member(tool, constant("type"));
      if (tape.equals(type, constant("mcp"))) fillServer(tape, tool);
      else fill(tape, tool, tape.equals(type, constant("function")) ? OF_FUNCTIONS : NO_DEFAULTS);
    }
    value.byte(0x5d);
  }
  put(TOOLS, constant("[]"), out);
}

/**
 * Appends an MCP server to `value` without its credentials, which OpenAI does not repeat either.
 * @see https://developers.openai.com/api/docs/guides/tools-connectors-mcp
 */
function fillServer(tape: Tape, tool: u32): void {
  value.byte(0x7b);
  const end = tape.next(tool);
  for (let key = tape.first(tool); key < end; key = tape.next(key + 1)) {
    if (tape.equals(key, constant("authorization")) || tape.equals(key, constant("headers")))
      continue;
    const start = tape.outerStart(key);
    value.bytes(tape.base + start, tape.outerEnd(key + 1) - start);
    value.byte(0x2c);
  }
  value.text('"headers":null}');
}

function fits(tape: Tape, node: u32, out: ByteBuffer): bool {
  return out.length + tape.size(node) <= MAX_ECHO;
}

/** Appends an object to `value`, with the members that it lacks. */
function fill(tape: Tape, object: u32, defaults: StaticArray<Default>): void {
  let hasMembers = !tape.isEmpty(object);
  value.bytes(tape.pointer(object), tape.size(object) - 1);
  for (let i = 0; i < defaults.length; i++) {
    const missing = unchecked(defaults[i]);
    if (tape.member(object, missing.name) != NO_NODE) continue;
    if (hasMembers) value.byte(0x2c);
    hasMembers = true;
    value.byte(0x22);
    value.span(missing.name);
    value.byte(0x22);
    value.byte(0x3a);
    value.span(missing.value);
  }
  value.byte(0x7d);
}

/** Writes a member with what is in `value`, which may be in several lines, or with the default; nothing if there is neither. */
function put(name: Span, otherwise: Span, out: ByteBuffer): void {
  if (value.length > 0) minify(value);
  else value.span(otherwise);
  if (value.length == 0) return;
  out.byte(0x2c);
  out.byte(0x22);
  out.span(name);
  out.byte(0x22);
  out.byte(0x3a);
  out.bytes(value.pointer, value.length);
}
