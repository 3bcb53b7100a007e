// A view of the usage log: what each session of a client has used, as one row that grows with its requests. A session is a
// row, however long it is, so that a list of a month reads no lines.
import { LISTENER_INTERNAL_EGRESS } from "../../../contract/words.ts";
import type { Retention } from "../../../model/model.ts";
import type { UsageDatabase } from "../../usage/usage-database.ts";
import type { Usage } from "../../usage/usage-follower.ts";
import type { UsageLine } from "../../usage/usage-line.ts";
import type { UsageView } from "../../usage/usage-view.ts";
import { isProbe } from "./observed-request.ts";
import type { Observe, ObservedRequest } from "./observed-request.ts";

/** Stands for the view in usage.db. */
const NAME = "sessions";
/** Of each, one word would do: the filter writes shorter ones. */
const MAX_TEXT = 400;

/** What identifies a session: clients with other keys, or other people, may use the same id. */
export interface SessionName {
  session: string;
  /** Empty without one. */
  key: string;
  user: string;
}

export interface SessionSums extends SessionName {
  /** The first word of the last request's `user-agent`; empty if it has none. */
  agent: string;
  /** Of the last request that has one. */
  model: string;
  /** Seconds since 1970: the begin of the first request, and the end of the last. */
  begun: number;
  ended: number;
  /** Requests of the session itself, and of its sub-agents. */
  turns: number;
  subagentTurns: number;
  errors: number;
  /** Tokens. */
  input: number;
  cached: number;
  cacheWrite: number;
  output: number;
  /** Nano-dollars, and requests with tokens without a known price. */
  cost: number;
  unpriced: number;
  /** The last error, empty without one, and the end of its request. */
  error: string;
  failed: number;
}

const NAMES = ["session", "key", "user"] as const;
const LAST = ["agent", "model"] as const;
const COUNTS = [
  ...(["turns", "subagentTurns", "errors", "input", "cached", "cacheWrite", "output"] as const),
  ...(["cost", "unpriced"] as const),
];

// The rows are found by their ends, of all, of a key or of a person.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (
    ${[...NAMES, ...LAST, "error"].map((name) => `${name} TEXT NOT NULL`).join(", ")},
    begun REAL NOT NULL, ended REAL NOT NULL, failed REAL NOT NULL,
    ${COUNTS.map((name) => `${name} INTEGER NOT NULL`).join(", ")},
    PRIMARY KEY (${NAMES.join(", ")})
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS sessions_by_end ON sessions (ended);
  CREATE INDEX IF NOT EXISTS sessions_of_key ON sessions (key, ended);
  CREATE INDEX IF NOT EXISTS sessions_of_user ON sessions (user, ended);
