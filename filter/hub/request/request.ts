// A request in the hub, independent of any dialect. A dialect's reader fills it, another dialect's writer writes it.
//
// Texts are spans of the client's body, still escaped; numbers are the client's digits. Blocks and tools are records on the
// manual heap, so that a conversation of thousands of blocks leaves no garbage.
import { freeBlock, takeBlock } from "../../memory/blocks";
import { Records } from "../../bytes/records";
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { isBlank } from "../../bytes/json/blank";
import { startsWith } from "../../bytes/text/at";
import { ByteBuffer, constant, PADDING, Span } from "../../bytes/text/bytes";
import { AskedFeatures } from "./asked-features";
import { TextTarget } from "../hosted-texts";
import { MARK, MARK_ENCRYPTED } from "../reasoning-carrier";
import { NO_NOTES, RequestNotes } from "./request-notes";
import { idSignature, plainId, readSignedId } from "./signed-call-id";

export const ROLE_SYSTEM: u32 = 0;
export const ROLE_USER: u32 = 1;
export const ROLE_ASSISTANT: u32 = 2;

/** The inside of a JSON string: `text`. */
export const BLOCK_TEXT: u32 = 0;
/** `name`: media type, `text`: base64, `id`: its detail, if the target supports IMAGE_DETAIL. */
export const BLOCK_IMAGE_DATA: u32 = 1;
/** `text`: URL, `id` as of the one before. */
export const BLOCK_IMAGE_URL: u32 = 2;
/** `name`: media type, `text`: base64, `id`: file name or title. Audio and videos too, if the target supports them. */
export const BLOCK_DOCUMENT_DATA: u32 = 3;
/** `text`: URL, `id`: title, `name`: media type if it is known. */
export const BLOCK_DOCUMENT_URL: u32 = 4;
/** `id`, `name`, `text`: the arguments, as JSON or, with FLAG_STRING, inside of a JSON string. */
export const BLOCK_TOOL_CALL: u32 = 5;
/** `id`; the blocks up to BLOCK_RESULT_END are its content. */
export const BLOCK_TOOL_RESULT: u32 = 6;
export const BLOCK_RESULT_END: u32 = 7;
/** `text`, `name`: signature. With FLAG_CONTINUES its text belongs to the reasoning block before it. */
export const BLOCK_REASONING: u32 = 8;
/** `text`: encrypted reasoning. */
export const BLOCK_REASONING_DATA: u32 = 9;
/** `text`: its source, `name`: its title, `content`: its texts; if the target supports CITATIONS. */
export const BLOCK_SEARCH_RESULT: u32 = 10;
/** `text`: what the provider's tools did, in its own format, inside of a JSON string; only a request writer makes one. */
export const BLOCK_SERVER_PART: u32 = 11;
/** A block that a request writer has removed. */
export const BLOCK_NOTHING: u32 = 0xff;

export const FLAG_STRING: u32 = 1;
export const FLAG_ERROR: u32 = 2;
export const FLAG_CONTINUES: u32 = 4;
/** A system text that stays where it is in the conversation. */
export const FLAG_IN_PLACE: u32 = 8;
/** A call of a custom tool: `text` is its input, the inside of a JSON string. Or the result of such a call. */
export const FLAG_CUSTOM: u32 = 16;
/** The signature of a block of reasoning is OpenAI's `encrypted_content`: another kind of provider must not get it. */
export const FLAG_ENCRYPTED: u32 = 32;
/** A text that begins a message of its client: an empty line separates it from the text before it. */
export const FLAG_PARAGRAPH: u32 = 64;
/** The text of a document is the inside of a JSON string, not base64. */
export const FLAG_PLAIN: u32 = 128;
/** The model cites from the document or the search result. */
export const FLAG_CITED: u32 = 256;
/** The URL of a document is the id of a file that the provider stores. */
export const FLAG_STORED: u32 = 512;
/** The image shows the screen of a computer that the model uses. */
export const FLAG_SCREEN: u32 = 1024;

/** The index of no block. */
export const NO_BLOCK: u32 = 0xffffffff;

/** A reference is valid until the next block is added. */
@unmanaged
export class Block {
  kind: u32;
  role: u32;
  /** Index of the client's message that it came from; NO_MESSAGE for a system text that stands outside of them. */
  message: u32;
  flags: u32;
  text: usize;
  textLength: u32;
  name: usize;
  nameLength: u32;
  id: usize;
  idLength: u32;
  /** The value of `cache_control`, as JSON; length 0 if there is none. */
  cache: usize;
  cacheLength: u32;
  /**
   * Of a tool call: the signature that its id has carried, in base64url; length 0 if there is none. Of a document: its
   * context, if the target supports CITATIONS.
   */
  signature: usize;
  signatureLength: u32;

