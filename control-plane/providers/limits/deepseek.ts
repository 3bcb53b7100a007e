// The known limits of DeepSeek's models.
import { type ProviderLimits } from "./model-families.ts";

export const DEEPSEEK: ProviderLimits = {
  // In a tool loop its thinking models want `reasoning_content` back; the others take it and do not look at it.
  everyModel: {
    limits: {
      max_tokens_member: "max_tokens",
      developer_role: false,
      reasoning_content: true,
      output_schema: false,
    },
    source:
      "https://api-docs.deepseek.com/api/create-chat-completion; https://api-docs.deepseek.com/guides/thinking_mode; https://github.com/earendil-works/pi/issues/1048",
  },
  families: [
    {
      models: ["deepseek-v4*", "deepseek-flash"],
      limits: { efforts: ["high", "max"] },
      source: "https://api-docs.deepseek.com/api/create-chat-completion",
    },
    {
      models: ["deepseek-chat", "deepseek-reasoner"],
      limits: { efforts: [] },
      source: "https://api-docs.deepseek.com/guides/reasoning_model",
    },
  ],
};
