// What differs between two configurations, for people: which models, listeners, prompt targets … came, went or changed.
// It reports names, ports of listeners and which settings differ, never their values.
import type { GatewayModel } from "./model.ts";

export interface Change {
  kind: "added" | "removed" | "changed";
  /** `model`, `provider`, `listener`, `prompt target` … */
  what: string;
  name: string;
  /** Of one that changed: what about it. */
  details: string[];
}

/** Whatever has a name: its parts are compared by their JSON. */
type Part = Record<string, unknown>;
type Parts = Map<string, Part>;

/** In the order of the configuration's reference. Empty when the two mean the same. */
export function changesBetween(old: GatewayModel, fresh: GatewayModel): Change[] {
  const before = describe(old);
  return Object.entries(describe(fresh)).flatMap(([what, parts]) =>
    difference(what, before[what] ?? new Map<string, Part>(), parts),
  );
}

/** `+ model openai/gpt-4o`, `~ listener egress: port 12000 → 12001`. */
export function changeLine({ kind, what, name, details }: Change): string {
  const sign = { added: "+", removed: "-", changed: "~" }[kind];
  return `${sign} ${what} ${name}${details.length === 0 ? "" : `: ${details.join(", ")}`}`;
}

/** Groups all parts of a model; every remaining member is a setting. */
function describe(model: GatewayModel): Record<string, Parts> {
  const {
    targets,
    aliases,
    targetSets = [],
    defaultTarget,
    prompt,
    ingress,
    egress,
    ...all
  } = model;
  // Changed keys show at the models.
  const { filterEnvironment: _keys, ...rest } = all;
  const { targets: promptTargets = [], endpoints = [], ...promptRest } = prompt ?? {};
  const nameOf = (index: number) => targets[index]?.name;
  const sets = targetSets.map((set) => ({ ...set, targets: set.targets.map(nameOf) }));
  const settings = { defaultModel: nameOf(defaultTarget), ...promptRest, ...rest };
  return {
    listener: named([ingress, egress].map(({ place: _place, ...listener }) => listener)),
    provider: new Map(targets.map(({ provider }) => [provider, {}])),
    model: named(
      targets.map((target, index) => ({
        ...target,
        fallbacks: sets.find((set) => "of" in set && set.of === index),
      })),
    ),
    alias: named([
      ...aliases.map(({ name, target }) => ({ name, target: nameOf(target) })),
      ...sets.flatMap((set) => ("name" in set ? [set] : [])),
    ]),
    "prompt target": named(promptTargets),
    endpoint: named(endpoints),
    setting: new Map(
      Object.entries(settings)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [keyOf("setting", name), { value }]),
    ),
  };
}

function named(parts: readonly { name: string }[]): Parts {
  return new Map(parts.map((part) => [part.name, { ...part }]));
}

function difference(what: string, old: Parts, fresh: Parts): Change[] {
  const came = [...fresh].flatMap(([name, part]): Change[] => {
    const was = old.get(name);
    if (was === undefined) return [{ kind: "added", what, name, details: [] }];
    const keys = differing(was, part);
    if (keys.length === 0) return [];
    const details = keys.map((key) => detail(what, key, was[key], part[key]));
    return [
      { kind: "changed", what, name, details: what === "setting" ? [] : [...new Set(details)] },
    ];
  });
  const went = [...old.keys()].filter((name) => !fresh.has(name));
  return [...came, ...went.map((name): Change => ({ kind: "removed", what, name, details: [] }))];
}

function differing(old: Part, fresh: Part): string[] {
  const keys = new Set([...Object.keys(old), ...Object.keys(fresh)]);
  return [...keys].filter((key) => JSON.stringify(old[key]) !== JSON.stringify(fresh[key]));
}

/** Reports the address of a listener; of all other parts only which member differs. */
function detail(what: string, key: string, from: unknown, to: unknown): string {
  const isTold = key === "port" && typeof from === "number" && typeof to === "number";
  return isTold ? `port ${String(from)} → ${String(to)}` : keyOf(what, key);
}

/** What the configuration calls parts of the model, where that is another word. By the kind of thing, then for all. */
const KEYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  model: {
    auth: "access_key or credential",
    address: "base_url",
    authority: "base_url",
    path: "base_url",
    query: "api_version",
    dialect: "provider_interface",
    envelope: "provider_interface",
    configuredName: "name",
    ownSystemPrompt: "system_prompt",
    asksForUsage: "provider_interface",
    also: "limits.responses_api",
  },
  listener: { timeoutMs: "timeout" },
  "prompt target": {
    method: "endpoint.http_method",
    path: "endpoint.path",
    headers: "endpoint.http_headers",
    dispatches: "auto_llm_dispatch_on_response",
    isDefault: "default",
  },
  endpoint: { address: "endpoint", authority: "http_host", connectTimeoutMs: "connect_timeout" },
  setting: {
    defaultModel: "default model",
    retryBudget: "retry.budget",
    valuesVersion: "variables in files",
  },
};

/** `systemPrompt` → `system_prompt`. */
function keyOf(what: string, name: string): string {
  const key = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return KEYS[what]?.[name] ?? key;
}
