// LiteLLM's keys and teams → keys and groups. The stored hash is the SHA-256 of the whole key, as here, so users keep their keys.
// What has no counterpart is listed. Facts: schema.prisma and proxy/utils.py of LiteLLM 1.109.1.
import { MAX_GROUPS } from "../../../contract/key-format.ts";
import type { BudgetPeriod } from "../../../model/budgets.ts";
import { KEY_NAME } from "../../../model/keys.ts";
import type { Row, Tables } from "./read-tables.ts";
import { isSet, isTrue, jsonOf, listOf, numberOf, textOf, timeOf } from "./values.ts";

interface ImportedKey {
  name: string;
  hash: string;
  hint?: string;
  owner?: string;
  groups?: string[];
  models?: string[];
  ratelimits?: { tokens?: number; requests?: number; unit: string }[];
  budget?: { amount: string; per: BudgetPeriod }[];
  expires?: string;
  disabled?: boolean;
  metadata?: Record<string, string>;
}
type ImportedGroup = Pick<ImportedKey, "name" | "models" | "ratelimits" | "budget" | "metadata">;

/** What was spent with a key in the current period of its budget. */
interface Spent {
  key: string;
  dollars: number;
}

export interface Converted {
  keys: ImportedKey[];
  groups: ImportedGroup[];
  spent: Spent[];
  /** What is left out or different, a sentence each. */
  notes: string[];
}

/** Special names in `models`. */
const ALL_OF_TEAM = "all-team-models";
const ALL = "all-proxy-models";
const NONE = "no-default-models";
const EXPIRED = "the key has expired";

/** By duration of a budget: the period of the calendar that is nearest. */
const PERIODS: Readonly<Record<string, { per: BudgetPeriod; isSame: boolean }>> = {
  "1d": { per: "day", isSame: true },
  "24h": { per: "day", isSame: true },
  "7d": { per: "week", isSame: false },
  "1w": { per: "week", isSame: false },
  // Both mean "until the 1st of the next month" there (duration_parser.py).
  "30d": { per: "month", isSame: true },
  "1mo": { per: "month", isSame: true },
  "365d": { per: "year", isSame: false },
  "1y": { per: "year", isSame: false },
};

/** Columns that have no counterpart, and what they are. */
const DROPPED: readonly (readonly [column: string, what: string])[] = [
  ["aliases", "aliases of models: use model_aliases"],
  ["config", "a configuration of its own"],
  ["permissions", "permissions"],
  ["allowed_routes", "allowed routes"],
  ["allowed_cache_controls", "cache controls"],
  ["model_max_budget", "budgets by model: use budgets in the configuration"],
  ["budget_fallbacks", "fallbacks when a budget is used up"],
  ["max_parallel_requests", "a limit of parallel requests"],
  ["soft_budget", "a soft budget: alerts report 80 % and 100 % of each budget"],
  ["object_permission_id", "permissions of MCP servers and vector stores"],
  ["agent_id", "an agent"],
  ["project_id", "a project"],
  ["organization_id", "an organization"],
  ["auto_rotate", "automatic rotation"],
  ["router_settings", "router settings"],
];

