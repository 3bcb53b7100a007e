// What single models of OpenAI refuse, in the words of the real API (issues of November 2025 to September 2026).
import type { OpenaiRequest, Refusal } from "./openai-request.ts";

export interface Family {
  name: RegExp;
  /** Absent: `reasoning_effort` is no argument of theirs. */
  efforts?: string[];
  /** What they do when the request says nothing. */
  byDefault?: string;
  /** Sampling parameters with effort none. */
  samples?: true;
  /** Tools only with effort none. */
  refusesTools?: true;
  /** No chat completions at all. */
  isOnlyInResponses?: true;
  mostTokens?: number;
}

const UP_TO_HIGH = ["low", "medium", "high"];
const UP_TO_XHIGH = [...UP_TO_HIGH, "xhigh"];

/** The first that fits counts. */
const FAMILIES: Family[] = [
  { name: /search-(?:api|preview)|audio/, mostTokens: 16_384 },
  { name: /^o1-(?:mini|preview)/, efforts: [], byDefault: "medium" },
  { name: /^o[13]-pro/, efforts: UP_TO_HIGH, byDefault: "medium", isOnlyInResponses: true },
  {
    name: /^o[34].*deep-research/,
    efforts: ["medium"],
    byDefault: "medium",
    isOnlyInResponses: true,
  },
  {
    name: /^codex-mini|^computer-use|^gpt-daybreak/,
    efforts: UP_TO_HIGH,
    byDefault: "medium",
    isOnlyInResponses: true,
  },
  { name: /^o[134]/, efforts: UP_TO_HIGH, byDefault: "medium" },
  { name: /^gpt-5-chat/, mostTokens: 16_384 },
  { name: /^gpt-5\.\d-chat/, efforts: ["medium"], byDefault: "medium", mostTokens: 16_384 },
  { name: /^gpt-5-pro/, efforts: ["high"], byDefault: "high", isOnlyInResponses: true },
  {
    name: /^gpt-5\.\d-pro/,
    efforts: ["medium", "high", "xhigh"],
    byDefault: "medium",
    isOnlyInResponses: true,
  },
  {
    name: /^gpt-5\.1-codex-max|^gpt-5\.2-codex|spark/,
    efforts: UP_TO_XHIGH,
    byDefault: "medium",
    isOnlyInResponses: true,
  },
  {
    name: /^gpt-5(?:\.1)?-codex/,
    efforts: UP_TO_HIGH,
    byDefault: "medium",
    isOnlyInResponses: true,
  },
  {
    name: /^gpt-5\.3-codex/,
    efforts: ["none", ...UP_TO_XHIGH],
    byDefault: "none",
    samples: true,
    isOnlyInResponses: true,
  },
  { name: /^gpt-5(?:-|$)/, efforts: ["minimal", ...UP_TO_HIGH], byDefault: "medium" },
  { name: /^gpt-5\.1/, efforts: ["none", ...UP_TO_HIGH], byDefault: "none", samples: true },
  { name: /^gpt-5\.2/, efforts: ["none", ...UP_TO_XHIGH], byDefault: "none", samples: true },
  {
    name: /^gpt-5\.4/,
    efforts: ["none", ...UP_TO_XHIGH],
    byDefault: "none",
    samples: true,
    refusesTools: true,
  },
  {
    name: /^gpt-5\.[56]/,
    efforts: ["none", ...UP_TO_XHIGH],
    byDefault: "medium",
    samples: true,
    refusesTools: true,
  },
  {
    name: /^gpt-6-(?:sol|luna)|^gpt-6\.1-terra/,
    efforts: ["none", ...UP_TO_XHIGH, "max"],
    byDefault: "medium",
    refusesTools: true,
  },
  { name: /^gpt-6/, efforts: [...UP_TO_XHIGH, "max"], byDefault: "medium", refusesTools: true },
  { name: /^gpt-4o-2024-05-13|^gpt-4-turbo|^gpt-3\.5-turbo/, mostTokens: 4096 },
  { name: /^(?:chat)?gpt-4o/, mostTokens: 16_384 },
  { name: /^gpt-4\.1/, mostTokens: 32_768 },
];

