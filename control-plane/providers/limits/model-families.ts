// How the limits of model families are written.
import type { Effort, ModelLimits } from "../../../model/model-limits.ts";

export interface KnownLimits {
  /** Bare model names; a `*` stands for any text. */
  models: string[];
  limits: ModelLimits;
  source: string;
}

export interface ProviderLimits {
  /** Of every model; a family's own word wins. */
  everyModel?: Omit<KnownLimits, "models">;
  /** The first that names the model counts. */
  families?: KnownLimits[];
}

/** A name and everything after a dash: `gpt-5` and `gpt-5-mini`, but neither `gpt-5.1` nor `gpt-50`. */
export const family = (...names: string[]): string[] =>
  names.flatMap((name) => [name, `${name}-*`]);

/** A name and its dated snapshots: `claude-opus-5` and `claude-opus-5-20260724`, but not `claude-opus-5-5`. */
export const dated = (...names: string[]): string[] =>
  names.flatMap((name) => [name, `${name}-20*`]);

export const upTo = (highest: Effort): Effort[] => {
  const rising: Effort[] = ["low", "medium", "high", "xhigh", "max"];
  return rising.slice(0, rising.indexOf(highest) + 1);
};

/** Source of output sizes. */
export const MODEL_SIZES = "https://models.dev";
