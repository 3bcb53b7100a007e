// Puts the API's text into the client's request: the target's system prompt first, the text behind the user's last message.
import { freeBlock, wasRefused } from "../memory/blocks";
import { ResponseMetadata } from "../exchange/response-metadata";
import { replaceBodyPrefix, REQUEST_BODY } from "../host/host";
import { escape } from "../bytes/json/text";
import { Edits } from "../bytes/json/edit";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { lastUserMessage } from "./conversation";
import { writeMetadata } from "./metadata";
import { Prompt } from "./prompt";

const MESSAGES = constant("messages");
const CONTENT = constant("content");
const COMMA = constant(",");
const SYSTEM_MESSAGE = constant('{"role":"system","content":"');
const CLOSE_OBJECT = constant('"}');
const CONTEXT = constant("\\n\\ncontext: ");
const TEXT_PART = constant('{"type":"text","text":"');

const edits = new Edits();
const escaped = scratchBuffer();
const extended = scratchBuffer();
const span = new Span(0, 0);

/** Extends the request in Envoy's buffer as well as here. False if there is no memory. */
export function extendRequest(prompt: Prompt): bool {
  const target = prompt.target;
  if (target === null) return true;
  const exchange = prompt.exchange;
  exchange.hasTargetPrompt = target.systemPromptJson.length > 0;
  edits.clear();
  addSystemPrompt(prompt.tape, target.systemPromptJson);
  addText(prompt.tape, prompt.text);
  extended.clear();
  const replaced = edits.prefix(prompt.body, extended);
  extended.bytes(prompt.body + replaced, prompt.length - replaced);
  freeBlock(prompt.body);
  prompt.body = 0;
  if (wasRefused()) return false;
  replaceBodyPrefix(REQUEST_BODY, prompt.length, extended);
  prompt.length = extended.length;
  // What was valid JSON still is: the edits are made of valid pieces.
  if (!prompt.open()) return false;
  const value = new ByteBuffer();
  writeMetadata(prompt, value);
  exchange.metadata = new ResponseMetadata(value);
  value.release();
  return true;
}

function addSystemPrompt(tape: Tape, systemPromptJson: Span): void {
  if (systemPromptJson.length == 0) return;
  edits.append(SYSTEM_MESSAGE);
  edits.append(systemPromptJson);
  edits.append(CLOSE_OBJECT);
  edits.append(COMMA);
  edits.insertAppended(tape.start(tape.member(0, MESSAGES)) + 1);
}

/** @param text plain bytes, valid UTF-8 */
function addText(tape: Tape, text: ByteBuffer): void {
  const content = tape.member(lastUserMessage(tape), CONTENT);
  if (content == NO_NODE) return;
  escaped.clear();
  escape(text.pointer, text.length, escaped);
  span.pointer = escaped.pointer;
  span.length = escaped.length;
  edits.append(tape.isString(content) ? CONTEXT : TEXT_PART);
  edits.append(span);
  if (tape.isString(content)) {
    edits.insertAppended(tape.end(content));
    return;
  }
  edits.append(CLOSE_OBJECT);
  if (!tape.isEmpty(content)) edits.append(COMMA);
  edits.insertAppended(tape.start(content) + 1);
}
