// What the prompt-cache doctor reports of one request of a session: what it read from the provider's cache, how it relates to the
// turn before, and why it lost what it could have read. The live page, `gateway sessions`, `gateway explain` and the metrics
// show it.
import type { ChangedPart } from "./compare-prompts.ts";

/**
 * Why a turn did not read from the cache what the turn before had left there:
 * - `tools`, `system`, `settings`, `messages`: the client changed that part of the prompt; `changed` names it;
 * - `model`: the client requested another model; `fallback`: this turn or the one before used one of the `fallbacks`, or another
 *   target after a failure; `target`: another target of the same name; `key`: another key of the target;
 * - `expired`: longer without a request than providers keep a prompt; `blocks`: more new blocks than Anthropic looks back;
 * - `unknown`: nothing of that: the provider has lost it, or never had it where the request went.
 */
export const BREAK_REASONS = [
  "tools",
  "system",
  "settings",
  "messages",
  "model",
  "fallback",
  "target",
  "key",
  "expired",
  "blocks",
  "unknown",
] as const;
export type BreakReason = (typeof BREAK_REASONS)[number];

/**
 * How a request relates to those before it in its session. Only a `next` turn can have a break.
 * - `first`: begins the session, or that of a sub-agent; `next`: continues a turn before;
 * - `side`: a request with another prompt, such as the one for a title; `parallel`: continues one that had not begun to respond;
 * - `compacted`: the client has replaced its messages by a summary; `rewound`: it has gone back to an earlier message;
 * - `failed`: has no response with tokens; `unobserved`: has no hashes of its prompt.
 */
export type TurnKind =
  "first" | "next" | "side" | "parallel" | "compacted" | "rewound" | "failed" | "unobserved";

export interface CacheBreak {
  reason: BreakReason;
  /** Input tokens that the turn before had sent, and this one did not read from the cache. */
  lostTokens: number;
  /** What they cost more than read from the cache, in nano-dollars; undefined if the model has no known price. */
  cost: number | undefined;
}

export interface TurnReport {
  /** The request id. */
  id: string;
  kind: TurnKind;
  /** The request id of the turn that this one is compared with; undefined if it is compared with none. */
  before: string | undefined;
  /** Input tokens: all, read from a cache, written to one. Undefined if the provider reported none. */
  tokens: { input: number; cached: number; written: number } | undefined;
  /** What it has in common with the turn before: tools, system prompt, and how many messages at the start of how many. */
  shared: { tools: boolean; system: boolean; messages: number; ofMessages: number } | undefined;
  /** The first part of the earlier prompt that this one does not have, whether or not that cost anything. */
  changed: ChangedPart | undefined;
  break: CacheBreak | undefined;
  /** One sentence for people; empty for a turn that read what it could. */
  text: string;
}
