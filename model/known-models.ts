// Which models a request means, by names of a bounded set: those of the configuration, and for a wildcard those that the price
// list knows. A client can make up names; they are all `other`. Labels, sums and lists take their names from here.
import { clientNames, isWildcard, NONE, takesName } from "./model-names.ts";
import { knownProvider, type GatewayModel, type Target } from "./model.ts";
import { listedPriceOf, namesInList } from "./facts/listed-prices.ts";

/** The name of all models that neither the configuration nor the price list has. */
export const OTHER = "other";

/** Names that clients chose are kept up to this many. */
const MAX_KEPT = 1000;

/** The members of a usage record that have names of models. */
export interface RequestedModel {
  requested?: string | undefined;
  target?: string | undefined;
}

export interface KnownModels {
  /**
   * Returns `<provider>/<model>` of a target: `openai/gpt-4o`, or `openai/other`. @param requested the model of a wildcard, as
   * the client named it
   */
  nameOf: (target: string, requested?: string) => string;
  /** Returns the model that a request was for, also if it was rejected before it had a target; undefined if that is not known. */
  modelOf: (request: RequestedModel) => string | undefined;
  /** Returns what the client sent as the model, or `other`. */
  requestedName: (request: RequestedModel) => string;
}

/** Returns the bare names that a wildcard takes and the price list has; empty for a provider that is not in it. */
export function namesUnderWildcard(target: Target): string[] {
  const beginning = target.name.slice(target.provider.length + 1, -1);
  return namesInList(knownProvider(target)).filter((model) => model.startsWith(beginning));
}

/** Returns what is known of the models of a configuration. */
export function knownModels(configuration: GatewayModel): KnownModels {
  const { targets, ingress, egress } = configuration;
  const sets = (configuration.targetSets ?? []).flatMap((set) =>
    "name" in set ? [[set.name, set.targets[0] ?? -1] as const] : [],
  );
  const names = new Map([
    ...clientNames(configuration).map(({ name, target }) => [name, target] as const),
    ...sets,
  ]);
  const wildcards = new Map(
    targets.flatMap((target) => (target.wildcard === undefined ? [] : [[target.name, target]])),
  );
  const allowed = new Set(
    [ingress, egress].flatMap(({ apiKeys = [] }) => apiKeys.flatMap(({ models = [] }) => models)),
  );
  const kept = new Map<string, string>();

  const knownName = (target: Target, bare: string): string => {
    const { provider, name: wildcard } = target;
    const key = `${wildcard} ${bare}`;
    const found = kept.get(key);
    if (found !== undefined) return found;
    if (kept.size >= MAX_KEPT) kept.clear();
    const isAllowed = allowed.has(`${provider}/${bare}`);
    const known = isAllowed ? bare : (listedPriceOf(knownProvider(target), bare)?.model ?? OTHER);
    kept.set(key, known);
    return known;
  };
  const nameOf = (target: string, requested = ""): string => {
    const wildcard = wildcards.get(target);
    if (wildcard === undefined) return target;
    return `${wildcard.provider}/${knownName(wildcard, bareName(wildcard, requested))}`;
  };
  const wildcardOf = (requested: string): Target | undefined =>
    [...wildcards.values()]
      .filter(
        (target) =>
          takesName(target, requested) ||
          target.wildcard?.bare.some((beginning) => requested.startsWith(beginning)) === true,
      )
      .sort((one, other) => other.name.length - one.name.length)[0];

  return {
    nameOf,
    modelOf({ target, requested }) {
      if (target !== undefined) return nameOf(target, requested);
      if (requested === undefined) return undefined;
      const configured = targets[names.get(requested) ?? -1];
      if (configured !== undefined) return configured.name;
      const wildcard = wildcardOf(requested);
      return wildcard === undefined ? undefined : nameOf(wildcard.name, requested);
    },
    requestedName({ target, requested }) {
      if (requested === undefined) return NONE;
      if (requested === NONE || names.has(requested)) return requested;
      const wildcard = wildcards.get(target ?? "") ?? wildcardOf(requested);
      const pattern = [...names.keys()].find(
        (name) => isWildcard(name) && requested.startsWith(name.slice(0, -1)),
      );
      if (pattern !== undefined) return pattern;
      if (wildcard === undefined) return OTHER;
      const bare = bareName(wildcard, requested);
      const known = knownName(wildcard, bare);
      return known === OTHER || bare === requested ? known : `${wildcard.provider}/${known}`;
    },
  };
}

/** Returns the model of a wildcard as its provider calls it, without the mark of filter/config/name-pattern.ts. */
export function bareName({ provider }: Pick<Target, "provider">, requested: string): string {
  const prefix = `${provider}/`;
  const bare = requested.startsWith(prefix) ? requested.slice(prefix.length) : requested;
  return bare.replace(/\[1m\]$/, "");
}

/** Returns the model of a request as it was called, known or not: for lists of requests. */
export function exactName({ target, requested }: RequestedModel): string | undefined {
  if (target === undefined || !isWildcard(target)) return target ?? requested;
  const provider = target.slice(0, target.indexOf("/"));
  return `${provider}/${bareName({ provider }, requested ?? OTHER)}`;
}
