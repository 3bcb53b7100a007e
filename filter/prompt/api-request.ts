// The request to a prompt target's API: path, query and body from the target's template and the extracted arguments.
import { NO_NODE, Tape } from "../bytes/json/tape";
import { unescape } from "../bytes/json/text";
import { sameBytes, scratchBuffer, Span } from "../bytes/text/bytes";
import { appendMessages } from "./conversation";
import { isPathValue, MAX_VALUE, percentEncode } from "./percent";
import { Parameter, PromptTarget } from "../config/prompt-target";

const OPEN: u32 = 0x7b;
const CLOSE: u32 = 0x7d;
const QUESTION: u32 = 0x3f;

/** What `writeApiRequest` has made: valid until its next call. */
export const apiPath = scratchBuffer();
export const apiBody = scratchBuffer();

const plain = scratchBuffer();
const value = new Span(0, 0);

/**
 * Fills `apiPath` and `apiBody`. `tape` holds the arguments, an object; `conversation` is the client's request, whose
 * messages a default target gets. Answers the name of a parameter whose value
 * cannot stand in a URL, or an empty span when all is well. Host and port never come from here: they are the target's.
 */
export function writeApiRequest(target: PromptTarget, tape: Tape, conversation: Tape): Span {
  apiPath.clear();
  apiBody.clear();
  const wrong = writePath(target, tape);
  if (wrong.length > 0) return wrong;
  if (target.isGet) return writeQuery(target, tape);
  writeBody(target, tape, conversation);
  return NONE;
}
const NONE = new Span(0, 0);

/** One pass over the template: a placeholder inside a value is never looked at again. */
function writePath(target: PromptTarget, tape: Tape): Span {
  const end = target.path.pointer + target.path.length;
  let at = target.path.pointer;
  let isQuery = false;
  while (at < end) {
    const byte = <u32>load<u8>(at);
    if (byte == QUESTION) isQuery = true;
    const close = byte == OPEN ? placeholderEnd(at, end) : 0;
    const parameter = findParameter(target, at + 1, close == 0 ? 0 : <u32>(close - at - 1));
    if (parameter === null) {
      apiPath.byte(byte);
      at++;
      continue;
    }
    const text = textOf(tape, parameter);
    const fits = isQuery ? text.length <= MAX_VALUE : isPathValue(text, parameter.allowsSlashes);
    if (!fits) return parameter.name;
    percentEncode(text.pointer, text.length, apiPath);
    at = close + 1;
  }
  return NONE;
}

/** Address of the closing brace of a placeholder, 0 when there is none. */
function placeholderEnd(open: usize, end: usize): usize {
  for (let at = open + 1; at < end; at++) {
    if (load<u8>(at) == CLOSE) return at;
  }
  return 0;
}

function findParameter(target: PromptTarget, pointer: usize, length: u32): Parameter | null {
  for (let i = 0; i < target.parameters.length; i++) {
    const name = target.parameters[i].name;
    if (sameBytes(name.pointer, name.length, pointer, length)) return target.parameters[i];
  }
  return null;
}

/** Node of an argument in the tape, NO_NODE when it is missing or null. */
function argumentOf(tape: Tape, parameter: Parameter): u32 {
  const node = tape.member(0, parameter.name);
  return tape.isPresent(node) ? node : NO_NODE;
}

/** A value as plain text: a string unescaped, anything else as its JSON. Valid until the next call. */
function textOf(tape: Tape, parameter: Parameter): Span {
  plain.clear();
  const node = argumentOf(tape, parameter);
  if (node != NO_NODE) plainText(tape, node);
  else if (parameter.defaultJson.length > 0) plainDefault(parameter.defaultJson);
  value.pointer = plain.pointer;
  value.length = plain.length;
  return value;
}

function plainText(tape: Tape, node: u32): void {
  if (tape.isString(node)) unescape(tape.pointer(node), tape.size(node), plain);
  else plain.bytes(tape.pointer(node), tape.size(node));
}

/** A default is JSON that the control plane wrote: a string in quotes, or a value as it is. */
function plainDefault(json: Span): void {
  const isString = json.length >= 2 && load<u8>(json.pointer) == 0x22;
  if (isString) unescape(json.pointer + 1, json.length - 2, plain);
  else plain.span(json);
}

function isInPath(target: PromptTarget, parameter: Parameter): bool {
  if (parameter.isInPath) return true;
  // A parameter that the template names is there already.
  const end = target.path.pointer + target.path.length;
  for (let at = target.path.pointer; at < end; at++) {
    if (load<u8>(at) != OPEN) continue;
    const close = placeholderEnd(at, end);
    if (
      close != 0 &&
      sameBytes(at + 1, <u32>(close - at - 1), parameter.name.pointer, parameter.name.length)
    ) {
      return true;
    }
  }
  return false;
}

function writeQuery(target: PromptTarget, tape: Tape): Span {
  let separator: u32 = hasQuery() ? 0x26 : QUESTION;
  for (let i = 0; i < target.parameters.length; i++) {
    const parameter = target.parameters[i];
    if (isInPath(target, parameter)) continue;
    if (argumentOf(tape, parameter) == NO_NODE && parameter.defaultJson.length == 0) continue;
    const text = textOf(tape, parameter);
    if (text.length > MAX_VALUE) return parameter.name;
    apiPath.byte(separator);
    percentEncode(parameter.name.pointer, parameter.name.length, apiPath);
    apiPath.byte(0x3d);
    percentEncode(text.pointer, text.length, apiPath);
    separator = 0x26;
  }
  return NONE;
}

function hasQuery(): bool {
  for (let i: u32 = 0; i < apiPath.length; i++) {
    if (load<u8>(apiPath.pointer + i) == QUESTION) return true;
  }
  return false;
}

/** A JSON object of the arguments that are not in the path: values as they were extracted, defaults added. */
function writeBody(target: PromptTarget, tape: Tape, conversation: Tape): void {
  apiBody.byte(OPEN);
  let isFirst = true;
  if (target.isDefault) {
    apiBody.text('"messages":');
    appendMessages(conversation, apiBody);
    isFirst = false;
  }
  for (let i = 0; i < target.parameters.length; i++) {
    const parameter = target.parameters[i];
    if (isInPath(target, parameter)) continue;
    const node = argumentOf(tape, parameter);
    if (node == NO_NODE && parameter.defaultJson.length == 0) continue;
    if (!isFirst) apiBody.byte(0x2c);
    isFirst = false;
    apiBody.byte(0x22);
    apiBody.span(parameter.name);
    apiBody.byte(0x22);
    apiBody.byte(0x3a);
    if (node == NO_NODE) apiBody.span(parameter.defaultJson);
    else
      apiBody.bytes(tape.base + tape.outerStart(node), tape.outerEnd(node) - tape.outerStart(node));
  }
  apiBody.byte(CLOSE);
}
