// The choice of a target without a classification model: similarity proposes, and the trained extractor decides whether
// the prompt asks for the target or only has its topic.
import { fromDescription, kindOf } from "./extraction/parameter.ts";
import type { RunningExtractor } from "./extractor/open-extractor.ts";
import type { TargetDescription } from "./options.ts";
import type { Label } from "./similarity.ts";

/** Targets that the extractor judges: the most similar ones, if they are similar at all. */
const PROPOSED = 3;
const LEAST = 0.02;
/** Log odds at which a target is chosen without a look at less similar ones. */
const SURE = 3;
/** Weights of the log odds of the similarity and of the extractor's; fitted on the development cases. */
const SIMILARITY = 0.4;
const ASKS = 0.6;
/** The extractor's log odds for a target that it did not judge. */
const NOT_JUDGED = -4;

/**
 * Returns scores from 0 to 1 for the labels, in their order. The most similar target is judged first, so that most
 * prompts for a target need one pass of the extractor.
 * @param similar the similarities of the labels, from 0 to 1
 */
export async function requestScores(
  extractor: RunningExtractor,
  targets: readonly TargetDescription[],
  prompt: string,
  labels: readonly Label[],
  similar: readonly number[],
): Promise<number[]> {
  const odds = similar.map((similarity) => requestOdds(similarity, NOT_JUDGED));
  const proposed = labels
    .map((label, index) => ({ label, index, similarity: similar[index] ?? 0 }))
    .filter(({ similarity }) => similarity >= LEAST)
    .sort((one, other) => other.similarity - one.similarity)
    .slice(0, PROPOSED);
  for (const { label, index, similarity } of proposed) {
    odds[index] = requestOdds(similarity, await asksFor(extractor, targets, prompt, label));
    if (odds[index] >= SURE) break;
  }
  return odds.map((own) => 1 / (1 + Math.exp(-own)));
}

async function asksFor(
  extractor: RunningExtractor,
  targets: readonly TargetDescription[],
  prompt: string,
  { name, description }: Label,
): Promise<number> {
  const described = targets.find((target) => target.name === name)?.parameters ?? [];
  // As extraction does, so that its pass is the same.
  const parameters = described.map(fromDescription).filter((one) => kindOf(one) !== "boolean");
  const target = { name, description };
  return (await extractor.run({ target, parameters, prompt, asked: [] })).asks;
}

function requestOdds(similarity: number, asks: number): number {
  const limited = Math.min(Math.max(similarity, 1e-4), 1 - 1e-4);
  return SIMILARITY * Math.log(limited / (1 - limited)) + ASKS * asks;
}
