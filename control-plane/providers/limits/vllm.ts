// The known limits of vLLM's models.
import { type ProviderLimits } from "./model-families.ts";
import { MISTRAL_MODELS, MISTRAL_TEMPLATE } from "./mistral.ts";

export const VLLM: ProviderLimits = {
  // A template without the variable ignores it.
  everyModel: {
    limits: { top_k: true, thinking_switch: "template" },
    source:
      "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html#extra-parameters; https://docs.vllm.ai/en/latest/features/reasoning_outputs.html",
  },
  families: [
    {
      models: MISTRAL_MODELS,
      // "chat_template is not supported for Mistral tokenizers", also for its variables.
      limits: { ...MISTRAL_TEMPLATE, thinking_switch: "none", efforts: [] },
      source:
        "https://github.com/NousResearch/hermes-agent/issues/20154; https://github.com/vllm-project/vllm (tokenizers/mistral.py)",
    },
  ],
};
