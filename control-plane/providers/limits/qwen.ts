// The known limits of Qwen (Alibaba Cloud)'s models.
import { family, type ProviderLimits } from "./model-families.ts";

export const QWEN: ProviderLimits = {
  // Thinking is asked for by `enable_thinking`, not by efforts.
  everyModel: {
    limits: {
      max_tokens_member: "max_tokens",
      developer_role: false,
      cache_control: true,
      top_k: true,
      efforts: [],
      output_schema: false,
    },
    source:
      "https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope; npm @ai-sdk/alibaba 1.0.61; https://github.com/BerriAI/litellm (1.109.1)",
  },
  families: [
    {
      models: family(
        "qwen3.7-plus",
        "qwen3.7-flash",
        "qwen3.7-max",
        "qwen3.8-max",
        "qwen3.8-flash",
      ),
      limits: { output_schema: true },
      source: "https://www.alibabacloud.com/help/en/model-studio/qwen-structured-output",
    },
  ],
};
