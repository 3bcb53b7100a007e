// The known limits of providers: what each model family refuses, by provider, with where that is said. Longer than
// other files because it is one table.
//
// A row is there only for what a provider's documentation, its error messages or the AI SDK of November 2026 says; each
// names its source. Looked up on 2026-11-21: the SDK packages, the issues, models.dev (state of 2026-07-02) and, of the
// providers' own pages, what search engines and those sources quote of them. No row was tried with a real key. A model
// that no row names has no limits: it may be newer than this table.
import type { Effort, ModelLimits } from "../ir/model.ts";

export interface KnownLimits {
  /** Bare model names; a `*` at the end stands for any rest. */
  models: string[];
  limits: ModelLimits;
  source: string;
}

export interface ProviderLimits {
  /** Of every model; a family's own word wins. */
  everyModel?: Omit<KnownLimits, "models">;
  /** The first that names the model counts. */
  families?: KnownLimits[];
}

/** A name and everything behind a dash: `gpt-5` and `gpt-5-mini`, but neither `gpt-5.1` nor `gpt-50`. */
const family = (...names: string[]): string[] => names.flatMap((name) => [name, `${name}-*`]);

/** A name and its dated snapshots: `claude-opus-5` and `claude-opus-5-20260724`, but not `claude-opus-5-5`. */
const dated = (...names: string[]): string[] => names.flatMap((name) => [name, `${name}-20*`]);

const upTo = (highest: Effort): Effort[] => {
  const rising: Effort[] = ["low", "medium", "high", "xhigh", "max"];
  return rising.slice(0, rising.indexOf(highest) + 1);
};

// --- OpenAI ---

const OPENAI_REASONING_GUIDE = "https://developers.openai.com/api/docs/guides/reasoning";
const OPENAI_EFFORTS = `${OPENAI_REASONING_GUIDE}; https://community.openai.com/t/1371738`;
const MODEL_SIZES = "https://models.dev";

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

const OPENAI: ProviderLimits = {
  families: [
    {
      models: family("o1-mini", "o1-preview"),
      limits: { ...OPENAI_REASONING, system_role: "none", stop: false, efforts: [] },
      source: OPENAI_REASONING_GUIDE,
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
      limits: { max_tokens_member: "max_completion_tokens", efforts: [] },
      source: OPENAI_EFFORTS,
    },
    {
      models: ["gpt-5.1-chat*", "gpt-5.2-chat*", "gpt-5.3-chat*"],
      limits: {
        max_tokens_member: "max_completion_tokens",
        efforts: [],
        max_output_tokens: 16_384,
      },
      source: `${OPENAI_EFFORTS}; ${MODEL_SIZES}`,
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
      models: family("gpt-5.6"),
      limits: {
        ...GPT_5,
        sampling: "without_reasoning",
        efforts: ["none", ...upTo("xhigh")],
        reasoning_with_tools: false,
      },
      source:
        "https://github.com/livekit/agents/pull/7169; tools: https://github.com/BerriAI/litellm/pull/34569",
    },
    {
      models: family("gpt-6-sol", "gpt-6-luna", "gpt-6.1-terra"),
      limits: { ...GPT_6, efforts: ["none", ...upTo("max")], reasoning_with_tools: false },
      source:
        "npm @ai-sdk/openai 3.0.141; tools: https://github.com/onyx-dot-app/onyx/issues/15008",
    },
    {
      // Takes no tools on this endpoint at all (https://github.com/genkit-ai/genkit/pull/6303): nothing helps but its 400.
      models: family("gpt-6-astra", "gpt-6.1-sol"),
      limits: { ...GPT_6, efforts: upTo("max") },
      source: "npm @ai-sdk/openai 3.0.141; https://github.com/bolna-ai/bolna/pull/1019",
    },
    {
      models: ["gpt-4o-2024-05-13"],
      limits: { efforts: [], max_output_tokens: 4096, output_schema: false },
      source: `${MODEL_SIZES}; https://platform.openai.com/docs/guides/structured-outputs`,
    },
    {
      models: family("gpt-4o", "chatgpt-4o"),
      limits: { efforts: [], max_output_tokens: 16_384 },
      source: MODEL_SIZES,
    },
    {
      models: family("gpt-4.1"),
      limits: { efforts: [], max_output_tokens: 32_768 },
      source: MODEL_SIZES,
    },
    {
      models: ["gpt-4-turbo*", "gpt-4-1106*", "gpt-4-0125*", "gpt-3.5-turbo*"],
      limits: { efforts: [], max_output_tokens: 4096, output_schema: false },
      source: `${MODEL_SIZES}; https://platform.openai.com/docs/guides/structured-outputs`,
    },
    {
      models: ["gpt-4", "gpt-4-0613", "gpt-4-0314"],
      limits: { efforts: [], max_output_tokens: 8192 },
      source: MODEL_SIZES,
    },
  ],
};

