// The prompt-cache doctor: reports each request of one session, in the order of their times. A request is compared with the turn
// that it continues, since sub-agents, titles and summaries have prompts that differ from their session's. Pure.
import type { Price } from "../usage/record-cost.ts";
import type { UsageLine, UsageRecord } from "../usage/usage-line.ts";
import { breakCost } from "./break-cost.ts";
import { comparePrompts, readPromptParts } from "./compare-prompts.ts";
import type { PromptDifference, PromptParts } from "./compare-prompts.ts";
import { reportText } from "./report-text.ts";
import type { BreakReason, CacheBreak, TurnKind, TurnReport } from "./turn-report.ts";

/** A provider caches no prompt with fewer tokens, or loses so many by rounding. */
const MIN_LOST_TOKENS = 1024;
/** Of what could have been read: rounding to blocks, and marks before the last message, lose less. */
const MIN_LOST_SHARE = 0.1;
/** The same if nothing explains the loss. */
const MIN_UNEXPLAINED_SHARE = 0.5;
/** How long providers keep a prompt at least, or for an hour if the client asks for that. Seconds. */
const LIFE = 300;
const LONG_LIFE = 3600;
/** Anthropic looks for a cached prompt in so many blocks before a mark. */
const LOOK_BACK_BLOCKS = 20;
/** Prompts of one session that are kept to compare with, the last ones. */
const MAX_KEPT = 16;
/** Sub-agents whose turns are kept, besides the session's. */
const MAX_SUBAGENTS = 64;
/** More than a request has: that tools and system prompt are the same counts more than messages. */
const MANY_MESSAGES = 1e7;
/** Purposes by which agents mark requests that are no turns of the conversation: those of Claude Code, and Codex's title. */
const ASIDE_PURPOSES = new Set(["compaction", "auxiliary", "side_reply", "thread_title"]);

interface Turn {
  line: UsageLine;
  record: UsageRecord;
  parts: PromptParts;
  report: TurnReport;
  /** The break of a `side` request that turns out to be one of the conversation if the next turn continues it. */
  pending: CacheBreak | undefined;
}

interface Candidate {
  before: Turn;
  difference: PromptDifference;
}

export interface DoctorOptions {
  priceOf: (record: UsageRecord) => Price | undefined;
  /** Whether the session's provider is known to cache; else only what the requests so far show. */
  caches?: boolean;
  /** Called for a report that the next turn has changed, with a break that it did not have. */
  onLate?: (report: TurnReport, record: UsageRecord) => void;
  /** Turns that are kept to compare with, of the session and of each sub-agent. */
  maxTurns?: number;
  maxSubagents?: number;
}

/** Reports all requests of a session, in the order of their times. @param lines in any order */
export function reportSession(
  lines: readonly UsageLine[],
  { priceOf }: Pick<DoctorOptions, "priceOf">,
): TurnReport[] {
  const caches = lines.some(({ record }) => record !== undefined && usesCache(record));
  const doctor = new SessionDoctor({ priceOf, caches });
  const sorted = [...lines].sort((one, other) => one.startTime - other.startTime);
  return sorted.flatMap((line) => doctor.add(line) ?? []);
}

export class SessionDoctor {
  readonly #options: Required<Pick<DoctorOptions, "maxTurns" | "maxSubagents">> & DoctorOptions;
  #caches: boolean;
  #life = LIFE;
  /** By sub-agent; the last turn last. */
  readonly #turns = new Map<string, Turn[]>();

  constructor(options: DoctorOptions) {
    this.#options = { maxTurns: MAX_KEPT, maxSubagents: MAX_SUBAGENTS, ...options };
    this.#caches = options.caches ?? false;
  }

  /**
   * Reports the next request; undefined for one without a record. The report of the turn before may change with it: a request with
   * other tools and another system prompt is a `side` one until the conversation goes on with it.
   */
  add(line: UsageLine): TurnReport | undefined {
    const { record } = line;
    if (record === undefined) return undefined;
    if (usesCache(record)) this.#caches = true;
    if ((record.cache_write_1h ?? 0) > 0) this.#life = LONG_LIFE;
    const report = newReport(line, record);
    if (record.prompt !== undefined && report.kind === "first") {
      const parts = readPromptParts(record.prompt);
      this.#place({ line, record, parts, report, pending: undefined });
    }
    report.text = reportText(report, record);
    return report;
  }

  #place(turn: Turn): void {
    const { record, report } = turn;
    const name = record.subagent ?? "";
    const turns = this.#turns.get(name) ?? [];
    if (turns.length === 0) {
      // Agents start many sub-agents, one after the other.
      if (this.#turns.size > this.#options.maxSubagents)
        this.#turns.delete([...this.#turns.keys()][1] ?? "");
      this.#turns.set(name, turns);
    }
    const found = closest(turn, turns);
    if (found !== undefined) this.#compare(turn, found);
    else if (turns.length > 0) report.kind = "side";
    if (isMarkedAside(record)) {
      report.kind = "side";
      report.break = undefined;
      turn.pending = undefined;
    }
    turns.push(turn);
    if (turns.length > this.#options.maxTurns) turns.shift();
  }

  #compare(turn: Turn, { before, difference }: Candidate): void {
    const { report } = turn;
    const { first } = difference;
    report.before = before.report.id;
    report.shared = {
      tools: difference.hasSameTools,
      system: difference.hasSameSystem,
      messages: difference.sharedMessages,
      ofMessages: Math.max((before.parts.messages?.count ?? 0) - before.parts.lead, 0),
    };
    report.changed = first && { path: first.path, how: first.how };
    report.kind = kindOf(turn, before, difference);
    if (report.kind !== "next") return;
    const found = this.#breakOf(turn, before, difference);
    if (difference.isOther) {
      // A request that keeps a memory has the same messages: only what follows shows which it is.
      report.kind = "side";
      turn.pending = found;
      return;
    }
    report.break = found;
    if (first === undefined && confirm(before))
      this.#options.onLate?.(before.report, before.record);
  }

