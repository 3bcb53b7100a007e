// The document that the filter gets as its VM configuration, and how it is made from the model.
import { createHash } from "node:crypto";
import { NO_CREDENTIAL } from "../../contract/credentials.ts";
import { FILTER_CONFIG_VERSION } from "../../contract/words.ts";
import { takesKeyRows } from "../keys.ts";
import { isLoopback, urlOf } from "../listener-url.ts";
import { clientNames, isWildcard } from "../model-names.ts";
import { filterBudgets, hasUsageRecords } from "./document-budgets.ts";
import { filterGuards } from "./document-guards.ts";
import { filterPrices } from "./document-prices.ts";
import { filterKeys, filterTokens, isInAllowList } from "./document-client-keys.ts";
import { filterSessions, hasChoice, keepsSessions } from "./document-sessions.ts";
import { listedModels } from "./listed-models.ts";
import { filterPrompt } from "./document-prompt.ts";
import type { FilterConfig, FilterRoute, FilterTarget } from "./document-types.ts";
import { filterWildcards, wildcardFamilies } from "./wildcards.ts";
import { filterRateLimits, rateLimitsOfName, rateLimitsOfTarget } from "./rate-limits.ts";
import { effectiveLimits } from "../model-limits.ts";
import { knownProvider } from "../model.ts";
import type { Alias, GatewayModel, Target, TargetSet } from "../model.ts";
import { providerWord } from "../provider-words.ts";
import { policyName } from "../retry-policies.ts";
import { attemptCluster, clusterOf } from "../upstreams.ts";

/** The filter reads numbers of nine digits. */
const MAX_NUMBER = 999_999_999;

/** Pure; the same model gives the same document, byte for byte. Holds names of secrets, never their values. */
export function filterConfig(model: GatewayModel): FilterConfig {
  const document = documentOf(model);
  const { routes, targets } = document;
  const generation = hashOf(document, model);
  const name = (plain: string) => inGeneration(plain, generation);
  return {
    ...document,
    targets: targets.map((target) =>
      target.attempt_cluster === undefined
        ? target
        : { ...target, attempt_cluster: name(target.attempt_cluster) },
    ),
    routes: routes.map((route) =>
      route.retry === undefined ? route : { ...route, cluster: name(route.cluster) },
    ),
  };
}

/**
 * Which virtual machine a request with several attempts belongs to: a reload makes another one, and the filter of the
 * next attempt has to find the request that the filter of the listener has begun. Names that lead from one to the other
 * hold it, so that both are always of the same configuration.
 */
export function generationOf(model: GatewayModel): string {
  return hashOf(documentOf(model), model);
}

