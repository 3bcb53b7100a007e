// The hub of requests: what a client asks, in no dialect's words. Readers fill it, writers write it.
//
// Every text is a span of the client's body, still escaped, and numbers are the client's own digits. Blocks and tools
// are fixed records on the manual heap: a conversation of thousands of blocks makes no garbage.
import { freeBlock, takeBlock } from "../memory/blocks";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, PADDING, sameBytes, scratchBuffer, Span } from "../bytes/text/bytes";
import { AskedFeatures } from "./asked-features";

export const ROLE_SYSTEM: u32 = 0;
export const ROLE_USER: u32 = 1;
export const ROLE_ASSISTANT: u32 = 2;

/** The inside of a JSON string: `text`. */
export const BLOCK_TEXT: u32 = 0;
/** `name`: media type, `text`: base64. */
export const BLOCK_IMAGE_DATA: u32 = 1;
/** `text`: URL. */
export const BLOCK_IMAGE_URL: u32 = 2;
/** `name`: media type, `text`: base64, `id`: file name or title. */
export const BLOCK_DOCUMENT_DATA: u32 = 3;
/** `text`: URL, `id`: title. */
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

export const FLAG_STRING: u32 = 1;
export const FLAG_ERROR: u32 = 2;
export const FLAG_CONTINUES: u32 = 4;
/** Anthropic's top-level `system`, whose blocks are one text. */
export const FLAG_TOP: u32 = 8;
/** A system text that stays where it is in the conversation. */
export const FLAG_IN_PLACE: u32 = 16;

/** One block. Lives in a BlockList: a reference is good until the next `add`. */
@unmanaged
export class Block {
  kind: u32;
  role: u32;
  /** Index of the client's message that it came from. */
  message: u32;
  flags: u32;
  text: usize;
  textLength: u32;
  name: usize;
  nameLength: u32;
  id: usize;
  idLength: u32;
  /** The value of `cache_control`, as JSON; length 0 when there is none. */
  cache: usize;
  cacheLength: u32;
}

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
  /** False when the client allows only others (`allowed_tools`). */
  isAllowed: u32;
  cache: usize;
  cacheLength: u32;
}

/** Records of one size on the manual heap. The only place of the hub that handles their memory. */
export class Records {
  count: u32 = 0;
  private bytes: ByteBuffer = scratchBuffer();

  constructor(private size: u32) {}

  clear(): void {
    this.count = 0;
    // A block that one giant conversation needed is not kept for the small ones after it.
    if (this.bytes.length > 1 << 20) this.bytes.release();
    this.bytes.clear();
  }

  /** Address of one more record, all zero; of the last one again where the VM has no room for more. */
  add(): usize {
    let address = this.bytes.reserve(this.size);
    if (address == 0) {
      address = this.at(this.count);
      memory.fill(address, 0, this.size);
      return address;
    }
    memory.fill(address, 0, this.size);
    this.bytes.length += this.size;
    this.count++;
    return address;
  }

  /** Address of a record; of the last one for an index that is too large. Not to be asked when there is none. */
  at(index: u32): usize {
    const last = this.count - 1;
    return this.bytes.pointer + (index < last ? index : last) * this.size;
  }
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

/** What the target's standard tier is called differs; which one is wanted does not. */
export const SERVICE_UNSET: i32 = 0;
export const SERVICE_STANDARD: i32 = 1;

export class ChatRequest {
  /** The client's body, for the values that are copied whole. */
  tape: Tape = new Tape();
  blocks: Records = new Records(offsetof<Block>());
  tools: Records = new Records(offsetof<Tool>());
  /** What the request asks for beyond the slots below, as far as its target supports it. */
  features: AskedFeatures = new AskedFeatures();
  private kept: Records = new Records(4);

  /** Nodes of values that move as they are; NO_NODE when not said. */
  maxTokens: u32 = NO_NODE;
  temperature: u32 = NO_NODE;
  topP: u32 = NO_NODE;
  topK: u32 = NO_NODE;
  /** A string or a list of strings. */
  stop: u32 = NO_NODE;
  /** A string node. */
  user: u32 = NO_NODE;
  /** An object that both dialects spell alike. */
  thinking: u32 = NO_NODE;
  schema: u32 = NO_NODE;
  outputFormat: i32 = FORMAT_TEXT;
  effort: i32 = EFFORT_UNSET;
  /** Whether `effort` is what the client's thinking means, not a word of its own. */
  isEffortThinking: bool = false;
  toolChoice: i32 = CHOICE_UNSET;
  /** The node of the tool's name for CHOICE_NAMED. */
  chosenTool: u32 = NO_NODE;
  forbidsParallelTools: bool = false;
  serviceTier: i32 = SERVICE_UNSET;
  isStreaming: bool = false;

