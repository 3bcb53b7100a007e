// The known limits of Groq's models.
import { upTo, type ProviderLimits } from "./families.ts";

export const GROQ: ProviderLimits = {
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
