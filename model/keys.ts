// Keys that are created while the gateway runs, and groups of keys, as the configuration has them. Plain data.
import { MAX_NAME_BYTES } from "../contract/key-format.ts";
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

/** A group of keys, or a user: its limits are of all its keys and tokens together. */
export interface Group extends Allowance {
  name: string;
}

/** Whether Envoy gets rows of keys, groups and users while it runs (contract/key-format.ts). */
export function takesKeyRows({
  keys,
  groups,
  users,
}: {
  keys?: RuntimeKeys;
  groups?: Group[];
  users?: Group[];
}): boolean {
  return [keys, groups, users].some((one) => one !== undefined);
}

/** What a name that is too long needs, for messages. */
export const ROW_TEXT_EXPECTED = `at most ${String(MAX_NAME_BYTES)} bytes of JSON, in which " and \\ take two`;

/** Whether the filter accepts a text in a row, and as its name: it counts the bytes of the JSON (contract/key-format.ts). */
export function isRowText(text: string): boolean {
  const bytes = new TextEncoder().encode(JSON.stringify(text)).length - 2;
  return bytes > 0 && bytes <= MAX_NAME_BYTES;
}

/** A name of a user has no comma and no control character. */
export function isUserName(text: string): boolean {
  return /^[^,\p{Cc}]+$/u.test(text) && isRowText(text);
}

/** Names of keys and groups: values of metrics, members of records and words of messages. */
export const KEY_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