  reset(tape: Tape): void {
    this.forget();
    this.features.clear();
    this.tape = tape;
    this.maxTokens = NO_NODE;
    this.temperature = NO_NODE;
    this.topP = NO_NODE;
    this.topK = NO_NODE;
    this.stop = NO_NODE;
    this.user = NO_NODE;
    this.thinking = NO_NODE;
    this.schema = NO_NODE;
    this.outputFormat = FORMAT_TEXT;
    this.effort = EFFORT_UNSET;
    this.isEffortThinking = false;
    this.toolChoice = CHOICE_UNSET;
    this.chosenTool = NO_NODE;
    this.forbidsParallelTools = false;
    this.serviceTier = SERVICE_UNSET;
    this.isStreaming = false;
  }

  /** Copies a text that is not a piece of the body; the copy lives until `forget`. 0 where the VM has no room. */
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
    store<usize>(record, copy);
    return copy;
  }

  /** Frees what was kept. The request is of no use afterwards. */
  forget(): void {
    for (let i: u32 = 0; i < this.kept.count; i++) freeBlock(load<usize>(this.kept.at(i)));
    this.kept.clear();
    this.blocks.clear();
    this.tools.clear();
  }

  addBlock(kind: u32, role: u32, message: u32): Block {
    const block = changetype<Block>(this.blocks.add());
    block.kind = kind;
    block.role = role;
    block.message = message;
    return block;
  }

  block(index: u32): Block {
    return changetype<Block>(this.blocks.at(index));
  }

  /** Adds a text of the tape; a blank one, which says nothing and is refused by Anthropic, is left out. */
  addText(role: u32, message: u32, node: u32): bool {
    if (isBlank(this.tape.pointer(node), this.tape.size(node))) return false;
    const block = this.addBlock(BLOCK_TEXT, role, message);
    block.text = this.tape.pointer(node);
    block.textLength = this.tape.size(node);
    return true;
  }

  addTool(): Tool {
    const tool = changetype<Tool>(this.tools.add());
    tool.schema = NO_NODE;
    tool.isAllowed = 1;
    return tool;
  }

  tool(index: u32): Tool {
    return changetype<Tool>(this.tools.at(index));
  }
}

/** Stands for the signature of reasoning that nobody signed (docs/decisions/2026-11-21-reasoning-carrier.md). */
export const UNSIGNED_MARK = constant("Z2F0ZXdheTp1bnNpZ25lZA==");

/** Whether a block of reasoning carries its maker's signature. */
export function isSigned(block: Block): bool {
  if (block.nameLength == 0) return false;
  return !sameBytes(block.name, block.nameLength, UNSIGNED_MARK.pointer, UNSIGNED_MARK.length);
}

/** Whether the inside of a JSON string is empty or only white space. */
export function isBlank(pointer: usize, length: u32): bool {
  const end = pointer + length;
  while (pointer < end) {
    const size = blankSize(pointer, end);
    if (size == 0) return false;
    pointer += size;
  }
  return true;
}

/** Bytes of the white space at `pointer`: a space, or an escaped tab or line end. 0 for anything else. */
function blankSize(pointer: usize, end: usize): u32 {
  const c = <u32>load<u8>(pointer);
  if (c == 0x20) return 1;
  if (c != 0x5c || pointer + 1 >= end) return 0;
  const letter = <u32>load<u8>(pointer + 1);
  return letter == 0x6e || letter == 0x74 || letter == 0x72 || letter == 0x66 ? 2 : 0;
}

/** Length of the inside of a JSON string without the white space at its end. */
export function trimmedLength(pointer: usize, length: u32): u32 {
  let kept: u32 = 0;
  let at: u32 = 0;
  while (at < length) {
    const size = blankSize(pointer + at, pointer + length);
    if (size != 0) {
      at += size;
      continue;
    }
    at += load<u8>(pointer + at) == 0x5c ? 2 : 1;
    kept = at;
  }
  return min(kept, length);
}

/** Points a span at a value of the tape, without a string's quotes. */
export function spanOf(tape: Tape, node: u32, span: Span): Span {
  span.pointer = tape.pointer(node);
  span.length = tape.size(node);
  return span;
}
