// `model_aliases`: each stands for one configured model or several, and takes no other name away.
import type { Alias, TargetSet } from "../ir/model.ts";
import { findModel, findModels } from "./configured-model.ts";
import type { ModelNames } from "./configured-model.ts";
import { checkName } from "./name-rules.ts";
import type { Path } from "./diagnostics/problem.ts";
import type { PlacedTarget } from "./entry-names.ts";
import type { Reading } from "./reading.ts";
import { readRetry } from "./retry.ts";
import type { RetryDraft } from "./retry.ts";
import type { Configuration } from "./schema.ts";
import type { Draft } from "./shape.ts";

type AliasDraft = Draft<NonNullable<Configuration["model_aliases"]>[string]>;

/** What the models of an alias do themselves when they fail. */
export interface OwnFailover {
  /** By model: indices of its fallbacks. */
  fallbacks: readonly (readonly number[])[];
  /** By model. */
  retries: readonly RetryDraft[];
  /** Of the top level. */
  retry: RetryDraft;
}

export interface Aliases {
  /** Those that stand for one model, and for all that the model's own names mean. */
  aliases: Alias[];
  /** Those that say more. */
  sets: (TargetSet & { name: string })[];
}

export function readAliases(
  reading: Reading,
  drafts: Draft<NonNullable<Configuration["model_aliases"]>>,
  placed: readonly PlacedTarget[],
  models: ModelNames,
  own: OwnFailover,
): Aliases {
  const result: Aliases = { aliases: [], sets: [] };
  for (const [name, alias] of Object.entries(drafts)) {
    const path = ["model_aliases", name];
    const safe = checkName(reading, path, name, "key");
    if (alias === undefined) continue;
    const said = readTargets(reading, path, alias, models);
    if (said === undefined) continue;
    refuseTakenName(reading, path, name, said.targets, { placed, models });
    const [target] = said.targets;
    const fallbacks =
      alias.fallbacks === undefined
        ? undefined
        : findModels(reading, [...path, "fallbacks"], alias.fallbacks, models, said.targets);
    if (safe === undefined || target === undefined) continue;
    if (said.targets.length === 1 && fallbacks === undefined && alias.retry === undefined) {
      result.aliases.push({ name: safe, target });
      continue;
    }
    const inherited = said.targets.flatMap((index) => own.fallbacks[index] ?? []);
    result.sets.push({
      name: safe,
      targets: [...new Set([...said.targets, ...(fallbacks ?? inherited)])],
      ...(said.targets.length > 1 ? { weights: said.weights } : {}),
      retry: readRetry(alias.retry, own.retries[target], own.retry),
    });
  }
  return result;
}

/** The models of `target` or `targets`; undefined when neither is there. */
function readTargets(
  reading: Reading,
  path: Path,
  alias: AliasDraft,
  models: ModelNames,
): { targets: number[]; weights: number[] } | undefined {
  const { target: written, targets: list } = alias;
  if (written !== undefined && list !== undefined) {
    reading.problem([...path, "targets"], "target and targets are both given; expected one", {
      part: "key",
    });
  }
  if (written !== undefined) {
    const target = findModel(reading, [...path, "target"], written, models);
    return { targets: target === undefined ? [] : [target], weights: [1] };
  }
  if (list !== undefined) return readShares(reading, [...path, "targets"], list, models);
  const wasGiven = ["target", "targets"].some((key) => Object.hasOwn(alias, key));
  if (!wasGiven) {
    reading.problem(path, "target is missing; expected the name of a configured model", {
      part: "key",
    });
  }
  return undefined;
}

function readShares(
  reading: Reading,
  path: Path,
  list: NonNullable<AliasDraft["targets"]>,
  models: ModelNames,
): { targets: number[]; weights: number[] } {
  const targets: number[] = [];
  const weights: number[] = [];
  if (list.length === 0)
    reading.problem(path, "the list is empty; expected a model", { part: "key" });
  list.forEach((share, index) => {
    if (share?.model === undefined) return;
    const at = [...path, index, "model"];
    const target = findModel(reading, at, share.model, models);
    if (target === undefined) return;
    if (targets.includes(target)) {
      reading.problem(at, "this model is already in the list", { hint: "leave it out" });
      return;
    }
    targets.push(target);
    weights.push(share.weight ?? 1);
  });
  if (list.length > 0 && list.every((share) => share?.weight === 0)) {
    reading.problem(path, "all weights are 0; expected one model at least that gets requests", {
      part: "key",
    });
  }
  return { targets, weights };
}

/** An alias may take the bare name of a model that it stands for. */
function refuseTakenName(
  reading: Reading,
  path: Path,
  name: string,
  targets: readonly number[],
  { placed, models }: { placed: readonly PlacedTarget[]; models: ModelNames },
): void {
  const meaning = models.names.get(name);
  if (meaning === undefined || targets.includes(meaning)) return;
  const model = placed[meaning]?.target.name ?? name;
  reading.problem(path, `this alias already is a name of the model ${model}`, { part: "key" });
}
