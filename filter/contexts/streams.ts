// The stream contexts of the VM, and the one place where their memory ends.
import { resetTaken, takenBytes } from "../host/host";
import { countBytes } from "../memory/blocks";
import { Exchange } from "../exchange/exchange";
import { isIngressRoot, isOwnRoot, keysOfRoot, KIND_ROUTE, kindOfRoot } from "./roots";

/** Downstream: a request and its response, by context id. */
const exchanges = new Map<u32, Exchange>();
/** Upstream: the exchange that an attempt belongs to, by the attempt's context id. */
const attempts = new Map<u32, Exchange>();

/** What a stream costs in objects: its own, and its places in the maps. Bytes. */
const OBJECTS: isize = 1024;

/** Streams deleted between two collections: the cost of a collection is shared by that many requests. */
const COLLECT_EVERY: u32 = 32;
/** Bytes of bodies between two collections: a stream without an end makes objects too, about one byte for each of its own. */
const COLLECT_AFTER: u32 = 4 << 20;
let deletedSinceCollection: u32 = 0;

export function createStream(id: u32, rootId: u32): void {
  if (kindOfRoot(rootId) != KIND_ROUTE) return;
  exchanges.set(id, new Exchange(id, isIngressRoot(rootId), isOwnRoot(rootId), keysOfRoot(rootId)));
  countBytes(OBJECTS);
}

/** The exchange of a downstream context, or null. */
export function exchangeOf(id: u32): Exchange | null {
  return exchanges.has(id) ? exchanges.get(id) : null;
}

/** The exchange of an upstream context, or null. */
export function exchangeOfAttempt(id: u32): Exchange | null {
  return attempts.has(id) ? attempts.get(id) : null;
}

/** Ties an attempt to the exchange of its downstream stream. False when there is none. */
export function joinAttempt(id: u32, exchangeId: i32): bool {
  if (exchangeId < 0 || !exchanges.has(exchangeId)) return false;
  attempts.set(id, exchanges.get(exchangeId));
  return true;
}

/** Frees what the stream owned. */
export function deleteStream(id: u32): void {
  if (exchanges.has(id)) {
    exchanges.get(id).release();
    exchanges.delete(id);
    countBytes(-OBJECTS);
  } else {
    attempts.delete(id);
  }
  deletedSinceCollection++;
}

/** At the end of a callback: the stack is empty, which the minimal runtime needs to collect. */
export function collectWhenDue(): void {
  if (deletedSinceCollection < COLLECT_EVERY && takenBytes() < COLLECT_AFTER) return;
  deletedSinceCollection = 0;
  resetTaken();
  __collect();
}
