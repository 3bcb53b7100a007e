// What sessions have used, from the lines of the usage log, the newest first. Pure.
import { LISTENER_INTERNAL_EGRESS } from "../../../contract/words.ts";
import { exactName } from "../../../model/known-models.ts";
import { errorType } from "../../observability/classify.ts";
import type { UsageLine, UsageRecord } from "../../usage/usage-line.ts";

/** More sessions than anybody reads: the older ones are left out. */
const MAX_SESSIONS = 100_000;

export interface SessionSum {
  session: string;
  /** The name and version of the agent, of the last request that has one. */
  agent: string | undefined;
  /** Of the last request that has one. */
  model: string | undefined;
  /** The client's key: other keys may use the same id for their sessions. */
  key: string | undefined;
  /** Requests of the session itself, and of its sub-agents. */
  turns: number;
  subagentTurns: number;
  /** Tokens. */
  input: number;
  cached: number;
  output: number;
  /** Nano-dollars; undefined if no request has a known price. */
  cost: number | undefined;
  /** Seconds since 1970: the begin of the first request, and the end of the last. */
  begun: number;
  ended: number;
  /** The last request's error; undefined if it succeeded. */
  error: string | undefined;
}

export class SessionSums {
  readonly #sums = new Map<string, SessionSum>();
  readonly #costOf: (record: UsageRecord) => number | undefined;

  /** @param costOf returns what a request has cost, in nano-dollars */
  constructor(costOf: (record: UsageRecord) => number | undefined) {
    this.#costOf = costOf;
  }

  /** Adds a line that ended before all others so far. Returns false if there is no room for its session. */
  add(line: UsageLine): boolean {
    const { record } = line;
    const session = sessionOf(line);
    if (record === undefined || session === undefined) return true;
    // A session's id has no line breaks.
    const name = `${session}\n${record.key ?? ""}`;
    let sum = this.#sums.get(name);
    if (sum === undefined) {
      if (this.#sums.size >= MAX_SESSIONS) return false;
      sum = newSum(session, line, record);
      this.#sums.set(name, sum);
    }
    if (record.subagent === undefined) sum.turns++;
    else sum.subagentTurns++;
    sum.agent ??= record.agent;
    sum.model ??= exactName(record);
    sum.input += record.input ?? 0;
    sum.cached += record.cache_read ?? 0;
    sum.output += record.output ?? 0;
    const cost = this.#costOf(record);
    if (cost !== undefined) sum.cost = (sum.cost ?? 0) + cost;
    sum.begun = Math.min(sum.begun, line.startTime);
    return true;
  }

  /** Returns the sessions, the one that was used last first. */
  newest(count: number): SessionSum[] {
    return [...this.#sums.values()].slice(0, count);
  }
}

function newSum(session: string, line: UsageLine, { key }: UsageRecord): SessionSum {
  return {
    ...{ session, agent: undefined, model: undefined, key, turns: 0, subagentTurns: 0 },
    ...{ input: 0, cached: 0, output: 0, cost: undefined, begun: line.startTime },
    ended: endOf(line),
    error: errorOf(line),
  };
}

/** Returns the session of a client's request; undefined without one. */
export function sessionOf({ record }: UsageLine): string | undefined {
  return record?.listener === LISTENER_INTERNAL_EGRESS ? undefined : record?.session;
}

/** Seconds since 1970. */
export function endOf({ startTime, duration }: UsageLine): number {
  return startTime + duration / 1000;
}

/** Returns the code of a request's error, and its message after it; undefined if it succeeded. */
export function errorOf(line: UsageLine): string | undefined {
  const type = errorType(line);
  if (type === "") return undefined;
  const { error, code, message } = line.record ?? {};
  return [error ?? code ?? type, message].filter(Boolean).join(": ");
}
