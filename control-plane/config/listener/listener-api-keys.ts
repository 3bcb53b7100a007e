// `listeners.<name>.api_keys`: the keys of which a client has to send one, with their limits and budgets.
import { isDeepStrictEqual } from "node:util";
import { MAX_API_KEY } from "../../../contract/words.ts";
import type { Budget } from "../../../model/budgets.ts";
import type { ClientKey } from "../../../model/client-keys.ts";
import { rateLimitId } from "../../../model/filter-document/rate-limits.ts";
import { isUserName, KEY_NAME, ROW_TEXT_EXPECTED } from "../../../model/keys.ts";
import type { RateLimit } from "../../../model/rate-limit.ts";
import { readBudget, rejectDuplicateBudget } from "../budget-amount.ts";
import type { Path } from "../../report/problem.ts";
import type { Environment } from "../../report/environment.ts";
import { readKeyReference } from "../provider/access-key.ts";
import { checkAmount, limitsOfAmount, rejectDuplicate } from "../rate-amount.ts";
import type { Reading } from "../reading.ts";
import { parseReferences } from "../reference.ts";
import type { ApiKeyDrafts, NamedKeyDraft } from "./api-key-schema.ts";

const HINT =
  "write api_keys: [$TEAM_KEY], and put the key in the environment or in .env as TEAM_KEY=…";
const LIMIT = { what: "a limit", example: "{tokens: 100000, unit: minute}" };
const NEW_KEY = "generate a separate key for clients: openssl rand -hex 32";
/** Shorter keys can be tried out. */
const SHORT_KEY = 16;

interface Listener {
  api_keys?: ApiKeyDrafts | undefined;
}
type Listeners = Readonly<Record<string, Listener | undefined>> | readonly (Listener | undefined)[];

/** The keys of both listeners so far. */
export interface KeysRead {
  rateLimits: RateLimit[];
  budgets: Budget[];
  /** By name: the variable. A name on both listeners is one key. */
  variables: Map<string, string>;
  /** By the ids of limits and budgets: where they were set. */
  places: Map<string, Path>;
}

/** Returns the keys; undefined if clients need none. */
export function readApiKeys(
  reading: Reading,
  path: Path,
  written: ApiKeyDrafts | undefined,
  read: KeysRead,
): ClientKey[] | undefined {
  if (written === undefined) return undefined;
  const at = [...path, "api_keys"];
  if (written.length === 0) {
    reading.problem(at, "the list is empty, so no client would be accepted", {
      part: "key",
      hint: `${HINT}; or remove api_keys to accept all clients`,
    });
  }
  const found: ClientKey[] = [];
  written.forEach((entry, index) => {
    const key = readKey(reading, [...at, index], entry, found, read);
    if (key !== undefined) found.push(key);
  });
  return found;
}

function readKey(
  reading: Reading,
  place: Path,
  entry: string | NamedKeyDraft | undefined,
  before: readonly ClientKey[],
  read: KeysRead,
): ClientKey | undefined {
  const own = typeof entry === "object" ? entry : undefined;
  const at = own === undefined ? place : [...place, "key"];
  const reference = typeof entry === "string" ? entry : own?.key;
  const variable =
    reference === undefined ? undefined : readKeyReference(reading, at, reference, HINT);
  const name = readName(reading, place, own?.name ?? variable, variable, before, read);
  if (own !== undefined) readLimits(reading, place, own, name, before, read);
  if (variable === undefined || name === undefined) return undefined;
  if (before.some((key) => key.variable === variable))
    reading.problem(at, `${variable} is in the list twice`);
  else if (own !== undefined) refuseSameValue(reading, at, variable, before);
  checkLength(reading, at, variable);
  const owner = readOwner(reading, [...place, "owner"], own?.owner);
  return {
    variable,
    name,
    ...(own?.models === undefined ? {} : { models: namesOf(own.models) }),
    ...(own?.groups === undefined ? {} : { groups: namesOf(own.groups) }),
    ...(owner === undefined ? {} : { owner }),
  };
}

function readOwner(reading: Reading, at: Path, name: string | undefined): string | undefined {
  if (name === undefined || isUserName(name)) return name;
  reading.problem(at, `${reading.show(at, name)} cannot be the name of a user`, {
    hint: `use ${ROW_TEXT_EXPECTED}, without commas, such as ann@example.com`,
  });
  return undefined;
}

function namesOf(models: readonly (string | undefined)[]): string[] {
  return [...new Set(models.flatMap((name) => name ?? []))];
}

