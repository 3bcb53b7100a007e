// The known limits of Anthropic's models.
import type { ModelLimits } from "../../../model/model-limits.ts";
import {
  dated,
  upTo,
  MODEL_SIZES,
  type KnownLimits,
  type ProviderLimits,
} from "./model-families.ts";

const CLAUDE_MIGRATION =
  "https://platform.claude.com/docs/en/about-claude/models/migration-guide; npm @ai-sdk/anthropic 3.0.138";

const CLAUDE_EFFORT = "https://platform.claude.com/docs/en/build-with-claude/effort";

const CLAUDE_SYSTEM_MESSAGES =
  "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages";

const CLAUDE_SEARCH =
  "https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool";

/** Two lists of output sizes, which agree. Of Sonnet 4.6 on Vertex AI the second has 64,000, the first nothing. */
const CLAUDE_SIZES =
  "npm @earendil-works/pi-ai 1.5.2; https://github.com/BerriAI/litellm (1.109.1)";

const SONNET_4_6 = "claude-sonnet-4-6";

const CLAUDE_4_6: ModelLimits = {
  thinking: "both",
  efforts: [...upTo("high"), "max"],
  sampling: "one",
  prefill: false,
  max_output_tokens: 128_000,
};

/** Claude 4.7 and newer. */
const CLAUDE_ADAPTIVE: ModelLimits = {
  thinking: "adaptive",
  efforts: upTo("max"),
  sampling: "none",
  prefill: false,
  max_output_tokens: 128_000,
};