function hashOf(document: FilterConfig, { valuesVersion = "" }: GatewayModel): string {
  const text = JSON.stringify(document) + valuesVersion;
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** `attempt/api.example.com:443/bearer@1f2e3d4c`. */
export function inGeneration(name: string, generation: string): string {
  return `${name}@${generation}`;
}

function tokensOf(model: GatewayModel): Pick<FilterConfig, "tokens"> {
  const tokens = filterTokens(model);
  return tokens === undefined ? {} : { tokens };
}

function contentOf({ observability }: GatewayModel): Pick<FilterConfig, "content"> {
  const rules = observability?.content;
  if (rules === undefined) return {};
  return { content: { max_bytes: rules.maxBytes, redact_headers: rules.redactHeaders } };
}

/** A link to a page with a token could lead whoever follows it to type the token into another process's form. */
function pageOf({ ingress, egress, observability }: GatewayModel): Pick<FilterConfig, "page"> {
  if (observability === undefined || observability.metrics.tokenVariable !== undefined) return {};
  const isPrivate = [ingress, egress, observability.metrics].every(({ address }) =>
    isLoopback(address),
  );
  return isPrivate ? { page: urlOf(observability.metrics) } : {};
}

function documentOf(model: GatewayModel): FilterConfig {
  const sets = model.targetSets ?? [];
  const named = sets.filter((set) => "name" in set);
  const prompt = filterPrompt(model);
  const rateLimits = filterRateLimits(model.rateLimits, model.targets);
  const separate = separateAliases(model);
  const families = wildcardFamilies(model);
  const firstFamily = model.targets.length + named.length + separate.length;
  const wildcards = filterWildcards(model, families, firstFamily);
  const prices = filterPrices(model);
  const targetOf = (target: Target, index: number): FilterTarget => ({
    ...filterTarget(target, index, model),
    ...prices.of(index),
  });
  const routes: FilterRoute[] = [
    ...model.targets.map((_, index) => routeOfTarget(index, model)),
    ...named.map((set) => ({ ...routeOfSet(set, model), ...limitsOfName(model, set.name) })),
    ...separate.map(({ name, target }) => ({
      ...routeOfTarget(target, model),
      ...limitsOfName(model, name),
    })),
    ...families.map(({ of }, index) => {
      const route = routeOfTarget(of, model);
      const [, ...others] = route.targets;
      return { ...route, targets: [model.targets.length + index, ...others] };
    }),
  ];
  const names = Object.fromEntries([
    ...clientNames(model).map(({ name, target }) => [name, target] as const),
    ...named.map(({ name }, index) => [name, model.targets.length + index] as const),
    ...separate.map(
      ({ name }, index) => [name, model.targets.length + named.length + index] as const,
    ),
  ]);
  const models = listedModels(model);
  const known = { names, models, routes, families, firstFamily };
  const keys = filterKeys(model, known);
  return {
    version: FILTER_CONFIG_VERSION,
    ...tokensOf(model),
    targets: [
      ...model.targets.map(targetOf),
      ...families.map(({ target, of }) => targetOf(target, of)),
    ],
    ...(rateLimits.length === 0 ? {} : { rate_limits: rateLimits }),
    ...(model.rateLimitService === undefined ? {} : { rate_limit_service: true as const }),
    routes,
    ...namesAndPatterns(names),
    ...(wildcards.length === 0 ? {} : { wildcards }),
    default: model.defaultTarget,
    largest_body: Math.min(model.limits.requestBodyBytes, MAX_NUMBER),
    models,
    ...(keys === undefined ? {} : { api_keys: keys }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(hasUsageRecords(model) ? { usage_records: true as const } : {}),
    ...money(model),
    ...(prices.lists.length === 0 ? {} : { price_lists: prices.lists }),
    ...filterSessions(model),
    ...traces(model),
    ...contentOf(model),
    ...filterGuards(model, known),
    ...pageOf(model),
    ...(model.strictTranslation === true ? { strict_translation: true } : {}),
  };
}

/** Returns the names with those of aliases for all names that begin alike apart. */
function namesAndPatterns(
  all: Readonly<Record<string, number>>,
): Pick<FilterConfig, "names" | "patterns"> {
  const entries = Object.entries(all);
  const patterns = entries
    .filter(([name]) => isWildcard(name))
    .map(([name, route]) => ({ prefix: name.slice(0, -1), route }))
    .sort((one, other) => other.prefix.length - one.prefix.length);
  const names = Object.fromEntries(entries.filter(([name]) => !isWildcard(name)));
  return { names, ...(patterns.length === 0 ? {} : { patterns }) };
}

function money(
  model: GatewayModel,
): Pick<FilterConfig, "budgets" | "cost_header" | "run_time_keys"> {
  const budgets = filterBudgets(model);
  return {
    ...(takesKeyRows(model) ? { run_time_keys: true } : {}),
    ...(budgets.length === 0 ? {} : { budgets }),
    ...(model.observability?.costHeader === true ? { cost_header: true } : {}),
  };
}

function traces({ tracing }: GatewayModel): Pick<FilterConfig, "traces"> {
  if (tracing === undefined) return {};
  const { sampled, followsParent } = tracing;
  return { traces: { sampled, ...(followsParent ? { follows_parent: true } : {}) } };
}

/** Aliases of one model with limits, or in an allow-list: they need a route that is not the model's own. */
function separateAliases(model: GatewayModel): Alias[] {
  return model.aliases.filter(
    ({ name }) => rateLimitsOfName(model, name).length > 0 || isInAllowList(model, name),
  );
}

function limitsOfName(model: GatewayModel, name: string): Pick<FilterRoute, "rate_limits"> {
  const indices = rateLimitsOfName(model, name);
  return indices.length === 0 ? {} : { rate_limits: indices };
}

/** Whether a target is one of those that a request may come to after another. */
function isAttempted(target: number, { targetSets = [] }: GatewayModel): boolean {
  return targetSets.some((set) => set.targets.includes(target));
}

/** A target alone, or what its own names mean besides it. */
function routeOfTarget(index: number, model: GatewayModel): FilterRoute {
  const target = model.targets[index];
  const set = model.targetSets?.find((one) => "of" in one && one.of === index);
  if (set !== undefined) return routeOfSet(set, model);
  return { cluster: target === undefined ? "" : clusterOf(target), targets: [index] };
}

function routeOfSet(set: TargetSet, model: GatewayModel): FilterRoute {
  const { targets, weights, balance, retry } = set;
  return {
    cluster: policyName(set, model),
    targets,
    retry: {
      ...(weights === undefined ? {} : { weights }),
      attempts: retry.attempts,
      statuses: retry.statuses,
      ...(retry.afterContextLength === true ? { context_length: true as const } : {}),
      ...(hasChoice(set, model) && !keepsSessions(set, model) ? { affinity: "off" as const } : {}),
      ...(balance === undefined ? {} : { balance }),
    },
  };
}

function filterTarget(target: Target, index: number, model: GatewayModel): FilterTarget {
  const { auth, headers, systemPrompt, ownSystemPrompt } = target;
  const hasPrompt = model.prompt !== undefined;
  const limits = effectiveLimits(target.limits ?? {});
  const rateLimits = rateLimitsOfTarget(model, index);
  return {
    name: target.name,
    model: target.model,
    ...(target.wildcard === undefined ? {} : { is_wildcard: true as const }),
    dialect: target.dialect,
    authority: target.authority,
    path: target.path,
    ...(target.query === undefined ? {} : { query: target.query }),
    ...(target.envelope === undefined ? {} : { envelope: target.envelope }),
    ...(target.also === undefined ? {} : { also: target.also }),
    ...(auth.passesClientKey === true
      ? { auth: NO_CREDENTIAL.name, passes_client_key: true }
      : { auth: auth.kind }),
    ...(auth.environmentVariable === undefined
      ? {}
      : { keys: [auth.environmentVariable, ...(auth.otherVariables ?? [])] }),
    ...(isAttempted(index, model)
      ? { cluster: clusterOf(target), attempt_cluster: attemptCluster(clusterOf(target)) }
      : {}),
    ...(headers.length === 0 ? {} : { headers }),
    ...(target.decompresses === true ? { decompresses: true as const } : {}),
    ...(systemPrompt === undefined ? {} : { system_prompt: systemPrompt }),
    ...(!hasPrompt || ownSystemPrompt === undefined ? {} : { own_system_prompt: ownSystemPrompt }),
    ...(target.promptCaching === undefined ? {} : { prompt_caching: target.promptCaching }),
    ...(target.policies === undefined ? {} : { policies: target.policies }),
    ...(target.streamPolicies === undefined ? {} : { stream_policies: target.streamPolicies }),
    ...(target.asksForUsage ? { asks_usage: true } : {}),
    ...(limits === undefined ? {} : { limits }),
    ...(rateLimits.length === 0 ? {} : { rate_limits: rateLimits }),
    ...(model.tracing === undefined ? {} : { trace_provider: providerWord(knownProvider(target)) }),
  };
}
