// The parts of a request's prompt as short hashes (contract/prompt-parts.ts): by them the turns of a session are compared in the
// control plane. The texts are read once, eight bytes at a time, by the spans of the tape.
import * as rows from "../../contract/prompt-parts";
import { Tape } from "../bytes/json/tape";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { fold24, longHash, spread } from "../bytes/text/hash";
import { HeldText } from "../bytes/text/held-text";
import { isAttribution } from "../dialects/anthropic/messages/request/attribution";
import { ClientDialect } from "../dialects/client-dialect";

const SETTINGS = spans(rows.PROMPT_SETTINGS);
/** Where a request has a system prompt besides its messages. */
const PROMPTS = spans(["system", "instructions"]);
const MARKS = spans(["cache_control", "prompt_cache_breakpoint"]);
const SCHEMAS = spans(["parameters", "input_schema"]);
const TEXT_TYPES = spans(["text", "input_text", "output_text"]);
const FIRST_ROLES = spans(["system", "developer"]);
const TOOLS = constant("tools");
const FUNCTION = constant("function");
const DESCRIPTION = constant("description");
const ROLE = constant("role");
const TYPE = constant("type");
const TEXT = constant("text");

/** Lists are read as parts down to this depth of a message: content, the content of a tool's result. */
const MAX_DEPTH: u32 = 5;
/** The depth of the parts of a message's content. */
const CONTENT_DEPTH: u32 = 1;

/** The shortest of MARKS has 13 characters. */
const MAX_PLAIN_NAME: u32 = 12;

const out = scratchBuffer();
/** Blocks of content, of all messages so far. */
let blocks: u32 = 0;
/** Of the tool that is read. */
let descriptionHash: u64 = 0;
let schemaHash: u64 = 0;
let restHash: u64 = 0;

/** Returns the object, as JSON. */
export function readPromptParts(dialect: ClientDialect, tape: Tape): HeldText {
  out.clear();
  writeSettings(tape);
  writeTools(tape, tape.member(0, TOOLS));
  writeSystem(tape);
  if (!dialect.refersToState(tape)) writeMessages(tape, tape.member(0, dialect.conversation.list));
  if (out.length == 0) out.byte(OPEN_BRACE);
  out.byte(CLOSE_BRACE);
  return new HeldText(out.pointer, out.length);
}

function writeSettings(tape: Tape): void {
  let missing = 0;
  let isOpen = false;
  for (let i = 0; i < SETTINGS.length; i++) {
    const value = tape.member(0, SETTINGS[i]);
    if (!tape.isPresent(value)) {
      missing++;
      continue;
    }
    if (!isOpen) openText(constant(rows.PROMPT_SET));
    isOpen = true;
    for (; missing > 0; missing--) out.byte(DOT);
    digits(spread(rawHash(tape, value, 0)), rows.SETTING_CHARACTERS);
  }
  if (isOpen) out.byte(QUOTE);
}

function writeTools(tape: Tape, tools: u32): void {
  if (!tape.hasItems(tools)) return;
  openText(constant(rows.PROMPT_TOOL_HASHES));
  const end = tape.next(tools);
  let index = 0;
  for (let tool = tape.first(tools); tool < end; tool = tape.nextOf(tool), index++) {
    if (index < rows.MAX_TOOLS) clearTool();
    readTool(tape, tool);
    if (index < rows.MAX_TOOLS) writeTool();
  }
  if (index > rows.MAX_TOOLS) writeTool();
  out.byte(QUOTE);
}

function clearTool(): void {
  descriptionHash = 0;
  schemaHash = 0;
  restHash = 0;
}

function writeTool(): void {
  digits(spread(descriptionHash), rows.TOOL_CHARACTERS);
  digits(spread(schemaHash), rows.TOOL_CHARACTERS);
  digits(spread(restHash), rows.TOOL_CHARACTERS);
  clearTool();
}

function readTool(tape: Tape, tool: u32): void {
  if (!tape.isObject(tool)) {
    restHash = rawHash(tape, tool, restHash);
    return;
  }
  const end = tape.next(tool);
  for (let name = tape.first(tool); name < end; name = tape.nextOf(name + 1)) {
    const value = name + 1;
    if (tape.equals(name, FUNCTION) && tape.isObject(value)) {
      // Chat completions have a tool's members inside. Deeper ones are none.
      const last = tape.next(value);
      for (let inner = tape.first(value); inner < last; inner = tape.nextOf(inner + 1))
        readToolMember(tape, inner);
    } else readToolMember(tape, name);
  }
}

function readToolMember(tape: Tape, name: u32): void {
  const value = name + 1;
  if (tape.equals(name, DESCRIPTION)) descriptionHash = rawHash(tape, value, descriptionHash);
  else if (tape.indexIn(name, SCHEMAS) >= 0) schemaHash = rawHash(tape, value, schemaHash);
  else if (tape.indexIn(name, MARKS) < 0)
    restHash = rawHash(tape, value, rawHash(tape, name, restHash));
}

function writeSystem(tape: Tape): void {
  let isOpen = false;
  for (let i = 0; i < PROMPTS.length; i++) {
    const prompt = tape.member(0, PROMPTS[i]);
    if (!tape.isPresent(prompt)) continue;
    if (!isOpen) openText(constant(rows.PROMPT_SYSTEM));
    isOpen = true;
    if (!tape.isArray(prompt)) {
      digits(spread(valueHash(tape, prompt, CONTENT_DEPTH)), rows.PART_CHARACTERS);
      continue;
    }
    let count = 0;
    let rest: u64 = 0;
    const end = tape.next(prompt);
    for (let block = tape.first(prompt); block < end; block = tape.nextOf(block)) {
      const hash = isAttribution(tape, tape.member(block, TEXT))
        ? 0
        : valueHash(tape, block, CONTENT_DEPTH + 1);
      if (count++ < rows.MAX_SYSTEM_BLOCKS) digits(spread(hash), rows.PART_CHARACTERS);
      else rest = spread(rest ^ hash);
    }
    if (count > rows.MAX_SYSTEM_BLOCKS) digits(rest, rows.PART_CHARACTERS);
  }
  if (isOpen) out.byte(QUOTE);
}

