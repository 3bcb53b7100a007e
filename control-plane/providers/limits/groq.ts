// The known limits of Groq's models.
import { upTo, type ProviderLimits } from "./model-families.ts";

export const GROQ: ProviderLimits = {
  everyModel: {
    // 400 "property 'prompt_cache_key' is unsupported", "'messages.1' : … property 'reasoning_content' is unsupported".
    limits: {
      efforts: [],
      refuses: ["prompt_cache_key", "messages[].reasoning_content", "messages[].reasoning_details"],
    },
    source:
      "https://console.groq.com/docs/reasoning; https://github.com/zed-industries/zed/issues/36215; https://github.com/janhq/jan/issues/8136",
  },
  families: [
    {
      models: ["openai/gpt-oss-*"],
      limits: { efforts: upTo("high"), schema_refs: false },
      source: "https://console.groq.com/docs/reasoning#options-for-reasoning-effort-gptoss",
    },
    {
      models: ["llama-*"],
      limits: { output_schema: false },
      source: "https://console.groq.com/docs/structured-outputs#supported-models",
    },
  ],
};
