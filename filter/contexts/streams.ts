// The stream contexts of the VM, and the one place that frees their memory.
import { countBytes } from "../memory/blocks";
import { isCollectionDue } from "../memory/garbage";
import { trimKept } from "../memory/heap";
import { Exchange } from "../exchange/exchange";
import { Trace } from "../exchange/written-trace";
import { IdTable } from "./id-table";
import { config, KIND_ROUTE, rootOf } from "./roots";

/** Exchanges, by the context ids of the downstream stream and of its attempts. */
const exchanges = new IdTable<Exchange>();

/** Context ids of pushes of the control plane that have no response yet. */
const pushes = new Set<u32>();

/** Estimate for the objects of a stream, its place in the table included. Bytes. */
const OBJECTS: isize = 1024;

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
}

/** Collects garbage if it is due, at the end of a callback: the collector does not see what is on the stack. */
export function collectWhenDue(): void {
  if (isCollectionDue()) collect();
}

/** Collects garbage now: where `collectWhenDue` may, and after a configuration was read. */
export function collect(): void {
  trimKept();
  __collect();
}
