// Has spend recorded and budgets enforced, if the configuration asks for it.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Budget } from "../../model/budgets.ts";
import { takesKeyRows } from "../../model/keys.ts";
import type { GatewayModel } from "../../model/model.ts";
import type { BudgetGauge } from "../observability/envoy-stats.ts";
import type { Spend } from "../spend/spend.ts";
import type { Usage } from "../usage/usage-follower.ts";
import type { Configuration } from "./configuration-file.ts";
import type { Report } from "./own-log.ts";
import type { Part } from "./part.ts";
import { findCaFile } from "./machine-settings.ts";

/** How long a reload that adds the first budget waits for the Envoys to have limits. */
const ATTACH_MS = 5_000;

export interface Spending extends Required<Part> {
  /** Prepares a configuration for Envoys that start, while the running ones have the old one. */
  prepare: (fresh: Configuration, logDirectory: string, old: GatewayModel) => Promise<void>;
  /** Sets the budgets of keys, groups and users that come at run time. Resolves when the running Envoys have their limits. */
  useRuntime: (budgets: readonly Budget[]) => Promise<void>;
  /** Counts what Envoys that were replaced have charged until their exit. */
  settle: () => void;
  /** Counts what was charged while no record could be written. Called when they are written again. */
  addLost: () => void;
  /** Adds what was spent with keys at another gateway. Returns whether it is stored. */
  addImported: (spent: readonly { key: string; cost: number }[]) => boolean;
  gauges: () => BudgetGauge[];
  /** The same of budgets of keys, groups and users. */
  keyGauges: () => BudgetGauge[];
  /** Those of them that have changed since the last call. */
  changedKeyGauges: () => BudgetGauge[];
  /** Whether there is a budget with this id (`budgetId`). */
  hasBudget: (name: string) => boolean;
  /** Returns what follows the usage log; undefined as long as no configuration needed it. */
  usage: () => Usage | undefined;
}

/** Whether what is spent is recorded: as soon as requests have usage records. */
function recordsSpend(model: GatewayModel): boolean {
  const { budgets, redis, observability } = model;
  return takesKeyRows(model) || [budgets, redis, observability].some((one) => one !== undefined);
}

/**
 * Returns the spending. Its modules are loaded for a configuration that needs them.
 * @param directory the state directory
 * @param onReadiness called when `missing` or `note` may have changed
 */
export function createSpending(
  directory: string,
  report: Report,
  onReadiness: () => void,
): Spending {
  let usage: Usage | undefined;
  let spend: Spend | undefined;
  let hasBudgets = false;
  let runTime: readonly Budget[] = [];
  /** Of the Envoys that run, and those that have limits. */
  const sockets = new Set<string>();
  const attached = new Set<string>();

  const apply = async (
    { model, environment }: Configuration,
    logDirectory: string,
    also: readonly Budget[] = [],
  ) => {
    hasBudgets = model.budgets !== undefined || also.length > 0 || takesKeyRows(model);
    const { Spend } = await import("../spend/spend.ts");
    const { Usage } = await import("../usage/usage-follower.ts");
    usage ??= new Usage({ directory, report });
    spend ??= new Spend({ usage, report, onReadiness });
    const file = model.redis === undefined ? undefined : findCaFile(environment);
    const authorities = file === undefined ? {} : { authorities: readFileSync(file, "utf8") };
    await spend.use({ model, environment, logDirectory, ...authorities }, also);
    await spend.useRuntime(runTime);
  };
  const attach = async (socket: string) => {
    sockets.add(socket);
    if (!hasBudgets || spend === undefined) return;
    attached.add(socket);
    await spend.attach(socket);
  };
  const end = async () => {
    const ending = spend;
    spend = undefined;
    hasBudgets = false;
    attached.clear();
    await ending?.close();
  };

  return {
    async use(configuration, logDirectory) {
      if (!recordsSpend(configuration.model)) {
        await end();
        return;
      }
      await apply(configuration, logDirectory);
      // A reload has added the first budget.
      const others = [...sockets].filter((socket) => !attached.has(socket));
      const given = Promise.all(others.map(attach));
      // An Envoy that stands still gets its limits later.
      await Promise.race([given, sleep(ATTACH_MS, undefined, { ref: false })]);
    },
    async prepare(fresh, logDirectory, old) {
      if (recordsSpend(fresh.model)) await apply(fresh, logDirectory, old.budgets);
    },
    async useRuntime(budgets) {
      runTime = budgets;
      await spend?.useRuntime(budgets);
    },
    attach,
    detach(socket) {
      sockets.delete(socket);
      attached.delete(socket);
      spend?.detach(socket);
    },
    settle: () => void spend?.settle(),
    addLost: () => void spend?.addLost(),
    addImported: (spent) => spend?.addImported(spent) ?? false,
    missing: () => spend?.missing,
    note: () => spend?.note,
    gauges: () => spend?.gauges() ?? [],
    keyGauges: () => spend?.keyGauges() ?? [],
    changedKeyGauges: () => spend?.changedKeyGauges() ?? [],
    hasBudget: (name) => spend?.hasBudget(name) ?? false,
    usage: () => usage,
    close: end,
  };
}