/** Also at the clouds. */
const CLAUDE: ProviderLimits = {
  families: [
    {
      models: ["claude-3-opus*", "claude-3-sonnet*", "claude-3-haiku*"],
      limits: {
        thinking: "none",
        efforts: [],
        output_schema: false,
        max_output_tokens: 4096,
        web_search: "none",
      },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_SEARCH}`,
    },
    {
      models: ["claude-3-5-*"],
      limits: { thinking: "none", efforts: [], output_schema: false, max_output_tokens: 8192 },
      source: CLAUDE_MIGRATION,
    },
    {
      models: ["claude-3-7-*"],
      limits: { thinking: "budget", efforts: [], output_schema: false, max_output_tokens: 64_000 },
      source: `${CLAUDE_MIGRATION}; ${MODEL_SIZES}`,
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
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_EFFORT}; ${CLAUDE_SIZES}`,
    },
    {
      models: dated("claude-sonnet-4-5", "claude-haiku-4-5"),
      limits: { thinking: "budget", efforts: [], sampling: "one", max_output_tokens: 64_000 },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_EFFORT}; ${CLAUDE_SIZES}`,
    },
    {
      models: dated("claude-opus-4-6"),
      limits: CLAUDE_4_6,
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_EFFORT}; ${CLAUDE_SIZES}`,
    },
    {
      models: dated(SONNET_4_6),
      limits: CLAUDE_4_6,
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_EFFORT}; ${CLAUDE_SIZES}`,
    },
    {
      // Sources disagree whether Sonnet 5 takes system messages inside the conversation: there they go to the top.
      models: dated("claude-opus-4-7", "claude-sonnet-5"),
      limits: CLAUDE_ADAPTIVE,
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_SIZES}`,
    },
    {
      models: dated("claude-opus-4-8", "claude-opus-5"),
      limits: { ...CLAUDE_ADAPTIVE, system_messages: true },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_SYSTEM_MESSAGES}; ${CLAUDE_SIZES}`,
    },
    {
      models: dated("claude-haiku-5-5"),
      limits: { ...CLAUDE_ADAPTIVE, system_messages: true },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_SYSTEM_MESSAGES}; ${CLAUDE_SIZES}`,
    },
    {
      models: dated("claude-opus-5-5"),
      limits: {
        ...CLAUDE_ADAPTIVE,
        system_messages: true,
        thinking_off: "none",
        forced_tools: "none",
      },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_SYSTEM_MESSAGES}; ${CLAUDE_SIZES}`,
    },
    {
      models: dated("claude-sonnet-5-5"),
      limits: {
        ...CLAUDE_ADAPTIVE,
        system_messages: true,
        thinking_off: "between_tools",
        forced_tools: "none",
      },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_SYSTEM_MESSAGES}; ${CLAUDE_SIZES}`,
    },
    {
      models: dated("claude-mythos-preview"),
      limits: { ...CLAUDE_ADAPTIVE, thinking_off: "none" },
      source: `https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html; ${CLAUDE_SIZES}`,
    },
    {
      models: dated("claude-fable-5-1", "claude-mythos-5-1"),
      limits: {
        ...CLAUDE_ADAPTIVE,
        system_messages: true,
        thinking_off: "none",
        forced_tools: "none",
      },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_SYSTEM_MESSAGES}; ${CLAUDE_SIZES}`,
    },
    {
      // Of the 5.2 models nothing is known but what the SDK takes for granted: as 5.0.
      models: ["claude-fable-5", "claude-mythos-5", "claude-fable-5-2", "claude-mythos-5-2"],
      limits: { ...CLAUDE_ADAPTIVE, system_messages: true, thinking_off: "none" },
      source: `${CLAUDE_MIGRATION}; ${CLAUDE_SYSTEM_MESSAGES}; ${CLAUDE_SIZES}`,
    },
    {
      // A newer one, of which nothing is known: no Claude since 4 has a smaller maximum.
      models: ["claude-*"],
      limits: { default_max_tokens: 32_000 },
      source: CLAUDE_SIZES,
    },
  ],
};

const COMPUTER_SOURCE =
  "https://platform.claude.com/docs/en/agents-and-tools/tool-use/computer-use-tool; https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5; npm @anthropic-ai/sdk 1.12.0";

/** Claude 5.5 rejects both versions: `computer_toolset_20260801` is the only one there. Of the others nothing is known. */
const COMPUTER_VERSIONS: readonly (readonly [
  version: NonNullable<ModelLimits["computer"]>,
  models: readonly string[],
])[] = [
  [
    "computer_20250124",
    dated(
      "claude-opus-4",
      "claude-sonnet-4",
      "claude-opus-4-1",
      "claude-sonnet-4-5",
      "claude-haiku-4-5",
    ),
  ],
  [
    "computer_20251124",
    dated(
      "claude-opus-4-5",
      "claude-opus-4-6",
      SONNET_4_6,
      "claude-opus-4-7",
      "claude-sonnet-5",
      "claude-opus-4-8",
      "claude-opus-5",
      "claude-fable-5-1",
    ),
  ],
];

/** Adds the version of the computer tool to a family, which has models of one version only. */
function withComputer(family: KnownLimits): KnownLimits {
  const version = COMPUTER_VERSIONS.find(([, models]) =>
    family.models.some((model) => models.includes(model)),
  )?.[0];
  if (version === undefined) return family;
  return {
    ...family,
    limits: { ...family.limits, computer: version },
    source: `${family.source}; ${COMPUTER_SOURCE}`,
  };
}

const SERVER_TOOLS =
  "https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool; https://platform.claude.com/docs/en/agents-and-tools/mcp-connector; npm @anthropic-ai/sdk 1.12.0";

/** At the clouds code execution, the fetch tool and the MCP connector are missing. */
export const ANTHROPIC: ProviderLimits = {
  families:
    CLAUDE.families?.map(withComputer).map((family) =>
      family.models.some((model) => model.startsWith("claude-3-"))
        ? family
        : {
            ...family,
            limits: { ...family.limits, server_tools: ["code_execution", "web_fetch", "mcp"] },
            source: `${family.source}; ${SERVER_TOOLS}`,
          },
    ) ?? [],
};

/** npm @ai-sdk/google-vertex 4.0.208 has no structured output there; other gateways send it. */
export const ANTHROPIC_ON_VERTEX: ProviderLimits = {
  families:
    CLAUDE.families
      ?.map(withComputer)
      .map((family) =>
        family.models.includes(SONNET_4_6)
          ? { ...family, limits: { ...family.limits, max_output_tokens: 64_000 } }
          : family,
      ) ?? [],
  everyModel: { limits: { output_schema: false }, source: "npm @ai-sdk/google-vertex 4.0.208" },
};

/** npm @ai-sdk/amazon-bedrock 4.0.186: no structured output for Claude 4.7 and newer. */
export const ANTHROPIC_ON_BEDROCK: ProviderLimits = {
  families:
    CLAUDE.families?.map((family) =>
      family.limits.thinking === "adaptive"
        ? {
            ...family,
            limits: { ...family.limits, output_schema: false },
            source: `${family.source}; npm @ai-sdk/amazon-bedrock 4.0.186`,
          }
        : family,
    ) ?? [],
  everyModel: { limits: { web_search: "none" }, source: CLAUDE_SEARCH },
};

/** 400 for `output_config.format`. */
export const ANTHROPIC_ON_MANTLE: ProviderLimits = {
  ...CLAUDE,
  everyModel: {
    limits: { output_schema: false, web_search: "none" },
    source: `https://docs.aws.amazon.com/bedrock/latest/userguide/endpoints.html; ${CLAUDE_SEARCH}`,
  },
};
