// "Did you mean …?": the nearest of the words that would have been right.
import { closest, distance } from "fastest-levenshtein";

/** The nearest candidate when it is near enough to be a slip of the fingers; else undefined. */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  if (word === "" || word.length > 200 || candidates.length === 0) return undefined;
  const lower = word.toLowerCase();
  const same = candidates.find((candidate) => candidate.toLowerCase() === lower);
  if (same !== undefined) return same;
  const nearest = closest(
    lower,
    candidates.map((candidate) => candidate.toLowerCase()),
  );
  // Two letters that changed places count as two.
  const allowed = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
  if (distance(lower, nearest) > allowed) return undefined;
  return candidates.find((candidate) => candidate.toLowerCase() === nearest);
}

/** The hint for a nearest word; undefined when there is none. */
export function suggestion(word: string | undefined): string | undefined {
  return word === undefined ? undefined : `did you mean ${word}?`;
}
