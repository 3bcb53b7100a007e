// Keys that are created while the gateway runs, and groups of keys, as the configuration has them. Plain data.
import type { Budget } from "./budgets.ts";
import type { RateLimit } from "./rate-limit.ts";

/** What the requests of a key, or of all keys of a group together, may use. A member that is absent sets no limit. */
export interface Allowance {
  /** Names of models and aliases, and beginnings of names (`openai/*`). */
  models?: string[];
  rateLimits?: RateAmount[];
  budgets?: BudgetAmount[];
}

export type RateAmount = Pick<RateLimit, "counts" | "amount" | "unit">;
export type BudgetAmount = Omit<Budget, "subject">;

/** `keys`: keys can be created while the gateway runs. */
export interface RuntimeKeys {
  /** Where keys are stored: a file of this gateway, or Redis for several gateways. */
  store: "sqlite" | "redis";
  /** What a new key gets if its creator does not set it. */
  defaults: Allowance & { expiresAfterMs?: number };
}

/** A group of keys. Its limits are of all its keys together. */
export interface Group extends Allowance {
  name: string;
}

/** Whether Envoy gets rows of keys and groups while it runs (contract/key-format.ts). */
export function takesKeyRows({ keys, groups }: { keys?: RuntimeKeys; groups?: Group[] }): boolean {
  return keys !== undefined || groups !== undefined;
}

/** Names of keys and groups: values of metrics, members of records and words of messages. */
export const KEY_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
