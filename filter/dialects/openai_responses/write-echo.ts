// Writes the members of a request that its response repeats, with OpenAI's defaults.
// @see https://platform.openai.com/docs/api-reference/responses/object
import { writeValue } from "../../hub/request-writing";
import { minify } from "../../bytes/json/minify";
import {
  KIND_FALSE,
  KIND_NUMBER,
  KIND_OBJECT,
  KIND_STRING,
  KIND_TRUE,
  Tape,
} from "../../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../bytes/text/bytes";

/** A longer value is not repeated: every event of the lifecycle has them all. Bytes. */
const MAX_VALUE: u32 = 1024;

const INSTRUCTIONS = constant("instructions");
const MAX_OUTPUT_TOKENS = constant("max_output_tokens");
const MAX_TOOL_CALLS = constant("max_tool_calls");
const METADATA = constant("metadata");
const PARALLEL = constant("parallel_tool_calls");
const REASONING = constant("reasoning");
const SAFETY_IDENTIFIER = constant("safety_identifier");
const TEMPERATURE = constant("temperature");
const TEXT = constant("text");
const TOOL_CHOICE = constant("tool_choice");
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
/** Clients need `tools` as a list; none reads it. */
const REST = constant(',"previous_response_id":null,"tools":[]');

/** Kinds of values, a bit for each. */
const STRINGS: u32 = 1 << KIND_STRING;
const NUMBERS: u32 = 1 << KIND_NUMBER;
const OBJECTS: u32 = 1 << KIND_OBJECT;
const BOOLEANS: u32 = (1 << KIND_TRUE) | (1 << KIND_FALSE);

const value = scratchBuffer();

/** Appends the members, each with a comma before it. */
export function writeEcho(tape: Tape, out: ByteBuffer): void {
  echo(tape, INSTRUCTIONS, STRINGS, NULL, out);
  echo(tape, MAX_OUTPUT_TOKENS, NUMBERS, NULL, out);
  echo(tape, MAX_TOOL_CALLS, NUMBERS, NULL, out);
  echo(tape, METADATA, OBJECTS, EMPTY_OBJECT, out);
  echo(tape, PARALLEL, BOOLEANS, TRUE, out);
  echo(tape, REASONING, OBJECTS, NO_REASONING, out);
  echo(tape, SAFETY_IDENTIFIER, STRINGS, NULL, out);
  echo(tape, TEMPERATURE, NUMBERS, ONE, out);
  echo(tape, TEXT, OBJECTS, PLAIN_TEXT, out);
  echo(tape, TOOL_CHOICE, STRINGS | OBJECTS, AUTO, out);
  echo(tape, TOP_LOGPROBS, NUMBERS, ZERO, out);
  echo(tape, TOP_P, NUMBERS, ONE, out);
  echo(tape, TRUNCATION, STRINGS, DISABLED, out);
  echo(tape, USER, STRINGS, NULL, out);
  out.span(REST);
}

/** Writes the client's value, or the default: for a value of another kind, and for a long one. */
function echo(tape: Tape, name: Span, kinds: u32, otherwise: Span, out: ByteBuffer): void {
  const node = tape.member(0, name);
  value.clear();
  if (((1 << tape.kind(node)) & kinds) != 0 && tape.size(node) <= MAX_VALUE) {
    writeValue(tape, node, value);
    minify(value);
  } else {
    value.span(otherwise);
  }
  out.byte(0x2c);
  out.byte(0x22);
  out.span(name);
  out.byte(0x22);
  out.byte(0x3a);
  out.bytes(value.pointer, value.length);
}