  setText(tape: Tape, node: u32): void {
    this.text = tape.pointer(node);
    this.textLength = tape.size(node);
  }

  setName(tape: Tape, node: u32): void {
    this.name = tape.pointer(node);
    this.nameLength = tape.size(node);
  }

  setId(tape: Tape, node: u32): void {
    this.id = tape.pointer(node);
    this.idLength = tape.size(node);
  }

  /** As `setId` for a call and its result, without the signature that the id may carry (signed-call-id.ts). */
  setCallId(tape: Tape, node: u32): void {
    readSignedId(tape.pointer(node), tape.size(node));
    this.id = plainId.pointer;
    this.idLength = plainId.length;
    this.signature = idSignature.pointer;
    this.signatureLength = idSignature.length;
  }

  setContext(tape: Tape, node: u32): void {
    if (!tape.isString(node) || isBlank(tape.pointer(node), tape.size(node))) return;
    this.signature = tape.pointer(node);
    this.signatureLength = tape.size(node);
  }

  /** The node of a search result's list in the tape, in the place of what a call has. */
  get content(): u32 {
    return this.signatureLength;
  }
  set content(node: u32) {
    this.signatureLength = node;
  }

  /** Any value but an object is no cache mark. */
  setCache(tape: Tape, node: u32): void {
    if (!tape.isObject(node)) return;
    this.cache = tape.pointer(node);
    this.cacheLength = tape.size(node);
  }
}

/** `Block.message` of a system text that stands outside of the messages. */
export const NO_MESSAGE: u32 = 0xffffffff;

/** A tool that the model may call. */
@unmanaged
export class Tool {
  name: usize;
  nameLength: u32;
  description: usize;
  descriptionLength: u32;
  /** The node of its schema in the tape, or NO_NODE. */
  schema: u32;
  isStrict: u32;
  /** The text of a schema that is not in the tape; length 0 for none. */
  schemaText: usize;
  schemaTextLength: u32;
  /** 0 if the client allows only other tools (`allowed_tools`). */
  isAllowed: u32;
  /** 1 for a custom tool, whose input is a text. */
  isCustom: u32;
  /** The node of a custom tool's grammar in the tape (`{syntax, definition}`), or NO_NODE. */
  grammar: u32;
  cache: usize;
  cacheLength: u32;
}

/** A tool that the provider runs: hosted-tools.ts has the kinds. */
@unmanaged
export class HostedTool {
  /** HOSTED_ */
  kind: i32;
  /** The client's tool, or the object with its settings. */
  node: u32;
  /** The MCP server of a toolset of a messages client; else NO_NODE. */
  server: u32;
}

/** A text that is not part of the client's body. */
@unmanaged
class KeptText {
  block: usize;
}

export const CHOICE_UNSET: i32 = 0;
export const CHOICE_AUTO: i32 = 1;
export const CHOICE_NONE: i32 = 2;
export const CHOICE_ANY: i32 = 3;
export const CHOICE_NAMED: i32 = 4;

export const FORMAT_TEXT: i32 = 0;
export const FORMAT_JSON: i32 = 1;
export const FORMAT_SCHEMA: i32 = 2;

export const EFFORT_UNSET: i32 = 0;
export const EFFORT_NONE: i32 = 1;
export const EFFORT_MINIMAL: i32 = 2;
export const EFFORT_LOW: i32 = 3;
export const EFFORT_MEDIUM: i32 = 4;
export const EFFORT_HIGH: i32 = 5;
export const EFFORT_XHIGH: i32 = 6;
export const EFFORT_MAX: i32 = 7;

/** No kind of hosted tool. */
export const NO_HOSTED: i32 = -1;
/** More hosted tools, or MCP servers, are rejected: each is compared with all others. */
export const MAX_HOSTED: u32 = 64;

/** Dialects name the tiers differently. */
const SERVICE_UNSET: i32 = 0;
export const SERVICE_STANDARD: i32 = 1;
/** Faster, at a higher price. */
export const SERVICE_FAST: i32 = 2;

