// The prompt targets and the guard in the filter's document.
import type { GatewayModel, RateLimit } from "../model.ts";
import type { ParameterType, PromptParameter, PromptTarget } from "../prompts.ts";
import { filterRateLimits, rateLimitsOfPromptTarget } from "./rate-limits.ts";
import type { FilterParameter, FilterPrompt } from "./document-types.ts";

/** The internal listener and the cluster that leads to it. */
export const INTERNAL_CLUSTER = "internal";
export const MODEL_SERVER_CLUSTER = "model_server";

/** The cluster of an endpoint. Its name is a plain word: the configuration takes no other. */
export function clusterOfEndpoint(name: string): string {
  return `endpoint/${name}`;
}

/** Undefined when the model has neither targets nor a guard. */
export function filterPrompt(model: GatewayModel): FilterPrompt | undefined {
  const { prompt, ingress, egress } = model;
  if (prompt === undefined) return undefined;
  const authorities = new Map(prompt.endpoints.map(({ name, authority }) => [name, authority]));
  const { guard, targets } = prompt;
  return {
    ...(guard === undefined
      ? {}
      : {
          guard: {
            message: guard.message,
            fails_open: guard.failsOpen,
            on_ingress: guard.listeners.includes("ingress"),
            on_egress: guard.listeners.includes("egress"),
          },
        }),
    timeout_ms: ingress.timeoutMs,
    egress_timeout_ms: egress.timeoutMs,
    ...(prompt.mcp === true ? { tools: true } : {}),
    ...(targets.every(({ isDefault }) => isDefault)
      ? {}
      : { zeroshot_members: zeroshotMembers(targets) }),
    ...(prompt.rateLimits === undefined
      ? {}
      : { rate_limits: filterRateLimits(prompt.rateLimits) }),
    targets: targets.map((target) => ({
      name: target.name,
      cluster: clusterOfEndpoint(target.endpoint),
      authority: authorities.get(target.endpoint) ?? target.endpoint,
      method: target.method,
      path: target.path,
      headers: target.headers,
      parameters: target.parameters.map(filterParameter),
      tool: JSON.stringify(toolOf(target)),
      ...(target.systemPrompt === undefined ? {} : { system_prompt: target.systemPrompt }),
      is_default: target.isDefault,
      dispatches: target.dispatches,
      ...limitsOf(target.name, prompt.rateLimits ?? []),
    })),
  };
}

function limitsOf(name: string, limits: readonly RateLimit[]): { rate_limits?: number[] } {
  const own = rateLimitsOfPromptTarget(limits, name);
  return own.length === 0 ? {} : { rate_limits: own };
}

/** What /zeroshot needs to know of the targets. The default one is for prompts that fit none, so it is no label. */
function zeroshotRequest(targets: readonly PromptTarget[]) {
  const chosen = targets.filter(({ isDefault }) => !isDefault);
  const by = <Value>(valueOf: (target: PromptTarget) => Value) =>
    Object.fromEntries(chosen.map((target) => [target.name, valueOf(target)]));
  return {
    labels: chosen.map(({ name }) => name),
    descriptions: by(({ description }) => description),
    examples: by(({ examples }) => examples),
    parameters: by(({ parameters }) => parameters.map(({ name }) => name)),
  };
}

function zeroshotMembers(targets: readonly PromptTarget[]): string {
  return JSON.stringify(zeroshotRequest(targets)).slice(1, -1);
}

function filterParameter(parameter: PromptParameter): FilterParameter {
  const { name, inPath, allowsSlashes } = parameter;
  return {
    name,
    in_path: inPath,
    ...(allowsSlashes === true ? { allow_slashes: true } : {}),
    ...(parameter.default === undefined ? {} : { default_json: JSON.stringify(parameter.default) }),
  };
}

/** JSON Schema's names of the types. */
export const JSON_TYPES: Record<ParameterType, string> = {
  str: "string",
  int: "integer",
  float: "number",
  bool: "boolean",
  list: "array",
  dict: "object",
};

/** @see https://platform.openai.com/docs/guides/function-calling */
function toolOf({ name, description, parameters }: PromptTarget) {
  return {
    type: "function",
    function: {
      name,
      description,
      parameters: {
        type: "object",
        properties: Object.fromEntries(parameters.map((one) => [one.name, propertyOf(one)])),
        required: parameters.filter(({ required }) => required).map((one) => one.name),
      },
    },
  };
}

function propertyOf(parameter: PromptParameter) {
  const { description, type, format } = parameter;
  return {
    type: JSON_TYPES[type],
    description,
    // JSON Schema asks for it (draft 2020-12, section 10.3.1.2), and so do providers.
    ...(type === "list" ? { items: {} } : {}),
    ...(parameter.enum === undefined ? {} : { enum: parameter.enum }),
    ...(format === undefined ? {} : { format }),
    ...(parameter.default === undefined ? {} : { default: parameter.default }),
  };
}