// --- Anthropic ---

const CLAUDE_MIGRATION =
  "https://platform.claude.com/docs/en/about-claude/models/migration-guide; npm @ai-sdk/anthropic 3.0.138";
const CLAUDE_EFFORT = "https://platform.claude.com/docs/en/build-with-claude/effort";
const CLAUDE_SYSTEM_MESSAGES =
  "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages";

/** Claude 4.7 and newer. */
const CLAUDE_ADAPTIVE: ModelLimits = {
  thinking: "adaptive",
  efforts: upTo("max"),
  sampling: "none",
  prefill: false,
};

const ANTHROPIC: ProviderLimits = {
  families: [
    {
      models: ["claude-3-opus*", "claude-3-sonnet*", "claude-3-haiku*"],
      limits: { thinking: "none", efforts: [], output_schema: false, max_output_tokens: 4096 },
      source: CLAUDE_MIGRATION,
    },
    {
      models: ["claude-3-5-*"],
      limits: { thinking: "none", efforts: [], output_schema: false, max_output_tokens: 8192 },
      source: CLAUDE_MIGRATION,
    },
    {
      models: ["claude-3-7-*"],
      limits: { thinking: "budget", efforts: [], output_schema: false },
      source: CLAUDE_MIGRATION,
    },
    {
      models: [...dated("claude-opus-4"), "claude-opus-4-0"],
      limits: { thinking: "budget", efforts: [], output_schema: false, max_output_tokens: 32_000 },
      source: CLAUDE_MIGRATION,
    },
    {
      models: [...dated("claude-sonnet-4"), "claude-sonnet-4-0"],
      limits: { thinking: "budget", efforts: [], output_schema: false, max_output_tokens: 64_000 },
      source: CLAUDE_MIGRATION,
    },
    {
      models: dated("claude-opus-4-1"),
      limits: { thinking: "budget", efforts: [], max_output_tokens: 32_000 },
      source: CLAUDE_MIGRATION,
    },
    {
      models: dated("claude-opus-4-5"),
      limits: {
        thinking: "budget",
        efforts: upTo("high"),
        sampling: "one",
        max_output_tokens: 64_000,
      },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_EFFORT}`,
    },
    {
      models: dated("claude-sonnet-4-5", "claude-haiku-4-5"),
      limits: { thinking: "budget", efforts: [], sampling: "one", max_output_tokens: 64_000 },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_EFFORT}`,
    },
    {
      models: dated("claude-opus-4-6", "claude-sonnet-4-6"),
      limits: {
        thinking: "both",
        efforts: [...upTo("high"), "max"],
        sampling: "one",
        prefill: false,
      },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_EFFORT}`,
    },
    {
      // Sources disagree whether Sonnet 5 takes system messages inside the conversation: there they go to the top.
      models: dated("claude-opus-4-7", "claude-sonnet-5"),
      limits: CLAUDE_ADAPTIVE,
      source: CLAUDE_MIGRATION,
    },
    {
      models: dated("claude-opus-4-8", "claude-opus-5", "claude-haiku-5-5"),
      limits: { ...CLAUDE_ADAPTIVE, system_messages: true },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_SYSTEM_MESSAGES}`,
    },
    {
      models: dated("claude-opus-5-5"),
      limits: {
        ...CLAUDE_ADAPTIVE,
        system_messages: true,
        thinking_off: "none",
        forced_tools: "none",
      },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_SYSTEM_MESSAGES}`,
    },
    {
      models: dated("claude-sonnet-5-5"),
      limits: {
        ...CLAUDE_ADAPTIVE,
        system_messages: true,
        thinking_off: "between_tools",
        forced_tools: "none",
      },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_SYSTEM_MESSAGES}`,
    },
    {
      models: dated("claude-mythos-preview"),
      limits: { ...CLAUDE_ADAPTIVE, thinking_off: "none" },
      source:
        "https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html",
    },
    {
      models: dated("claude-fable-5-1", "claude-mythos-5-1"),
      limits: {
        ...CLAUDE_ADAPTIVE,
        system_messages: true,
        thinking_off: "none",
        forced_tools: "none",
      },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_SYSTEM_MESSAGES}`,
    },
    {
      // Of the 5.2 models nothing is known but what the SDK takes for granted: as 5.0.
      models: ["claude-fable-5", "claude-mythos-5", "claude-fable-5-2", "claude-mythos-5-2"],
      limits: { ...CLAUDE_ADAPTIVE, system_messages: true, thinking_off: "none" },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_SYSTEM_MESSAGES}`,
    },
  ],
};

// --- providers that speak OpenAI's format ---