export class HubRequest extends TextTarget {
  /** The client's body, for the values that are copied whole. */
  tape: Tape = new Tape();
  blocks: Records<Block> = new Records<Block>();
  tools: Records<Tool> = new Records<Tool>();
  /** Tools that the provider runs. */
  hosted: Records<HostedTool> = new Records<HostedTool>();
  /** What the request asks for beyond the slots below, if its target supports it. */
  features: AskedFeatures = new AskedFeatures();
  /** What the response's writer has to know; the client's dialect fills it. */
  notes: RequestNotes = NO_NOTES;
  /** Index of the client's message that is being read. */
  message: u32 = NO_MESSAGE;
  /** The role of the blocks that are being read. */
  role: u32 = ROLE_USER;
  private kept: Records<KeptText> = new Records<KeptText>();

  /** Nodes of values that are copied as they are; NO_NODE if missing. */
  maxTokens: u32 = NO_NODE;
  temperature: u32 = NO_NODE;
  topP: u32 = NO_NODE;
  topK: u32 = NO_NODE;
  /** A string or a list of strings. */
  stop: u32 = NO_NODE;
  /** A string node. */
  user: u32 = NO_NODE;
  /** Anthropic's `thinking` object, which chat clients send too. */
  thinking: u32 = NO_NODE;
  /** The same of a messages client, whose effort stands for it at most providers. */
  ownThinking: u32 = NO_NODE;
  schema: u32 = NO_NODE;
  /** The node of its name: a string that is not empty, or NO_NODE. */
  schemaName: u32 = NO_NODE;
  outputFormat: i32 = FORMAT_TEXT;
  effort: i32 = EFFORT_UNSET;
  /** Whether `effort` was derived from the client's thinking budget. */
  isEffortThinking: bool = false;
  /** The node of that budget, of a messages client. */
  thinkingBudget: u32 = NO_NODE;
  toolChoice: i32 = CHOICE_UNSET;
  /** The node of the tool's name for CHOICE_NAMED. */
  chosenTool: u32 = NO_NODE;
  /** The name of that tool, if it is not in the tape: then `chosenTool` is NO_NODE. */
  chosenName: usize = 0;
  chosenNameLength: u32 = 0;
  /** The kind of the hosted tool that the model must use, or NO_HOSTED: then `toolChoice` is CHOICE_UNSET. */
  forcedHosted: i32 = NO_HOSTED;
  forbidsParallelTools: bool = false;
  serviceTier: i32 = SERVICE_UNSET;
  isStreaming: bool = false;
  /** Whether the client shows reasoning. */
  wantsReasoningText: bool = false;

  reset(tape: Tape, notes: RequestNotes): void {
    this.forget();
    this.notes = notes;
    this.features.clear();
    this.tape = tape;
    this.message = NO_MESSAGE;
    this.maxTokens = NO_NODE;
    this.temperature = NO_NODE;
    this.topP = NO_NODE;
    this.topK = NO_NODE;
    this.stop = NO_NODE;
    this.user = NO_NODE;
    this.thinking = NO_NODE;
    this.ownThinking = NO_NODE;
    this.schema = NO_NODE;
    this.schemaName = NO_NODE;
    this.outputFormat = FORMAT_TEXT;
    this.effort = EFFORT_UNSET;
    this.isEffortThinking = false;
    this.thinkingBudget = NO_NODE;
    this.toolChoice = CHOICE_UNSET;
    this.chosenTool = NO_NODE;
    this.chosenName = 0;
    this.chosenNameLength = 0;
    this.wantsReasoningText = false;
    this.forcedHosted = NO_HOSTED;
    this.forbidsParallelTools = false;
    this.serviceTier = SERVICE_UNSET;
    this.isStreaming = false;
  }

  /** Returns whether a second call would be of no use to the client, or is forbidden. */
  get needsSerialTools(): bool {
    return this.forbidsParallelTools || this.notes.hasFunctions;
  }

  /** Copies a text that is not part of the body; the copy lives until `forget`. Returns 0 if there is no memory. */
  keep(text: ByteBuffer): usize {
    const copy = takeBlock(text.length + PADDING);
    if (copy == 0) return 0;
    const count = this.kept.count;
    const record = this.kept.add();
    if (this.kept.count == count) {
      freeBlock(copy);
      return 0;
    }
    memory.copy(copy, text.pointer, text.length);
    record.block = copy;
    return copy;
  }

