// The known limits of OpenAI's models.
import type { ModelLimits } from "../../../model/model-limits.ts";
import { family, upTo, MODEL_SIZES, type ProviderLimits } from "./model-families.ts";

const OPENAI_REASONING_GUIDE = "https://developers.openai.com/api/docs/guides/reasoning";

const OPENAI_EFFORTS = `${OPENAI_REASONING_GUIDE}; https://community.openai.com/t/1371738`;

/** Efforts of chat, codex and pro models; its authors tried the models that are served today with the real API. */
const TRIED_EFFORTS = "https://github.com/pydantic/pydantic-ai (profiles/openai.py of 2.68.0)";

const CODEX_EFFORTS = "https://github.com/ben-vargas/ai-sdk-provider-codex-cli/issues/8";

/** A model that does not reason: `include: ["reasoning.encrypted_content"]` is a 400, too. */
const PLAIN: ModelLimits = { efforts: [], reasons_by_default: false };

const ENCRYPTED_REASONING = "https://github.com/pydantic/pydantic-ai/issues/2865";

/** Every reasoning model of OpenAI. */
const OPENAI_REASONING: ModelLimits = {
  max_tokens_member: "max_completion_tokens",
  sampling: "none",
  refuses: ["presence_penalty", "frequency_penalty", "logit_bias"],
};

/** GPT-5 and newer refuse `stop` too. */
const GPT_5: ModelLimits = { ...OPENAI_REASONING, stop: false, max_output_tokens: 128_000 };

const GPT_6: ModelLimits = {
  ...GPT_5,
  refuses: [...(OPENAI_REASONING.refuses ?? []), "prompt_cache_retention"],
};

/** Models without chat completions return 404 there (docker/docker-agent#313). */
const RESPONSES_ONLY = "https://pypi.org/project/litellm/1.106.2 (model map: supported_endpoints)";

/** Models without the Responses API; its author compared the tables of endpoints at developers.openai.com. */
const CHAT_ONLY = "https://github.com/truefoundry/models/pull/2006";

/** Models that search for every request. */
const SEARCH: ModelLimits = {
  ...PLAIN,
  max_tokens_member: "max_completion_tokens",
  max_output_tokens: 16_384,
  apis: "chat",
  web_search: "options",
};

