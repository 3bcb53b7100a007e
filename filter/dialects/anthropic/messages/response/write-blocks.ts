// What a stream and a complete message have in common beyond the order of their blocks.
import { BlockWriter } from "../../../../hub/response/block-writer";
import {
  CARRIER_ENCRYPTED,
  CARRIER_SIGNED,
  HOSTED_BLOCK_MARK,
  HOSTED_MCP_MARK,
  MARK_ENCRYPTED,
} from "../../../../hub/reasoning-carrier";
import { HOSTED_MCP } from "../../../../hub/request/hosted-tools";
import { prefixLength } from "../../../../hub/response/response-id";
import { UNSIGNED_MARK } from "../../../../hub/request/request";
import { writeString } from "../../../../hub/request/request-writing";
import { byteAt, isDigit, isLetter } from "../../../../bytes/text/at";
import { ByteBuffer } from "../../../../bytes/text/bytes";
import { stopReason } from "./finish-reason";

export abstract class MessageBlockWriter extends BlockWriter {
  protected hostedId: ByteBuffer = new ByteBuffer();
  private hostedCalls: i32 = 0;

  /** Writes the name of a tool as the client has declared it. */
  protected writeToolName(pointer: usize, length: u32): void {
    const tool = this.translation.notes.tools.find(pointer, length);
    if (tool === null) this.out.bytes(pointer, length);
    else this.out.bytes(tool.name, tool.nameLength);
  }

  /** Sets the id of the next tool that the provider ran: no API accepts it back, and none gets it. */
  protected setHostedId(kind: i32): void {
    const id = this.hostedId;
    const head = this.translation.head.id;
    id.clear();
    id.span(kind == HOSTED_MCP ? HOSTED_MCP_MARK : HOSTED_BLOCK_MARK);
    for (let i = prefixLength(head); i < head.length; i++) {
      const byte = byteAt(head.pointer, i);
      id.byte(isLetter(byte) || isDigit(byte) ? byte : 0x5f);
    }
    id.byte(0x5f);
    id.integer(this.hostedCalls++);
  }

  release(): void {
    super.release();
    this.hostedId.release();
  }

  /** Writes the words of `finish`, and what follows the stop sequence. */
  protected writeFinish(): void {
    const out = this.out;
    out.span(stopReason(this.reason, this.hasTools));
    out.text('","stop_sequence":');
    if (this.sequence.length > 0) writeString(this.sequence.pointer, this.sequence.length, out);
    else out.text("null");
    out.text(',"stop_details":null,"container":null');
  }

  /** Every block of thinking has a signature. */
  protected signIfUnsigned(): void {
    if (this.isSigned) return;
    const mark = this.translation.reasoningMark;
    if (mark === null)
      this.putSignature(CARRIER_SIGNED, UNSIGNED_MARK.pointer, UNSIGNED_MARK.length);
    else this.putSignature(CARRIER_SIGNED, mark.pointer, mark.length);
  }

  /** Writes the inside of a signature: another provider's has a mark, by which it finds back to its kind of provider. */
  protected writeSignature(carrier: i32, pointer: usize, length: u32): void {
    if (carrier == CARRIER_ENCRYPTED) this.out.span(MARK_ENCRYPTED);
    this.out.bytes(pointer, length);
  }
}
