// Companies that serve models of others, open ones for the most part.
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

const GPT_OSS = "openai/gpt-oss-120b";

export const HOSTS: readonly Provider[] = [
  chat("groq", "Groq", "https://api.groq.com/openai/v1", {
    apis: [responsesAt()],
    variables: ["GROQ_API_KEY"],
    usualModel: GPT_OSS,
    source: read(PYDANTIC, AI_SDK),
  }),
  chat("together_ai", "Together AI", "https://api.together.xyz/v1", {
    aliases: ["together", "togetherai"],
    variables: ["TOGETHER_API_KEY", "TOGETHERAI_API_KEY", "TOGETHER_AI_API_KEY"],
    usualModel: GPT_OSS,
    source: read(AI_SDK, PI, PYDANTIC, MODELS_DEV),
  }),
  chat("fireworks_ai", "Fireworks AI", "https://api.fireworks.ai/inference/v1", {
    aliases: ["fireworks"],
    apis: [responsesAt(), messagesAt("https://api.fireworks.ai/inference")],
    variables: ["FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY", "FIREWORKSAI_API_KEY"],
    usualModel: "accounts/fireworks/models/gpt-oss-120b",
    source: read(LITELLM, AI_SDK, PI, PYDANTIC),
  }),
  chat("cerebras", "Cerebras", "https://api.cerebras.ai/v1", {
    variables: ["CEREBRAS_API_KEY"],
    usualModel: "gpt-oss-120b",
    source: read(AI_SDK, PYDANTIC, LITELLM),
  }),
  chat("nvidia_nim", "NVIDIA NIM", "https://integrate.api.nvidia.com/v1", {
    aliases: ["nvidia"],
    variables: ["NVIDIA_API_KEY", "NVIDIA_NIM_API_KEY"],
    usualModel: GPT_OSS,
    source: read(LITELLM, PI, MODELS_DEV),
  }),
  chat("huggingface", "Hugging Face", "https://router.huggingface.co/v1", {
    aliases: ["hugging_face"],
    apis: [responsesAt()],
    variables: ["HF_TOKEN", "HUGGINGFACE_API_KEY"],
    usualModel: GPT_OSS,
    source: read(LITELLM, AI_SDK, PI, MODELS_DEV),
  }),
  chat("deepinfra", "DeepInfra", "https://api.deepinfra.com/v1/openai", {
    apis: [messagesAt("https://api.deepinfra.com/anthropic")],
    variables: ["DEEPINFRA_API_KEY"],
    usualModel: GPT_OSS,
    source: read(LITELLM, AI_SDK, MODELS_DEV),
  }),
  chat("sambanova", "SambaNova", "https://api.sambanova.ai/v1", {
    apis: [messagesAt("https://api.sambanova.ai")],
    variables: ["SAMBANOVA_API_KEY"],
    usualModel: "gpt-oss-120b",
    source: read(LITELLM, PYDANTIC, "docs.sambanova.ai"),
  }),
  chat("baseten", "Baseten", "https://inference.baseten.co/v1", {
    variables: ["BASETEN_API_KEY"],
    usualModel: GPT_OSS,
    note: "A deployment has its own address: `base_url: https://model-<id>.api.baseten.co/environments/production/sync/v1`.",
    source: read(PI, LITELLM, AI_SDK, MODELS_DEV),
  }),
  // LiteLLM, pydantic-ai and Portkey still have https://api.studio.nebius.com/v1.
  chat("nebius", "Nebius Token Factory", "https://api.tokenfactory.nebius.com/v1", {
    variables: ["NEBIUS_API_KEY"],
    usualModel: GPT_OSS,
    source: read(MODELS_DEV, MASTRA),
  }),
  // LiteLLM and Portkey still have https://api.novita.ai/v3/openai.
  chat("novita", "Novita AI", "https://api.novita.ai/openai/v1", {
    aliases: ["novita_ai"],
    variables: ["NOVITA_API_KEY"],
    usualModel: GPT_OSS,
    source: read(MODELS_DEV, LITELLM),
  }),
  chat("siliconflow", "SiliconFlow", "https://api.siliconflow.com/v1", {
    variables: ["SILICONFLOW_API_KEY"],
    usualModel: GPT_OSS,
    source: read(MODELS_DEV, MASTRA),
  }),
  chat("siliconflow_cn", "SiliconFlow (China)", "https://api.siliconflow.cn/v1", {
    variables: ["SILICONFLOW_CN_API_KEY"],
    usualModel: "Pro/zai-org/GLM-5.1",
    source: read(MODELS_DEV, MASTRA),
  }),
  chat("scaleway", "Scaleway", "https://api.scaleway.ai/v1", {
    variables: ["SCALEWAY_API_KEY", "SCW_SECRET_KEY"],
    usualModel: "gpt-oss-120b",
    note: "A project has its own address: `base_url: https://api.scaleway.ai/<project>/v1`.",
    source: read(LITELLM, MODELS_DEV, MASTRA),
  }),
  chat("ovhcloud", "OVHcloud AI Endpoints", "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1", {
    apis: [responsesAt()],
    variables: ["OVHCLOUD_API_KEY"],
    usualModel: "gpt-oss-120b",
    source: read(LITELLM, PYDANTIC, MODELS_DEV, MASTRA),
  }),
  chat("nscale", "Nscale", "https://inference.api.nscale.com/v1", {
    variables: ["NSCALE_API_KEY"],
    source: read(LITELLM),
  }),
  chat("featherless", "Featherless AI", "https://api.featherless.ai/v1", {
    aliases: ["featherless_ai"],
    variables: ["FEATHERLESS_API_KEY", "FEATHERLESS_AI_API_KEY"],
    source: read(LITELLM),
  }),
  chat("friendli", "Friendli", "https://api.friendli.ai/serverless/v1", {
    aliases: ["friendliai"],
    variables: ["FRIENDLI_TOKEN", "FRIENDLIAI_API_KEY"],
    usualModel: "zai-org/GLM-5.2",
    note: "Dedicated endpoints: `base_url: https://api.friendli.ai/dedicated/v1`.",
    source: read(LITELLM, MODELS_DEV, MASTRA),
  }),
  chat("parasail", "Parasail", "https://api.parasail.io/v1", {
    apis: [responsesAt()],
    variables: ["PARASAIL_API_KEY"],
    source: read(LITELLM),
  }),
  chat("chutes", "Chutes", "https://llm.chutes.ai/v1", {
    variables: ["CHUTES_API_KEY"],
    usualModel: "zai-org/GLM-5.2-TEE",
    source: read(LITELLM, PI, MODELS_DEV, MASTRA),
  }),
  chat("venice", "Venice AI", "https://api.venice.ai/api/v1", {
    aliases: ["veniceai"],
    apis: [responsesAt()],
    variables: ["VENICE_API_KEY", "VENICE_AI_API_KEY"],
    source: read(LITELLM, MODELS_DEV),
  }),
  chat("gmi", "GMI Cloud", "https://api.gmi-serving.com/v1", {
    aliases: ["gmicloud"],
    apis: [messagesAt("https://api.gmi-serving.com")],
    variables: ["GMI_API_KEY", "GMICLOUD_API_KEY"],
    usualModel: "deepseek-ai/DeepSeek-V4-Pro",
    source: read(LITELLM, MODELS_DEV, MASTRA),
  }),
  chat("crusoe", "Crusoe", "https://api.inference.crusoecloud.com/v1", {
    variables: ["CRUSOE_API_KEY"],
    usualModel: GPT_OSS,
    source: read(LITELLM, PYDANTIC, MASTRA),
  }),
  chat("vultr", "Vultr", "https://api.vultrinference.com/v1", {
    variables: ["VULTR_API_KEY"],
    usualModel: "moonshotai/Kimi-K2.6",
    source: read(MODELS_DEV, MASTRA),
  }),
  chat("digitalocean", "DigitalOcean", "https://inference.do-ai.run/v1", {
    aliases: ["gradient_ai"],
    apis: [responsesAt(), messagesAt("https://inference.do-ai.run")],
    variables: ["DIGITALOCEAN_ACCESS_TOKEN", "GRADIENT_AI_API_KEY"],
    usualModel: "openai-gpt-oss-120b",
    note: "An agent has its own address: `base_url: https://<agent>.agents.do-ai.run/api/v1`.",
    source: read(MODELS_DEV, MASTRA),
  }),
  chat("heroku", "Heroku", "https://us.inference.heroku.com/v1", {
    variables: ["HEROKU_INFERENCE_KEY", "HEROKU_API_KEY"],
    note: "Other regions: `base_url: https://eu.inference.heroku.com/v1`.",
    source: read(LITELLM, PYDANTIC),
  }),
  chat("wandb", "CoreWeave (Weights & Biases)", "https://api.inference.wandb.ai/v1", {
    aliases: ["weights_and_biases"],
    variables: ["WANDB_API_KEY"],
    usualModel: GPT_OSS,
    source: read(LITELLM, MODELS_DEV, MASTRA),
  }),
  chat("modal", "Modal", "https://inference.us-west.modal.direct/v1", {
    variables: ["MODAL_PROXY_TOKEN"],
    usualModel: "moonshotai/Kimi-K3",
    note: "An app has its own address: `base_url: https://<workspace>--<app>.modal.run/v1`.",
    source: read(MASTRA),
  }),
  chat("modelscope", "ModelScope", "https://api-inference.modelscope.cn/v1", {
    variables: ["MODELSCOPE_API_KEY"],
    usualModel: "Qwen/Qwen3-235B-A22B-Instruct-2507",
    source: read(LITELLM, MODELS_DEV, MASTRA),
  }),
  chat("ionet", "IO Intelligence", "https://api.intelligence.io.solutions/api/v1", {
    aliases: ["io_net", "iointelligence"],
    variables: ["IOINTELLIGENCE_API_KEY"],
    usualModel: GPT_OSS,
    source: read(MODELS_DEV, MASTRA),
  }),
  chat("nearai", "NEAR AI", "https://cloud-api.near.ai/v1", {
    variables: ["NEARAI_API_KEY"],
    source: read(MODELS_DEV, MASTRA),
  }),
  chat("stackit", "STACKIT", "https://api.openai-compat.model-serving.eu01.onstackit.cloud/v1", {
    variables: ["STACKIT_API_KEY"],
    usualModel: GPT_OSS,
    source: read(MODELS_DEV, MASTRA),
  }),
  chat("hetzner", "Hetzner", "https://inference.hetzner.com/api/v1", {
    variables: ["HETZNER_API_KEY"],
    usualModel: "Qwen3.8-27B",
    source: read(MASTRA),
  }),
  chat("tinfoil", "Tinfoil", "https://inference.tinfoil.sh/v1", {
    variables: ["TINFOIL_API_KEY"],
    usualModel: "gpt-oss-120b",
    note: "The gateway does not verify its attestation.",
    source: read(MODELS_DEV, MASTRA),
  }),
  chat("synthetic", "Synthetic", "https://api.synthetic.new/openai/v1", {
    variables: ["SYNTHETIC_API_KEY"],
    usualModel: "hf:openai/gpt-oss-120b",
    source: read(LITELLM, MODELS_DEV, MASTRA),
  }),
  chat("clarifai", "Clarifai", "https://api.clarifai.com/v2/ext/openai/v1", {
    variables: ["CLARIFAI_PAT", "CLARIFAI_API_KEY"],
    usualModel: "openai/chat-completion/models/gpt-oss-120b-high-throughput",
    source: read(LITELLM, MODELS_DEV, MASTRA),
  }),
];
