// The known limits of Google's models: at the OpenAI-compatible endpoint, and in their own API.
import type { ModelLimits } from "../../../model/model-limits.ts";
import type { ProviderLimits } from "./model-families.ts";

/** At the OpenAI-compatible endpoint. */
export const GEMINI_CHAT: ProviderLimits = {
  // 400 'Unknown name "prompt_cache_key": Cannot find field.'
  everyModel: {
    limits: { refuses: ["prompt_cache_key", "store"] },
    source:
      "https://github.com/liliMozi/openhanako/issues/2494; https://github.com/liliMozi/openhanako/issues/394",
  },
};

const THINKING = "https://ai.google.dev/gemini-api/docs/thinking";
const SIGNATURES = "https://ai.google.dev/gemini-api/docs/thought-signatures";
const GOOGLE_SEARCH = "https://ai.google.dev/gemini-api/docs/google-search";
const SCHEMAS = "https://ai.google.dev/gemini-api/docs/structured-output";
const SDK = "npm @ai-sdk/google 3.0.141";
const MODEL_MAP = "https://pypi.org/project/litellm/1.110.2 (model map)";

/** Models before 2.5. */
const OLD: ModelLimits = { thinking: "none", tool_calls: "plain", json_schema: false };

/** Models without `googleSearch`, of which 1.5 has another tool, and without the other tools that Google runs. */
const NO_SEARCH: ModelLimits = { web_search: "none", server_tools: [] };

/** Gemma before 4: no system instruction, no tools, no JSON mode. */
const OLD_GEMMA: ModelLimits = {
  ...OLD,
  ...NO_SEARCH,
  system_role: "none",
  output_schema: false,
  efforts: [],
};

/** 2.5: a budget, and 400 "Penalty is not enabled for this model". */
const BUDGET: ModelLimits = {
  thinking: "budget",
  tool_calls: "plain",
  refuses: ["presence_penalty", "frequency_penalty"],
};

/** 400 "Multiple candidates is not enabled for this model", "Logprobs is not enabled for this model". */
const NO_CHOICES = ["n"];
const NO_LOGPROBS = ["logprobs", "top_logprobs"];
const CANDIDATES =
  "https://github.com/googleapis/js-genai/issues/1609; https://github.com/googleapis/python-genai/issues/1723";
const LOGPROBS =
  "https://github.com/GoogleCloudPlatform/generative-ai/issues/2947; https://github.com/omeryasirkucuk/amx/pull/55";

/** In the API of the Gemini API and of Vertex AI. Newer models, and unknown ones, have no row: they support everything. */
export const GEMINI: ProviderLimits = {
  everyModel: {
    limits: { server_tools: ["code_execution", "web_fetch"] },
    source: `https://ai.google.dev/gemini-api/docs/code-execution; https://ai.google.dev/gemini-api/docs/url-context; ${SDK}`,
  },
  families: [
    {
      models: ["gemini-1*"],
      limits: { ...OLD, ...NO_SEARCH },
      source: `${SCHEMAS}; ${GOOGLE_SEARCH}; ${SDK}`,
    },
    {
      models: ["gemini-2.0*"],
      limits: { ...OLD, server_tools: ["code_execution"] },
      source: `${SCHEMAS}; ${SDK}`,
    },
    {
      models: ["gemini-2.5-flash-image*"],
      limits: { ...BUDGET, thinking: "none", ...NO_SEARCH },
      source: `${THINKING}; ${GOOGLE_SEARCH}; ${SDK}`,
    },
    {
      // Its input is 8,192 tokens, less than its output, so that the catalogue gives no maximum.
      models: ["gemini-2.5-pro-preview-tts*"],
      limits: { ...BUDGET, thinking_off: "none", max_output_tokens: 16_384, ...NO_SEARCH },
      source: `${THINKING}; ${MODEL_MAP}`,
    },
    {
      models: ["gemini-2.5-pro*"],
      limits: { ...BUDGET, thinking_off: "none" },
      source: `${THINKING}; ${SDK}`,
    },
    { models: ["gemini-2.5*"], limits: BUDGET, source: `${THINKING}; ${SDK}` },
    {
      models: ["gemini-3-pro*"],
      limits: { efforts: ["low", "high"], refuses: NO_CHOICES },
      source: `${THINKING}; ${SIGNATURES}; ${CANDIDATES}`,
    },
    {
      // From Flash 3.7 on the least is low.
      models: ["gemini-3-flash*", "gemini-3.1-flash*", "gemini-3.5-flash*"],
      limits: {
        efforts: ["minimal", "low", "medium", "high"],
        refuses: [...NO_CHOICES, ...NO_LOGPROBS],
      },
      source: `${THINKING}; ${SIGNATURES}; ${SDK}; ${CANDIDATES}; ${LOGPROBS}`,
    },
    {
      models: ["gemini-3.6*", "gemini-3.7*", "gemini-3.8*", "gemini-4*", "gemini-flash-latest"],
      limits: { refuses: [...NO_CHOICES, ...NO_LOGPROBS] },
      source: `${CANDIDATES}; ${LOGPROBS}`,
    },
    {
      // System instruction, tools and schemas; 400 for the levels low and medium.
      models: ["gemma-4*"],
      limits: { tool_calls: "plain", efforts: ["minimal", "high"], ...NO_SEARCH },
      source: `${MODEL_MAP}; https://github.com/earendil-works/pi/issues/2812; https://github.com/simonw/llm-gemini/pull/130`,
    },
    {
      models: ["gemini-gemma-2*", "gemma-2*"],
      limits: { ...OLD_GEMMA, max_output_tokens: 8192 },
      source: `${SDK}; ${MODEL_MAP}`,
    },
    { models: ["gemma*"], limits: OLD_GEMMA, source: SDK },
  ],
};

/** The Gemini API: Gemini 3 supports a search beside functions. Vertex AI rejects the member that it requires. */
export const GEMINI_API: ProviderLimits = {
  ...GEMINI,
  everyModel: {
    limits: { ...GEMINI.everyModel?.limits, tool_calls: "mixed" },
    source: `https://ai.google.dev/gemini-api/docs/tool-combination; npm @google/genai 2.32.0; ${SDK}; https://github.com/vercel/ai/issues/14655`,
  },
};
