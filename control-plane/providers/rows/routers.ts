// Gateways and marketplaces: one key for the models of many providers.
import { BEARER } from "../../../contract/credentials.ts";
import {
  AI_SDK,
  chat,
  LITELLM,
  MASTRA,
  messagesAt,
  MODELS_DEV,
  PI,
  PYDANTIC,
  read,
  responsesAt,
  type Provider,
} from "../provider.ts";

export const ROUTERS: readonly Provider[] = [
  chat("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", {
    apis: [responsesAt(), messagesAt("https://openrouter.ai/api")],
    variables: ["OPENROUTER_API_KEY", "OR_API_KEY"],
    usualModel: "openai/gpt-5.5",
    source: read(PYDANTIC, LITELLM, PI, MODELS_DEV),
  }),
  chat("vercel", "Vercel AI Gateway", "https://ai-gateway.vercel.sh/v1", {
    aliases: ["vercel_ai_gateway"],
    apis: [responsesAt(), messagesAt("https://ai-gateway.vercel.sh")],
    variables: ["AI_GATEWAY_API_KEY", "VERCEL_AI_GATEWAY_API_KEY"],
    usualModel: "openai/gpt-5.5",
    source: read(LITELLM, AI_SDK, MODELS_DEV, PI),
  }),
  // A preview with small daily limits; models.dev no longer listed it in September 2026.
  chat("github_models", "GitHub Models", "https://models.github.ai/inference", {
    aliases: ["github"],
    variables: ["GITHUB_API_KEY"],
    note: "A token with `models: read`; `access_key: $GITHUB_TOKEN` in a workflow. For an organization: `base_url: https://models.github.ai/orgs/<organization>/inference`.",
    source: read(PYDANTIC, MODELS_DEV),
  }),
  chat("github_copilot", "GitHub Copilot", "https://api.githubcopilot.com", {
    basePath: "",
    apis: [responsesAt(), messagesAt("https://api.githubcopilot.com", BEARER)],
    variables: ["GITHUB_COPILOT_API_KEY"],
    note: "It expects headers of an editor (`Editor-Version`, `Copilot-Integration-Id`): set `headers`. Its terms of use limit it to Copilot's clients.",
    source: read(PYDANTIC, LITELLM, PI),
  }),
  chat("requesty", "Requesty", "https://router.requesty.ai/v1", {
    variables: ["REQUESTY_API_KEY"],
    usualModel: "gpt-5.5",
    source: read(MODELS_DEV, MASTRA),
  }),
  chat("helicone", "Helicone", "https://ai-gateway.helicone.ai/v1", {
    apis: [responsesAt()],
    variables: ["HELICONE_API_KEY"],
    usualModel: "gpt-oss-120b",
    source: read(MODELS_DEV, LITELLM, MASTRA),
  }),
  chat("kilo", "Kilo Gateway", "https://api.kilo.ai/api/gateway", {
    apis: [responsesAt()],
    variables: ["KILO_API_KEY"],
    usualModel: "openai/gpt-5.5",
    source: read(MODELS_DEV, MASTRA),
  }),
  chat("opencode", "opencode Zen", "https://opencode.ai/zen/v1", {
    aliases: ["opencode_zen"],
    apis: [responsesAt(), messagesAt("https://opencode.ai/zen")],
    variables: ["OPENCODE_API_KEY"],
    usualModel: "glm-5.2",
    note: "The model decides the format: GPT models need `provider_interface: openai_responses`, Claude and Qwen `provider_interface: anthropic`.",
    source: read(MODELS_DEV, MASTRA),
  }),
  chat("opencode_go", "opencode Go", "https://opencode.ai/zen/go/v1", {
    apis: [messagesAt("https://opencode.ai/zen/go")],
    variables: ["OPENCODE_GO_API_KEY"],
    usualModel: "glm-5.2",
    source: read(LITELLM, MODELS_DEV, MASTRA),
  }),
  chat("aihubmix", "AIHubMix", "https://aihubmix.com/v1", {
    apis: [responsesAt(), messagesAt("https://aihubmix.com")],
    variables: ["AIHUBMIX_API_KEY"],
    source: read(LITELLM, MODELS_DEV),
  }),
  chat("nano_gpt", "NanoGPT", "https://nano-gpt.com/api/v1", {
    aliases: ["nanogpt"],
    variables: ["NANOGPT_API_KEY", "NANO_GPT_API_KEY"],
    usualModel: "deepseek/deepseek-v4-pro",
    source: read(LITELLM, MODELS_DEV, MASTRA),
  }),
  chat("zenmux", "ZenMux", "https://zenmux.ai/api/v1", {
    apis: [responsesAt(), messagesAt("https://zenmux.ai/api/anthropic")],
    variables: ["ZENMUX_API_KEY"],
    usualModel: "openai/gpt-5.5",
    source: read(MODELS_DEV, MASTRA),
  }),
  chat("cortecs", "Cortecs", "https://api.cortecs.ai/v1", {
    apis: [responsesAt(), messagesAt("https://api.cortecs.ai")],
    variables: ["CORTECS_API_KEY"],
    usualModel: "gpt-oss-120b",
    source: read(LITELLM, MODELS_DEV, MASTRA),
  }),
  chat("edenai", "Eden AI", "https://api.edenai.run/v3", {
    apis: [responsesAt()],
    variables: ["EDENAI_API_KEY"],
    usualModel: "deepseek/deepseek-v4-pro",
    source: read(LITELLM, MASTRA),
  }),
  chat("poe", "Poe", "https://api.poe.com/v1", {
    apis: [responsesAt()],
    variables: ["POE_API_KEY"],
    usualModel: "openai/gpt-5.5",
    source: read(LITELLM, MODELS_DEV, MASTRA),
  }),
  chat("assemblyai", "AssemblyAI LLM Gateway", "https://llm-gateway.assemblyai.com/v1", {
    variables: ["ASSEMBLYAI_API_KEY"],
    source: read(LITELLM, AI_SDK),
  }),
];
