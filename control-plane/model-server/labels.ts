// The meaning of the labels of third-party classification models.
import { StartError } from "./start-error.ts";

export interface LabelScore {
  label: string;
  /** From 0 to 1. */
  score: number;
}

const HARM = /jailbreak|injection|unsafe|malicious|harmful|^label_1$/i;

/** Returns the highest probability among the labels that mean a jailbreak. */
export function harmOf(scores: readonly LabelScore[]): number {
  return Math.max(0, ...scores.filter(({ label }) => HARM.test(label)).map(({ score }) => score));
}

/** Throws a StartError if no label means a jailbreak: such a guard would let every text pass. */
export function requireHarm(labels: readonly string[], model: string): void {
  if (labels.some((label) => HARM.test(label))) return;
  throw new StartError(
    `${model} has no label that means a jailbreak, but ${labels.slice(0, 10).join(", ")}.`,
    { hint: "Its label is called jailbreak, injection, unsafe, malicious, harmful or LABEL_1." },
  );
}

/** Returns the index of the label that means "this follows from the text"; -1 if the model has no such label. */
export function entailmentOf(labels: readonly string[]): number {
  return labels.findIndex((label) => /^entail/i.test(label));
}

export const HYPOTHESIS = "This request is about: {}.";

export function hypothesisOf(label: string): string {
  return HYPOTHESIS.replace("{}", () => label.replace(/[.\s]+$/, ""));
}
