// The known limits of Cerebras' models.
import { upTo, type ProviderLimits } from "./model-families.ts";

export const CEREBRAS: ProviderLimits = {
  // 400 "property 'messages.1.assistant.reasoning_content' is unsupported"; `prompt_cache_key` is a member since 2026.
  everyModel: {
    limits: {
      cache_key: "prompt_cache_key",
      refuses: ["store", "messages[].reasoning_content", "messages[].reasoning_details"],
    },
    source:
      "https://github.com/vercel/ai/issues/15049; https://github.com/Cerebras/cerebras-cloud-sdk-python (1.91.0); https://github.com/Kilo-Org/kilocode/issues/10375",
  },
  families: [
    {
      models: ["zai-glm-4*", "qwen-3.8*"],
      limits: { efforts: ["none", ...upTo("high")] },
      source:
        "https://inference-docs.cerebras.ai/capabilities/reasoning; https://github.com/Cerebras/cerebras-cloud-sdk-python (1.91.0)",
    },
    {
      models: ["kimi-k3*", "zai-glm-5.3*"],
      limits: { efforts: ["low", "high", "max"] },
      source: "npm @ai-sdk/cerebras 3.0.59",
    },
  ],
};
