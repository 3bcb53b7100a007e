// A line of access_usage.log: Envoy's numbers, then the filter's record.
import type {
  PROMPT_BLOCKS,
  PROMPT_COUNT,
  PROMPT_LEAD,
  PROMPT_MESSAGES,
  PROMPT_SET,
  PROMPT_SYSTEM,
  PROMPT_TOOL_HASHES,
} from "../../contract/prompt-parts.ts";
import type {
  ATTEMPT_ERROR,
  ATTEMPT_MESSAGE,
  ATTEMPT_MS,
  CONTEXT_LIMIT,
  CONTEXT_TOKENS,
  ATTEMPT_STATUS,
  ATTEMPT_TARGET,
  GUARDED_ACTION,
  GUARDED_DIRECTION,
  GUARDED_FINDINGS,
  GUARDED_KINDS,
  GUARDED_MS,
  GUARDED_POLICY,
  USAGE_AFFINITY,
  USAGE_AGENT,
  USAGE_API,
  USAGE_API_REASON,
  USAGE_ATTEMPTS,
  USAGE_AUDIO_CACHE_READ,
  USAGE_AUDIO_INPUT,
  USAGE_AUDIO_OUTPUT,
  USAGE_CACHE_READ,
  USAGE_CACHE_WRITE,
  USAGE_CACHE_WRITE_HOUR,
  USAGE_CODE,
  USAGE_COST,
  USAGE_DIALECT,
  USAGE_DROPPED,
  USAGE_ENDPOINT,
  USAGE_ERROR,
  USAGE_ESTIMATED,
  USAGE_FALLBACKS,
  USAGE_FINISH,
  USAGE_FIRST_TARGET,
  USAGE_FIRST_TOKEN,
  USAGE_GROUP,
  USAGE_GUARD,
  USAGE_GUARDS,
  USAGE_ID,
  USAGE_INPUT,
  USAGE_KEY,
  USAGE_KEY_ID,
  USAGE_LISTENER,
  USAGE_MESSAGE,
  USAGE_OUTPUT,
  USAGE_OWNER,
  USAGE_PARENT,
  USAGE_PROMPT,
  USAGE_PROMPT_TARGET,
  USAGE_PROVIDER_KEY,
  USAGE_PURPOSE,
  USAGE_REASONING,
  USAGE_REQUESTED,
  USAGE_RESPONSE_MODEL,
  USAGE_SEARCHES,
  USAGE_SERVICE,
  USAGE_SESSION,
  USAGE_STEPS,
  USAGE_STREAM,
  USAGE_SUBAGENT,
  USAGE_TARGET,
  USAGE_USER,
} from "../../contract/usage-record.ts";
import { USAGE_LOG_FIELDS } from "../../model/usage-log-fields.ts";
import type { UsageLogField } from "../../model/usage-log-fields.ts";

/** A failed attempt before the last one. */
export interface FailedAttempt {
  [ATTEMPT_TARGET]: string;
  [ATTEMPT_STATUS]?: number;
  [ATTEMPT_ERROR]?: string;
  [ATTEMPT_MESSAGE]?: string;
  [CONTEXT_TOKENS]?: number;
  [CONTEXT_LIMIT]?: number;
  [ATTEMPT_MS]: number;
}

/** Members and their meaning: contract/prompt-parts.ts. */
export interface PromptMembers {
  [PROMPT_SET]?: string;
  [PROMPT_TOOL_HASHES]?: string;
  [PROMPT_SYSTEM]?: string;
  [PROMPT_LEAD]?: number;
  [PROMPT_COUNT]?: number;
  [PROMPT_MESSAGES]?: string;
  [PROMPT_BLOCKS]?: number;
}

export interface GuardedBy {
  [GUARDED_POLICY]: string;
  [GUARDED_DIRECTION]?: "response";
  [GUARDED_ACTION]: string;
  [GUARDED_KINDS]?: string;
  [GUARDED_FINDINGS]?: number;
  [GUARDED_MS]?: number;
}