export const OPENAI: ProviderLimits = {
  families: [
    {
      models: ["gpt-5-search-api*"],
      limits: SEARCH,
      source: CHAT_ONLY,
    },
    {
      // 400 "Model incompatible request arguments supplied: frequency_penalty, presence_penalty, temperature, top_p".
      models: ["gpt-4o-search-preview*", "gpt-4o-mini-search-preview*"],
      limits: { ...SEARCH, sampling: "none", refuses: ["presence_penalty", "frequency_penalty"] },
      source: `${CHAT_ONLY}; https://github.com/vercel/ai/pull/5647; https://github.com/ChatGPTNextWeb/NextChat/issues/6569`,
    },
    {
      models: ["gpt-audio*", "gpt-4o-audio*", "gpt-4o-mini-audio*"],
      limits: { ...PLAIN, max_output_tokens: 16_384, apis: "chat" },
      source: CHAT_ONLY,
    },
    {
      models: family("o1-mini", "o1-preview"),
      limits: { ...OPENAI_REASONING, system_role: "none", stop: false, efforts: [], apis: "chat" },
      source: `${OPENAI_REASONING_GUIDE}; API: ${CHAT_ONLY}`,
    },
    {
      models: family("o1-pro", "o3-pro"),
      limits: {
        ...OPENAI_REASONING,
        stop: false,
        efforts: upTo("high"),
        max_output_tokens: 100_000,
        apis: "responses",
      },
      source: `${OPENAI_EFFORTS}; API: ${RESPONSES_ONLY}`,
    },
    {
      models: family("o3-deep-research", "o4-mini-deep-research"),
      limits: {
        ...OPENAI_REASONING,
        stop: false,
        efforts: ["medium"],
        max_output_tokens: 100_000,
        apis: "responses",
      },
      source: `${TRIED_EFFORTS}; API: ${RESPONSES_ONLY}`,
    },
    {
      models: ["codex-mini*"],
      limits: {
        ...OPENAI_REASONING,
        stop: false,
        efforts: upTo("high"),
        max_output_tokens: 100_000,
        apis: "responses",
      },
      source: `${OPENAI_EFFORTS}; API: ${RESPONSES_ONLY}`,
    },
    {
      models: ["computer-use-preview*"],
      limits: {
        ...OPENAI_REASONING,
        stop: false,
        efforts: upTo("high"),
        max_output_tokens: 1024,
        apis: "responses",
      },
      source: RESPONSES_ONLY,
    },
    {
      models: family("o1"),
      limits: { ...OPENAI_REASONING, efforts: upTo("high"), max_output_tokens: 100_000 },
      source: OPENAI_EFFORTS,
    },
    {
      models: family("o3", "o3-mini", "o4-mini"),
      limits: {
        ...OPENAI_REASONING,
        stop: false,
        efforts: upTo("high"),
        max_output_tokens: 100_000,
      },
      source: `${OPENAI_EFFORTS}; stop: https://platform.openai.com/docs/api-reference/chat/create`,
    },
    {
      models: ["gpt-5-chat*"],
      limits: {
        ...PLAIN,
        max_tokens_member: "max_completion_tokens",
        max_output_tokens: 16_384,
      },
      source: `${TRIED_EFFORTS}; ${ENCRYPTED_REASONING}; ${MODEL_SIZES}`,
    },
    {
      models: ["gpt-5.1-chat*", "gpt-5.2-chat*", "gpt-5.3-chat*"],
      limits: { ...GPT_5, efforts: ["medium"], max_output_tokens: 16_384 },
      source: `${TRIED_EFFORTS}; ${MODEL_SIZES}`,
    },
    {
      models: family("gpt-5-pro"),
      limits: { ...GPT_5, efforts: ["high"], apis: "responses" },
      source: `${TRIED_EFFORTS}; API: ${RESPONSES_ONLY}`,
    },
    {
      models: family("gpt-5.2-pro", "gpt-5.4-pro", "gpt-5.5-pro"),
      limits: { ...GPT_5, efforts: ["medium", "high", "xhigh"], apis: "responses" },
      source: `${TRIED_EFFORTS}; API: ${RESPONSES_ONLY}`,
    },
    {
      models: family("gpt-5.1-codex-max", "gpt-5.2-codex"),
      limits: { ...GPT_5, efforts: upTo("xhigh"), apis: "responses" },
      source: `${CODEX_EFFORTS}; API: ${RESPONSES_ONLY}`,
    },
    {
      models: family("gpt-5-codex", "gpt-5.1-codex"),
      limits: { ...GPT_5, efforts: upTo("high"), apis: "responses" },
      source: `${CODEX_EFFORTS}; API: ${RESPONSES_ONLY}`,
    },
    {
      models: family("gpt-5.3-codex-spark"),
      limits: { ...GPT_5, efforts: upTo("xhigh"), max_output_tokens: 32_000, apis: "responses" },
      source: "npm @earendil-works/pi-ai 1.5.2 (API: openai-responses)",
    },
    {
      models: family("gpt-5.3-codex"),
      limits: {
        ...GPT_5,
        sampling: "without_reasoning",
        efforts: ["none", ...upTo("xhigh")],
        reasons_by_default: false,
        apis: "responses",
      },
      source: `${TRIED_EFFORTS}; npm @earendil-works/pi-ai 1.5.2; API: ${RESPONSES_ONLY}`,
    },
    {
      models: family("gpt-5"),
      limits: { ...GPT_5, efforts: ["minimal", ...upTo("high")] },
      source: OPENAI_EFFORTS,
    },
    {
      models: family("gpt-5.1"),
      limits: {
        ...GPT_5,
        sampling: "without_reasoning",
        efforts: ["none", ...upTo("high")],
        reasons_by_default: false,
      },
      source: `${OPENAI_EFFORTS}; sampling: https://github.com/vercel/ai/issues/10932`,
    },
    {
      models: family("gpt-5.2"),
      limits: {
        ...GPT_5,
        sampling: "without_reasoning",
        efforts: ["none", ...upTo("xhigh")],
        reasons_by_default: false,
      },
      source: OPENAI_EFFORTS,
    },
    {
      models: family("gpt-5.4"),
      limits: {
        ...GPT_5,
        sampling: "without_reasoning",
        efforts: ["none", ...upTo("xhigh")],
        reasons_by_default: false,
        reasoning_with_tools: false,
      },
      source: `${MODEL_SIZES}; tools: https://github.com/openai/openai-openapi/issues/541`,
    },
    {
      models: family("gpt-5.5"),
      limits: {
        ...GPT_5,
        sampling: "without_reasoning",
        efforts: ["none", ...upTo("xhigh")],
        reasoning_with_tools: false,
      },
      source: `${MODEL_SIZES}; tools: https://github.com/charmbracelet/crush/issues/2913`,
    },
    {
      // The Responses API has max too; chat completions reject it (https://github.com/mnfst/modelparams.dev/pull/236).
      models: family("gpt-5.6"),
      limits: {
        ...GPT_5,
        sampling: "without_reasoning",
        efforts: ["none", ...upTo("xhigh")],
        responses_efforts: ["none", ...upTo("max")],
        reasoning_with_tools: false,
      },
      source:
        "https://github.com/livekit/agents/pull/7169; max: npm @earendil-works/pi-ai 1.6.0, https://github.com/enricoros/big-AGI/issues/1159; tools: https://github.com/BerriAI/litellm/pull/34569",
    },
    {
      models: family("gpt-6-sol", "gpt-6-luna", "gpt-6.1-terra"),
      limits: { ...GPT_6, efforts: ["none", ...upTo("max")], reasoning_with_tools: false },
      source:
        "npm @ai-sdk/openai 3.0.141; tools: https://github.com/onyx-dot-app/onyx/issues/15008",
    },
    {
      // Chat completions reject tools at any effort (https://github.com/genkit-ai/genkit/pull/6303).
      models: family("gpt-6-astra", "gpt-6.1-sol", "gpt-6.2-astra", "gpt-6.2-sol", "gpt-6-cyber"),
      limits: { ...GPT_6, efforts: upTo("max"), reasoning_with_tools: false },
      source:
        "npm @ai-sdk/openai 3.0.141; https://github.com/bolna-ai/bolna/pull/1019; 6.2 and cyber: npm @earendil-works/pi-ai 1.6.0",
    },
    {
      models: ["gpt-daybreak*"],
      limits: { ...GPT_5, efforts: upTo("high"), apis: "responses" },
      source: RESPONSES_ONLY,
    },
    {
      models: ["gpt-4o-2024-05-13"],
      limits: { ...PLAIN, max_output_tokens: 4096, output_schema: false },
      source: `${MODEL_SIZES}; ${ENCRYPTED_REASONING}; https://platform.openai.com/docs/guides/structured-outputs`,
    },
    {
      models: family("gpt-4o", "chatgpt-4o"),
      limits: { ...PLAIN, max_output_tokens: 16_384 },
      source: `${MODEL_SIZES}; ${ENCRYPTED_REASONING}`,
    },
    {
      models: family("gpt-4.1"),
      limits: { ...PLAIN, max_output_tokens: 32_768 },
      source: `${MODEL_SIZES}; ${ENCRYPTED_REASONING}`,
    },
    {
      models: ["gpt-4-turbo*", "gpt-4-1106*", "gpt-4-0125*", "gpt-3.5-turbo*"],
      limits: { ...PLAIN, max_output_tokens: 4096, output_schema: false },
      source: `${MODEL_SIZES}; ${ENCRYPTED_REASONING}; https://platform.openai.com/docs/guides/structured-outputs`,
    },
    {
      models: ["gpt-4", "gpt-4-0613", "gpt-4-0314"],
      limits: { ...PLAIN, max_output_tokens: 8192 },
      source: `${MODEL_SIZES}; ${ENCRYPTED_REASONING}`,
    },
  ],
};