function writeMessages(tape: Tape, list: u32): void {
  blocks = 0;
  if (tape.isString(list)) {
    number(constant(rows.PROMPT_COUNT), 1);
    openText(constant(rows.PROMPT_MESSAGES));
    digits(spread(valueHash(tape, list, CONTENT_DEPTH)), rows.PART_CHARACTERS);
    out.byte(QUOTE);
    return;
  }
  if (!tape.hasItems(list)) return;
  const end = tape.next(list);
  let count = 0;
  let lead = -1;
  for (let item = tape.first(list); item < end; item = tape.nextOf(item), count++) {
    if (lead < 0 && tape.indexIn(tape.member(item, ROLE), FIRST_ROLES) < 0) lead = count;
  }
  if (lead < 0) lead = count;
  if (lead > 0) number(constant(rows.PROMPT_LEAD), lead);
  number(constant(rows.PROMPT_COUNT), count);
  openText(constant(rows.PROMPT_MESSAGES));
  writeEach(tape, list, count);
  out.byte(QUOTE);
  if (blocks > <u32>count) number(constant(rows.PROMPT_BLOCKS), blocks);
}

function writeEach(tape: Tape, list: u32, count: i32): void {
  const inBlocks =
    (max(count - rows.MAX_LISTED, 0) + rows.BLOCK_MESSAGES - 1) & ~(rows.BLOCK_MESSAGES - 1);
  const hashed = rows.MAX_BLOCKS * rows.BLOCK_MESSAGES;
  const end = tape.next(list);
  let index = 0;
  let block: u32 = 0;
  for (let item = tape.first(list); item < end; item = tape.nextOf(item), index++) {
    if (index >= hashed && index < inBlocks) continue;
    const hash = spread(valueHash(tape, item, 0));
    blocks++;
    if (index >= inBlocks) {
      digits(hash, rows.PART_CHARACTERS);
      continue;
    }
    block = fold24(block, <u32>(hash >> 40));
    if ((index + 1) % rows.BLOCK_MESSAGES != 0) continue;
    digits((<u64>block) << 40, rows.PART_CHARACTERS);
    block = 0;
  }
}

/**
 * Returns a hash of a part: of its bytes, but lists are read as their items, without marks. A list of one item is that item, and a
 * block of text alone is its text: agents write a text as a block as long as it has a mark.
 */
function valueHash(tape: Tape, node: u32, depth: u32): u64 {
  if (depth >= MAX_DEPTH) return rawHash(tape, node, 0);
  let hash: u64 = 0;
  if (tape.isArray(node)) {
    const end = tape.next(node);
    const first = tape.first(node);
    for (let item = first; item < end; item = tape.nextOf(item)) {
      const value = valueHash(tape, item, depth + 1);
      if (depth == CONTENT_DEPTH && item != first) blocks++;
      hash = item == first ? value : spread(hash) ^ value;
    }
    return hash;
  }
  if (!tape.isObject(node)) return rawHash(tape, node, 0);
  let isText = true;
  const end = tape.next(node);
  for (let name = tape.first(node); name < end; name = tape.nextOf(name + 1)) {
    const value = name + 1;
    const size = tape.sizeOf(name);
    // Most names have another length than those that are looked for.
    if (size > MAX_PLAIN_NAME && tape.indexIn(name, MARKS) >= 0) continue;
    const isOfText =
      size == 4 &&
      (tape.equals(name, TEXT) ||
        (tape.equals(name, TYPE) && tape.indexIn(value, TEXT_TYPES) >= 0));
    if (!isOfText) isText = false;
    hash =
      rawHash(tape, name, hash) ^
      spread(tape.isArray(value) ? valueHash(tape, value, depth + 1) : rawHash(tape, value, 0));
  }
  const text = isText ? tape.member(node, TEXT) : node;
  return isText && tape.isString(text) ? rawHash(tape, text, 0) : hash;
}

/** Returns a hash of a value's bytes and of what was hashed before. */
function rawHash(tape: Tape, node: u32, before: u64): u64 {
  return longHash(tape.pointer(node), tape.size(node), before);
}

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const COLON: u32 = 0x3a;
const DOT: u32 = 0x2e;
const OPEN_BRACE: u32 = 0x7b;
const CLOSE_BRACE: u32 = 0x7d;

/** Appends the first bits of a hash as characters of base64url. */
function digits(hash: u64, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    hash = rotl<u64>(hash, 6);
    const value = (<u32>hash) & 63;
    out.byte(
      value < 26
        ? 0x41 + value
        : value < 52
          ? 0x47 + value
          : value < 62
            ? value - 4
            : value == 62
              ? 0x2d
              : 0x5f,
    );
  }
}

function member(name: Span): void {
  out.byte(out.length == 0 ? OPEN_BRACE : COMMA);
  out.byte(QUOTE);
  out.span(name);
  out.byte(QUOTE);
  out.byte(COLON);
}

function openText(name: Span): void {
  member(name);
  out.byte(QUOTE);
}

function number(name: Span, value: u32): void {
  member(name);
  out.integer(value);
}

function spans(list: string[]): Span[] {
  return list.map<Span>((one) => constant(one));
}