export function familyOf(model: string): Family {
  return FAMILIES.find(({ name }) => name.test(model)) ?? { name: /^/ };
}

export function modelRefusal(request: OpenaiRequest): Refusal | undefined {
  const family = familyOf(request.model);
  if (family.isOnlyInResponses === true) return NOT_IN_CHAT;
  const tokens = request.max_completion_tokens ?? request.max_tokens ?? 0;
  const most = family.mostTokens;
  if (most !== undefined && tokens > most)
    return refuse(
      `max_tokens is too large: ${tokens}. This model supports at most ${most} completion tokens, whereas you provided ${tokens}.`,
      "max_tokens",
    );
  if (family.efforts === undefined)
    return request.reasoning_effort == null
      ? undefined
      : refuse("Unrecognized request argument supplied: reasoning_effort", null);
  return (
    effortRefusal(request, family) ??
    memberRefusal(request, family, family.efforts.length === 0) ??
    undefined
  );
}

/** https://github.com/docker/docker-agent/issues/313; https://github.com/alvinunreal/tmuxai/issues/82 */
const NOT_IN_CHAT: Refusal = {
  status: 404,
  message: "This model is only supported in v1/responses and not in v1/chat/completions.",
  param: "model",
  code: null,
};

function effortRefusal(request: OpenaiRequest, family: Family): Refusal | undefined {
  const { efforts = [], byDefault = "" } = family;
  const said = request.reasoning_effort;
  if (said != null && !efforts.includes(said))
    return unsupported(
      `Unsupported value: 'reasoning_effort' does not support '${said}' with this model. Supported values are: ${efforts.map((word) => `'${word}'`).join(", ")}.`,
      "reasoning_effort",
    );
  const hasTools = (request.tools?.length ?? 0) > 0;
  if (hasTools && family.refusesTools === true && (said ?? byDefault) !== "none")
    return refuse(
      `Function tools with reasoning_effort are not supported for ${request.model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
      "reasoning_effort",
    );
  return undefined;
}

function memberRefusal(
  request: OpenaiRequest,
  family: Family,
  refusesSystem: boolean,
): Refusal | undefined {
  if (request.max_tokens != null)
    return parameter("max_tokens", " Use 'max_completion_tokens' instead.");
  if (request.stop != null && !request.model.startsWith("o1")) return parameter("stop");
  const effort = request.reasoning_effort ?? family.byDefault;
  for (const member of ["temperature", "top_p"] as const) {
    const value = request[member];
    if (value == null || value === 1 || (family.samples === true && effort === "none")) continue;
    return unsupported(
      `Unsupported value: '${member}' does not support ${value} with this model. Only the default (1) value is supported.`,
      member,
    );
  }
  for (const member of [
    "logprobs",
    "presence_penalty",
    "frequency_penalty",
    "logit_bias",
  ] as const) {
    const value = request[member];
    if (value != null && value !== 0 && value !== false) return parameter(member);
  }
  if (request.model.startsWith("gpt-6") && request.prompt_cache_retention != null)
    return parameter("prompt_cache_retention");
  const system = request.messages.findIndex(
    ({ role }) => role === "system" || role === "developer",
  );
  if (!refusesSystem || system === -1) return undefined;
  return unsupported(
    `Unsupported value: 'messages[${system}].role' does not support 'system' with this model.`,
    `messages[${system}].role`,
  );
}

function parameter(name: string, more = ""): Refusal {
  return {
    ...refuse(`Unsupported parameter: '${name}' is not supported with this model.${more}`, name),
    code: "unsupported_parameter",
  };
}

function unsupported(message: string, param: string): Refusal {
  return { ...refuse(message, param), code: "unsupported_value" };
}

function refuse(message: string, param: string | null): Refusal {
  return { status: 400, message, param, code: null };
}
