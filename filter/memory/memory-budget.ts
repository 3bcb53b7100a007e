// The budget for memory that is held from one callback to the next. A VM has 1 GiB; the rest is for the running callback,
// which has a whole body to process.
import { heldBytes, hasRoom } from "./blocks";

/** What each request or stream may always hold, outside the shared budget. Bytes. */
export const SMALL: u32 = 16 << 10;

export const DEFAULT_SHARE: u32 = 256 << 20;

/** How many requests, responses or reads were abandoned for lack of memory. */
export let refusals: u32 = 0;

/** Bytes that all requests and streams together may hold, beyond SMALL for each. */
let share: isize = DEFAULT_SHARE;
/** Bytes of the tables and the configuration, which no request holds; -1 until the first configuration is read. */
let own: isize = -1;

/** @param bytes the share, from the configuration */
export function setShare(bytes: u32): void {
  if (own < 0) own = heldBytes();
  share = <isize>bytes;
}

/** Returns the bytes that requests and streams hold. */
function heldByRequests(): isize {
  return heldBytes() - max(own, 0);
}

/** Returns whether one request or stream may hold this many bytes. */
export function mayHold(bytes: isize): bool {
  return bytes <= <isize>SMALL || heldByRequests() <= share;
}

/** Counts a request, a response or a read that was abandoned for lack of memory; the log reports the count. */
export function countRefusal(): void {
  refusals++;
}

/** Returns whether there is memory for a new request: up to twice the share, so that in-flight requests are not affected. */
export function mayBegin(): bool {
  return heldByRequests() <= share * 2 && hasRoom(0);
}
