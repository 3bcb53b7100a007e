// Has the usage records of a running gateway read and its metrics served, if the configuration asks for it.
import type { Observability, ObservabilityOptions } from "../observability/observability.ts";
import type { AuditWriter } from "../audit/audit-log.ts";
import { callAdmin } from "./admin.ts";
import { ENVOY_VERSION } from "./envoy-binary.ts";
import type { Gateway } from "./gateway.ts";
import { findOwner } from "./ports.ts";
import type { Report } from "./own-log.ts";
import { VERSION } from "./package-version.ts";

export interface Observer {
  /** Follows the active configuration: called when it may have changed. */
  update: () => Promise<void>;
  /** Why the live page and the metrics are not served; undefined if they are, or are not configured. */
  problem: () => string | undefined;
  close: () => Promise<void>;
}

/**
 * Returns the observer. Its modules, and the list of prices, are loaded for a configuration that needs them.
 * @param directory the state directory
 * @param gateway returns the gateway as soon as it runs
 * @param onProblem called when `problem` may have changed
 */
export function createObserver(
  directory: string,
  gateway: () => Gateway | undefined,
  report: Report,
  audit: AuditWriter,
  onProblem: () => void,
): Observer {
  const adminSocket = () => gateway()?.supervisor.adminSocket() ?? "";
  const options: Omit<ObservabilityOptions, "usage"> = {
    directory,
    versions: { gateway: VERSION, envoy: ENVOY_VERSION },
    envoyStats: (filter) => readEnvoyStats(adminSocket(), filter),
    budgets: () => gateway()?.budgets() ?? [],
    keyBudgets: () => gateway()?.keyBudgets() ?? [],
    adminApi: async () => (await gateway()?.keys.api()) ?? undefined,
    report,
    audit,
    ended: () => gateway()?.pageEnds.ended,
    ownerOfPort: findOwner,
    onProblem,
  };
  let observability: Observability | undefined;
  let failure: string | undefined;
  let loaded: Promise<Observability> | undefined;
  return {
    async update() {
      const running = gateway();
      if (running === undefined) return;
      const { model, environment } = running.current();
      try {
        const usage = running.usage();
        if (model.observability !== undefined && usage !== undefined)
          loaded ??= load({ ...options, usage });
        observability = await loaded;
        failure = undefined;
        await observability?.use({ model, environment, logDirectory: running.logDirectory() });
      } catch (error) {
        loaded = undefined;
        failure = `Metrics and the live page are not available (${String(error)}).`;
        report(`${failure} Requests are not affected.`, "warning");
        onProblem();
      }
    },
    problem: () => failure ?? observability?.problem,
    async close() {
      await (await loaded)?.close();
    },
  };
}

async function load(options: ObservabilityOptions): Promise<Observability> {
  const module = await import("../observability/observability.ts");
  return new module.Observability(options);
}

/** Returns Envoy's metrics page, of the statistics that have a value and whose names contain the regular expression. */
async function readEnvoyStats(adminSocket: string, filter?: string): Promise<string> {
  const more = filter === undefined ? "" : `&filter=${encodeURIComponent(filter)}`;
  const path = `/stats/prometheus?usedonly${more}`;
  const { status, body } = await callAdmin(adminSocket, "GET", path);
  if (status !== 200) throw new Error(`Envoy responded with ${String(status)}`);
  return body;
}
