// The known limits of xAI's models.
import type { ModelLimits } from "../../../model/model-limits.ts";
import { upTo, MODEL_SIZES, type ProviderLimits } from "./model-families.ts";

const XAI_REASONING: ModelLimits = {
  stop: false,
  refuses: ["presence_penalty", "frequency_penalty"],
};

export const XAI: ProviderLimits = {
  everyModel: {
    // The search is a tool of the Responses API alone, which rejects other things that agents send (`namespace`).
    limits: {
      developer_role: false,
      cache_key: "x_grok_conv_id",
      apis: "search",
      // As the search. Its MCP tools are left out: the API has no `require_approval`.
      server_tools: ["code_execution", "web_fetch"],
    },
    source:
      "https://docs.x.ai/developers/model-capabilities/text/comparison; https://github.com/BerriAI/litellm/pull/37128; npm @mariozechner/pi-ai (openai-completions); https://docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits; https://docs.x.ai/developers/tools/overview; npm @ai-sdk/xai 3.0.138",
  },
  families: [
    {
      models: ["grok-4.20-0309-non-reasoning", "grok-4-fast-non-reasoning*"],
      limits: { efforts: [], reasons_by_default: false },
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
