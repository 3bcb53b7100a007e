// The request to a prompt target's API: path, query and body from the target's template and the extracted parameters.
import { Parameter, PromptTarget } from "../config/prompt-target";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { unescape } from "../bytes/json/text";
import { ByteBuffer, scratchBuffer } from "../bytes/text/bytes";
import { isPathValue, MAX_VALUE_BYTES, percentEncode } from "../bytes/text/url-value";
import { appendMessages } from "./prompt-messages";
import { Prompt } from "./prompt";

const AMPERSAND: u32 = 0x26;
const COLON: u32 = 0x3a;
const COMMA: u32 = 0x2c;
const EQUALS: u32 = 0x3d;
const QUESTION: u32 = 0x3f;
const QUOTE: u32 = 0x22;

/** A value as plain text. */
const value = scratchBuffer();

/** Only at module level: its buffers are never freed. */
export class ApiRequest {
  /** With the query. */
  path: ByteBuffer = scratchBuffer();
  /** Empty for GET. */
  body: ByteBuffer = scratchBuffer();

  /**
   * Writes the request. Host and port are always the target's, whatever the values are.
   * @param prompt holds the extracted parameters, and the messages that a default target gets
   * @returns a parameter whose value is not allowed in a URL; null if all are
   */
  write(target: PromptTarget, prompt: Prompt): Parameter | null {
    const values = prompt.arguments;
    this.path.clear();
    this.body.clear();
    const rejected = this.writePath(target, values);
    if (rejected !== null) return rejected;
    if (target.isGet) return this.writeQuery(target, values);
    this.writeBody(target, prompt);
    return null;
  }

  /** The template's literals and the values between them; a placeholder in a value is text. */
  private writePath(target: PromptTarget, values: Tape): Parameter | null {
    const pieces = target.path;
    for (let i = 0; i < pieces.length; i++) {
      const piece = pieces[i];
      this.path.span(piece.literal);
      const parameter = piece.parameter;
      if (parameter === null) continue;
      readValue(values, parameter);
      const isAllowed = piece.isInQuery
        ? value.length <= MAX_VALUE_BYTES
        : isPathValue(value.pointer, value.length, parameter.allowsSlashes);
      if (!isAllowed) return parameter;
      percentEncode(value.pointer, value.length, this.path);
    }
    return null;
  }

  private writeQuery(target: PromptTarget, values: Tape): Parameter | null {
    let separator: u32 = target.hasQuery ? AMPERSAND : QUESTION;
    for (let i = 0; i < target.parameters.length; i++) {
      const parameter = target.parameters[i];
      if (parameter.isInPath || !hasValue(values, parameter)) continue;
      readValue(values, parameter);
      if (value.length > MAX_VALUE_BYTES) return parameter;
      this.path.byte(separator);
      percentEncode(parameter.name.pointer, parameter.name.length, this.path);
      this.path.byte(EQUALS);
      percentEncode(value.pointer, value.length, this.path);
      separator = AMPERSAND;
    }
    return null;
  }

  /** A JSON object of the parameters that are not in the path: values as they were extracted, and defaults. */
  private writeBody(target: PromptTarget, prompt: Prompt): void {
    const values = prompt.arguments;
    const out = this.body;
    out.text("{");
    if (target.isDefault) {
      out.text('"messages":');
      appendMessages(prompt.conversation, prompt.tape, out);
    }
    for (let i = 0; i < target.parameters.length; i++) {
      const parameter = target.parameters[i];
      if (parameter.isInPath || !hasValue(values, parameter)) continue;
      if (out.length > 1) out.byte(COMMA);
      out.byte(QUOTE);
      out.span(parameter.name);
      out.byte(QUOTE);
      out.byte(COLON);
      const node = valueOf(values, parameter);
      if (node == NO_NODE) out.span(parameter.defaultJson);
      else
        out.bytes(
          values.base + values.outerStart(node),
          values.outerEnd(node) - values.outerStart(node),
        );
    }
    out.text("}");
  }
}

/** Returns the node of an extracted value, NO_NODE if it is missing or null. */
function valueOf(values: Tape, parameter: Parameter): u32 {
  const node = values.member(0, parameter.name);
  return values.isPresent(node) ? node : NO_NODE;
}

function hasValue(values: Tape, parameter: Parameter): bool {
  return parameter.defaultJson.length > 0 || valueOf(values, parameter) != NO_NODE;
}

/** Fills `value`: a string unescaped, anything else as its JSON; empty without a value and a default. */
function readValue(values: Tape, parameter: Parameter): void {
  value.clear();
  const node = valueOf(values, parameter);
  if (node == NO_NODE) value.span(parameter.defaultText);
  else if (values.isString(node)) unescape(values.pointer(node), values.size(node), value);
  else value.bytes(values.pointer(node), values.size(node));
}