/** Members and their meaning: contract/usage-record.ts. */
export interface UsageRecord {
  [USAGE_ID]: string;
  [USAGE_LISTENER]: string;
  [USAGE_ENDPOINT]?: string;
  [USAGE_DIALECT]?: string;
  [USAGE_KEY]?: string;
  [USAGE_KEY_ID]?: string;
  [USAGE_GROUP]?: string;
  [USAGE_USER]?: string;
  [USAGE_SESSION]?: string;
  [USAGE_AGENT]?: string;
  [USAGE_SUBAGENT]?: string;
  [USAGE_PARENT]?: string;
  [USAGE_PURPOSE]?: string;
  [USAGE_PROMPT]?: PromptMembers;
  [USAGE_AFFINITY]?: 1;
  [USAGE_REQUESTED]?: string;
  [USAGE_TARGET]?: string;
  [USAGE_PROVIDER_KEY]?: number;
  [USAGE_API]?: string;
  /** A word of API_WORDS. */
  [USAGE_API_REASON]?: string;
  [USAGE_FIRST_TARGET]?: string;
  [USAGE_FALLBACKS]?: number;
  [USAGE_ATTEMPTS]?: FailedAttempt[];
  [USAGE_RESPONSE_MODEL]?: string;
  [USAGE_STREAM]?: 1;
  [USAGE_FIRST_TOKEN]?: number;
  [USAGE_INPUT]?: number;
  [USAGE_CACHE_READ]?: number;
  [USAGE_CACHE_WRITE]?: number;
  [USAGE_CACHE_WRITE_HOUR]?: number;
  [USAGE_OUTPUT]?: number;
  [USAGE_REASONING]?: number;
  [USAGE_SEARCHES]?: number;
  [USAGE_AUDIO_INPUT]?: number;
  [USAGE_AUDIO_CACHE_READ]?: number;
  [USAGE_AUDIO_OUTPUT]?: number;
  /** A word of SERVICE_WORDS. */
  [USAGE_SERVICE]?: string;
  [USAGE_COST]?: number;
  [USAGE_ESTIMATED]?: 1;
  [USAGE_FINISH]?: string;
  [USAGE_OWNER]?: string;
  [USAGE_ERROR]?: string;
  [USAGE_CODE]?: string;
  [USAGE_MESSAGE]?: string;
  [CONTEXT_TOKENS]?: number;
  [CONTEXT_LIMIT]?: number;
  [USAGE_DROPPED]?: string;
  [USAGE_PROMPT_TARGET]?: string;
  [USAGE_GUARD]?: string;
  [USAGE_GUARDS]?: GuardedBy[];
  /** By a word of STEP_WORDS. */
  [USAGE_STEPS]?: Partial<Record<"guard" | "target" | "extract" | "api", number>>;
}

/** Envoy's numbers: see USAGE_LOG_FIELDS for their units. A number that the line lacks is undefined. */
export interface UsageLine extends Record<
  Exclude<UsageLogField, "flags" | "startTime" | "status" | "duration">,
  number | undefined
> {
  /** Seconds since 1970. */
  startTime: number;
  status: number;
  /** Milliseconds. */
  duration: number;
  /** `UT`, `DC` …; empty if there are none. */
  flags: string[];
  /** Undefined for a request that Envoy rejected before the filter. */
  record: UsageRecord | undefined;
}

const NAMES = Object.keys(USAGE_LOG_FIELDS) as UsageLogField[];

/** Returns what a line has; undefined for a line that is not one, such as half of one after a crash. */
export function readUsageLine(line: string): UsageLine | undefined {
  const values = {} as Record<UsageLogField, string>;
  let start = 0;
  for (const name of NAMES) {
    const end = line.indexOf(" ", start);
    if (end < 0) return undefined;
    values[name] = line.slice(start, end);
    start = end + 1;
  }
  const startTime = numberOf(values.startTime);
  const record = readRecord(line.slice(start));
  if (startTime === undefined || record === "invalid") return undefined;
  return {
    startTime,
    status: numberOf(values.status) ?? 0,
    flags: values.flags === "-" ? [] : values.flags.split(","),
    duration: numberOf(values.duration) ?? 0,
    attempts: numberOf(values.attempts),
    firstByte: numberOf(values.firstByte),
    requestOverhead: numberOf(values.requestOverhead),
    responseOverhead: numberOf(values.responseOverhead),
    bytesReceived: numberOf(values.bytesReceived),
    bytesSent: numberOf(values.bytesSent),
    record,
  };
}

/** Start time, status and flags, with which a line begins. */
const BEGINNING = /\d{10}\.\d{3} \d+ [A-Z,-]+ \d+ /g;

/** Reads a line, or the one that was written after one without an end, as after a crash or on a disk that was full. */
export function readWhole(written: string): {
  line: UsageLine | undefined;
  /** Of the line. */
  text: string;
  isCut: boolean;
} {
  const line = readUsageLine(written);
  if (line !== undefined) return { line, text: written, isCut: false };
  const text = written.slice([...written.matchAll(BEGINNING)].at(-1)?.index ?? written.length);
  return { line: readUsageLine(text), text, isCut: true };
}

function readRecord(text: string): UsageRecord | undefined | "invalid" {
  if (text === "-") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // The gateway's own filter wrote it.
    return typeof value === "object" && value !== null ? (value as UsageRecord) : "invalid";
  } catch {
    return "invalid";
  }
}

function numberOf(text: string): number | undefined {
  if (text === "-" || text === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
