// The known limits of Cerebras' models.
import type { ProviderLimits } from "./families.ts";

export const CEREBRAS: ProviderLimits = {
  // 422 "property 'body.prompt_cache_key' is unsupported".
  everyModel: {
    limits: { refuses: ["prompt_cache_key"] },
    source: "https://github.com/zed-industries/zed/issues/36215",
  },
};