/** Returns the name if it can be one; otherwise undefined, after reporting a problem. */
function readName(
  reading: Reading,
  place: Path,
  name: string | undefined,
  variable: string | undefined,
  before: readonly ClientKey[],
  { variables }: KeysRead,
): string | undefined {
  if (name === undefined) return undefined;
  const at = [...place, "name"];
  if (!KEY_NAME.test(name)) {
    reading.problem(at, `${reading.show(at, name)} cannot be the name of a key`, {
      hint: "use up to 64 letters, digits, _, - and ., such as research",
    });
    return undefined;
  }
  const other = variables.get(name);
  const twin = before.find((key) => key.name === name);
  if (twin !== undefined && twin.variable !== variable) {
    reading.problem(at, `two keys have the name ${name}`, { hint: "use different names" });
  } else if (twin === undefined && other !== undefined && other !== variable) {
    reading.problem(at, `the key ${name} of the other listener has the variable ${other}`, {
      hint: "a name on both listeners is one key: use the same variable, or another name",
    });
  }
  if (variable !== undefined) variables.set(name, variable);
  return name;
}

/**
 * Adds the rate limits and budgets to those read. A key on both listeners may repeat what it has on the other one: they are
 * of the key, wherever it is sent.
 */
function readLimits(
  reading: Reading,
  place: Path,
  own: NamedKeyDraft,
  name: string | undefined,
  before: readonly ClientKey[],
  read: KeysRead,
): void {
  const subject = { key: name ?? "" };
  const limits = (own.ratelimits ?? []).flatMap((amount, index) => {
    const at = [...place, "ratelimits", index];
    checkAmount(reading, at, amount, LIMIT);
    return limitsOfAmount(amount, { subject }).map((limit) => ({ limit, at }));
  });
  const budgets = own.budget === undefined ? [] : readBudgets(reading, place, own.budget, subject);
  if (name === undefined) return;
  const isOnOther = !before.some((key) => key.name === name);
  const isRepeated = (one: object, others: readonly object[]): boolean =>
    isOnOther && others.some((other) => isDeepStrictEqual(one, other));
  for (const { limit, at } of limits) {
    if (isRepeated(limit, read.rateLimits)) continue;
    rejectDuplicate(reading, at, limit, rateLimitId(limit, []), read.places);
    read.rateLimits.push(limit);
  }
  for (const { budget, at } of budgets) {
    if (isRepeated(budget, read.budgets)) continue;
    rejectDuplicateBudget(reading, at, budget, read.places);
    read.budgets.push(budget);
  }
}

function readBudgets(
  reading: Reading,
  place: Path,
  written: NonNullable<NamedKeyDraft["budget"]>,
  subject: { key: string },
): { budget: Budget; at: Path }[] {
  const isList = Array.isArray(written);
  return (isList ? written : [written]).flatMap((amount, index) => {
    const at = [...place, "budget", ...(isList ? [index] : [])];
    const budget = amount === undefined ? undefined : readBudget(reading, at, amount, subject);
    return budget === undefined ? [] : [{ budget, at }];
  });
}

/** Of two names for one key, only the first would ever count. */
function refuseSameValue(
  reading: Reading,
  path: Path,
  variable: string,
  before: readonly ClientKey[],
): void {
  const names = new Set(before.map((key) => key.variable));
  const same = sameKey(reading.environment, variable, names);
  if (same === undefined) return;
  reading.problem(path, `${variable} is the same key as ${same}`, { hint: NEW_KEY });
}

function checkLength(reading: Reading, path: Path, name: string): void {
  const { length } = reading.environment[name] ?? "";
  if (length > MAX_API_KEY) {
    const message = `the value of ${name} has ${length} characters; the maximum is ${MAX_API_KEY}`;
    reading.problem(path, message, { hint: "generate a key: openssl rand -hex 32" });
  } else if (length > 0 && length < SHORT_KEY) {
    const message = `the value of ${name} is short and can be guessed`;
    reading.warning(path, message, { hint: "generate a longer key: openssl rand -hex 32" });
  }
}

/** A client that holds a provider's key needs no gateway: no key of a provider may be one of a listener. */
export function refuseSharedKeys(
  reading: Reading,
  listeners: Listeners | undefined,
  providerKeys: ReadonlySet<string>,
): void {
  for (const [key, settings] of Object.entries(listeners ?? {})) {
    const index = Array.isArray(listeners) ? Number(key) : key;
    settings?.api_keys?.forEach((entry, at) => {
      const reference = typeof entry === "string" ? entry : entry?.key;
      const [name] = parseReferences(reference ?? "").names;
      const same =
        name === undefined ? undefined : sameKey(reading.environment, name, providerKeys);
      if (name === undefined || same === undefined) return;
      const what = same === name ? "is a provider's key too" : `is the same key as ${same}`;
      const path = [
        "listeners",
        index,
        "api_keys",
        at,
        ...(typeof entry === "string" ? [] : ["key"]),
      ];
      reading.problem(path, `${name} ${what}`, { hint: NEW_KEY });
    });
  }
}

/** The one of `names` that is `name`, or has its value. */
function sameKey(
  environment: Environment,
  name: string,
  names: ReadonlySet<string>,
): string | undefined {
  if (names.has(name)) return name;
  const value = environment[name] ?? "";
  return value === "" ? undefined : [...names].find((other) => environment[other] === value);
}
