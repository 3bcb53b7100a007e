// The document that the filter gets as its VM configuration, and how it is made from the model.
import { FILTER_CONFIG_VERSION } from "../contract/words.ts";
import { clientNames } from "./config/names.ts";
import { filterPrompt } from "./filter-config-prompt.ts";
import type { FilterPrompt } from "./filter-config-prompt.ts";
import type { FilterRateLimit } from "./filter-config-rate-limits.ts";
import {
  filterRateLimits,
  rateLimitsOfName,
  rateLimitsOfTarget,
} from "./filter-config-rate-limits.ts";
import { effectiveLimits } from "./model-limits.ts";
import type {
  AuthKind,
  Dialect,
  GatewayModel,
  Listener,
  ModelLimits,
  ProviderHeader,
  Target,
} from "./model.ts";
import { clusterOf, clusterOfSet } from "./upstreams.ts";

/** What `filter/config/` reads. The same words, the same shapes: change both together. */
export interface FilterConfig {
  version: typeof FILTER_CONFIG_VERSION;
  targets: FilterTarget[];
  /** `ratelimits`; absent when there are none. */
  rate_limits?: FilterRateLimit[];
  /** One per target, in their order, then one per set of targets, then one per alias of one model with limits of its own. */
  routes: FilterRoute[];
  /** Everything a client may say in `model` or in the hint header → index into `routes`. `none` is not in it. */
  names: Record<string, number>;
  /** Index into `routes` for `model: none`. */
  default: number;
  /** A request body with more bytes is answered with 413. */
  largest_body: number;
  /** The answer to GET /v1/models, in order. */
  models: { id: string; owner: string }[];
  /** By listener: names of the environment variables with the keys of its clients. Absent when no listener has any. */
  api_keys?: Partial<Record<Listener["name"], string[]>>;
  /** Absent when there are neither prompt targets nor a guard. */
  prompt?: FilterPrompt;
  /** `overrides.strict_translation`. */
  strict_translation?: true;
}

export interface FilterRoute {
  /** Value of the `x-gateway-cluster` header. */
  cluster: string;
  /** Indices into `targets`; more than one means that the upstream filter chooses by endpoint metadata. */
  targets: number[];
  /** Indices of the limits of the name that stands for this route alone. */
  rate_limits?: number[];
}

export interface FilterTarget {
  name: string;
  model: string;
  dialect: Dialect;
  authority: string;
  path: string;
  auth: AuthKind;
  /** Environment variable with the key; absent for `none`. */
  key?: string;
  headers?: ProviderHeader[];
  system_prompt?: string;
  /** In its place behind a prompt target's own; absent when it is the same. */
  own_system_prompt?: string;
  asks_usage?: boolean;
  /** Only what differs from the filter's defaults (`filter/chat/request-limits.ts`). */
  limits?: Omit<ModelLimits, "stream_usage">;
  /** Indices of the limits of this model. */
  rate_limits?: number[];
}

/** The filter reads numbers of nine digits. */
const LARGEST_NUMBER = 999_999_999;

/** Pure; the same model gives the same document, byte for byte. Holds names of secrets, never their values. */
export function filterConfig(model: GatewayModel): FilterConfig {
  const sets = model.targetSets ?? [];
  const prompt = filterPrompt(model);
  const rateLimits = filterRateLimits(model);
  const limited = limitedAliases(model);
  return {
    version: FILTER_CONFIG_VERSION,
    targets: model.targets.map((target, index) => filterTarget(target, index, model)),
    ...(rateLimits.length === 0 ? {} : { rate_limits: rateLimits }),
    routes: [
      ...model.targets.map((target, index) => ({ cluster: clusterOf(target), targets: [index] })),
      ...sets.map((set) => ({
        cluster: clusterOfSet(set),
        targets: set.targets,
        ...limitsOfName(model, set.name),
      })),
      ...limited.map(({ name, index, target }) => ({
        cluster: clusterOf(target),
        targets: [index],
        ...limitsOfName(model, name),
      })),
    ],
    names: Object.fromEntries([
      ...clientNames(model).map(({ name, target }) => [name, target] as const),
      ...sets.map(({ name }, index) => [name, model.targets.length + index] as const),
      ...limited.map(
        ({ name }, index) => [name, model.targets.length + sets.length + index] as const,
      ),
    ]),
    default: model.defaultTarget,
    largest_body: Math.min(model.limits.requestBodyBytes, LARGEST_NUMBER),
    models: listedModels(model),
    ...apiKeys(model),
    ...(prompt === undefined ? {} : { prompt }),
    ...(model.strictTranslation === true ? { strict_translation: true } : {}),
  };
}

/** Aliases of one model that have limits: they need a route that is not the model's own. */
function limitedAliases(model: GatewayModel): { name: string; index: number; target: Target }[] {
  return model.aliases.flatMap(({ name, target: index }) => {
    const target = model.targets[index];
    const isLimited = rateLimitsOfName(model, name).length > 0;
    return target === undefined || !isLimited ? [] : [{ name, index, target }];
  });
}

function limitsOfName(model: GatewayModel, name: string): Pick<FilterRoute, "rate_limits"> {
  const indices = rateLimitsOfName(model, name);
  return indices.length === 0 ? {} : { rate_limits: indices };
}

function apiKeys({ ingress, egress }: GatewayModel): Pick<FilterConfig, "api_keys"> {
  const entries = [ingress, egress].flatMap(({ name, apiKeys: keys }) =>
    keys === undefined ? [] : [[name, keys] as const],
  );
  return entries.length === 0 ? {} : { api_keys: Object.fromEntries(entries) };
}

/** The name that is unique for each model, then the names that stand for models. */
function listedModels(model: GatewayModel): FilterConfig["models"] {
  const owner = (target: number | undefined): string =>
    model.targets[target ?? model.defaultTarget]?.provider ?? "";
  return [
    ...model.targets.map(({ name, provider }) => ({ id: name, owner: provider })),
    ...model.aliases.map(({ name, target }) => ({ id: name, owner: owner(target) })),
    ...(model.targetSets ?? []).map(({ name, targets }) => ({
      id: name,
      owner: owner(targets[0]),
    })),
  ];
}

function filterTarget(target: Target, index: number, model: GatewayModel): FilterTarget {
  const { auth, headers, systemPrompt, ownSystemPrompt } = target;
  const hasPrompt = model.prompt !== undefined;
  const limits = effectiveLimits(target.limits ?? {});
  const rateLimits = rateLimitsOfTarget(model, index);
  return {
    name: target.name,
    model: target.model,
    dialect: target.dialect,
    authority: target.authority,
    path: target.path,
    auth: auth.kind,
    ...(auth.environmentVariable === undefined ? {} : { key: auth.environmentVariable }),
    ...(headers.length === 0 ? {} : { headers }),
    ...(systemPrompt === undefined ? {} : { system_prompt: systemPrompt }),
    ...(!hasPrompt || ownSystemPrompt === undefined ? {} : { own_system_prompt: ownSystemPrompt }),
    ...(target.asksForUsage ? { asks_usage: true } : {}),
    ...(limits === undefined ? {} : { limits }),
    ...(rateLimits.length === 0 ? {} : { rate_limits: rateLimits }),
  };
}
