// The root contexts of the VM: one per plugin configuration, identified by its root id.
import { setShare } from "../memory/memory-budget";
import { freeBlock } from "../memory/blocks";
import { LISTENER_BUDGETS } from "../../contract/budget-format";
import {
  LISTENER_EGRESS,
  LISTENER_INGRESS,
  LISTENER_INTERNAL_EGRESS,
  ROOT_ROUTE,
  ROOT_ATTEMPT,
} from "../../contract/words";
import { ApiKeys } from "../config/api-keys";
import { RateLimit } from "../config/rate-limit-rule";
import { Config, readConfig } from "../config/read-config";
import { TokenIssuer } from "../config/read-issuers";
import { watchSessions } from "../exchange/client-session";
import { watchHeaders } from "../exchange/request-head";
import { Document, textOf } from "../config/document";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { Tape } from "../bytes/json/tape";
import { constant } from "../bytes/text/bytes";
import { readEnvironment } from "../host/host-environment";
import { logError, PLUGIN_CONFIGURATION, property, takeBody, VM_CONFIGURATION } from "../host/host";
import { createPlaces } from "../balance/session-places";
import { createTable } from "../limits/budget-table";
import { createBuckets } from "../limits/buckets";
import { IdTable } from "./id-table";

const KIND_UNKNOWN: i32 = 0;
export const KIND_ROUTE: i32 = 1;
const KIND_ATTEMPT: i32 = 2;

export class Root {
  isIngress: bool = false;
  /** Whether the gateway's model server is the only client. */
  isModelServer: bool = false;
  /** Whether the control plane is the only client, which sets the limits of budgets. */
  isForBudgets: bool = false;
  keys: ApiKeys | null = null;
  constructor(public kind: i32) {}
}

const roots = new IdTable<Root>();

/** The VM's configuration; empty before `startVm` has succeeded. */
export let config: Config = new Config();
let isStarted: bool = false;

export function createRoot(id: u32): void {
  const name = property(constant("plugin_root_id"));
  const text = String.UTF8.decodeUnsafe(name.pointer, name.length);
  roots.set(
    id,
    new Root(text == ROOT_ROUTE ? KIND_ROUTE : text == ROOT_ATTEMPT ? KIND_ATTEMPT : KIND_UNKNOWN),
  );
}

export function deleteRoot(id: u32): void {
  roots.delete(id);
}

export function rootOf(id: u32): Root | null {
  return roots.get(id);
}

/**
 * Reads the VM configuration. Returns false if it is invalid: then Envoy rejects the module. Envoy calls it for each plugin;
 * the configuration is part of what identifies the VM, so it is always the same one.
 */
export function startVm(size: u32): bool {
  if (isStarted) return true;
  const document = takeBody(VM_CONFIGURATION, 0, size);
  if (document.pointer == 0) {
    logError("gateway filter: no configuration");
    return false;
  }
  const from = new Document(readEnvironment());
  const read = readConfig(from, document.pointer, document.length);
  freeBlock(document.pointer);
  if (from.problem.length > 0) {
    logError("gateway filter: the configuration is rejected: " + from.problem);
    return false;
  }
  config = read;
  const sessions = read.sessions;
  if (sessions !== null) watchSessions(sessions);
  watchPayloads(read.ingressTokens);
  watchPayloads(read.egressTokens);
  setShare(read.heldMemory);
  createTable(read.budgets.ids);
  if (read.isMeasured) createPlaces();
  createAllAllowances(read.rateLimits);
  const prompt = read.prompt;
  if (prompt !== null) createAllAllowances(prompt.rateLimits);
  isStarted = true;
  return true;
}

function watchPayloads(issuers: TokenIssuer[]): void {
  for (let i = 0; i < issuers.length; i++)
    issuers[i].payload = watchHeaders([issuers[i].header])[0];
}

function createAllAllowances(limits: RateLimit[]): void {
  for (let i = 0; i < limits.length; i++) {
    if (!limits[i].isByService) createBuckets(limits[i]);
  }
}

/** Reads the plugin configuration: which listener a `route` root serves. */
export function configureRoot(id: u32, size: u32): bool {
  const root = roots.get(id);
  if (root === null || size == 0) return true;
  const document = takeBody(PLUGIN_CONFIGURATION, 0, size);
  if (document.pointer == 0) return true;
  const tape = new Tape();
  const isRead = scan(tape, document.pointer, document.length) == SCAN_OK;
  if (isRead) {
    const listener = textOf(tape, tape.member(tape.root(), constant("listener")));
    root.isIngress = listener == LISTENER_INGRESS;
    root.isModelServer = listener == LISTENER_INTERNAL_EGRESS;
    root.isForBudgets = listener == LISTENER_BUDGETS;
    root.keys = root.isIngress
      ? config.ingressKeys
      : listener == LISTENER_EGRESS
        ? config.egressKeys
        : null;
  } else {
    logError("gateway filter: the plugin configuration is not JSON");
  }
  tape.release();
  freeBlock(document.pointer);
  return isRead;
}
