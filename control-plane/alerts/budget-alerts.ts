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

export interface BudgetStates {
  all: () => readonly BudgetState[];
  /** Those that may have changed since the last call. */
  changed: () => readonly BudgetState[];
  /** Whether there is a budget of this name. */
  has: (name: string) => boolean;
}

export interface BudgetAlertsOptions {
  /** Has the alerts that were delivered, over restarts. */
  file: string;
  writeFile: (file: string, text: string) => void;
  budgets: BudgetStates;
  /** Resolves to whether the receiver has accepted the event. */
  send: (event: WebhookEvent) => Promise<boolean>;
}

/** The largest share of a budget of which there was an alert, in the period that ends then. */
interface Alert {
  resets: number;
  share: number;
}

export class BudgetAlerts {
  readonly #options: BudgetAlertsOptions;
  /** By budget: what was delivered. */
  readonly #delivered: Map<string, Alert>;
  /** By budget: what waits for the receiver. After a restart it is sent again, with the same id. */
  readonly #waiting = new Map<string, Alert>();
  #hasChecked = false;
  #isSaved = true;

  constructor(options: BudgetAlertsOptions) {
    this.#options = options;
    this.#delivered = new Map(Object.entries(readDelivered(options.file)));
  }

  /** Sends what has been reached since the last call: of all budgets first, then of those that have changed. */
  check(): void {
    this.save();
    const { all, changed } = this.#options.budgets;
    const states = this.#hasChecked ? changed() : all();
    this.#hasChecked = true;
    for (const state of states) {
      const { name, limit, spent, resets = 0 } = state;
      const share = SHARES.findLast((one) => spent >= limit * one);
      const before = this.#waiting.get(name) ?? this.#delivered.get(name);
      const isSamePeriod = before?.resets === resets;
      if (share === undefined || (isSamePeriod && before.share >= share)) continue;
      void this.#send(state, { resets, share });
    }
  }

  /** Writes what was delivered, of the budgets that there are. */
  save(): void {
    if (this.#isSaved) return;
    this.#isSaved = true;
    const { budgets, file, writeFile } = this.#options;
    for (const alerts of [this.#delivered, this.#waiting])
      for (const name of alerts.keys()) if (!budgets.has(name)) alerts.delete(name);
    try {
      writeFile(file, JSON.stringify(Object.fromEntries(this.#delivered)));
    } catch {
      // An alert may come again after a restart, with the same id.
    }
  }

  async #send({ name, limit, spent }: BudgetState, alert: Alert): Promise<void> {
    const { resets, share } = alert;
    this.#waiting.set(name, alert);
    const isDelivered = await this.#options.send({
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
    if (!isDelivered) return;
    this.#delivered.set(name, alert);
    if (this.#waiting.get(name) === alert) this.#waiting.delete(name);
    this.#isSaved = false;
  }
}

function readDelivered(file: string): Record<string, Alert> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, Alert>;
  } catch {
    return {};
  }
}
