// The known limits of models at Amazon Bedrock. Their ids have a vendor (`anthropic.`, `amazon.`), and before it the region of
// a cross-region profile (`eu.`, `global.`).
import type { ModelLimits } from "../../../model/model-limits.ts";
import { ANTHROPIC } from "./anthropic.ts";
import type { KnownLimits, ProviderLimits } from "./model-families.ts";
import { upTo } from "./model-families.ts";

const FEATURES =
  "https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html";
const TOOL_CHOICE =
  "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html";
const STRUCTURED_OUTPUT =
  "https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html";
const GROUNDING = "https://docs.aws.amazon.com/nova/latest/nova2-userguide/web-grounding.html";
const CACHING = "https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html";

/** By the model alone, the region of a profile, or the ARN of one. */
const anywhere = (...names: string[]): string[] => names.map((name) => `*${name}`);

/** `claude-opus-4-5-20*` is `anthropic.claude-opus-4-5-20251101-v1:0` here. */
function claudeAtBedrock({ models, limits, source }: KnownLimits): KnownLimits {
  const { system_messages: _, ...known } = limits;
  const names = models.flatMap((model) =>
    model.endsWith("*") ? [`anthropic.${model}`] : [`anthropic.${model}`, `anthropic.${model}-v*`],
  );
  return {
    models: anywhere(...names),
    limits: { model_family: "claude", cache_control: true, ...known },
    source: `${source}; ${CACHING}`,
  };
}

/** Models without an API of their own for reasoning, of which most support no choice of a tool. */
const PLAIN: ModelLimits = {
  model_family: "other",
  efforts: [],
  forced_tools: "none",
  prefill: false,
  output_schema: false,
};

export const BEDROCK: ProviderLimits = {
  families: [
    ...(ANTHROPIC.families ?? []).map(claudeAtBedrock),
    {
      models: anywhere("anthropic.*"),
      limits: { model_family: "claude", cache_control: true },
      source: FEATURES,
    },
    {
      models: anywhere("amazon.nova-2-*"),
      limits: {
        model_family: "nova",
        cache_control: true,
        efforts: upTo("high"),
        output_schema: false,
        web_search: "tool",
      },
      source: `${FEATURES}; ${CACHING}; ${GROUNDING}; npm @ai-sdk/amazon-bedrock 4.0.186`,
    },
    {
      models: anywhere("amazon.nova-premier-*"),
      limits: {
        model_family: "nova",
        cache_control: true,
        efforts: [],
        output_schema: false,
        web_search: "tool",
      },
      source: `${FEATURES}; ${CACHING}; https://docs.aws.amazon.com/nova/latest/userguide/grounding.html`,
    },
    {
      models: anywhere("amazon.nova-*"),
      limits: { model_family: "nova", cache_control: true, efforts: [], output_schema: false },
      source: `${FEATURES}; ${CACHING}`,
    },
    {
      models: anywhere("openai.gpt-oss-*"),
      limits: {
        model_family: "gpt_oss",
        efforts: upTo("high"),
        forced_tools: "none",
        prefill: false,
      },
      source: `${STRUCTURED_OUTPUT}; npm @ai-sdk/amazon-bedrock 4.0.186`,
    },
    {
      models: anywhere("openai.gpt-*"),
      limits: { model_family: "gpt", prefill: false },
      source: "npm @ai-sdk/amazon-bedrock 4.0.186",
    },
    {
      models: anywhere("mistral.*"),
      limits: { ...PLAIN, model_family: "mistral" },
      source: `${FEATURES}; ${TOOL_CHOICE}; npm @ai-sdk/amazon-bedrock 4.0.186`,
    },
    {
      models: anywhere("qwen.*", "deepseek.v3*", "google.gemma-*", "moonshot*", "minimax.*"),
      limits: { ...PLAIN, output_schema: true },
      source: STRUCTURED_OUTPUT,
    },
    {
      models: anywhere("meta.*", "cohere.*", "ai21.*", "deepseek.*", "writer.*", "amazon.titan-*"),
      limits: PLAIN,
      source: `${FEATURES}; ${TOOL_CHOICE}`,
    },
  ],
};
