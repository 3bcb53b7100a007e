// The client's body of a request that may have several attempts. The VM keeps a small one while there is memory for it; each
// attempt reads any other from Envoy's buffer.
import { freeBlock, wasRefused } from "../memory/blocks";
import { mayHold } from "../memory/budget";
import { REQUEST_BODY, takeBody } from "../host/host";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape, Tape } from "../bytes/json/tape";
import { Exchange } from "./exchange";

/** A larger body is not kept: reading it again costs little compared with its translation. Bytes. */
const MAX_KEPT: u32 = 1 << 20;

const tape = scratchTape();
/** The block that was read from Envoy; 0 if none was. */
let borrowed: usize = 0;

/** Returns whether the VM keeps a body of that length. */
export function keepsBody(length: u32): bool {
  return length <= MAX_KEPT && mayHold(length);
}

/**
 * Returns a scan of the body, until `closeBody`; null if it is not kept and cannot be read, or there is no memory.
 * @param held bytes of Envoy's buffer in the callback of an attempt's body; 0 elsewhere, where it cannot be read
 */
export function openBody(exchange: Exchange, held: u32): Tape | null {
  let pointer = exchange.client.body;
  let length = exchange.client.bodyLength;
  if (pointer == 0 && held > 0) {
    const bytes = takeBody(REQUEST_BODY, 0, held);
    borrowed = bytes.pointer;
    pointer = bytes.pointer;
    length = bytes.length;
  }
  const isRead = pointer != 0 && scan(tape, pointer, length) == SCAN_OK;
  // The caller handles null.
  wasRefused();
  return isRead ? tape : null;
}

export function closeBody(): void {
  freeBlock(borrowed);
  borrowed = 0;
  tape.reset();
}
