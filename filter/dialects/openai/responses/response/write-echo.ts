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

const FREQUENCY_PENALTY = constant("frequency_penalty");
const INSTRUCTIONS = constant("instructions");
const MAX_OUTPUT_TOKENS = constant("max_output_tokens");
const MAX_TOOL_CALLS = constant("max_tool_calls");
const METADATA = constant("metadata");
const PARALLEL = constant("parallel_tool_calls");
const PRESENCE_PENALTY = constant("presence_penalty");
const PROMPT_CACHE_KEY = constant("prompt_cache_key");
const REASONING = constant("reasoning");
const SAFETY_IDENTIFIER = constant("safety_identifier");
const TEMPERATURE = constant("temperature");
const TEXT = constant("text");
const TOOL_CHOICE = constant("tool_choice");
const TOOLS = constant("tools");
const TOP_LOGPROBS = constant("top_logprobs");
const TOP_P = constant("top_p");
const TRUNCATION = constant("truncation");
const USER = constant("user");

const NULL = constant("null");
const TRUE = constant("true");
const ZERO = constant("0");
const ONE = constant("1");
const EMPTY_OBJECT = constant("{}");
const NO_REASONING = constant('{"effort":null,"summary":null}');
const PLAIN_TEXT = constant('{"format":{"type":"text"}}');
const AUTO = constant('"auto"');
const DISABLED = constant('"disabled"');
const EMPTY_LIST = constant("[]");
const NOTHING = constant("");
const PREVIOUS = constant(',"previous_response_id":null');

const TYPE = constant("type");
const FUNCTION = constant("function");

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
  echo(tape, FREQUENCY_PENALTY, NUMBERS, ZERO, out);
  echo(tape, INSTRUCTIONS, STRINGS, NULL, out);
  echo(tape, MAX_OUTPUT_TOKENS, NUMBERS, NULL, out);
  echo(tape, MAX_TOOL_CALLS, NUMBERS, NULL, out);
  echo(tape, METADATA, OBJECTS, EMPTY_OBJECT, out);
  echo(tape, PARALLEL, BOOLEANS, TRUE, out);
  echo(tape, PRESENCE_PENALTY, NUMBERS, ZERO, out);
  echo(tape, PROMPT_CACHE_KEY, STRINGS, NULL, out);
  echoObject(tape, REASONING, OF_REASONING, NO_REASONING, out);
  echo(tape, SAFETY_IDENTIFIER, STRINGS, NULL, out);
  echo(tape, TEMPERATURE, NUMBERS, ONE, out);
  echoObject(tape, TEXT, OF_TEXT, PLAIN_TEXT, out);
  echo(tape, TOOL_CHOICE, STRINGS | OBJECTS, AUTO, out);
  echo(tape, TOP_LOGPROBS, NUMBERS, ZERO, out);
  echo(tape, TOP_P, NUMBERS, ONE, out);
  echo(tape, TRUNCATION, STRINGS, DISABLED, out);
  echo(tape, USER, STRINGS, NOTHING, out);
  out.span(PREVIOUS);
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
      const isFunction = tape.equals(tape.member(tool, TYPE), FUNCTION);
      fill(tape, tool, isFunction ? OF_FUNCTIONS : NO_DEFAULTS);
    }
    value.byte(0x5d);
  }
  put(TOOLS, EMPTY_LIST, out);
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
