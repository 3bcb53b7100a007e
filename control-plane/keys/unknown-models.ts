// Names in a list of models that no request can have: mistakes, most of the time.
import type { GatewayModel } from "../../model/model.ts";
import { clientNames, isWildcard, takesName } from "../../model/model-names.ts";

/** Returns the indices of names that no configured model or alias has, and under which no wildcard takes models. */
export function unknownModels(names: readonly string[], model: GatewayModel): number[] {
  const known = new Set([
    ...clientNames(model).map(({ name }) => name),
    ...(model.targetSets ?? []).flatMap((set) => ("name" in set ? [set.name] : [])),
    ...model.targets.map(({ name }) => name),
  ]);
  const isTaken = (name: string): boolean =>
    model.targets.some(
      (target) =>
        takesName(target, name) ||
        target.wildcard?.bare.some((bare) => name.startsWith(bare)) === true,
    );
  const begins = (start: string): boolean =>
    model.targets.some(
      ({ name, wildcard }) =>
        name.startsWith(start) || (wildcard !== undefined && start.startsWith(name.slice(0, -1))),
    );
  return names.flatMap((name, index) => {
    if (known.has(name)) return [];
    return (isWildcard(name) ? begins(name.slice(0, -1)) : isTaken(name)) ? [] : [index];
  });
}
