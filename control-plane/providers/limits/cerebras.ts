// The known limits of Cerebras' models.
import type { ProviderLimits } from "./model-families.ts";

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
};
