// What the labels of other people's classification models mean.
import { StartError } from "./start-error.ts";

export interface LabelScore {
  label: string;
  /** 0 to 1. */
  score: number;
}

const HARM = /jailbreak|injection|unsafe|malicious|harmful|^label_1$/i;

/** How likely one of the labels is true that mean a jailbreak. */
export function harmOf(scores: readonly LabelScore[]): number {
  return Math.max(0, ...scores.filter(({ label }) => HARM.test(label)).map(({ score }) => score));
}

/** Throws a StartError when none of the labels means a jailbreak: such a guard would let everything pass. */
export function requireHarm(labels: readonly string[], model: string): void {
  if (labels.some((label) => HARM.test(label))) return;
  throw new StartError(
    `${model} has no label that means a jailbreak, but ${labels.slice(0, 10).join(", ")}.`,
    { hint: "Its label is called jailbreak, injection, unsafe, malicious, harmful or LABEL_1." },
  );
}

/** The place of the label that means "this follows from the text"; -1 when there is none. */
export function entailmentOf(labels: readonly string[]): number {
  return labels.findIndex((label) => /^entail/i.test(label));
}

export const HYPOTHESIS = "This request is about: {}.";

export function hypothesisOf(label: string): string {
  return HYPOTHESIS.replace("{}", () => label.replace(/[.\s]+$/, ""));
}