const MISTRAL: ProviderLimits = {
  // Refuses every member that its reference does not name, with 422 "Extra inputs are not permitted".
  everyModel: {
    limits: {
      max_tokens_member: "max_tokens",
      user: false,
      developer_role: false,
      efforts: [],
      refuses: [
        "store",
        "metadata",
        "logit_bias",
        "messages[].reasoning_content",
        "messages[].reasoning_details",
      ],
    },
    source:
      "https://docs.mistral.ai/api; https://github.com/charmbracelet/crush/issues/1590; https://github.com/editor-code-assistant/eca/issues/231",
  },
  families: [
    {
      models: family("mistral-small-2603", "mistral-medium-2604"),
      limits: { efforts: ["none", "high"] },
      source: MODEL_SIZES,
    },
  ],
};

const GROQ: ProviderLimits = {
  everyModel: {
    limits: { efforts: [] },
    source: "https://console.groq.com/docs/reasoning",
  },
  families: [
    {
      models: ["openai/gpt-oss-*"],
      limits: { efforts: upTo("high") },
      source: "https://console.groq.com/docs/reasoning#options-for-reasoning-effort-gptoss",
    },
    {
      models: ["llama-*"],
      limits: { output_schema: false },
      source: "https://console.groq.com/docs/structured-outputs#supported-models",
    },
  ],
};

const DEEPSEEK: ProviderLimits = {
  // In a tool loop its thinking models want `reasoning_content` back; the others take it and do not look at it.
  everyModel: {
    limits: {
      max_tokens_member: "max_tokens",
      developer_role: false,
      reasoning_content: true,
      output_schema: false,
    },
    source:
      "https://api-docs.deepseek.com/api/create-chat-completion; https://api-docs.deepseek.com/guides/thinking_mode; https://github.com/earendil-works/pi/issues/1048",
  },
  families: [
    {
      models: ["deepseek-v4*", "deepseek-flash"],
      limits: { efforts: ["high", "max"] },
      source: "https://api-docs.deepseek.com/api/create-chat-completion",
    },
    {
      models: ["deepseek-chat", "deepseek-reasoner"],
      limits: { efforts: [] },
      source: "https://api-docs.deepseek.com/guides/reasoning_model",
    },
  ],
};

const XAI_REASONING: ModelLimits = {
  stop: false,
  refuses: ["presence_penalty", "frequency_penalty"],
};

const XAI: ProviderLimits = {
  everyModel: {
    limits: { developer_role: false },
    source: "npm @mariozechner/pi-ai (openai-completions)",
  },
  families: [
    {
      models: ["grok-4.20-0309-non-reasoning", "grok-4-fast-non-reasoning*"],
      limits: { efforts: [] },
      source: "https://docs.x.ai/docs/guides/reasoning",
    },
    {
      models: ["grok-4.3*"],
      limits: { ...XAI_REASONING, efforts: ["none", ...upTo("high")] },
      source: `https://docs.x.ai/docs/guides/reasoning; ${MODEL_SIZES}`,
    },
    {
      models: ["grok-4.5*"],
      limits: { ...XAI_REASONING, efforts: upTo("high") },
      source: "https://docs.x.ai/docs/guides/reasoning",
    },
    {
      models: ["grok-4", "grok-4-*", "grok-4.20*", "grok-build-0.1", "grok-code-fast-1*"],
      limits: { ...XAI_REASONING, efforts: [] },
      source: `https://docs.x.ai/docs/guides/reasoning; ${MODEL_SIZES}`,
    },
    {
      models: ["grok-3-mini*"],
      limits: { ...XAI_REASONING, efforts: ["low", "high"] },
      source: "https://docs.x.ai/docs/guides/reasoning",
    },
  ],
};

const TOGETHER: ProviderLimits = {
  families: [
    {
      models: ["openai/gpt-oss-*"],
      limits: { efforts: upTo("high") },
      source: "https://docs.together.ai/docs/inference/chat/reasoning#reasoning-effort",
    },
  ],
};

/** Kimi models fix these themselves: another value is a 400. */
const KIMI: ModelLimits = {
  sampling: "none",
  refuses: ["presence_penalty", "frequency_penalty"],
  reasoning_content: true,
};

