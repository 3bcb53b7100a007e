// The known limits of Groq's models.
import type { ModelLimits } from "../../../model/model-limits.ts";
import { upTo, type ProviderLimits } from "./model-families.ts";

/** Models that reason take their own `reasoning` back; the others reject it with 400. */
const REASONING: ModelLimits = {
  own_reasoning: true,
  refuses: ["prompt_cache_key", "messages[].reasoning_content", "messages[].reasoning_details"],
};

export const GROQ: ProviderLimits = {
  everyModel: {
    // 400 "property 'prompt_cache_key' is unsupported", "'messages.1' : … property 'reasoning_content' is unsupported".
    limits: {
      efforts: [],
      own_reasoning: false,
      refuses: [
        "prompt_cache_key",
        "messages[].reasoning_content",
        "messages[].reasoning_details",
        "messages[].reasoning",
      ],
    },
    source:
      "https://console.groq.com/docs/reasoning; https://github.com/zed-industries/zed/issues/36215; https://github.com/janhq/jan/issues/8136; https://github.com/groq/groq-python (1.7.0); pydantic-ai 2.68.0 (profiles/groq)",
  },
  families: [
    {
      models: ["openai/gpt-oss-*"],
      // 400 "messages[0].content must be a string" for an image to a model that reads text only.
      limits: {
        ...REASONING,
        efforts: upTo("high"),
        schema_refs: false,
        images: false,
        web_search: "browser_search",
      },
      source:
        "https://console.groq.com/docs/reasoning#options-for-reasoning-effort-gptoss; https://console.groq.com/docs/browser-search; https://console.groq.com/docs/vision; https://github.com/vercel/ai/issues/2837; https://github.com/obot-platform/obot/issues/2693",
    },
    {
      models: ["qwen/qwen3.8*"],
      limits: { ...REASONING, efforts: ["none", ...upTo("high")] },
      source: "https://console.groq.com/docs/reasoning; npm @ai-sdk/groq",
    },
    {
      models: ["qwen/*"],
      limits: { ...REASONING, efforts: ["none"] },
      source: "https://console.groq.com/docs/reasoning",
    },
    {
      models: ["llama-*"],
      limits: { output_schema: false, images: false },
      source:
        "https://console.groq.com/docs/structured-outputs#supported-models; https://console.groq.com/docs/vision; https://github.com/obot-platform/obot/issues/2693",
    },
  ],
};
