// The known limits of Moonshot AI's models.
import type { ModelLimits } from "../../../model/model-limits.ts";
import { MODEL_SIZES, type ProviderLimits } from "./model-families.ts";

/** Kimi models fix these themselves: another value is a 400. */
const KIMI: ModelLimits = {
  sampling: "none",
  refuses: ["presence_penalty", "frequency_penalty"],
  reasoning_content: true,
  // LiteLLM fills a lost one with a space, in messages with calls.
  needs_reasoning: "calls",
};

export const MOONSHOT: ProviderLimits = {
  everyModel: {
    limits: { developer_role: false },
    source: "npm @mariozechner/pi-ai (openai-completions)",
  },
  families: [
    {
      models: ["kimi-k2.5"],
      limits: { ...KIMI, efforts: [], thinking_switch: "thinking" },
      source: "https://platform.moonshot.ai/docs/api/chat; npm @ai-sdk/moonshotai 2.0.61",
    },
    {
      models: ["kimi-k2.6"],
      limits: { ...KIMI, efforts: [], forced_tools: "named", thinking_switch: "thinking" },
      source: "https://platform.moonshot.ai/docs/api/chat; npm @ai-sdk/moonshotai 2.0.61",
    },
    {
      models: ["kimi-k2.7-code*"],
      limits: { ...KIMI, efforts: [], forced_tools: "named" },
      source: "https://platform.moonshot.ai/docs/api/chat; npm @ai-sdk/moonshotai 2.0.61",
    },
    {
      models: ["kimi-k3"],
      limits: { ...KIMI, needs_reasoning: "turns", efforts: ["low", "high", "max"] },
      source: "https://platform.moonshot.ai/docs/api/chat; npm @ai-sdk/moonshotai 2.0.61",
    },
    {
      models: ["kimi-k2-thinking*"],
      limits: { reasoning_content: true, needs_reasoning: "calls", efforts: [] },
      source: MODEL_SIZES,
    },
    {
      models: ["moonshot-v1-*"],
      limits: { efforts: [] },
      source: "npm @ai-sdk/moonshotai 2.0.61",
    },
  ],
};
