// The known limits of OpenRouter's models.
import { upTo, type ProviderLimits } from "./model-families.ts";

export const OPENROUTER: ProviderLimits = {
  // It leaves out itself what a model does not take.
  everyModel: {
    limits: {
      max_tokens_member: "max_tokens",
      top_k: true,
      cache_control: true,
      reasoning_details: true,
      efforts: ["none", "minimal", ...upTo("xhigh")],
      web_search: "options",
    },
    source:
      "https://openrouter.ai/docs/use-cases/reasoning-tokens; https://openrouter.ai/docs/features/prompt-caching; https://openrouter.ai/docs/features/web-search; https://github.com/pydantic/pydantic-ai (2.68.0)",
  },
  families: [
    {
      models: ["anthropic/*"],
      limits: { caches_by_itself: false },
      source: "https://openrouter.ai/docs/features/prompt-caching",
    },
  ],
};
