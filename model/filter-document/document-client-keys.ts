// The keys of clients, as the filter's document has them: an allow-list becomes routes and patterns, so that the filter
// compares no names.
import { isWildcard, patternText, takesName } from "../model-names.ts";
import type { ClientKey } from "../client-keys.ts";
import type { GatewayModel, Target } from "../model.ts";
import { rateLimitsOfKey } from "./rate-limits.ts";
import type {
  FilterAllowed,
  FilterKey,
  FilterKeys,
  FilterModel,
  FilterTokens,
} from "./document-types.ts";
import type { WildcardFamily } from "./wildcards.ts";

/** What the document has for names. */
export interface Names {
  /** Every name → index of its route. */
  names: Readonly<Record<string, number>>;
  /** All names in the response to GET /v1/models. */
  models: readonly FilterModel[];
  /** Targets of each route. */
  routes: readonly { targets: number[] }[];
  families: readonly WildcardFamily[];
  /** Index of the route of the first family. */
  firstFamily: number;
}

/** Returns the keys by listener; undefined if no listener requires any. */
export function filterKeys(model: GatewayModel, names: Names): FilterKeys | undefined {
  const entries = [model.ingress, model.egress].flatMap(
    ({ name, apiKeys, acceptsRuntimeKeys, tokens }) =>
      apiKeys === undefined && acceptsRuntimeKeys === undefined && tokens === undefined
        ? []
        : [[name, (apiKeys ?? []).map((key) => filterKey(key, model, names))]],
  );
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as FilterKeys);
}

/** Returns the issuers of tokens by listener; undefined if no listener accepts tokens. */
export function filterTokens({ ingress, egress }: GatewayModel): FilterTokens | undefined {
  const entries = [ingress, egress].flatMap(({ name, tokens }) =>
    tokens === undefined ? [] : [[name, tokens.map(({ claims }) => claims)]],
  );
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as FilterTokens);
}

/** Returns whether the list of models of some key, or of a guard's policy, has the name. */
export function isInAllowList(
  { ingress, egress, guards = [] }: GatewayModel,
  name: string,
): boolean {
  const keys = [ingress, egress].flatMap(({ apiKeys = [] }) => apiKeys);
  return [...keys, ...guards].some(({ models = [] }) => models.includes(name));
}

function filterKey(key: ClientKey, model: GatewayModel, names: Names): FilterKey {
  const { variable, name, models, groups = [], owner } = key;
  const limits = rateLimitsOfKey(model, name);
  const isPlain =
    models === undefined && limits.length === 0 && groups.length === 0 && owner === undefined;
  if (name === variable && isPlain) return variable;
  return {
    key: variable,
    name,
    ...(limits.length === 0 ? {} : { rate_limits: limits }),
    ...(groups.length === 0 ? {} : { group: groups.join(",") }),
    ...(owner === undefined ? {} : { owner }),
    ...(models === undefined ? {} : { allowed: allowedModels(models, model, names) }),
  };
}

export function allowedModels(
  list: readonly string[],
  model: GatewayModel,
  names: Names,
): FilterAllowed {
  const { targets } = model;
  const routes = new Set<number>();
  /** By target: patterns of bare names. */
  const patterns = new Map<number, string[]>();
  for (const item of list) {
    if (names.names[item] !== undefined) routes.add(names.names[item]);
    else if (isWildcard(item)) allowBeginning(item.slice(0, -1), targets, routes, patterns);
    else allowTaken(item, targets, patterns);
  }
  for (const whole of routes) patterns.delete(whole);
  addFamilies(routes, names);
  addNames(routes, model, names);
  const taken = [...patterns].flatMap(([of, models]) =>
    routesOfWildcard(of, names).map((route) => ({ route, models })),
  );
  const providers = [...new Set(targets.map(({ provider }) => provider))].filter((provider) =>
    list.some((item) => isWildcard(item) && `${provider}/`.startsWith(item.slice(0, -1))),
  );
  return {
    routes: [...routes].sort((one, other) => one - other),
    ...(taken.length === 0 ? {} : { taken }),
    ...(providers.length === 0 ? {} : { providers }),
    models: listedFor(routes, patterns, targets.length, names),
  };
}

/** Allows all models whose names with their provider begin like that. */
function allowBeginning(
  beginning: string,
  targets: readonly Target[],
  routes: Set<number>,
  patterns: Map<number, string[]>,
): void {
  targets.forEach(({ name, provider, wildcard }, index) => {
    if (wildcard === undefined) {
      if (name.startsWith(beginning)) routes.add(index);
      return;
    }
    const own = name.slice(0, -1);
    if (own.startsWith(beginning)) routes.add(index);
    else if (beginning.startsWith(own))
      addTo(patterns, index, `${beginning.slice(provider.length + 1)}*`);
  });
}

/** Allows a name that a wildcard takes: the one with the longest prefix. */
function allowTaken(
  name: string,
  targets: readonly Target[],
  patterns: Map<number, string[]>,
): void {
  const takers = targets.flatMap((target, index) => {
    if (takesName(target, name))
      return [{ target, index, bare: name.slice(target.provider.length + 1) }];
    const isBare = target.wildcard?.bare.some((beginning) => name.startsWith(beginning)) === true;
    return isBare ? [{ target, index, bare: name }] : [];
  });
  takers.sort((one, other) => other.target.name.length - one.target.name.length);
  const [taker] = takers;
  if (taker !== undefined) addTo(patterns, taker.index, taker.bare);
}

function addTo(patterns: Map<number, string[]>, index: number, pattern: string): void {
  patterns.set(index, [...new Set([...(patterns.get(index) ?? []), pattern])]);
}

/** Of a wildcard all models are allowed, also those of its families. */
function addFamilies(routes: Set<number>, names: Names): void {
  for (const route of [...routes])
    for (const family of routesOfWildcard(route, names)) routes.add(family);
}

function routesOfWildcard(of: number, { families, firstFamily }: Names): number[] {
  return [of, ...families.flatMap((family, at) => (family.of === of ? [firstFamily + at] : []))];
}

/** A name that is not in the list is allowed if all that it stands for is. */
function addNames(routes: Set<number>, { targets, aliases }: GatewayModel, names: Names): void {
  const ofAliases = new Map(aliases.map(({ name, target }) => [name, [target]]));
  for (const [name, route] of Object.entries(names.names)) {
    if (route < targets.length || routes.has(route)) continue;
    const behind = ofAliases.get(name) ?? names.routes[route]?.targets ?? [];
    if (behind.length > 0 && behind.every((target) => routes.has(target))) routes.add(route);
  }
}

function listedFor(
  routes: ReadonlySet<number>,
  patterns: ReadonlyMap<number, string[]>,
  targetCount: number,
  { names, models }: Names,
): FilterModel[] {
  const routeOfListed = new Map(
    Object.entries(names).map(([name, route]) => [
      isWildcard(name) ? patternText(name) : name,
      route,
    ]),
  );
  const listed = models.flatMap(({ id, owner, names: known }, index): FilterModel[] => {
    const partly = patterns.get(index);
    if (partly !== undefined)
      return partly.map((name) =>
        isWildcard(name)
          ? { id: patternText(`${owner}/${name}`), owner, names: [] }
          : { id: `${owner}/${name}`, owner },
      );
    const route = index < targetCount ? index : (routeOfListed.get(id) ?? -1);
    if (!routes.has(route)) return [];
    return [known === undefined ? { id, owner } : { id, owner, names: [] }];
  });
  return [...new Map(listed.map((model) => [model.id, model])).values()];
}
