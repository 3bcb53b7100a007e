// Has keys stored and given to Envoy, and the admin API served, if the configuration has `keys`.
import { readFileSync } from "node:fs";
import type { Hono } from "hono";
import type { Budget } from "../../model/budgets.ts";
import { takesKeyRows } from "../../model/keys.ts";
import type { GatewayModel } from "../../model/model.ts";
import type { AgentSessions } from "../agent-sessions/session-routes.ts";
import { hasUsageRecords } from "../../model/filter-document/document-budgets.ts";
import type { Keys, Spent } from "../keys/key-service.ts";
import { findCaFile } from "./machine-settings.ts";
import type { Report } from "./own-log.ts";
import { VERSION } from "./package-version.ts";
import type { Part } from "./part.ts";

/** Between two attempts to set budgets. */
const RETRY_MS = 1_000;

export interface KeyStore extends Required<Part> {
  /** Returns the routes of the admin API. A request needs a caller (admin/actor.ts). */
  api: () => Promise<Hono>;
  /** Whether the admin API has created a group. Throws if the keys cannot be read. */
  hasGroup: (name: string) => boolean;
}

/**
 * Returns the store. Its modules are loaded for a configuration that needs them.
 * @param directory the state directory
 * @param onReadiness called when `missing` or `note` may have changed
 * @param onSpent receives what was spent with imported keys before; returns whether it is stored
 * @param sessions the sessions of agents, for the API
 * @param onBudgets receives the budgets of keys and groups when they may have changed
 */
export function createKeyStore(
  directory: string,
  report: Report,
  onReadiness: () => void,
  onSpent: (spent: readonly Spent[]) => boolean,
  onBudgets: (budgets: readonly Budget[]) => Promise<void>,
  sessions: () => AgentSessions | undefined = () => undefined,
): KeyStore {
  let keys: Keys | undefined;
  let model: GatewayModel | undefined;
  let api: Hono | undefined;
  /** Of the Envoys that run. */
  const sockets = new Set<string>();

  /** Changes that come while the budgets of an earlier one are set are set together: there may be a hundred thousand. */
  let isSetting = false;
  let mayHaveChanged = false;
  let isReported = false;
  let retry: NodeJS.Timeout | undefined;
  /** Never rejects: a file that cannot be read is reported, and read again. */
  const setBudgets = async () => {
    mayHaveChanged = true;
    if (isSetting) return;
    isSetting = true;
    clearTimeout(retry);
    try {
      while (mayHaveChanged) {
        await new Promise(setImmediate);
        mayHaveChanged = false;
        await onBudgets(keys?.budgets() ?? []);
      }
      if (isReported) report("The budgets of keys are current again.");
      isReported = false;
    } catch (error) {
      if (!isReported)
        report(`The budgets of keys are not current: ${(error as Error).message}.`, "warning");
      isReported = true;
      retry = setTimeout(() => void setBudgets(), RETRY_MS).unref();
    } finally {
      isSetting = false;
    }
  };

  const problem = () => keys?.problem;
  /** A gateway that must not serve without Redis is not ready; everything else is noted. */
  const denies = () => model?.keys?.store === "redis" && model.redis?.onFailure === "deny";

  return {
    async use({ model: next, environment }) {
      model = next;
      // Groups of the configuration reach Envoy in the same way.
      if (!takesKeyRows(next)) {
        const ending = keys;
        keys = undefined;
        await ending?.close();
        if (ending !== undefined) await setBudgets();
        return;
      }
      const { Keys } = await import("../keys/key-service.ts");
      const isNew = keys === undefined;
      keys ??= new Keys({
        ...{ directory, report, onReadiness, onSpent },
        onBudgets: () => void setBudgets(),
      });
      const file = next.keys?.store === "redis" ? findCaFile(environment) : undefined;
      const authorities = file === undefined ? undefined : readFileSync(file, "utf8");
      await keys.use({ model: next, environment, authorities });
      await setBudgets();
      // A reload has added `keys`.
      if (isNew) for (const socket of sockets) void keys.attach(socket);
    },
    async attach(socket) {
      sockets.add(socket);
      await keys?.attach(socket);
    },
    detach(socket) {
      sockets.delete(socket);
      keys?.detach(socket);
    },
    missing: () => (denies() ? problem() : undefined),
    note: () => (denies() ? undefined : problem()),
    async api() {
      if (api !== undefined) return api;
      const { keysApi } = await import("../keys/api/key-routes.ts");
      api = keysApi({
        keys: () => (model?.keys === undefined ? undefined : keys),
        sessions: () => (model !== undefined && hasUsageRecords(model) ? sessions() : undefined),
        version: VERSION,
        report,
      });
      return api;
    },
    hasGroup(name) {
      if (model?.keys === undefined) return false;
      if (keys === undefined) throw new Error("The keys are not open yet.");
      return keys.groups.hasCreated(name);
    },
    async close() {
      clearTimeout(retry);
      const ending = keys;
      keys = undefined;
      await ending?.close();
    },
  };
}
