// The client's body of a request that may have several attempts. The VM keeps a small one while there is memory for it; each
// attempt reads any other from Envoy's buffer.
import { freeBlock, wasRefused } from "../memory/blocks";
import { mayHold } from "../memory/memory-budget";
import { REQUEST_BODY, takeBody } from "../host/host";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape, Tape } from "../bytes/json/tape";
import { Client } from "./client";

/** A larger body is not kept: reading it again costs little compared with its translation. Bytes. */
const MAX_KEPT: u32 = 1 << 20;

/** Returns whether the VM keeps a body of that length. */
export function keepsBody(length: u32): bool {
  return length <= MAX_KEPT && mayHold(length);
}

/** One for all requests: a body that is open between two calls of one callback. */
class OpenBody {
  private tape: Tape = scratchTape();
  /** The block that was read from Envoy; 0 if none was. */
  private block: usize = 0;

  /**
   * Returns a scan of the body, until `close`; null if it is not kept and cannot be read, or there is no memory.
   * @param held bytes of Envoy's buffer in the callback of an attempt's body; 0 elsewhere, where it cannot be read
   */
  open(client: Client, held: u32): Tape | null {
    let pointer = client.body;
    let length = client.bodyLength;
    if (pointer == 0 && held > 0) {
      const bytes = takeBody(REQUEST_BODY, 0, held);
      this.block = bytes.pointer;
      pointer = bytes.pointer;
      length = bytes.length;
    }
    const isRead = pointer != 0 && scan(this.tape, pointer, length) == SCAN_OK;
    // The caller handles null.
    wasRefused();
    return isRead ? this.tape : null;
  }

  close(): void {
    freeBlock(this.block);
    this.block = 0;
    this.tape.reset();
  }
}

export const clientBody = new OpenBody();
