// The known limits of providers of which little is known: each a few lines. `max_tokens` alone means that the provider is
// known to accept it, which is not known of `max_completion_tokens`.
import { MODEL_SIZES, upTo, type ProviderLimits } from "./model-families.ts";
import { MISTRAL_MODELS, MISTRAL_TEMPLATE } from "./mistral.ts";
import { ZHIPU } from "./zhipu.ts";
import { QWEN } from "./qwen.ts";
import { MOONSHOT } from "./moonshot.ts";

const PI = "npm @earendil-works/pi-ai 1.5.2";
const LITELLM = "https://github.com/BerriAI/litellm (1.109.1)";
const PYDANTIC = "https://github.com/pydantic/pydantic-ai (2.68.0)";

/** LiteLLM renames `max_completion_tokens` to `max_tokens` for it. */
const MAX_TOKENS: ProviderLimits = {
  everyModel: { limits: { max_tokens_member: "max_tokens" }, source: LITELLM },
};

export const OTHER_LIMITS: Readonly<Record<string, ProviderLimits>> = {
  zai: ZHIPU,
  qwen_intl: QWEN,
  qwen_token_plan: QWEN,
  moonshotai_cn: MOONSHOT,
  kimi_coding: {
    everyModel: {
      limits: {
        max_tokens_member: "max_tokens",
        developer_role: false,
        reasoning_content: true,
        needs_reasoning: "calls",
      },
      source: PI,
    },
  },
  minimax: { everyModel: { limits: { output_schema: false }, source: MODEL_SIZES } },
  minimax_cn: { everyModel: { limits: { output_schema: false }, source: MODEL_SIZES } },
  xiaomi_mimo: {
    everyModel: {
      limits: { max_tokens_member: "max_tokens", reasoning_content: true, output_schema: false },
      source: `${LITELLM}; ${PI}; ${MODEL_SIZES}`,
    },
  },
  meta: {
    // 400 for every `tool_choice` but auto; thinking cannot be switched off.
    everyModel: {
      limits: { forced_tools: "none", efforts: ["minimal", ...upTo("max")] },
      source: PYDANTIC,
    },
  },
  volcengine: {
    everyModel: {
      limits: { max_tokens_member: "max_tokens", reasoning_content: true },
      source: `${LITELLM}; ${MODEL_SIZES}`,
    },
  },
  fireworks_ai: {
    // 400 "Extra inputs are not permitted" for members that are not in its reference.
    everyModel: {
      limits: { developer_role: false, reasoning_content: true },
      source: PI,
    },
  },
  huggingface: { everyModel: { limits: { developer_role: false }, source: PI } },
  nvidia_nim: {
    // 400 "Unsupported parameter(s): `prompt_cache_key`"; on some models also for penalties and `n`.
    everyModel: {
      limits: {
        max_tokens_member: "max_tokens",
        developer_role: false,
        refuses: ["prompt_cache_key"],
      },
      source: `${LITELLM}; ${PI}; https://github.com/sipeed/picoclaw/issues/1019; https://github.com/anomalyco/opencode/issues/49240`,
    },
    families: [
      {
        models: MISTRAL_MODELS,
        limits: MISTRAL_TEMPLATE,
        source: "https://github.com/NousResearch/hermes-agent/issues/20154",
      },
    ],
  },
  baseten: {
    everyModel: {
      limits: {
        max_tokens_member: "max_tokens",
        developer_role: false,
        reasoning_content: true,
        refuses: ["store"],
      },
      source: PI,
    },
  },
  chutes: {
    everyModel: {
      limits: { max_tokens_member: "max_tokens", developer_role: false, refuses: ["store"] },
      source: PI,
    },
  },
  opencode: {
    everyModel: {
      limits: { max_tokens_member: "max_tokens", developer_role: false, refuses: ["store"] },
      source: PI,
    },
  },
  opencode_go: {
    everyModel: {
      limits: { max_tokens_member: "max_tokens", developer_role: false, refuses: ["store"] },
      source: PI,
    },
  },
  deepinfra: {
    // `tool_choice`: auto and none.
    everyModel: {
      limits: { max_tokens_member: "max_tokens", forced_tools: "none" },
      source: LITELLM,
    },
  },
  featherless: {
    everyModel: {
      limits: { max_tokens_member: "max_tokens", forced_tools: "none" },
      source: LITELLM,
    },
  },
  sambanova: {
    // Its models read the content of a message as text; LiteLLM flattens lists.
    everyModel: { limits: { max_tokens_member: "max_tokens" }, source: LITELLM },
  },
  github_copilot: {
    // A bare 400 for `max_tokens`.
    everyModel: {
      limits: { max_tokens_member: "max_completion_tokens", developer_role: false },
      source: `${PYDANTIC}; ${PI}`,
    },
  },
  cloudflare_workers_ai: {
    everyModel: {
      limits: { max_tokens_member: "max_completion_tokens", developer_role: false },
      source: PI,
    },
  },
  cloudflare_ai_gateway: {
    everyModel: {
      limits: {
        max_tokens_member: "max_tokens",
        developer_role: false,
        efforts: [],
        refuses: ["store"],
      },
      source: PI,
    },
  },
  databricks: MAX_TOKENS,
  ai21: MAX_TOKENS,
  cohere: MAX_TOKENS,
  crusoe: MAX_TOKENS,
  friendli: MAX_TOKENS,
  nano_gpt: MAX_TOKENS,
  nebius: MAX_TOKENS,
  novita: MAX_TOKENS,
  nscale: MAX_TOKENS,
  perplexity: {
    // Every model searches for every request; the options limit where.
    everyModel: {
      limits: { ...MAX_TOKENS.everyModel?.limits, web_search: "options" },
      source: `${MAX_TOKENS.everyModel?.source ?? ""}; https://docs.perplexity.ai/docs/sonar/openai-compatibility`,
    },
  },
  poe: MAX_TOKENS,
  sarvam: MAX_TOKENS,
  synthetic: MAX_TOKENS,
};
