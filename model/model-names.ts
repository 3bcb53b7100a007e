// The names that clients can use in `model`, and the target of each.
import type { GatewayModel, Target } from "./model.ts";

export interface ClientName {
  name: string;
  /** Index into `model.targets`. */
  target: number;
}

/** `none` leaves the choice to the gateway, so nothing can be called that. */
export const NONE = "none";

/** Returns whether a name is that of an entry for all models whose names begin alike: `openai/*`, `gpt-5*`. */
export function isWildcard(name: string): boolean {
  return name.endsWith("*");
}

/** Returns a wildcard in the words of a message, which no client takes for a model: `openai/<model>`, `openai/gpt-5…`. */
export function patternText(name: string): string {
  const beginning = name.slice(0, -1);
  return beginning.endsWith("/") ? `${beginning}<model>` : `${beginning}…`;
}

/** Returns whether a target is a wildcard that takes a name with its provider. */
export function takesName({ name, provider, wildcard }: Target, model: string): boolean {
  if (wildcard === undefined || model.length === provider.length + 1) return false;
  return model.startsWith(name.slice(0, -1));
}

/**
 * Every name once, in order: for each target `<provider>/<model>`, its configured name and its bare
 * model name, then the aliases. The first meaning wins: a bare name that several targets share, or
 * that is a whole name elsewhere, is listed once.
 */
export function clientNames(
  model: Pick<GatewayModel, "targets" | "aliases" | "defaultTarget">,
): ClientName[] {
  const meanings = new Map<string, number>();
  const add = (name: string, target: number): void => {
    if (!meanings.has(name)) meanings.set(name, target);
  };
  model.targets.forEach((target, index) => {
    if (target.wildcard === undefined) add(target.name, index);
  });
  model.targets.forEach((target, index) => {
    if (target.configuredName !== undefined) add(target.configuredName, index);
  });
  for (const alias of model.aliases) add(alias.name, alias.target);
  for (const [name, target] of bareNameOwners(model.targets, model.defaultTarget))
    add(name, target);
  return inReadingOrder(model, meanings);
}

function inReadingOrder(
  model: Pick<GatewayModel, "targets" | "aliases">,
  meanings: ReadonlyMap<string, number>,
): ClientName[] {
  const order = model.targets.flatMap(({ name, configuredName, model: bare }) => [
    name,
    ...(configuredName === undefined ? [] : [configuredName]),
    bare,
  ]);
  const names = new Set([...order, ...model.aliases.map((alias) => alias.name)]);
  return [...names].flatMap((name) => {
    const target = meanings.get(name);
    return target === undefined ? [] : [{ name, target }];
  });
}

/** Bare model name → index of the target that gets it: the default one of those that share it, else the first. */
function bareNameOwners(
  targets: readonly Pick<Target, "model" | "wildcard">[],
  defaultTarget: number,
): Map<string, number> {
  const owners = new Map<string, number>();
  targets.forEach(({ model, wildcard }, index) => {
    if (model === NONE || wildcard !== undefined) return;
    if (!owners.has(model) || index === defaultTarget) owners.set(model, index);
  });
  return owners;
}
