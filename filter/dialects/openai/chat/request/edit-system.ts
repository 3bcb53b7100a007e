// Moves system text for a model whose chat template does not support the system role (Gemma and others), or only as the first
// message (Qwen and others): it goes before the text of the next user message, because such templates require the roles to
// alternate.
import { Edits } from "../../../../bytes/json/edit";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { ListEdit } from "../../../list-edit";
import { addSystemPrompt } from "./edit";

const ROLE = constant("role");
const CONTENT = constant("content");
const DEVELOPER = constant("developer");
const CLOSE_PART = constant('"}');
const COMMA = constant(",");

const items = new ListEdit();
const raw = new Span(0, 0);

/**
 * `prompt`: the configured system prompt, the inside of a JSON string; may be empty. `keepsFirst`: a first system message
 * stays, and the prompt goes into it.
 */
export function foldSystem(
  tape: Tape,
  prompt: Span,
  keepsFirst: bool,
  supportsDeveloper: bool,
  edits: Edits,
): void {
  const list = tape.member(0, constant("messages"));
  if (!tape.isArray(list)) return;
  items.begin(tape, list);
  let isPending = prompt.length > 0;
  const first = tape.first(list);
  const kept = keepsFirst && isSystemMessage(tape, first) ? first : NO_NODE;
  if (keepsFirst && isPending) isPending = !addToFirst(tape, kept, prompt, edits);
  if (kept != NO_NODE && !supportsDeveloper) {
    const role = tape.member(kept, ROLE);
    if (tape.equals(role, DEVELOPER))
      edits.replace(tape.outerStart(role), tape.outerEnd(role), constant('"system"'));
  }
  let pendingFrom = kept == NO_NODE ? first : tape.next(kept);
  const end = tape.next(list);
  const lastUser = findLastUser(tape, list);
  for (let message = tape.first(list); message < end; message = tape.next(message)) {
    const next = tape.next(message);
    const isSystem = message != kept && isSystemMessage(tape, message);
    const isFolded = isSystem && lastUser != NO_NODE && message < lastUser;
    if (isSystem && !isFolded) {
      const role = tape.member(message, ROLE);
      edits.replace(tape.outerStart(role), tape.outerEnd(role), constant('"user"'));
    }
    items.item(tape, message, isFolded, edits);
    if (!isUserMessage(tape, message)) continue;
    putBefore(tape, isPending ? prompt : null, pendingFrom, message, edits);
    isPending = false;
    pendingFrom = next;
  }
  if (!isPending) return;
  // Without a user message the prompt becomes one.
  edits.append(constant('{"role":"user","content":"'));
  edits.append(prompt);
  edits.append(CLOSE_PART);
  if (!tape.isEmpty(list)) edits.append(COMMA);
  edits.insertAppended(tape.start(list) + 1);
}

/** Puts the prompt into the first system message, or before all messages. Returns false if that message has no text. */
function addToFirst(tape: Tape, kept: u32, prompt: Span, edits: Edits): bool {
  if (kept == NO_NODE) {
    addSystemPrompt(tape, prompt, edits);
    return true;
  }
  const content = tape.member(kept, CONTENT);
  const isString = tape.isString(content);
  if (!isString && (!tape.isArray(content) || tape.isEmpty(content))) return false;
  put(prompt, isString, edits);
  edits.insertAppended(isString ? tape.start(content) : tape.start(content) + 1);
  return true;
}

function isSystemMessage(tape: Tape, message: u32): bool {
  const role = tape.member(message, ROLE);
  return tape.equals(role, constant("system")) || tape.equals(role, DEVELOPER);
}

/** Returns whether a message is a user's and can take a text. */
function isUserMessage(tape: Tape, message: u32): bool {
  if (!tape.equals(tape.member(message, ROLE), constant("user"))) return false;
  const content = tape.member(message, CONTENT);
  return tape.isString(content) || (tape.isArray(content) && !tape.isEmpty(content));
}

function findLastUser(tape: Tape, list: u32): u32 {
  let found = NO_NODE;
  for (
    let message = tape.first(list), end = tape.next(list);
    message < end;
    message = tape.next(message)
  ) {
    if (isUserMessage(tape, message)) found = message;
  }
  return found;
}

/** Puts the prompt and the system texts of the messages in [from, user) at the start of the user's content. */
function putBefore(tape: Tape, prompt: Span | null, from: u32, user: u32, edits: Edits): void {
  const content = tape.member(user, CONTENT);
  const isString = tape.isString(content);
  let count: u32 = 0;
  if (prompt !== null) count += put(prompt, isString, edits);
  for (let message = from; message < user; message = tape.next(message)) {
    if (!isSystemMessage(tape, message)) continue;
    const text = tape.member(message, CONTENT);
    if (tape.isString(text)) {
      count += putNode(tape, text, isString, edits);
      continue;
    }
    if (!tape.isArray(text)) continue;
    for (let part = tape.first(text), end = tape.next(text); part < end; part = tape.next(part)) {
      const inner = tape.member(part, constant("text"));
      if (tape.isString(inner)) count += putNode(tape, inner, isString, edits);
    }
  }
  if (count == 0) return;
  edits.insertAppended(isString ? tape.start(content) : tape.start(content) + 1);
}

function putNode(tape: Tape, node: u32, isString: bool, edits: Edits): u32 {
  raw.pointer = tape.pointer(node);
  raw.length = tape.size(node);
  return put(raw, isString, edits);
}

function put(text: Span, isString: bool, edits: Edits): u32 {
  if (!isString) edits.append(constant('{"type":"text","text":"'));
  edits.append(text);
  edits.append(isString ? constant("\\n\\n") : CLOSE_PART);
  if (!isString) edits.append(COMMA);
  return 1;
}
