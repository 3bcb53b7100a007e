// Puts the API's text into the client's request: the target's system prompt first, the text behind the user's last message.
import { freeBlock, wasRefused } from "../memory/blocks";
import { Conversation } from "../dialects/conversation";
import { ResponseMetadata } from "../exchange/response-metadata";
import { replaceBodyPrefix, REQUEST_BODY } from "../host/host";
import { escape } from "../bytes/json/text";
import { Edits } from "../bytes/json/edit";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { writeMetadata } from "./metadata";
import { Prompt } from "./prompt";

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
  exchange.client.dialect.editRequest(prompt.tape, target.systemPromptJson, edits);
  addText(prompt.conversation, prompt.tape, prompt.text);
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
  exchange.metadata = new ResponseMetadata(exchange.client.dialect, value);
  value.release();
  return true;
}

/** @param text plain bytes, valid UTF-8 */
function addText(conversation: Conversation, tape: Tape, text: ByteBuffer): void {
  const content = conversation.lastUserContent(tape);
  if (content == NO_NODE) return;
  escaped.clear();
  escape(text.pointer, text.length, escaped);
  span.pointer = escaped.pointer;
  span.length = escaped.length;
  edits.append(tape.isString(content) ? constant("\\n\\ncontext: ") : conversation.textPart);
  edits.append(span);
  if (tape.isString(content)) {
    edits.insertAppended(tape.end(content));
    return;
  }
  edits.append(constant('"}'));
  if (!tape.isEmpty(content)) edits.append(constant(","));
  edits.insertAppended(tape.start(content) + 1);
}