`;

const COLUMNS = [...NAMES, ...LAST, ...COUNTS, "begun", "ended", "error", "failed"] as const;

/** Adds a row to that of the same session. A text of the later request stays, and an empty one replaces nothing. */
const PUT = `INSERT INTO sessions (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})
  ON CONFLICT DO UPDATE SET
  ${COUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")},
  ${LAST.map((name) => later(name, "ended")).join(", ")}, ${later("error", "failed")},
  begun = min(begun, excluded.begun), ended = max(ended, excluded.ended), failed = max(failed, excluded.failed)`;

function later(name: string, time: string): string {
  return `${name} = CASE WHEN excluded.${name} <> '' AND (${name} = '' OR excluded.${time} >= ${time})
    THEN excluded.${name} ELSE ${name} END`;
}

/** The place of a session in the order of ends. */
export type SessionPlace = SessionName & { ended: number };

export interface SessionFilter {
  /** Only those of a key, or of a person. */
  key?: string | undefined;
  user?: string | undefined;
  /** Seconds since 1970: sessions that were used in this time. */
  from: number;
  to: number;
}

export interface SessionHistoryOptions {
  usage: Pick<Usage, "query">;
  observe: Observe;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Returns what is kept; it may change with the configuration. */
  retention: () => Retention;
}

export class SessionHistory implements UsageView {
  readonly name = NAME;
  readonly schema = SCHEMA;
  readonly #options: SessionHistoryOptions;
  /** What was added and not written. */
  readonly #rows = new Map<string, SessionSums>();
  #prunedAt = 0;

  constructor(options: SessionHistoryOptions) {
    this.#options = options;
  }

  /** Returns the sessions before a place, the one that was used last first. @param place undefined: all */
  before(
    place: SessionPlace | undefined,
    { key, user, from, to }: SessionFilter,
    limit: number,
  ): SessionSums[] {
    const conditions: [string, ...(string | number)[]][] = [["ended >= ?", from]];
    if (place !== undefined)
      conditions.push([
        `(ended, ${NAMES.join(", ")}) < (?, ?, ?, ?)`,
        ...[place.ended, ...NAMES.map((name) => place[name])],
      ]);
    if (to !== Infinity) conditions.push(["begun <= ?", to]);
    if (key !== undefined) conditions.push(["key = ?", key]);
    if (user !== undefined) conditions.push(["user = ?", user]);
    const rows = this.#options.usage.query((database) =>
      database
        .statement(
          `SELECT * FROM sessions WHERE ${conditions.map(([text]) => text).join(" AND ")}
          ORDER BY ${["ended", ...NAMES].map((name) => `${name} DESC`).join(", ")} LIMIT ?`,
        )
        .all(...conditions.flatMap(([, ...values]) => values), limit),
    );
    return (rows ?? []).map(sumsOf);
  }

  /** Returns the sessions with an id, as many as keys and people have used it. */
  withId(session: string, limit: number): SessionSums[] {
    const rows = this.#options.usage.query((database) =>
      database.statement("SELECT * FROM sessions WHERE session = ? LIMIT ?").all(session, limit),
    );
    return (rows ?? []).map(sumsOf);
  }

  open(): void {
    this.written();
    this.#prunedAt = 0;
  }

  add(line: UsageLine): void {
    if (line.record?.session === undefined || isProbe(line)) return;
    const { sumsMs } = this.#options.retention();
    if (this.#now() - line.startTime > sumsMs / 1000) return;
    const request = this.#options.observe(line);
    const name = sessionOf(request);
    if (name === undefined) return;
    const place = JSON.stringify(NAMES.map((one) => name[one]));
    const sums = this.#rows.get(place) ?? emptySums(name, line.startTime);
    this.#rows.set(place, sums);
    addRequest(sums, request);
  }

  write(database: UsageDatabase): void {
    const put = database.statement(PUT);
    for (const row of this.#rows.values()) put.run(...COLUMNS.map((name) => row[name]));
    if (this.#prunedAt !== Math.floor(this.#now() / 60)) this.#prune(database);
  }

  written(): void {
    this.#rows.clear();
    this.#prunedAt = Math.floor(this.#now() / 60);
  }

  /** Removes the sessions that were not used for long, and the ones above a number that were not used for longest. */
  #prune(database: UsageDatabase): void {
    const { sumsMs, maxSessions } = this.#options.retention();
    const remove = (condition: string, value: number) =>
      database.statement(`DELETE FROM sessions WHERE ${condition}`).run(value);
    remove("ended < ?", this.#now() - sumsMs / 1000);
    remove(
      "ended <= (SELECT ended FROM sessions ORDER BY ended DESC LIMIT 1 OFFSET ?)",
      maxSessions,
    );
  }

  #now(): number {
    return this.#options.now() / 1000;
  }
}

/** Returns what identifies a request's session; undefined without one. */
export function sessionOf({ line: { record } }: ObservedRequest): SessionName | undefined {
  if (record?.session === undefined || record.listener === LISTENER_INTERNAL_EGRESS)
    return undefined;
  return { session: record.session, key: record.key ?? "", user: record.user ?? "" };
}

function emptySums(name: SessionName, begun: number): SessionSums {
  return {
    ...{ ...name, agent: "", model: "", begun, ended: 0, error: "", failed: 0 },
    ...(Object.fromEntries(COUNTS.map((count) => [count, 0])) as Record<
      (typeof COUNTS)[number],
      number
    >),
  };
}

function addRequest(sums: SessionSums, request: ObservedRequest): void {
  const { line, ended, error, model, cost, isUnpriced } = request;
  const { record } = line;
  if (record?.subagent === undefined) sums.turns += 1;
  else sums.subagentTurns += 1;
  sums.input += record?.input ?? 0;
  sums.cached += record?.cache_read ?? 0;
  sums.cacheWrite += record?.cache_write ?? 0;
  sums.output += record?.output ?? 0;
  sums.cost += cost ?? 0;
  if (isUnpriced) sums.unpriced += 1;
  sums.begun = Math.min(sums.begun, line.startTime);
  if (ended >= sums.ended) {
    sums.agent = record?.agent ?? sums.agent;
    if (model !== "") sums.model = model;
  }
  sums.ended = Math.max(sums.ended, ended);
  if (error === "") return;
  sums.errors += 1;
  if (ended < sums.failed) return;
  const code = record?.error ?? record?.code ?? error;
  sums.error = [code, record?.message].filter(Boolean).join(": ").slice(0, MAX_TEXT);
  sums.failed = ended;
}

function sumsOf(row: Record<string, unknown>): SessionSums {
  const entries = COLUMNS.map((name) => [
    name,
    typeof row[name] === "string" ? row[name] : Number(row[name]),
  ]);
  return Object.fromEntries(entries) as SessionSums;
}
