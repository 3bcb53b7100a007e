// The known limits of Together AI's models.
import { upTo, type ProviderLimits } from "./model-families.ts";

export const TOGETHER: ProviderLimits = {
  families: [
    {
      models: ["openai/gpt-oss-*"],
      limits: { efforts: upTo("high") },
      source: "https://docs.together.ai/docs/inference/chat/reasoning#reasoning-effort",
    },
  ],
};
