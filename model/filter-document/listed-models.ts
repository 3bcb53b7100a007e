// The names in the response to GET /v1/models, and in messages that list what there is.
import { isWildcard, patternText, takesName } from "../model-names.ts";
import type { GatewayModel, Target } from "../model.ts";
import { namesUnderWildcard } from "../known-models.ts";
import type { FilterModel } from "./document-types.ts";

/** The name that is unique for each model, then the names that stand for models. */
export function listedModels(model: GatewayModel): FilterModel[] {
  const owner = (target: number | undefined): string =>
    model.targets[target ?? model.defaultTarget]?.provider ?? "";
  return [
    ...model.targets.map((target) => listedModel(target, model)),
    ...model.aliases.map(({ name, target }) => listedName(name, owner(target))),
    ...(model.targetSets ?? []).flatMap((set) =>
      "name" in set ? [listedName(set.name, owner(set.targets[0]))] : [],
    ),
  ];
}

/** An alias for all names that begin alike is in messages alone. */
function listedName(name: string, owner: string): FilterModel {
  return isWildcard(name) ? { id: patternText(name), owner, names: [] } : { id: name, owner };
}

function listedModel(target: Target, { targets }: GatewayModel): FilterModel {
  const { name, provider: owner, wildcard } = target;
  if (wildcard === undefined) return { id: name, owner };
  // What another entry takes is listed there.
  const taker = (full: string) =>
    targets
      .filter((one) => one.name === full || takesName(one, full))
      .sort((one, other) => other.name.length - one.name.length)[0];
  const names = namesUnderWildcard(target).filter((bare) => taker(`${owner}/${bare}`) === target);
  return { id: patternText(name), owner, names };
}