/** "Supported for `gpt-5.6` and later models"; others reject `prompt_cache_options`. */
const WITH_BREAKPOINTS = family("gpt-5.6", "gpt-6-sol", "gpt-6-luna", "gpt-6-astra", "gpt-6.1-sol");
const BREAKPOINTS = "npm openai 7.57.0; https://github.com/coder/xum/pull/3712";
/** Replaces `user`; at Azure too. */
const CACHE_KEYS =
  "https://developers.openai.com/api/docs/guides/prompt-caching; https://github.com/theopenco/llmgateway/pull/3110";

const SERVER_TOOLS =
  "https://developers.openai.com/api/docs/guides/tools-code-interpreter; https://developers.openai.com/api/docs/guides/tools-connectors-mcp; npm openai 7.57.0";

/** At the addresses of OpenAI and Azure, where `max_tokens` is deprecated and reasoning models, also new ones, reject it. */
export const OPENAI_AT_HOME: ProviderLimits = {
  families: (OPENAI.families ?? []).map((row) =>
    row.models.some((model) => WITH_BREAKPOINTS.includes(model))
      ? {
          ...row,
          limits: { ...row.limits, cache_breakpoints: true },
          source: `${row.source}; ${BREAKPOINTS}`,
        }
      : row,
  ),
  everyModel: {
    limits: {
      max_tokens_member: "max_completion_tokens",
      cache_key: "prompt_cache_key",
      // In the Responses API.
      server_tools: ["code_execution", "web_fetch", "mcp"],
    },
    source: `https://developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create; ${CACHE_KEYS}; ${SERVER_TOOLS}`,
  },
};
