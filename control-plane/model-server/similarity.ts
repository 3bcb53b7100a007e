// Scores how well each target matches a text: the mean of three similarities, calibrated to 0 to 1.
import type { Embedder } from "./embedder.ts";
import { cosine } from "./vector.ts";

export interface Label {
  name: string;
  description: string;
  examples: readonly string[];
}

/**
 * The similarity at which half of the texts belong to the label, by what is compared; measured on public intent
 * datasets.
 */
const MIDDLE = { fewLabels: 0.25, asksModel: 0.27, alone: 0.3, examples: 0.03 };
const FEW_LABELS = 5;
const STEEPNESS = 18;

/** Returns a score for every label, in their order, from 0 to 1. */
export async function similarities(
  embedder: Embedder,
  text: string,
  labels: readonly Label[],
  asksModel: boolean,
): Promise<number[]> {
  const usual = asksModel ? MIDDLE.asksModel : MIDDLE.alone;
  const middle = labels.length <= FEW_LABELS ? MIDDLE.fewLabels : usual;
  const compared = labels.map(comparedWith);
  // In one call: a remote model gets one request for all texts that are not cached.
  const found = await embedder.embed([
    text,
    ...compared.flatMap(({ own, examples }) => [...own, ...examples]),
  ]);
  const vectors = found.map(({ vector }) => vector);
  const [prompt = new Float32Array()] = vectors.splice(0, 1);
  const next = (count: number) => vectors.splice(0, count).map((vector) => cosine(prompt, vector));
  return compared.map(({ own, examples }) => {
    const usually = average(next(own.length));
    if (examples.length === 0) return calibrated(usually, middle);
    const best = Math.max(...next(examples.length));
    return calibrated(Math.max(usually, (usually + best) / 2), middle + MIDDLE.examples);
  });
}

/** Returns the texts of a label with which a prompt is compared. */
function comparedWith({ name, description, examples }: Label) {
  const called = words(name);
  const own = [called, description, `${called}: ${description}`].filter((text) => text !== "");
  return { own, examples: examples.filter((text) => text !== "") };
}

function calibrated(similarity: number, middle: number): number {
  return 1 / (1 + Math.exp(-STEEPNESS * (similarity - middle)));
}

function average(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
}

/** Returns the words of a name: get_current_weather, getCurrentWeather → get current weather */
export function words(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_\-.]+/g, " ")
    .toLowerCase()
    .trim();
}
