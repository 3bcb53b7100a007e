// What is said of other attempts, by models and by aliases → which names stand for several of them.
import type { Alias, Target, TargetSet } from "../ir/model.ts";
import { readAliases } from "./aliases.ts";
import { findModels } from "./configured-model.ts";
import type { ModelNames } from "./configured-model.ts";
import type { PlacedTarget } from "./entry-names.ts";
import { clientNames } from "../ir/model-names.ts";
import type { Reading } from "./reading.ts";
import { readRetry } from "./retry.ts";
import type { Configuration, ProviderEntry } from "./schema.ts";
import { valueAt } from "./shape.ts";
import type { Draft } from "./shape.ts";

export interface Failover {
  aliases: Alias[];
  targetSets: TargetSet[];
}

export function readFailover(
  reading: Reading,
  draft: Draft<Configuration>,
  placed: readonly PlacedTarget[],
  defaultTarget: number,
): Failover {
  const targets = placed.map(({ target }) => target);
  const known = clientNames({ targets, aliases: [], defaultTarget });
  const models: ModelNames = {
    names: new Map(known.map(({ name, target }) => [name, target])),
    aliases: new Map(
      Object.entries(draft.model_aliases ?? {}).map(([name, alias]) => [
        name,
        alias?.target ?? alias?.targets?.[0]?.model,
      ]),
    ),
  };
  const entries = placed.map(({ path }) => (valueAt(draft, path) ?? {}) as Draft<ProviderEntry>);
  const fallbacks = placed.map(({ path }, index) =>
    findModels(reading, [...path, "fallbacks"], entries[index]?.fallbacks ?? [], models, [index]),
  );
  const { retry } = draft;
  const retries = entries.map((entry) => entry.retry);
  const ofModels = targets.flatMap((target, of): TargetSet[] => {
    const set = {
      of,
      targets: [of, ...(fallbacks[of] ?? [])],
      retry: readRetry(retries[of], retry),
    };
    return hasSeveral(set, target) ? [set] : [];
  });
  const { aliases, sets } = readAliases(reading, draft.model_aliases ?? {}, placed, models, {
    fallbacks,
    retries,
    retry,
  });
  return { aliases, targetSets: [...ofModels, ...sets] };
}

/** Whether a model's own names need more than the plain way: one attempt, and one more where no request was sent. */
function hasSeveral({ targets, retry }: TargetSet, { auth }: Target): boolean {
  return (
    targets.length > 1 ||
    retry.attempts > 1 ||
    retry.perTryTimeoutMs !== undefined ||
    retry.firstByteTimeoutMs !== undefined ||
    auth.otherVariables !== undefined
  );
}
