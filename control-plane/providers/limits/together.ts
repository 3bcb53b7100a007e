// The known limits of Together AI's models.
import { upTo, type ProviderLimits } from "./model-families.ts";

export const TOGETHER: ProviderLimits = {
  everyModel: {
    limits: { max_tokens_member: "max_tokens", developer_role: false },
    source: "npm @ai-sdk/togetherai; npm @earendil-works/pi-ai 1.5.2",
  },
  families: [
    {
      models: ["openai/gpt-oss-*"],
      limits: { efforts: upTo("high"), schema_refs: false },
      source: "https://docs.together.ai/docs/inference/chat/reasoning#reasoning-effort",
    },
    {
      models: ["deepseek-ai/DeepSeek-V*", "zai-org/GLM-*", "moonshotai/Kimi-K2.*", "Qwen/Qwen3.*"],
      limits: { thinking_switch: "reasoning" },
      source: "https://docs.together.ai/docs/inference/chat/reasoning",
    },
  ],
};
