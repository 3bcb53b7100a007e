// Providers whose addresses are made from keys of the entry, as those of clouds.ts: they host models of others.
import { BEARER, X_API_KEY } from "../../contract/credentials.ts";
import { ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES } from "../../contract/dialects.ts";
import type { Cloud } from "./cloud.ts";

const CHAT = {
  word: "openai",
  models: ["*"],
  dialect: OPENAI_CHAT,
  auth: BEARER,
  asksForUsage: true,
};

const MESSAGES = {
  word: "claude",
  models: [],
  dialect: ANTHROPIC_MESSAGES,
  auth: BEARER,
  asksForUsage: false,
};

const RESPONSES = {
  word: OPENAI_RESPONSES.name,
  models: [],
  dialect: OPENAI_RESPONSES,
  auth: BEARER,
  asksForUsage: false,
};

const SERVING = "https://{workspace_host}/serving-endpoints";

/** LiteLLM 1.109.1, models.dev f3fc692; 2026-11-23. The model is the name of an endpoint. */
const DATABRICKS: Cloud = {
  name: "databricks",
  title: "Databricks",
  keys: ["workspace"],
  keyVariable: "DATABRICKS_TOKEN",
  needsKey: true,
  apis: [
    { ...CHAT, limitsOf: "databricks", baseUrl: SERVING },
    { ...MESSAGES, limitsOf: "anthropic", baseUrl: `${SERVING}/anthropic` },
    { ...RESPONSES, baseUrl: SERVING },
  ],
};

const CORTEX = "https://{account}.snowflakecomputing.com/api/v2/cortex";

/** pydantic-ai 2.68.0, LiteLLM 1.109.1, models.dev f3fc692; 2026-11-23. Of other models than openai-* and claude* it rejects tools. */
const SNOWFLAKE: Cloud = {
  name: "snowflake",
  title: "Snowflake Cortex",
  aliases: ["snowflake_cortex"],
  keys: ["account"],
  keyVariable: "SNOWFLAKE_CORTEX_PAT",
  needsKey: true,
  apis: [
    { ...CHAT, baseUrl: `${CORTEX}/v1` },
    { ...MESSAGES, limitsOf: "anthropic", baseUrl: CORTEX },
  ],
};

const WORKERS = "https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1";

/** LiteLLM 1.109.1, pi-ai 1.5.2, models.dev f3fc692; 2026-11-23. */
const WORKERS_AI: Cloud = {
  name: "cloudflare_workers_ai",
  title: "Cloudflare Workers AI",
  aliases: ["cloudflare", "workers_ai"],
  keys: ["account"],
  keyVariable: "CLOUDFLARE_API_TOKEN",
  needsKey: true,
  apis: [
    { ...CHAT, limitsOf: "cloudflare_workers_ai", baseUrl: WORKERS },
    { ...RESPONSES, baseUrl: WORKERS },
  ],
};

const AI_GATEWAY = "https://gateway.ai.cloudflare.com/v1/{account}/{gateway}";

/**
 * pi-ai 1.5.2, models.dev f3fc692; 2026-11-23. The key is the provider's; the token of the gateway is a header
 * (`cf-aig-authorization`), and is enough where Cloudflare keeps the provider's key.
 */
const CLOUDFLARE_GATEWAY: Cloud = {
  name: "cloudflare_ai_gateway",
  title: "Cloudflare AI Gateway",
  keys: ["account", "gateway"],
  keyVariable: "CLOUDFLARE_PROVIDER_KEY",
  needsKey: true,
  apis: [
    { ...CHAT, limitsOf: "cloudflare_ai_gateway", baseUrl: `${AI_GATEWAY}/compat` },
    { ...MESSAGES, limitsOf: "anthropic", auth: X_API_KEY, baseUrl: `${AI_GATEWAY}/anthropic` },
    { ...RESPONSES, limitsOf: "openai", baseUrl: `${AI_GATEWAY}/openai` },
  ],
};

const IBM_REGION = "a region of watsonx.ai, such as us-south or eu-de";

/**
 * ibm-watsonx-ai 1.8.1 (href_definitions.py); 2026-11-27. Through its model gateway: the API at /ml/v1/text/chat has a format of its
 * own.
 */
const WATSONX: Cloud = {
  name: "watsonx",
  title: "IBM watsonx.ai",
  keys: ["region"],
  rules: {
    region: {
      pattern: /^[a-z]{2}-[a-z]{2,8}$/,
      expected: IBM_REGION,
      missing: "write region: us-south (yours)",
    },
  },
  keyVariable: "WATSONX_TOKEN",
  needsKey: true,
  login: { type: "ibm_iam" },
  apis: [{ ...CHAT, baseUrl: "https://{region}.ml.cloud.ibm.com/ml/gateway/v1" }],
};

/** mastra 1.71.0, models.dev in September 2026; 2026-11-23. With a key; requests to its own API would be signed. */
const ORACLE: Cloud = {
  name: "oci",
  title: "Oracle Cloud Generative AI",
  aliases: ["oracle"],
  keys: ["region"],
  keyVariable: "OCI_GENAI_API_KEY",
  needsKey: true,
  apis: [
    {
      ...CHAT,
      baseUrl: "https://inference.generativeai.{region}.oci.oraclecloud.com/openai/v1",
    },
  ],
};

export const HOSTED_CLOUDS: readonly Cloud[] = [
  DATABRICKS,
  SNOWFLAKE,
  WORKERS_AI,
  CLOUDFLARE_GATEWAY,
  WATSONX,
  ORACLE,
];
