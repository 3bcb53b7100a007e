// The known limits of DeepSeek's models.
import { type ProviderLimits } from "./model-families.ts";

export const DEEPSEEK: ProviderLimits = {
  // Once tools are in the conversation, its thinking models reject a message of the assistant without `reasoning_content`, and a
  // blank one; the others take it and do not look at it.
  everyModel: {
    limits: {
      max_tokens_member: "max_tokens",
      developer_role: false,
      reasoning_content: true,
      needs_reasoning: "turns",
      output_schema: false,
    },
    source:
      "https://api-docs.deepseek.com/api/create-chat-completion; https://api-docs.deepseek.com/guides/thinking_mode; https://github.com/earendil-works/pi/issues/1048; https://github.com/NousResearch/hermes-agent/pull/18263; https://github.com/Lingtai-AI/lingtai/issues/831",
  },
  families: [
    {
      // "unknown variant `image_url`, expected `text`"; the newer flash models read images.
      models: ["deepseek-v4-pro*"],
      limits: { efforts: ["high", "max"], thinking_switch: "thinking", images: false },
      source:
        "https://api-docs.deepseek.com/api/create-chat-completion; https://api-docs.deepseek.com/guides/thinking_mode; npm @ai-sdk/deepseek; https://github.com/rikkahub/rikkahub/issues/1433; https://github.com/nesquena/hermes-webui/issues/2297",
    },
    {
      models: ["deepseek-v4*", "deepseek-flash"],
      limits: { efforts: ["high", "max"], thinking_switch: "thinking" },
      source:
        "https://api-docs.deepseek.com/api/create-chat-completion; https://api-docs.deepseek.com/guides/thinking_mode; npm @ai-sdk/deepseek",
    },
    {
      models: ["deepseek-chat", "deepseek-reasoner"],
      limits: { efforts: [], images: false },
      source:
        "https://api-docs.deepseek.com/guides/reasoning_model; https://github.com/browser-use/browser-use/issues/159; https://github.com/chatboxai/chatbox/issues/1740",
    },
  ],
};
