// A custom tool, whose input is a text, as a function with one argument: for providers that have functions only.
// Why: docs/decisions/2026-11-22-responses-clients.md
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { escape } from "../../bytes/json/text";
import { ByteBuffer, constant } from "../../bytes/text/bytes";
import { Block, Tool } from "./request";

/** The schema of the function. */
export const CUSTOM_SCHEMA = constant(
  '{"type":"object","properties":{"input":{"type":"string","description":"The input of the tool: plain text, not JSON."}},' +
    '"required":["input"],"additionalProperties":false}',
);

/** Writes the description with the grammar of the input: the inside of a JSON string. */
export function writeCustomDescription(tape: Tape, tool: Tool, out: ByteBuffer): void {
  out.bytes(tool.description, tool.descriptionLength);
  const definition = tape.member(tool.grammar, constant("definition"));
  if (tool.grammar == NO_NODE || !tape.isString(definition)) return;
  const syntax = tape.member(tool.grammar, constant("syntax"));
  if (tool.descriptionLength > 0) out.text("\\n\\n");
  out.text("The input must match this grammar (");
  if (tape.isString(syntax)) out.bytes(tape.pointer(syntax), tape.size(syntax));
  out.text("):\\n");
  out.bytes(tape.pointer(definition), tape.size(definition));
}

/** Writes the input of a call as the function's arguments: JSON. */
export function writeCustomInput(call: Block, out: ByteBuffer): void {
  out.text('{"input":"');
  out.bytes(call.text, call.textLength);
  out.text('"}');
}

/** Writes the input of a call as the function's arguments: the inside of a JSON string. */
export function writeEscapedCustomInput(call: Block, out: ByteBuffer): void {
  out.text('{\\"input\\":\\"');
  escape(call.text, call.textLength, out);
  out.text('\\"}');
}