const MOONSHOT: ProviderLimits = {
  everyModel: {
    limits: { developer_role: false },
    source: "npm @mariozechner/pi-ai (openai-completions)",
  },
  families: [
    {
      models: ["kimi-k2.5"],
      limits: { ...KIMI, efforts: [] },
      source: "https://platform.moonshot.ai/docs/api/chat; npm @ai-sdk/moonshotai 2.0.61",
    },
    {
      models: ["kimi-k2.6", "kimi-k2.7-code*"],
      limits: { ...KIMI, efforts: [], forced_tools: "named" },
      source: "https://platform.moonshot.ai/docs/api/chat; npm @ai-sdk/moonshotai 2.0.61",
    },
    {
      models: ["kimi-k3"],
      limits: { ...KIMI, efforts: ["low", "high", "max"] },
      source: "https://platform.moonshot.ai/docs/api/chat; npm @ai-sdk/moonshotai 2.0.61",
    },
    {
      models: ["kimi-k2-thinking*"],
      limits: { reasoning_content: true, efforts: [] },
      source: MODEL_SIZES,
    },
    {
      models: ["moonshot-v1-*"],
      limits: { efforts: [] },
      source: "npm @ai-sdk/moonshotai 2.0.61",
    },
  ],
};

const ZHIPU: ProviderLimits = {
  everyModel: {
    limits: { developer_role: false },
    source: "npm @mariozechner/pi-ai (openai-completions)",
  },
  families: [
    {
      models: ["glm-5.2*"],
      limits: { efforts: ["none", "minimal", ...upTo("max")], reasoning_content: true },
      source: "https://docs.bigmodel.cn/cn/guide/capabilities/thinking",
    },
    {
      models: ["glm-4.7*", "glm-5", "glm-5-*", "glm-5.1*"],
      limits: { efforts: [], reasoning_content: true },
      source: `https://docs.bigmodel.cn/cn/guide/capabilities/thinking; ${MODEL_SIZES}`,
    },
    {
      models: ["glm-4-*", "glm-4.5*", "glm-4.6*"],
      limits: { efforts: [] },
      source: "https://docs.bigmodel.cn/cn/guide/capabilities/thinking",
    },
  ],
};

const QWEN: ProviderLimits = {
  // Thinking is asked for by `enable_thinking`, not by efforts.
  everyModel: {
    limits: {
      developer_role: false,
      cache_control: true,
      top_k: true,
      efforts: [],
      output_schema: false,
    },
    source:
      "https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope; npm @ai-sdk/alibaba 1.0.61",
  },
  families: [
    {
      models: family(
        "qwen3.7-plus",
        "qwen3.7-flash",
        "qwen3.7-max",
        "qwen3.8-max",
        "qwen3.8-flash",
      ),
      limits: { output_schema: true },
      source: "https://www.alibabacloud.com/help/en/model-studio/qwen-structured-output",
    },
  ],
};

const OLLAMA: ProviderLimits = {
  // A model that cannot think answers 400 to any effort, and which can is not to be seen from its name.
  everyModel: {
    limits: { developer_role: false, efforts: [] },
    source:
      "https://github.com/ollama/ollama/issues/12561; https://docs.ollama.com/api/openai-compatibility",
  },
  families: [
    {
      models: ["gpt-oss*"],
      limits: { efforts: upTo("high") },
      source: "https://docs.ollama.com/capabilities/thinking",
    },
  ],
};

const VLLM: ProviderLimits = {
  everyModel: {
    limits: { top_k: true },
    source: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html#extra-parameters",
  },
};

const OPENROUTER: ProviderLimits = {
  // It leaves out itself what a model does not take.
  everyModel: {
    limits: {
      top_k: true,
      cache_control: true,
      reasoning_details: true,
      efforts: ["none", "minimal", ...upTo("xhigh")],
    },
    source:
      "https://openrouter.ai/docs/use-cases/reasoning-tokens; https://openrouter.ai/docs/features/prompt-caching",
  },
};

/** By the name of the provider, or of `provider_interface`. */
export const KNOWN_LIMITS: Readonly<Record<string, ProviderLimits>> = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  claude: ANTHROPIC,
  mistral: MISTRAL,
  groq: GROQ,
  deepseek: DEEPSEEK,
  xai: XAI,
  together_ai: TOGETHER,
  moonshotai: MOONSHOT,
  zhipu: ZHIPU,
  qwen: QWEN,
  ollama: OLLAMA,
  vllm: VLLM,
};

/** By the end of the host in `base_url`: they are known whatever the provider is called. */
export const LIMITS_BY_HOST: Readonly<Record<string, ProviderLimits>> = {
  "openrouter.ai": OPENROUTER,
  "openai.azure.com": OPENAI,
  "api.z.ai": ZHIPU,
  "aliyuncs.com": QWEN,
};

function matchesModel(pattern: string, model: string): boolean {
  return pattern.endsWith("*") ? model.startsWith(pattern.slice(0, -1)) : model === pattern;
}

/** What is known of a model, by its bare name; empty when nothing is. */
export function limitsIn(table: ProviderLimits | undefined, model: string): ModelLimits {
  const row = table?.families?.find(({ models }) =>
    models.some((pattern) => matchesModel(pattern, model)),
  );
  return { ...table?.everyModel?.limits, ...row?.limits };
}
