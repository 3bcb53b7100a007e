// The order of a message's blocks: opened and closed one after the other, each once, whatever order events come in.
//
// A tool call that is open is never cut short: what belongs to other blocks waits until the call's arguments are whole.
// So calls that a provider interleaves come out one by one, and calls that it sends in order leave without waiting.
import {
  Dropped,
  DROPPED_BLOCK,
  DROPPED_CITATION,
  DROPPED_TOOL_ARGUMENTS,
} from "../../hub/dropped";
import { Citation, ResponseSink } from "../../hub/events";
import { UNSIGNED_MARK } from "../../hub/request";
import { ByteBuffer } from "../../bytes/text/bytes";

const BLOCK_NONE: i32 = 0;
const BLOCK_TEXT: i32 = 1;
const BLOCK_REASONING: i32 = 2;
const BLOCK_TOOL: i32 = 3;
const BLOCK_REDACTED: i32 = 4;

/** More blocks that wait in one response are dropped and counted. */
const MAX_WAITING: i32 = 1024;

/** A block that waits for the open tool call to end. */
class WaitingBlock {
  isEnded: bool = false;
  id: ByteBuffer = new ByteBuffer();
  name: ByteBuffer = new ByteBuffer();
  /** Text, reasoning, arguments or encrypted data. */
  body: ByteBuffer = new ByteBuffer();
  signature: ByteBuffer = new ByteBuffer();

  constructor(
    public kind: i32,
    public slot: i32,
  ) {}

  release(): void {
    this.id.release();
    this.name.release();
    this.body.release();
    this.signature.release();
  }
}

/** Turns events into blocks; how a block is written is left to its two heirs, the stream and the complete message. */
export abstract class BlockWriter extends ResponseSink {
  protected hasTools: bool = false;
  private openKind: i32 = BLOCK_NONE;
  private openSlot: i32 = -1;
  private isSigned: bool = false;
  private waiting: Array<WaitingBlock> = [];
  /** Takes what is dropped; null while nothing is. */
  private excess: WaitingBlock | null = null;

  constructor(
    out: ByteBuffer,
    protected dropped: Dropped,
  ) {
    super(out);
  }

  protected abstract openText(): void;
  protected abstract putText(pointer: usize, length: u32): void;
  protected abstract putCitation(citation: Citation): void;
  protected abstract closeText(): void;
  protected abstract openReasoning(): void;
  protected abstract putReasoning(pointer: usize, length: u32): void;
  protected abstract putSignature(pointer: usize, length: u32): void;
  protected abstract closeReasoning(): void;
  protected abstract putRedacted(pointer: usize, length: u32): void;
  protected abstract openTool(id: usize, idLength: u32, name: usize, nameLength: u32): void;
  protected abstract putArguments(pointer: usize, length: u32): void;
  protected abstract closeTool(): void;

  text(pointer: usize, length: u32): void {
    if (this.openKind == BLOCK_TEXT) {
      this.putText(pointer, length);
      return;
    }
    if (this.mustWait) {
      this.lastWaiting(BLOCK_TEXT).body.bytes(pointer, length);
      return;
    }
    this.close();
    this.openKind = BLOCK_TEXT;
    this.openText();
    this.putText(pointer, length);
  }

  /** The dialect has no words of refusal apart from text; stop_reason says that it is one. */
  refusal(pointer: usize, length: u32): void {
    this.text(pointer, length);
  }

  reasoning(pointer: usize, length: u32): void {
    if (this.mustWait) {
      this.lastWaiting(BLOCK_REASONING).body.bytes(pointer, length);
      return;
    }
    this.reasoningOpens();
    this.putReasoning(pointer, length);
  }

  signature(pointer: usize, length: u32): void {
    if (this.mustWait) {
      const block = this.lastWaiting(BLOCK_REASONING);
      block.signature.bytes(pointer, length);
      block.isEnded = true;
      return;
    }
    this.reasoningOpens();
    this.isSigned = true;
    this.putSignature(pointer, length);
  }

  redactedReasoning(pointer: usize, length: u32): void {
    if (this.mustWait) {
      const block = this.wait(BLOCK_REDACTED, -1);
      block.body.bytes(pointer, length);
      block.isEnded = true;
      return;
    }
    this.close();
    this.putRedacted(pointer, length);
  }

  citation(citation: Citation): void {
    if (this.openKind == BLOCK_TEXT) this.putCitation(citation);
    else this.dropped.add(DROPPED_CITATION);
  }

  blockEnd(): void {
    if (this.waiting.length > 0) {
      const last = unchecked(this.waiting[this.waiting.length - 1]);
      if (last.kind != BLOCK_TOOL) last.isEnded = true;
    } else if (!this.mustWait) {
      this.close();
    }
  }

