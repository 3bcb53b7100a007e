// Puts the API's text into the client's request: the target's system prompt first, the text after the user's last message.
import { PromptTarget } from "../config/prompt-target";
import { Conversation } from "../dialects/conversation";
import { escape } from "../bytes/json/text";
import { Edits } from "../bytes/json/edit";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { Prompt } from "./prompt";

const edits = new Edits();
const escaped = scratchBuffer();
const span = new Span(0, 0);

/** Returns the edits of the request for the text of a target's API, until the next call. */
export function extendRequest(prompt: Prompt, target: PromptTarget): Edits {
  const exchange = prompt.exchange;
  exchange.hasTargetPrompt = target.systemPromptJson.length > 0;
  edits.clear();
  exchange.client.dialect.editRequest(prompt.tape, target.systemPromptJson, edits);
  addText(prompt.conversation, prompt.tape, prompt.text);
  return edits;
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
