// The known limits of Mistral's models.
import type { ModelLimits } from "../../../model/model-limits.ts";
import { family, MODEL_SIZES, type ProviderLimits } from "./model-families.ts";

/** Their chat template, wherever they run: it raises an exception for anything else. */
export const MISTRAL_TEMPLATE: ModelLimits = { call_ids: "short", user_after_tool: false };

/** Names of Mistral's open models at servers that run any model. */
export const MISTRAL_MODELS: string[] = [
  "mistralai/*",
  ...["mistral-*", "ministral-*", "magistral-*", "devstral-*", "codestral-*", "mixtral-*"],
  ...["Mistral-*", "Ministral-*", "Magistral-*", "Devstral-*", "Codestral-*", "Mixtral-*"],
];

export const MISTRAL: ProviderLimits = {
  // Refuses every member that its reference does not name, with 422 "Extra inputs are not permitted".
  everyModel: {
    limits: {
      max_tokens_member: "max_tokens",
      user: false,
      developer_role: false,
      // 400 "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9", "Unexpected role 'user' after role 'tool'".
      call_ids: "short",
      user_after_tool: false,
      cache_key: "prompt_cache_key",
      efforts: [],
      top_k: true,
      seed_member: "random_seed",
      document_part: "document_url",
      refuses: [
        "store",
        "logit_bias",
        "stream_options",
        "safety_identifier",
        "prompt_cache_retention",
        "verbosity",
        "modalities",
        "moderation",
        "web_search_options",
        "messages[].name",
        "messages[].refusal",
        "messages[].reasoning_content",
        "messages[].reasoning_details",
      ],
    },
    source:
      "https://docs.mistral.ai/api; https://docs.mistral.ai/studio-api/conversations/advanced/prompt-caching; https://github.com/langchain-ai/langchain/issues/24668; https://github.com/BerriAI/litellm/issues/17761; https://github.com/mistralai/client-python (3.7.0); https://github.com/charmbracelet/crush/issues/1590; https://github.com/editor-code-assistant/eca/issues/231",
  },
  families: [
    {
      models: family("mistral-small-2603", "mistral-medium-2604"),
      limits: { efforts: ["none", "high"] },
      source: MODEL_SIZES,
    },
  ],
};