  toolBegin(slot: i32, id: usize, idLength: u32, name: usize, nameLength: u32): void {
    this.hasTools = true;
    if (this.mustWait) {
      const block = this.wait(BLOCK_TOOL, slot);
      block.id.bytes(id, idLength);
      block.name.bytes(name, nameLength);
      return;
    }
    this.close();
    this.toolOpens(slot, id, idLength, name, nameLength);
  }

  toolArguments(slot: i32, pointer: usize, length: u32): void {
    if (this.openKind == BLOCK_TOOL && this.openSlot == slot) {
      this.putArguments(pointer, length);
      return;
    }
    const block = this.waitingTool(slot);
    if (block != null) block.body.bytes(pointer, length);
    else this.dropped.add(DROPPED_TOOL_ARGUMENTS);
  }

  toolEnd(slot: i32): void {
    if (this.openKind == BLOCK_TOOL && this.openSlot == slot) {
      this.close();
      this.flush();
      return;
    }
    const block = this.waitingTool(slot);
    if (block != null) block.isEnded = true;
  }

  release(): void {
    for (let i = 0; i < this.waiting.length; i++) unchecked(this.waiting[i]).release();
    this.waiting = [];
    const excess = this.excess;
    if (excess !== null) excess.release();
  }

  /** Closes what is open and writes all that waits: nothing more will come. */
  protected closeAll(): void {
    this.close();
    for (let i = 0; i < this.waiting.length; i++) unchecked(this.waiting[i]).isEnded = true;
    this.flush();
    this.close();
  }

  private get mustWait(): bool {
    return this.openKind == BLOCK_TOOL;
  }

  private close(): void {
    const kind = this.openKind;
    this.openKind = BLOCK_NONE;
    if (kind == BLOCK_TEXT) {
      this.closeText();
    } else if (kind == BLOCK_REASONING) {
      if (!this.isSigned) this.putSignature(UNSIGNED_MARK.pointer, UNSIGNED_MARK.length);
      this.closeReasoning();
    } else if (kind == BLOCK_TOOL) {
      this.closeTool();
    }
  }

  private reasoningOpens(): void {
    // A signature closes its text: what comes behind it is another block.
    if (this.openKind == BLOCK_REASONING && !this.isSigned) return;
    this.close();
    this.openKind = BLOCK_REASONING;
    this.isSigned = false;
    this.openReasoning();
  }

  private toolOpens(slot: i32, id: usize, idLength: u32, name: usize, nameLength: u32): void {
    this.openKind = BLOCK_TOOL;
    this.openSlot = slot;
    this.openTool(id, idLength, name, nameLength);
  }

  private wait(kind: i32, slot: i32): WaitingBlock {
    if (this.waiting.length >= MAX_WAITING) return this.drop();
    const block = new WaitingBlock(kind, slot);
    this.waiting.push(block);
    return block;
  }

  private drop(): WaitingBlock {
    this.dropped.add(DROPPED_BLOCK);
    let excess = this.excess;
    if (excess === null) {
      excess = new WaitingBlock(BLOCK_NONE, -1);
      this.excess = excess;
    }
    excess.release();
    return excess;
  }

  /** The last waiting block if it is of this kind and goes on, else a new one. */
  private lastWaiting(kind: i32): WaitingBlock {
    if (this.waiting.length > 0) {
      const last = unchecked(this.waiting[this.waiting.length - 1]);
      if (last.kind == kind && !last.isEnded) return last;
    }
    return this.wait(kind, -1);
  }

  private waitingTool(slot: i32): WaitingBlock | null {
    for (let i = 0; i < this.waiting.length; i++) {
      const block = unchecked(this.waiting[i]);
      if (block.kind == BLOCK_TOOL && block.slot == slot) return block;
    }
    return null;
  }

  /** Writes the blocks that wait, in order, until one that goes on. */
  private flush(): void {
    while (this.waiting.length > 0 && !this.mustWait) {
      const block = this.waiting.shift();
      this.play(block);
      block.release();
    }
  }

  private play(block: WaitingBlock): void {
    const body = block.body;
    if (block.kind == BLOCK_TOOL) {
      this.close();
      this.toolOpens(
        block.slot,
        block.id.pointer,
        block.id.length,
        block.name.pointer,
        block.name.length,
      );
      if (body.length > 0) this.putArguments(body.pointer, body.length);
      if (block.isEnded) this.close();
    } else if (block.kind == BLOCK_REDACTED) {
      this.redactedReasoning(body.pointer, body.length);
    } else if (block.kind == BLOCK_TEXT) {
      this.text(body.pointer, body.length);
    } else {
      if (body.length > 0) this.reasoning(body.pointer, body.length);
      if (block.signature.length > 0)
        this.signature(block.signature.pointer, block.signature.length);
    }
    if (block.isEnded && block.kind != BLOCK_TOOL) this.close();
  }
}