  #breakOf(turn: Turn, before: Turn, difference: PromptDifference): CacheBreak | undefined {
    const { tokens } = turn.report;
    if (!this.#caches || tokens === undefined) return undefined;
    const expected = Math.min(before.report.tokens?.input ?? 0, tokens.input);
    const lostTokens = expected - tokens.cached;
    const cause =
      routingReason(before.record, turn.record) ??
      difference.first?.part ??
      this.#unseenReason(turn, before, difference);
    const share = cause === undefined ? MIN_UNEXPLAINED_SHARE : MIN_LOST_SHARE;
    if (lostTokens < MIN_LOST_TOKENS || lostTokens < share * expected) return undefined;
    const price = this.#options.priceOf(turn.record);
    return {
      reason: cause ?? "unknown",
      lostTokens,
      cost: price && breakCost(turn.record, lostTokens, price),
    };
  }

  /** Returns why a prompt that is there as before may not have been read; undefined if there is no reason. */
  #unseenReason(
    turn: Turn,
    before: Turn,
    { addedBlocks }: PromptDifference,
  ): BreakReason | undefined {
    // It counts from the begin of the request.
    if (turn.line.startTime - before.line.startTime > this.#life) return "expired";
    // Marks write to the cache; what is cached by itself has no limit.
    const { dialect, cache_write = 0 } = turn.record;
    const hasMarks = dialect === "anthropic_messages" && cache_write > 0;
    return hasMarks && addedBlocks > LOOK_BACK_BLOCKS ? "blocks" : undefined;
  }
}

function newReport({ status }: UsageLine, record: UsageRecord): TurnReport {
  const { id, input, cache_read: cached = 0, cache_write: written = 0 } = record;
  const isFailed = input === undefined || status >= 400;
  return {
    id,
    kind: isFailed ? "failed" : record.prompt === undefined ? "unobserved" : "first",
    before: undefined,
    tokens: input === undefined ? undefined : { input, cached, written },
    ...{ shared: undefined, changed: undefined, break: undefined, text: "" },
  };
}

function usesCache({ cache_read = 0, cache_write = 0 }: UsageRecord): boolean {
  return cache_read > 0 || cache_write > 0;
}

/** Whether the agent marks a request as not part of the conversation. */
function isMarkedAside({ purpose }: UsageRecord): boolean {
  return purpose !== undefined && ASIDE_PURPOSES.has(purpose);
}

/** Returns the turn that a request continues, and what differs; undefined if it continues none. */
function closest(turn: Turn, turns: readonly Turn[]): Candidate | undefined {
  let best: (Candidate & { rank: number }) | undefined;
  for (const before of turns) {
    const difference = comparePrompts(before.parts, turn.parts, turn.record.dialect);
    const rank = rankOf(difference, before, turn);
    if (rank > 0 && rank >= (best?.rank ?? 0)) best = { before, difference, rank };
  }
  return best;
}

/** Returns how much speaks for it that a request continues a turn; 0 if nothing does. */
function rankOf(difference: PromptDifference, before: Turn, turn: Turn): number {
  const { first, hasSameTools, hasSameSystem, sharedMessages, keptShare } = difference;
  const isSame = hasSameTools || hasSameSystem;
  const [one, other] = [before.parts.messages, turn.parts.messages];
  if (one === undefined || other === undefined)
    return isSame && (first === undefined || first.part === "settings") ? 1 : 0;
  const isSummary = first?.part === "messages" && isSame && other.count < one.count;
  if (sharedMessages <= 0 && keptShare < 0.5 && !isSummary) return 0;
  const same = (hasSameTools ? 1 : 0) + (hasSameSystem ? 1 : 0);
  // Of equal ones the last counts, so not how much of an earlier turn is there: all of the first one is in each.
  return MANY_MESSAGES * same + (sharedMessages > 0 ? sharedMessages : keptShare) + 1;
}

function kindOf(
  turn: Turn,
  before: Turn,
  { first, sharedMessages, keptShare }: PromptDifference,
): TurnKind {
  const { startTime, duration } = before.line;
  // A prompt can be read from the cache when the response to it begins.
  const begun = startTime + (before.record.first_token ?? duration) / 1000;
  if (turn.line.startTime < begun) return "parallel";
  const count = turn.parts.messages?.count ?? 0;
  if (first?.part !== "messages" || count >= (before.parts.messages?.count ?? 0)) return "next";
  if (sharedMessages > 0 && sharedMessages + turn.parts.lead >= count - 1) return "rewound";
  return keptShare < 0.5 ? "compacted" : "next";
}

/** Returns why a request went to another place than the turn before; undefined if it did not. */
function routingReason(before: UsageRecord, record: UsageRecord): BreakReason | undefined {
  const isElsewhere = before.target !== record.target || before.api !== record.api;
  if (!isElsewhere)
    return (before.provider_key ?? 1) === (record.provider_key ?? 1) ? undefined : "key";
  if ((before.fallbacks ?? 0) > 0 || (record.fallbacks ?? 0) > 0) return "fallback";
  return before.requested === record.requested ? "target" : "model";
}

/** Makes a request one of the conversation, because it goes on with it. Returns false if it was one, or had no break. */
function confirm(turn: Turn): boolean {
  if (turn.pending === undefined) return false;
  turn.report.kind = "next";
  turn.report.break = turn.pending;
  turn.report.text = reportText(turn.report, turn.record);
  turn.pending = undefined;
  return true;
}