  /** Frees what was kept. The request must not be used afterwards. */
  forget(): void {
    for (let i: u32 = 0; i < this.kept.count; i++) freeBlock(this.kept.at(i).block);
    this.kept.clear();
    this.blocks.clear();
    this.tools.clear();
    this.hosted.clear();
  }

  /** Adds a block of the message that is being read. */
  addBlock(kind: u32, role: u32): Block {
    const block = this.blocks.add();
    block.kind = kind;
    block.role = role;
    block.message = this.message;
    return block;
  }

  block(index: u32): Block {
    return this.blocks.at(index);
  }

  /** Adds a text of the tape, unless it is blank: Anthropic rejects blank texts. */
  addText(role: u32, node: u32): void {
    if (isBlank(this.tape.pointer(node), this.tape.size(node))) return;
    this.addBlock(BLOCK_TEXT, role).setText(this.tape, node);
  }

  addResultText(_tape: Tape, node: u32): void {
    this.addText(ROLE_USER, node);
  }

  /** Adds a block of reasoning. Text and signature may be missing. */
  addReasoning(text: u32, signature: u32): Block {
    const block = this.addBlock(BLOCK_REASONING, ROLE_ASSISTANT);
    if (this.tape.isString(text)) block.setText(this.tape, text);
    if (!this.tape.isString(signature)) return block;
    block.setName(this.tape, signature);
    if (startsWith(block.name, block.nameLength, MARK_ENCRYPTED)) {
      block.name += MARK_ENCRYPTED.length;
      block.nameLength -= MARK_ENCRYPTED.length;
      block.flags |= FLAG_ENCRYPTED;
    }
    return block;
  }

  /** Adds a tool by the nodes of its members; only the name must be a string. Valid until the next one is added. */
  addTool(name: u32, description: u32, schema: u32, strict: u32, cache: u32): Tool {
    const tape = this.tape;
    const tool = this.tools.add();
    tool.name = tape.pointer(name);
    tool.nameLength = tape.size(name);
    if (tape.isString(description)) {
      tool.description = tape.pointer(description);
      tool.descriptionLength = tape.size(description);
    }
    tool.schema = tape.isObject(schema) ? schema : NO_NODE;
    tool.isStrict = tape.isTrue(strict) ? 1 : 0;
    tool.isAllowed = 1;
    tool.grammar = NO_NODE;
    if (!tape.isObject(cache)) return tool;
    tool.cache = tape.pointer(cache);
    tool.cacheLength = tape.size(cache);
    return tool;
  }

  /** Returns the index of the end of the tool result that begins at `index`. */
  resultEnd(index: u32): u32 {
    let end = index + 1;
    while (end < this.blocks.count && this.block(end).kind != BLOCK_RESULT_END) end++;
    return end;
  }

  /** One too many are kept, for the writer to reject them. */
  addHosted(kind: i32, node: u32, server: u32 = NO_NODE): void {
    if (this.hosted.count > MAX_HOSTED) return;
    const tool = this.hosted.add();
    tool.kind = kind;
    tool.node = node;
    tool.server = server;
  }

  /** Returns the node of the first hosted tool of a kind; NO_NODE if there is none. */
  hostedNode(kind: i32): u32 {
    for (let i: u32 = 0; i < this.hosted.count; i++)
      if (this.hosted.at(i).kind == kind) return this.hosted.at(i).node;
    return NO_NODE;
  }

  tool(index: u32): Tool {
    return this.tools.at(index);
  }
}

/** Stands for the signature of unsigned reasoning (docs/decisions/2026-11-21-reasoning-carrier.md). */
export const UNSIGNED_MARK = constant("gw1.u");

/** Returns whether a block of reasoning has a signature of Anthropic. */
export function isSigned(block: Block): bool {
  if (block.nameLength == 0 || (block.flags & FLAG_ENCRYPTED) != 0) return false;
  return !startsWith(block.name, block.nameLength, MARK);
}

/** Points a span at a value of the tape, without a string's quotes. */
export function spanOf(tape: Tape, node: u32, span: Span): Span {
  span.pointer = tape.pointer(node);
  span.length = tape.size(node);
  return span;
}

const wanted = new Span(0, 0);

/** Returns whether both objects have the same text in a member, or neither has one. */
export function isSameText(tape: Tape, one: u32, other: u32, member: Span): bool {
  const value = tape.member(other, member);
  const own = tape.member(one, member);
  if (!tape.isString(value)) return !tape.isString(own);
  return tape.equals(own, spanOf(tape, value, wanted));
}
