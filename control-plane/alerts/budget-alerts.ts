// Alerts of budgets: an event when 80 % and when all of a budget is spent, once in each of its periods.
import { readFileSync } from "node:fs";
import { NANO_PER_DOLLAR } from "../../model/budgets.ts";
import type { WebhookEvent } from "./webhooks.ts";

/** Shares of a budget at which there is an alert. */
const SHARES = [0.8, 1];
const EVENT = "budget.threshold_reached";

/** What was spent of a budget. */
export interface BudgetState {
  /** The budget's id, such as `key research a month`. */
  name: string;
  /** Nano-dollars. */
  limit: number;
  spent: number;
  /** When the period ends; milliseconds since 1970, absent: never. */
  resets?: number;
}

export interface BudgetAlertsOptions {
  /** Has the alerts that were sent, over restarts. */
  file: string;
  writeFile: (file: string, text: string) => void;
  send: (event: WebhookEvent) => void;
}

export class BudgetAlerts {
  readonly #options: BudgetAlertsOptions;
  /** By budget: the period's end, and the largest share of which there was an alert. */
  readonly #sent: Map<string, { resets: number; share: number }>;

  constructor(options: BudgetAlertsOptions) {
    this.#options = options;
    this.#sent = new Map(Object.entries(readSent(options.file)));
  }

  /** Sends what has been reached since the last call. */
  check(states: readonly BudgetState[]): void {
    let isChanged = false;
    for (const { name, limit, spent, resets = 0 } of states) {
      const share = SHARES.findLast((one) => spent >= limit * one);
      const before = this.#sent.get(name);
      const isSamePeriod = before?.resets === resets;
      if (share === undefined || (isSamePeriod && before.share >= share)) continue;
      this.#sent.set(name, { resets, share });
      isChanged = true;
      this.#options.send({
        type: EVENT,
        identity: [EVENT, name, String(resets), String(share), String(limit)].join(" "),
        data: {
          budget: name,
          percent: Math.round(share * 100),
          limit_usd: limit / NANO_PER_DOLLAR,
          spent_usd: spent / NANO_PER_DOLLAR,
          ...(resets === 0 ? {} : { resets: new Date(resets).toISOString() }),
        },
      });
    }
    if (isChanged) this.#write();
  }

  #write(): void {
    try {
      this.#options.writeFile(this.#options.file, JSON.stringify(Object.fromEntries(this.#sent)));
    } catch {
      // An alert may come again after a restart, with the same id.
    }
  }
}

function readSent(file: string): Record<string, { resets: number; share: number }> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<
      string,
      { resets: number; share: number }
    >;
  } catch {
    return {};
  }
}
