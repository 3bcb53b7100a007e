// The known limits of vLLM's models.
import { type ProviderLimits } from "./model-families.ts";

export const VLLM: ProviderLimits = {
  everyModel: {
    limits: { top_k: true },
    source: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html#extra-parameters",
  },
};
