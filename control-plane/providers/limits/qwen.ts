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
      limits: { output_schema: true, thinking_switch: "enable_thinking" },
      source:
        "https://www.alibabacloud.com/help/en/model-studio/qwen-structured-output; https://www.alibabacloud.com/help/en/model-studio/deep-thinking",
    },
    {
      models: [
        ...family("qwen-plus", "qwen-flash", "qwen-turbo", "qwen3.5-plus", "qwen3.5-flash"),
        ...family("qwen3.6-plus", "qwen3.6-flash"),
      ],
      limits: { thinking_switch: "enable_thinking" },
      source:
        "https://www.alibabacloud.com/help/en/model-studio/deep-thinking; npm @ai-sdk/alibaba 1.0.61",
    },
  ],
};
