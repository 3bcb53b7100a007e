// The known limits of Ollama's models.
import { upTo, type ProviderLimits } from "./model-families.ts";

export const OLLAMA: ProviderLimits = {
  // A model that cannot think answers 400 to any effort, and which can is not to be seen from its name.
  everyModel: {
    limits: { developer_role: false, efforts: [] },
    source:
      "https://github.com/ollama/ollama/issues/12561; https://docs.ollama.com/api/openai-compatibility",
  },
  families: [
    {
      models: ["gpt-oss*"],
      limits: { efforts: upTo("high"), schema_refs: false },
      source: "https://docs.ollama.com/capabilities/thinking",
    },
  ],
};
