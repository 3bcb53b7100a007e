// The known limits of Gemini's models at Google's OpenAI-compatible endpoint.
import type { ProviderLimits } from "./families.ts";

export const GEMINI: ProviderLimits = {
  // 400 'Unknown name "prompt_cache_key": Cannot find field.'
  everyModel: {
    limits: { refuses: ["prompt_cache_key", "store"] },
    source:
      "https://github.com/liliMozi/openhanako/issues/2494; https://github.com/liliMozi/openhanako/issues/394",
  },
};
