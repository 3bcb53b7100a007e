// The stream contexts of the VM, and the one place that frees their memory.
import { resetTaken, takenBytes } from "../host/host";
import { countBytes } from "../memory/blocks";
import { trimKept } from "../memory/heap";
import { Exchange } from "../exchange/exchange";
import { Trace } from "../exchange/trace";
import { IdTable } from "./id-table";
import { config, KIND_ROUTE, rootOf } from "./roots";

/** Exchanges, by the context ids of the downstream stream and of its attempts. */
const exchanges = new IdTable<Exchange>();

/** Context ids of pushes of the control plane that have no response yet. */
const pushes = new Set<u32>();

/** Estimate for the objects of a stream, its entries in the maps included. Bytes. */
const OBJECTS: isize = 1024;

/**
 * Streams deleted between two collections, which share the cost of one. A collection visits the objects of the configuration
 * too, so a large configuration has more streams share it.
 */
const COLLECT_EVERY: u32 = 128;
/** Bytes of the configuration for which one more stream is deleted before a collection. */
const BYTES_PER_STREAM: u32 = 512;
let collectEvery: u32 = COLLECT_EVERY;
/** Bytes of bodies between two collections: an endless stream makes objects too, about a byte for each of its bytes. */
const COLLECT_AFTER: u32 = 4 << 20;
let deletedSinceCollection: u32 = 0;

export function createStream(id: u32, rootId: u32): void {
  const root = rootOf(rootId);
  if (root === null || root.kind != KIND_ROUTE) return;
  if (root.isForBudgets) {
    pushes.add(id);
    return;
  }
  const exchange = new Exchange(id, root.isIngress, root.isModelServer, root.keys);
  if (config.isObserved || config.isTraced) exchange.observe(config.readsUsage);
  if (config.isTraced) exchange.trace = new Trace(config.sampled, config.followsParent);
  exchanges.set(id, exchange);
  countBytes(OBJECTS);
}

/** Returns the exchange of a downstream context, or of an attempt's (then its `contextId` is another one); else null. */
export function exchangeOf(id: u32): Exchange | null {
  return exchanges.get(id);
}

/** Returns whether a context is a push that has no response yet. */
export function isPush(id: u32): bool {
  return pushes.has(id);
}

/** A push has got its response. */
export function endPush(id: u32): void {
  pushes.delete(id);
}

/** Links an attempt to the exchange of its downstream stream. Returns the exchange; null if there is none. */
export function joinAttempt(id: u32, exchangeId: i32): Exchange | null {
  const exchange = exchangeOf(<u32>max(exchangeId, 0));
  if (exchange !== null) exchanges.set(id, exchange);
  return exchange;
}

/** Frees what a downstream stream owned. */
export function deleteStream(exchange: Exchange): void {
  exchange.release();
  countBytes(-OBJECTS);
  deleteContext(exchange.contextId);
}

/** Forgets the context of a stream, an attempt or a push. */
export function deleteContext(id: u32): void {
  exchanges.delete(id);
  deletedSinceCollection++;
}

/** Sets the size of the VM's configuration in bytes. */
export function setConfigurationSize(bytes: u32): void {
  collectEvery = COLLECT_EVERY + bytes / BYTES_PER_STREAM;
}

/** Collects garbage, at the end of a callback: the collector does not see what is on the stack. */
export function collectWhenDue(): void {
  if (deletedSinceCollection >= collectEvery || takenBytes() >= COLLECT_AFTER) collect();
}

/** Collects garbage now: where `collectWhenDue` may, and after a configuration was read. */
export function collect(): void {
  deletedSinceCollection = 0;
  resetTaken();
  trimKept();
  __collect();
}
