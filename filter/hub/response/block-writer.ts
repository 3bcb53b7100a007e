// Puts the blocks of a response in order: one is open at a time and each is opened once, whatever the order of the events.
// For dialects whose responses are a list of blocks or items.
//
// An open tool call is never interrupted: other blocks wait until its arguments are complete. Calls that a provider
// interleaves are written one by one; calls that it sends in order do not wait. Longer than other files because it is one class.
import {
  DROPPED_BLOCK,
  DROPPED_CITATION,
  DROPPED_SERVER_TOOL,
  DROPPED_TOOL_ARGUMENTS,
} from "../dropped";
import { Citation, ResponseSink } from "./events";
import { HostedCall } from "./hosted-call";
import { FINISH_NONE, FINISH_STOP, FINISH_STOP_SEQUENCE } from "./finish-reason";
import { CARRIER_SIGNED } from "../reasoning-carrier";
import { WaitingCitations } from "./waiting-citations";
import { ByteBuffer } from "../../bytes/text/bytes";
import { TextRuns } from "../../bytes/text/text-runs";

const BLOCK_NONE: i32 = 0;
const BLOCK_TEXT: i32 = 1;
const BLOCK_REASONING: i32 = 2;
const BLOCK_TOOL: i32 = 3;
const BLOCK_REDACTED: i32 = 4;
const BLOCK_REFUSAL: i32 = 5;

/** More waiting blocks or citations in one response are dropped and counted. */
const MAX_WAITING: i32 = 1024;

/** A block that waits until the open tool call ends. */
class WaitingBlock {
  isEnded: bool = false;
  id: ByteBuffer = new ByteBuffer();
  name: ByteBuffer = new ByteBuffer();
  /** Text, reasoning, arguments or encrypted data. */
  body: ByteBuffer = new ByteBuffer();
  signature: ByteBuffer = new ByteBuffer();
  carrier: i32 = CARRIER_SIGNED;

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

/** Turns events into blocks. A dialect has two subclasses: one writes a stream, one a complete response. */
export abstract class BlockWriter extends ResponseSink {
  protected hasTools: bool = false;
  protected reason: i32 = FINISH_NONE;
  /** The stop sequence that ended the response, if its reason is sent. */
  protected sequence: ByteBuffer = new ByteBuffer();
  private openKind: i32 = BLOCK_NONE;
  private openSlot: i32 = -1;
  /** Whether the open block of reasoning has its signature. */
  protected isSigned: bool = false;
  private waiting: Array<WaitingBlock> = [];
  /** Takes what is dropped, if anything is. */
  private excess: WaitingBlock | null = null;
  /** Citations that came before their text, if any did. */
  private earlyCitations: WaitingCitations | null = null;

  protected abstract openText(): void;
  protected abstract putText(pointer: usize, length: u32): void;
  protected putTexts(texts: TextRuns): void {
    for (let i: u32 = 0; i < texts.count; i++) this.putText(texts.pointer(i), texts.length(i));
  }
  protected abstract putCitation(citation: Citation): void;
  protected abstract closeText(): void;
  /** Only for dialects that call `refusalBlock`; `putText` writes its text. */
  protected openRefusal(): void {}
  protected closeRefusal(): void {}
  protected abstract openReasoning(): void;
  protected abstract putReasoning(pointer: usize, length: u32): void;
  /** `carrier`: CARRIER_, whose signature it is. */
  protected abstract putSignature(carrier: i32, pointer: usize, length: u32): void;
  protected abstract closeReasoning(): void;
  protected abstract putRedacted(pointer: usize, length: u32): void;
  protected abstract putHosted(call: HostedCall): void;
  protected abstract openTool(id: usize, idLength: u32, name: usize, nameLength: u32): void;
  protected abstract putArguments(pointer: usize, length: u32): void;
  protected abstract closeTool(): void;

  text(pointer: usize, length: u32): void {
    if (this.openKind != BLOCK_TEXT) {
      if (this.waits(BLOCK_TEXT, pointer, length)) return;
      this.close();
      this.openKind = BLOCK_TEXT;
      this.openText();
      this.putWaitingCitations();
    }
    this.putText(pointer, length);
  }

  texts(texts: TextRuns): void {
    if (this.openKind == BLOCK_TEXT) this.putTexts(texts);
    else super.texts(texts);
  }

  /** A text, for dialects without a form for refusals; others call `refusalBlock`. */
  refusal(pointer: usize, length: u32): void {
    this.text(pointer, length);
  }

  protected refusalBlock(pointer: usize, length: u32): void {
    if (this.openKind != BLOCK_REFUSAL) {
      if (this.waits(BLOCK_REFUSAL, pointer, length)) return;
      this.close();
      this.openKind = BLOCK_REFUSAL;
      this.openRefusal();
    }
    this.putText(pointer, length);
  }