export function convert(tables: Tables, now: number): Converted {
  const notes = new Notes();
  const budgets = new Map(tables.budgets.flatMap((row) => pair(textOf(row, "budget_id"), row)));
  const users = new Map(tables.users.flatMap((row) => pair(textOf(row, "user_id"), row)));
  const names = new Names();
  const groups: ImportedGroup[] = [];
  const spent: Spent[] = [];
  const teams = new Map<string, { name: string; row: Row }>();
  for (const row of tables.teams) {
    const id = textOf(row, "team_id");
    if (id === undefined) continue;
    const alias = textOf(row, "team_alias") ?? id;
    const name = names.take(alias, "team", id);
    if (name !== alias) notes.add(`team ${alias}`, `it is called ${name}`);
    teams.set(id, { name, row });
    const group = {
      name,
      ...allowanceOf(row, undefined, notes.of(`team ${name}`)),
      ...metadataOf(row, { litellm_team_id: id }),
    };
    groups.push(group);
    if (isTrue(row, "blocked")) notes.add(`team ${name}`, "it is blocked: its keys are disabled");
    if ((numberOf(row, "spend") ?? 0) > 0)
      notes.add(`team ${name}`, "what it has spent is not imported: its budget starts whole");
    dropped(row, notes.of(`team ${name}`));
  }
  const keyNames = new Names();
  const keys = tables.keys.flatMap((row): ImportedKey[] => {
    const token = textOf(row, "token");
    const alias = textOf(row, "key_alias");
    const shown = alias ?? textOf(row, "key_name") ?? "a key without a name";
    if (token === undefined || !/^[0-9a-f]{64}$/.test(token)) {
      notes.add(`key ${shown}`, "it is not imported: its token is not a SHA-256");
      return [];
    }
    const name = keyNames.take(alias ?? `key-${token.slice(0, 8)}`, "key", token);
    const note = notes.of(`key ${name}`);
    if (alias !== undefined && name !== alias) note(`its name was ${alias}`);
    const expires = timeOf(row, "expires");
    if (expires !== undefined && expires <= now) note(EXPIRED);
    const teamId = textOf(row, "team_id");
    const team = teamId === undefined ? undefined : teams.get(teamId);
    if (teamId !== undefined && team === undefined) note(`its team ${teamId} is in no file`);
    const budgetId = textOf(row, "budget_id");
    const joined = budgetId === undefined ? undefined : budgets.get(budgetId);
    if (budgetId !== undefined && joined === undefined)
      note(`its budget ${budgetId} is in no file`);
    const userId = textOf(row, "user_id");
    const owner =
      userId === undefined ? undefined : (textOf(users.get(userId) ?? {}, "user_email") ?? userId);
    const isOfBlockedTeam = team !== undefined && isTrue(team.row, "blocked");
    const allowance = allowanceOf(row, joined, note);
    const isUseless = listOf(row, "models").includes(NONE) && team === undefined;
    if (isUseless) note("it may use no model: it is disabled");
    dropped(row, note);
    const hint = textOf(row, "key_name");
    const key: ImportedKey = {
      ...{ name, hash: token },
      ...(hint === undefined ? {} : { hint: hint.slice(0, 40) }),
      ...(owner === undefined ? {} : { owner: ownerText(owner) }),
      ...(team === undefined ? {} : { groups: [team.name].slice(0, MAX_GROUPS) }),
      ...allowance,
      ...(expires === undefined ? {} : { expires: new Date(expires).toISOString() }),
      ...(isTrue(row, "blocked") || isOfBlockedTeam || isUseless ? { disabled: true } : {}),
      ...metadataOf(row, {}),
    };
    const sum = numberOf(row, "spend") ?? 0;
    if (sum > 0) spent.push({ key: name, dollars: sum });
    return [key];
  });
  for (const row of tables.deprecated) {
    const until = timeOf(row, "revoke_at");
    const active = tables.keys.findIndex((key) => key["token"] === row["active_token_id"]);
    const token = textOf(row, "token");
    const successor = keys.find(({ hash }) => hash === row["active_token_id"]);
    if (
      token === undefined ||
      until === undefined ||
      until <= now ||
      active < 0 ||
      successor === undefined
    )
      continue;
    const name = keyNames.take(`${successor.name}-old`, "key", token);
    // The budget is the successor's, which it cannot share.
    const { budget: _, ratelimits: __, ...same } = successor;
    keys.push({ ...same, name, hash: token, expires: new Date(until).toISOString() });
    notes.add(
      `key ${name}`,
      `it is the key before the rotation of ${successor.name}, and has no budget until it expires`,
    );
  }
  return { keys, groups, spent, notes: notes.all() };
}

/** Returns models, limits and budgets. @param joined the row of the budget table that a key refers to */
function allowanceOf(row: Row, joined: Row | undefined, note: (text: string) => void) {
  const own = (column: string) => numberOf(row, column) ?? (joined && numberOf(joined, column));
  const models = listOf(row, "models").filter((name) => ![ALL, ALL_OF_TEAM, NONE].includes(name));
  const isAll = listOf(row, "models").some((name) => [ALL, ALL_OF_TEAM].includes(name));
  const ratelimits = [
    ...limit("tokens", own("tpm_limit"), "minute", note),
    ...limit("requests", own("rpm_limit"), "minute", note),
    ...limit("tokens", own("tpd_limit"), "day", note),
  ];
  const budget = budgetsOf(row, joined, note);
  return {
    ...(models.length === 0 || isAll ? {} : { models: [...new Set(models)] }),
    ...(ratelimits.length === 0 ? {} : { ratelimits }),
    ...(budget.length === 0 ? {} : { budget }),
  };
}

