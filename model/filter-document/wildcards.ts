// Entries for all models of a provider, as the filter's document has them: a target and a route for each family of models
// that has separate limits, after those of the configuration.
import type { ModelLimits } from "../model-limits.ts";
import type { GatewayModel, Target } from "../model.ts";
import type { FilterWildcard } from "./document-types.ts";

export interface WildcardFamily {
  /** Index of the entry's target. */
  of: number;
  target: Target;
  models: string[];
}

/** Returns the families of all wildcards, in the order of their targets and routes in the document. */
export function wildcardFamilies({ targets }: Pick<GatewayModel, "targets">): WildcardFamily[] {
  return targets.flatMap((target, of) =>
    (target.wildcard?.families ?? []).map(({ models, limits }) => ({
      of,
      models,
      target: withLimits(target, limits),
    })),
  );
}

function withLimits({ limits: _, ...target }: Target, limits: ModelLimits | undefined): Target {
  return limits === undefined ? target : { ...target, limits };
}

/** Returns the entries, the longest prefixes first. `firstRoute`: the index of the route of the first family. */
export function filterWildcards(
  { targets }: Pick<GatewayModel, "targets">,
  families: readonly WildcardFamily[],
  firstRoute: number,
): FilterWildcard[] {
  const wildcards = targets.flatMap(({ name, provider, wildcard }, of): FilterWildcard[] => {
    if (wildcard === undefined) return [];
    const own = families.flatMap((family, index) =>
      family.of === of ? [{ models: family.models, route: firstRoute + index }] : [],
    );
    return [
      {
        prefix: name.slice(0, -1),
        bare_from: provider.length + 1,
        ...(wildcard.bare.length === 0 ? {} : { bare: wildcard.bare }),
        ...(own.length === 0 ? {} : { families: own }),
        route: of,
      },
    ];
  });
  return wildcards.sort((one, other) => other.prefix.length - one.prefix.length);
}
