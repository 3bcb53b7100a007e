// The metrics of prompt caches: which turns of sessions did not read what was there, and why. No label is a session; the last
// sessions are kept to compare their turns.
import { SessionDoctor } from "../prompt-cache/session-doctor.ts";
import type { TurnReport } from "../prompt-cache/turn-report.ts";
import type { Price } from "../usage/record-cost.ts";
import type { UsageLine, UsageRecord } from "../usage/usage-line.ts";
import type { RequestFamilies } from "./request-families.ts";

/** Together at most 6,000 turns of about 5 KB. */
const MAX_SESSIONS = 500;
const MAX_TURNS = 3;
const MAX_SUBAGENTS = 3;

/** The outcome of a turn that read what it could. */
export const KEPT = "kept";

export class CacheMetrics {
  readonly #of: Pick<RequestFamilies, "cacheTurns" | "cacheLostTokens" | "cacheLostCost">;
  readonly #priceOf: (record: UsageRecord) => Price | undefined;
  readonly #labelsOf: (record: UsageRecord) => string[];
  /** The one that was used last is the last. */
  readonly #sessions = new Map<string, SessionDoctor>();

  /** @param labelsOf returns provider and model of a request */
  constructor(
    families: RequestFamilies,
    priceOf: (record: UsageRecord) => Price | undefined,
    labelsOf: (record: UsageRecord) => string[],
  ) {
    this.#of = families;
    this.#priceOf = priceOf;
    this.#labelsOf = labelsOf;
  }

  /** Counts a request of a session whose prompts are observed. */
  observe(line: UsageLine, record: UsageRecord): void {
    if (record.session === undefined || record.prompt === undefined) return;
    // A session's id has no line breaks.
    const name = `${record.session}\n${record.key ?? ""}`;
    const doctor = this.#sessions.get(name) ?? this.#newDoctor();
    this.#sessions.delete(name);
    this.#sessions.set(name, doctor);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    const report = doctor.add(line);
    if (report !== undefined) this.#count(report, record);
  }

  #newDoctor(): SessionDoctor {
    return new SessionDoctor({
      priceOf: this.#priceOf,
      maxTurns: MAX_TURNS,
      maxSubagents: MAX_SUBAGENTS,
      onLate: (report, record) => {
        this.#count(report, record);
      },
    });
  }

  #count({ kind, break: lost }: TurnReport, record: UsageRecord): void {
    const labels = this.#labelsOf(record);
    this.#of.cacheTurns.add([lost?.reason ?? (kind === "next" ? KEPT : kind), ...labels]);
    if (lost === undefined) return;
    this.#of.cacheLostTokens.add([lost.reason, ...labels], lost.lostTokens);
    if (lost.cost !== undefined) this.#of.cacheLostCost.add([lost.reason, ...labels], lost.cost);
  }
}