function limit(
  counts: "tokens" | "requests",
  amount: number | undefined,
  unit: string,
  note: (text: string) => void,
) {
  if (amount === undefined) return [];
  if (amount <= 0) {
    note(
      `its limit of ${String(amount)} ${counts} a ${unit} is left out: disable the key to reject all requests`,
    );
    return [];
  }
  return [{ [counts]: Math.min(Math.floor(amount), 999_999_999), unit }];
}

function budgetsOf(row: Row, joined: Row | undefined, note: (text: string) => void) {
  const list = jsonOf(row, "budget_limits");
  const several = Array.isArray(list) ? (list as Row[]) : [];
  const single = numberOf(row, "max_budget") === undefined && joined !== undefined ? joined : row;
  const byPeriod = new Map<BudgetPeriod, number>();
  for (const one of [single, ...several]) {
    const amount = numberOf(one, "max_budget");
    if (amount === undefined) continue;
    if (amount <= 0) {
      note("its budget of 0 is left out: disable the key to reject all requests");
      continue;
    }
    const duration = textOf(one, "budget_duration");
    const known =
      duration === undefined ? { per: "total" as const, isSame: true } : PERIODS[duration];
    if (known === undefined) note(`its budget's period ${duration ?? ""} becomes a month`);
    else if (!known.isSame)
      note(`its budget's period ${duration ?? ""} becomes a ${known.per} of the calendar`);
    const per = known?.per ?? "month";
    byPeriod.set(per, Math.min(amount, byPeriod.get(per) ?? Infinity));
  }
  return [...byPeriod].map(([per, amount]) => ({ amount: `${dollars(amount)} USD`, per }));
}

/** Returns a binary float without an exponent, to a millionth. */
function dollars(amount: number): string {
  return Math.max(Math.min(amount, 9_000_000), 0.000001)
    .toFixed(6)
    .replace(/\.?0+$/, "");
}

function dropped(row: Row, note: (text: string) => void): void {
  for (const [column, what] of DROPPED) if (isSet(row, column)) note(`left out: ${what}`);
}

/** Texts of the metadata; what is no text, or looks like a credential's place, is left out. */
function metadataOf(row: Row, more: Record<string, string>): { metadata?: Record<string, string> } {
  const value = jsonOf(row, "metadata");
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const texts = members
    .filter(
      (member): member is [string, string] =>
        typeof member[1] === "string" &&
        member[1].length <= 400 &&
        /^[\w.-]{1,64}$/.test(member[0]) &&
        !/key|secret|token|password/i.test(member[0]),
    )
    .slice(0, 30);
  const all = { ...Object.fromEntries(texts), ...more };
  return Object.keys(all).length === 0 ? {} : { metadata: all };
}

function ownerText(text: string): string {
  return text
    .replace(/[\p{Cc},]/gu, " ")
    .trim()
    .slice(0, 100);
}

/** Names that are taken. */
class Names {
  readonly #taken = new Set<string>();

  /** Returns a name that is allowed and free. */
  take(wanted: string, kind: string, id: string): string {
    const safe = wanted
      .normalize("NFKD")
      .replace(/[^A-Za-z0-9_.-]+/g, "-")
      .replace(/^[-.]+|-+$/g, "")
      .slice(0, 52);
    const base = KEY_NAME.test(safe)
      ? safe
      : `${kind}-${id.replace(/[^A-Za-z0-9]/g, "").slice(0, 8)}`;
    let name = base;
    for (let number = 2; this.#taken.has(name); number++) name = `${base}-${String(number)}`;
    this.#taken.add(name);
    return name;
  }
}

class Notes {
  readonly #notes: string[] = [];

  of(subject: string): (text: string) => void {
    return (text) => {
      this.add(subject, text);
    };
  }

  add(subject: string, text: string): void {
    this.#notes.push(`${subject}: ${text}`);
  }

  all(): string[] {
    return this.#notes;
  }
}

function pair<Value>(key: string | undefined, value: Value): [string, Value][] {
  return key === undefined ? [] : [[key, value]];
}
