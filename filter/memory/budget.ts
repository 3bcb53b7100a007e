// How much of the VM's memory may be held from one callback to the next, and what is given up when that is used.
//
// A VM has 1 GiB. What one callback needs, for the body that it works on, is the other part of it.
import { heldBytes, hasRoom } from "./blocks";

/** What anybody may hold, whatever the others do. Bytes. */
export const SMALL: u32 = 16 << 10;

export const DEFAULT_SHARE: u32 = 256 << 20;

/** How often something was not done for want of memory. */
export let refusals: u32 = 0;

/** Bytes that requests and streams may hold beyond SMALL each, all together. */
let share: isize = DEFAULT_SHARE;

/** @param bytes the share, from the configuration */
export function setShare(bytes: u32): void {
  share = <isize>bytes;
}

/** Returns whether one request or stream may hold that many bytes. */
export function mayHold(bytes: isize): bool {
  return bytes <= <isize>SMALL || heldBytes() <= share;
}

/** Counts a request, a response or a reading that was given up for want of memory; the log tells of them. */
export function countRefusal(): void {
  refusals++;
}

/** Returns whether there is memory for a new request: up to twice the share, so that those under way never feel it. */
export function mayBegin(): bool {
  return heldBytes() <= share * 2 && hasRoom(0);
}
