// Spans of a prompt with their log odds: the best ones of each parameter, and one for each without overlaps.
import type { Span } from "../text-span.ts";

/** A span and its log odds against "not stated". */
export interface Candidate extends Span {
  odds: number;
}

/** Word pieces of the longest span. */
const MAX_SPAN = 24;
const CANDIDATES = 6;

/** The scores of one parameter's start and end for each token, and what is added to the first token's: "not stated". */
export interface Scores {
  start: Float32Array;
  end: Float32Array;
  notStated: Float32Array;
}

/** Returns a parameter's best spans, the best first. @param first the token at which the prompt's `pieces` begin */
export function bestSpans(
  { start, end, notStated }: Scores,
  first: number,
  pieces: readonly Span[],
): Candidate[] {
  const from = probabilities(start, notStated[0] ?? 0, first, pieces.length);
  const to = probabilities(end, notStated[1] ?? 0, first, pieces.length);
  const found: Candidate[] = [];
  for (let i = 0; i < pieces.length; i++) {
    for (let j = i; j < Math.min(pieces.length, i + MAX_SPAN); j++) {
      const odds = (from[i + 1] ?? 0) + (to[j + 1] ?? 0) - (from[0] ?? 0) - (to[0] ?? 0);
      if (found.length === CANDIDATES && odds <= (found.at(-1)?.odds ?? 0)) continue;
      found.push({ start: pieces[i]?.start ?? 0, end: pieces[j]?.end ?? 0, odds });
      found.sort((one, other) => other.odds - one.odds);
      found.length = Math.min(found.length, CANDIDATES);
    }
  }
  return found;
}

/** Returns the logarithms of the probabilities of "not stated" and of each token of the prompt. */
function probabilities(
  scores: Float32Array,
  extra: number,
  first: number,
  count: number,
): number[] {
  const own = [(scores[0] ?? 0) + extra, ...scores.subarray(first, first + count)];
  const highest = Math.max(...own);
  const sum =
    Math.log(own.reduce((total, score) => total + Math.exp(score - highest), 0)) + highest;
  return own.map((score) => score - sum);
}

/** Returns one span for each parameter, or undefined: the surest first, and no word for two parameters. */
export function settled<Found extends Candidate>(
  candidates: readonly (readonly Found[])[],
  margin: number,
): (Found | undefined)[] {
  const result = candidates.map((): Found | undefined => undefined);
  const taken: Span[] = [];
  const all = candidates.flatMap((own, index) => own.map((candidate) => ({ candidate, index })));
  all.sort((one, other) => other.candidate.odds - one.candidate.odds);
  for (const { candidate, index } of all) {
    if (candidate.odds <= margin || result[index] !== undefined) continue;
    if (taken.some((span) => overlap(span, candidate))) continue;
    result[index] = candidate;
    taken.push(candidate);
  }
  return result;
}

export function overlap(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}
