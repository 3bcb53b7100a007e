// A custom tool, whose input is a text, as a function with one argument: for providers that have functions only.
// Why: docs/decisions/2026-11-22-responses-client-requests.md
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { escape } from "../../bytes/json/text";
import { ByteBuffer, constant } from "../../bytes/text/bytes";
import { Block, Tool } from "./request";

/** The schema of the function. */
export const CUSTOM_SCHEMA = constant(
  '{"type":"object","properties":{"input":{"type":"string","description":"The input of the tool: plain text, not JSON."}},' +
    '"required":["input"],"additionalProperties":false}',
);

const INPUT = constant('{"input":"');
const ESCAPED_INPUT = constant('{\\"input\\":\\"');
const END = constant('"}');
const ESCAPED_END = constant('\\"}');

const BLANK_LINE = constant("\\n\\n");
const SYNTAX = constant("syntax");
const DEFINITION = constant("definition");
const INPUT_MATCHES = constant("The input must match this grammar (");
const GRAMMAR = constant("):\\n");

/** Writes the description with the grammar of the input: the inside of a JSON string. */
export function writeCustomDescription(tape: Tape, tool: Tool, out: ByteBuffer): void {
  out.bytes(tool.description, tool.descriptionLength);
  const definition = tape.member(tool.grammar, DEFINITION);
  if (tool.grammar == NO_NODE || !tape.isString(definition)) return;
  const syntax = tape.member(tool.grammar, SYNTAX);
  if (tool.descriptionLength > 0) out.span(BLANK_LINE);
  out.span(INPUT_MATCHES);
  if (tape.isString(syntax)) out.bytes(tape.pointer(syntax), tape.size(syntax));
  out.span(GRAMMAR);
  out.bytes(tape.pointer(definition), tape.size(definition));
}

/** Writes the input of a call as the function's arguments: JSON. */
export function writeCustomInput(call: Block, out: ByteBuffer): void {
  out.span(INPUT);
  out.bytes(call.text, call.textLength);
  out.span(END);
}

/** Writes the input of a call as the function's arguments: the inside of a JSON string. */
export function writeEscapedCustomInput(call: Block, out: ByteBuffer): void {
  out.span(ESCAPED_INPUT);
  escape(call.text, call.textLength, out);
  out.span(ESCAPED_END);
}
