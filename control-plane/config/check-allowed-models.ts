// `models` of a client key, a group, a user, a policy of `guards` and of the defaults: every name is one that a request can have. And `groups` of a key.
import { isWildcard, clientNames, takesName } from "../../model/model-names.ts";
import type { GatewayModel } from "../../model/model.ts";
import { listed } from "./configured-model.ts";
import type { Path } from "../report/problem.ts";
import { suggest, suggestion } from "../report/suggest.ts";
import type { Reading } from "./reading.ts";
import type { AllowanceDraft } from "./allowance.ts";
import { groups } from "./sections/groups.ts";
import { guards } from "./sections/guards.ts";
import { keys } from "./sections/keys.ts";
import { listeners } from "./sections/listeners.ts";
import { modelAliases } from "./sections/model-aliases.ts";
import { users } from "./sections/users.ts";
import type { Load } from "./section.ts";
import { namedKeys } from "./named-keys.ts";

/** Reports names in allow-lists that no request can have. */
export function checkAllowedModels(load: Load, model: GatewayModel): void {
  const known = knownNames(load, model);
  for (const { path, entry } of allowances(load)) {
    if (entry.models === undefined) continue;
    const at = [...path, "models"];
    if (entry.models.length === 0) {
      load.reading.problem(at, "the list is empty, so the key could be used for no model", {
        part: "key",
        hint: "name the models, or remove models to allow all of them",
      });
    }
    checkNames(load.reading, at, entry.models, known);
  }
  load.part(guards)?.forEach((policy, index) => {
    checkNames(load.reading, ["guards", index, "models"], policy?.models ?? [], known);
  });
  checkGroups(load, model);
}

function checkNames(
  reading: Reading,
  path: Path,
  names: readonly (string | undefined)[],
  known: Known,
): void {
  names.forEach((name, index) => {
    if (name !== undefined) checkName(reading, [...path, index], name, known);
  });
}

/** Returns everything that has a list of models, but for policies of guards. */
function allowances(load: Load): { path: Path; entry: AllowanceDraft }[] {
  const { defaults } = load.part(keys) ?? {};
  return [
    ...namedKeys(load.part(listeners)),
    ...(defaults === undefined ? [] : [{ path: ["keys", "defaults"], entry: defaults }]),
    ...[groups, users].flatMap((one) =>
      Object.entries(load.part(one) ?? {}).map(([name, entry]) => ({
        path: [one.key, name],
        entry: entry ?? {},
      })),
    ),
  ];
}

/** Reports groups of keys and policies that the configuration lacks, where none can be created while the gateway runs. */
function checkGroups({ reading, part }: Load, { groups: own = [], keys: runtime }: GatewayModel) {
  if (runtime !== undefined) return;
  const names = own.map(({ name }) => name);
  const policies = part(guards) ?? [];
  const lists = [
    ...namedKeys(part(listeners)).map(({ path, entry }) => ({ path, groups: entry.groups })),
    ...policies.map((policy, index) => ({ path: ["guards", index], groups: policy?.groups })),
  ];
  for (const { path, groups: named } of lists) {
    named?.forEach((name, index) => {
      if (name === undefined || names.includes(name)) return;
      const at = [...path, "groups", index];
      reading.problem(at, "no configured group has this name", {
        hint: suggestion(suggest(name, names)) ?? `add groups: {${name}: {}}`,
      });
    });
  }
}

interface Known {
  model: GatewayModel;
  /** Of models and aliases, without wildcards of providers. */
  names: readonly string[];
  /** For messages. */
  shown: readonly string[];
  promptTargets: ReadonlySet<string>;
}

function knownNames({ part }: Load, model: GatewayModel): Known {
  const aliases = Object.keys(part(modelAliases) ?? {});
  const names = [...clientNames({ ...model, aliases: [] }).map(({ name }) => name), ...aliases];
  const wildcards = model.targets.flatMap(({ name, wildcard }) => (wildcard ? [name] : []));
  const promptTargets = new Set((model.prompt?.targets ?? []).map(({ name }) => name));
  return { model, names, shown: [...names, ...wildcards], promptTargets };
}

function checkName(
  reading: Reading,
  path: Path,
  name: string,
  { model, names, shown, promptTargets }: Known,
): void {
  const isKnown =
    names.includes(name) ||
    (isWildcard(name) ? takesSome(name.slice(0, -1), model) : isTaken(name, model));
  if (isKnown || reading.invalidNames.has(name)) return;
  if (promptTargets.has(name)) {
    reading.problem(path, `${reading.show(path, name)} is a prompt target, and not a model`, {
      hint: "name the model that ingress uses; prompt targets are not limited by key",
    });
    return;
  }
  const what = isWildcard(name)
    ? `no configured model's name begins like ${reading.show(path, name)}`
    : `no configured model or alias is called ${reading.show(path, name)}`;
  const near = suggestion(suggest(name, shown));
  reading.problem(path, what, { hint: near ?? `the configured names are ${listed(shown)}` });
}

/** Returns whether some model's name with its provider may begin like that. */
function takesSome(beginning: string, { targets }: GatewayModel): boolean {
  return targets.some(
    ({ name, wildcard }) =>
      name.startsWith(beginning) || (wildcard && beginning.startsWith(name.slice(0, -1))),
  );
}

/** Returns whether a wildcard takes a name, with its provider or without. */
function isTaken(name: string, { targets }: GatewayModel): boolean {
  return targets.some(
    (target) =>
      takesName(target, name) || target.wildcard?.bare.some((bare) => name.startsWith(bare)),
  );
}