  reasoning(pointer: usize, length: u32): void {
    if (this.waits(BLOCK_REASONING, pointer, length)) return;
    this.reasoningOpens();
    this.putReasoning(pointer, length);
  }

  signature(carrier: i32, pointer: usize, length: u32): void {
    if (this.mustWait) {
      const block = this.lastWaiting(BLOCK_REASONING);
      block.carrier = carrier;
      block.signature.bytes(pointer, length);
      block.isEnded = true;
      return;
    }
    this.reasoningOpens();
    this.isSigned = true;
    this.putSignature(carrier, pointer, length);
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
    if (this.openKind == BLOCK_TEXT) {
      this.putCitation(citation);
      return;
    }
    let waiting = this.earlyCitations;
    if (waiting === null) {
      waiting = new WaitingCitations();
      this.earlyCitations = waiting;
    }
    if (waiting.count < MAX_WAITING) waiting.add(citation);
    else this.translation.dropped.add(DROPPED_CITATION);
  }

  /** Blocks of its own, which do not interrupt a call of the client. */
  hosted(call: HostedCall): void {
    if (this.mustWait) {
      super.hosted(call);
      return;
    }
    if (!call.isWhole) this.translation.dropped.add(DROPPED_SERVER_TOOL);
    this.close();
    this.putHosted(call);
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
    else this.translation.dropped.add(DROPPED_TOOL_ARGUMENTS);
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

  finish(reason: i32, sequence: usize, sequenceLength: u32): void {
    this.closeAll();
    // The sequence is sent only with its reason, and tool calls take precedence over both.
    const isNamed = reason == FINISH_STOP_SEQUENCE && sequenceLength > 0 && !this.hasTools;
    this.reason = reason == FINISH_STOP_SEQUENCE && !isNamed ? FINISH_STOP : reason;
    if (isNamed) this.sequence.bytes(sequence, sequenceLength);
  }

  release(): void {
    this.sequence.release();
    for (let i = 0; i < this.waiting.length; i++) unchecked(this.waiting[i]).release();
    this.waiting.length = 0;
    const excess = this.excess;
    if (excess !== null) excess.release();
    const citations = this.earlyCitations;
    if (citations !== null) citations.release();
  }

  /** Closes the open block and writes all that wait: there are no more events. */
  protected closeAll(): void {
    this.close();
    for (let i = 0; i < this.waiting.length; i++) unchecked(this.waiting[i]).isEnded = true;
    this.flush();
    this.close();
    const citations = this.earlyCitations;
    if (citations === null) return;
    for (let i = 0; i < citations.count; i++) this.translation.dropped.add(DROPPED_CITATION);
    citations.clear();
  }

  private putWaitingCitations(): void {
    const citations = this.earlyCitations;
    if (citations === null) return;
    for (let i = 0; i < citations.count; i++) this.putCitation(citations.at(i));
    citations.clear();
  }

  private get mustWait(): bool {
    return this.openKind == BLOCK_TOOL;
  }

  /** Keeps a text for later if the open tool call must not be interrupted. */
  private waits(kind: i32, pointer: usize, length: u32): bool {
    if (!this.mustWait) return false;
    this.lastWaiting(kind).body.bytes(pointer, length);
    return true;
  }

  private close(): void {
    const kind = this.openKind;
    this.openKind = BLOCK_NONE;
    if (kind == BLOCK_TEXT) {
      this.closeText();
    } else if (kind == BLOCK_REFUSAL) {
      this.closeRefusal();
    } else if (kind == BLOCK_REASONING) {
      this.closeReasoning();
    } else if (kind == BLOCK_TOOL) {
      this.closeTool();
    }
  }

  private reasoningOpens(): void {
    // A signature ends its block.
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
    this.translation.dropped.add(DROPPED_BLOCK);
    let excess = this.excess;
    if (excess === null) {
      excess = new WaitingBlock(BLOCK_NONE, -1);
      this.excess = excess;
    }
    excess.release();
    return excess;
  }

  /** Returns the last waiting block if it is of this kind and open, else a new one. */
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

  /** Writes the waiting blocks, in order, until one that is still open. */
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
    } else if (block.kind == BLOCK_REFUSAL) {
      this.refusal(body.pointer, body.length);
    } else {
      if (body.length > 0) this.reasoning(body.pointer, body.length);
      if (block.signature.length > 0)
        this.signature(block.carrier, block.signature.pointer, block.signature.length);
    }
    if (block.isEnded && block.kind != BLOCK_TOOL) this.close();
  }
}
