// The known limits of Zhipu (Z.ai)'s models.
import { upTo, MODEL_SIZES, type ProviderLimits } from "./model-families.ts";

export const ZHIPU: ProviderLimits = {
  everyModel: {
    limits: { max_tokens_member: "max_tokens", developer_role: false },
    source:
      "npm @mariozechner/pi-ai (openai-completions); https://github.com/BerriAI/litellm (1.109.1)",
  },
  families: [
    {
      models: ["glm-5.3*"],
      limits: { efforts: ["low", "high", "max"], reasoning_content: true, schema_refs: false },
      source: "https://github.com/pydantic/pydantic-ai/pull/10243 (profiles/zai)",
    },
    {
      models: ["glm-5.2*"],
      limits: {
        efforts: ["none", "minimal", ...upTo("max")],
        reasoning_content: true,
        thinking_switch: "thinking",
      },
      source: "https://docs.bigmodel.cn/cn/guide/capabilities/thinking",
    },
    {
      models: ["glm-4.7*", "glm-5", "glm-5-*", "glm-5.1*"],
      limits: { efforts: [], reasoning_content: true, thinking_switch: "thinking" },
      source: `https://docs.bigmodel.cn/cn/guide/capabilities/thinking; ${MODEL_SIZES}`,
    },
    {
      models: ["glm-4.5*", "glm-4.6*"],
      limits: { efforts: [], thinking_switch: "thinking" },
      source: "https://docs.bigmodel.cn/cn/guide/capabilities/thinking",
    },
    {
      models: ["glm-4-*"],
      limits: { efforts: [] },
      source: "https://docs.bigmodel.cn/cn/guide/capabilities/thinking",
    },
  ],
};
