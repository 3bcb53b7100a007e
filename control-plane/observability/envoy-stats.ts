// The state at the time of a scrape: Envoy's own statistics, as they stand on the metrics page after the gateway's, the hosts that
// Envoy has ejected, and the budgets.
import type { Families, Gauge } from "./metric-families.ts";
import type { BudgetPeriod } from "../../model/budgets.ts";
import type { GatewayModel } from "../../model/model.ts";
import { envoyState } from "./live/provider-state.ts";
import { providerWord } from "../../model/provider-words.ts";

export interface StateGauges {
  build: Gauge;
  up: Gauge;
  ejected: Gauge;
  budgetLimit: Gauge;
  budgetSpent: Gauge;
}

/** What was spent on a budget. */
export interface BudgetGauge {
  /** The budget's id: `key research a month`. */
  name: string;
  /** Absent for a budget of all requests. */
  subject?: { kind: "key" | "group" | "user" | "model"; name: string };
  per: BudgetPeriod;
  /** Nano-dollars. */
  limit: number;
  spent: number;
  /** Milliseconds since 1970; absent for a budget that never ends. */
  resets?: number;
}

const NANO = 1_000_000_000;

/** Adds the families of the state at the time of the scrape. */
export function stateGauges(families: Families): StateGauges {
  return {
    build: families.gauge({
      name: "gateway_build_info",
      help: "Versions; the value is 1.",
      labels: ["version", "envoy_version"],
    }),
    up: families.gauge({
      name: "gateway_envoy_up",
      help: "Whether Envoy reported its statistics for this page.",
      labels: [],
    }),
    ejected: families.gauge({
      name: "gateway_ejected_hosts",
      help: "Hosts of a provider that Envoy skips for a while, because requests to them failed.",
      labels: ["gen_ai_provider_name"],
    }),
    budgetLimit: families.gauge({
      name: "gateway_budget_limit_usd",
      help: "The amount of a budget of the configuration.",
      labels: ["budget"],
      scale: NANO,
    }),
    budgetSpent: families.gauge({
      name: "gateway_budget_spent_usd",
      help: "What was spent on a budget in its period, by all gateways that share it.",
      labels: ["budget"],
      scale: NANO,
    }),
  };
}

/** Sets the limit of each budget, and what was spent on it. */
export function showBudgets(budgets: readonly BudgetGauge[], gauges: StateGauges): void {
  // A reload may have removed a budget.
  gauges.budgetLimit.clear();
  gauges.budgetSpent.clear();
  for (const { name, limit, spent } of budgets) {
    gauges.budgetLimit.set([name], limit);
    gauges.budgetSpent.set([name], spent);
  }
}

/** Sets how many hosts of each provider are ejected at the moment. */
export function countEjected(page: string, model: GatewayModel, gauge: Gauge): void {
  // A reload may have removed a provider.
  gauge.clear();
  for (const { name, ejected } of envoyState(page, model).providers)
    gauge.set([providerWord(name)], ejected);
}
