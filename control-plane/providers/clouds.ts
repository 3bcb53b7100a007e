// Providers with several APIs, at addresses that are made from keys of the entry. Which API a model uses depends on its
// name; `provider_interface` selects another one.
import { API_KEY, BEARER, X_API_KEY, X_GOOG_API_KEY } from "../../contract/credentials.ts";
import {
  ANTHROPIC_MESSAGES,
  BEDROCK_CONVERSE,
  GEMINI,
  OPENAI_CHAT,
  OPENAI_RESPONSES,
} from "../../contract/dialects.ts";
import { BEDROCK_INVOKE, VERTEX_RAW_PREDICT } from "../../contract/envelopes.ts";
import type { Cloud, CloudApi } from "./cloud.ts";
import type { AddressValues } from "./cloud-address.ts";
import { HOSTED_CLOUDS } from "./hosted-clouds.ts";

const CHAT = {
  word: "openai",
  models: ["*"],
  dialect: OPENAI_CHAT,
  auth: BEARER,
  asksForUsage: true,
};

const CLAUDE = {
  word: "claude",
  limitsOf: "anthropic",
  dialect: ANTHROPIC_MESSAGES,
  auth: X_API_KEY,
  asksForUsage: false,
};

const CLAUDE_IN_ENVELOPE = { ...CLAUDE, auth: BEARER };

const RESPONSES = {
  word: OPENAI_RESPONSES.name,
  models: [],
  dialect: OPENAI_RESPONSES,
  auth: BEARER,
  asksForUsage: false,
};

/** The first version whose requests may ask for the usage of a stream. */
const STREAM_USAGE_VERSION = "2024-09-01";

/** Returns the date of the version; empty if it selects Azure's v1 API. */
function versionOf({ api_version: version = "" }: AddressValues): string {
  return /^\d/.test(version) ? version : "";
}

/** The model of a request is in its path. */
const AZURE_DEPLOYMENT = {
  ...CHAT,
  limitsOf: "openai",
  auth: API_KEY,
  isFor: (values: AddressValues) => versionOf(values) !== "",
  baseUrl: "https://{resource}.openai.azure.com/openai/deployments/{model}",
  query: "?api-version={api_version}",
  // Not below a deployment: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses
  responsesUrl: "https://{resource}.openai.azure.com/openai/v1",
};

/** Chat completions, and the Responses API beside them or alone. */
const CHAT_AND_RESPONSES = [{ ...CHAT, servesResponses: true as const }, RESPONSES].map((api) => ({
  ...api,
  limitsOf: "openai",
}));

const AZURE_V1 = CHAT_AND_RESPONSES.map((api) => ({
  ...api,
  limitsOf: "azure_openai",
  auth: API_KEY,
  baseUrl: "https://{resource}.openai.azure.com/openai/v1",
}));

const AZURE_OPENAI: Cloud = {
  name: "azure_openai",
  title: "Azure OpenAI",
  aliases: ["azure", "azureopenai"],
  keys: ["resource", "api_version"],
  keyVariable: "AZURE_OPENAI_API_KEY",
  needsKey: true,
  login: { type: "entra_id", scope: "https://cognitiveservices.azure.com/.default" },
  apis: [
    ...AZURE_V1.map((api) => ({
      ...api,
      isFor: ({ api_version: version = "v1" }: AddressValues) => version === "v1",
    })),
    ...AZURE_V1.map((api) => ({
      ...api,
      isFor: ({ api_version: version }: AddressValues) => version === "preview",
      query: "?api-version=preview",
    })),
    { ...AZURE_DEPLOYMENT, isFor: (values) => versionOf(values) >= STREAM_USAGE_VERSION },
    { ...AZURE_DEPLOYMENT, asksForUsage: false },
  ],
};

const AZURE_FOUNDRY: Cloud = {
  name: "azure_foundry",
  title: "Microsoft Foundry",
  aliases: ["azure_ai", "foundry"],
  keys: ["resource"],
  keyVariable: "AZURE_FOUNDRY_API_KEY",
  needsKey: true,
  login: { type: "entra_id", scope: "https://ai.azure.com/.default" },
  apis: [
    {
      ...CLAUDE,
      models: ["*claude*"],
      baseUrl: "https://{resource}.services.ai.azure.com/anthropic",
    },
    ...CHAT_AND_RESPONSES.map((api) => ({
      ...api,
      auth: API_KEY,
      baseUrl: "https://{resource}.services.ai.azure.com/openai/v1",
    })),
  ],
};

const NATIVE_GEMINI = {
  word: "gemini",
  dialect: GEMINI,
  auth: X_GOOG_API_KEY,
  asksForUsage: false,
};

const GEMINI_API: Cloud = {
  name: "gemini",
  title: "Gemini API",
  aliases: ["google", "google_ai_studio", "googleai"],
  keys: [],
  keyVariable: "GEMINI_API_KEY",
  needsKey: true,
  apis: [
    {
      ...NATIVE_GEMINI,
      models: ["*"],
      baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    },
    { ...CHAT, models: [], baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai" },
  ],
};

const VERTEX_PROJECT = "https://{vertex_host}/v1/projects/{project}/locations/{location}";

/** Open models and those of partners: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/maas/call-open-model-apis */
const VERTEX_OPENAPI = {
  baseUrl: `${VERTEX_PROJECT}/endpoints/openapi`,
  withPublisher: "google/gemini-2.5-pro",
};

const VERTEX: Cloud = {
  name: "vertex",
  title: "Vertex AI",
  aliases: ["vertex_ai", "google_vertex", "vertexai", "gcp", "vertex_ai_beta"],
  keys: ["project", "location"],
  defaults: { location: "global" },
  keyVariable: "GOOGLE_API_KEY",
  needsKey: true,
  login: { type: "google" },
  apis: [
    {
      ...NATIVE_GEMINI,
      auth: BEARER,
      models: ["gemini*"],
      baseUrl: `${VERTEX_PROJECT}/publishers/google`,
    },
    {
      ...CLAUDE_IN_ENVELOPE,
      models: ["claude*"],
      envelope: VERTEX_RAW_PREDICT,
      baseUrl: VERTEX_PROJECT,
      limitsOf: "vertex",
    },
    // Only Grok has the Responses API there, beside chat completions:
    // https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/partner-models/grok/responses
    { ...VERTEX_OPENAPI, ...CHAT, models: ["xai/*"], servesResponses: true },
    { ...VERTEX_OPENAPI, ...CHAT },
    { ...VERTEX_OPENAPI, ...RESPONSES },
  ],
};

/** Returns whether it is a model of OpenAI's own, which has only the Responses API at AWS; GPT-OSS has the other ones. */
function isFrontierModel({ model = "" }: AddressValues): boolean {
  return model.includes("openai.") && !model.includes("openai.gpt-oss");
}

const BEDROCK_RUNTIME = "https://bedrock-runtime.{region}.{aws_domain}";

const BEDROCK: Cloud = {
  name: "bedrock",
  title: "Amazon Bedrock",
  aliases: ["amazon_bedrock", "aws_bedrock", "aws"],
  keys: ["region"],
  keyVariable: "AWS_BEARER_TOKEN_BEDROCK",
  needsKey: true,
  login: { type: "aws", service: "bedrock" },
  apis: [
    {
      ...CLAUDE_IN_ENVELOPE,
      models: ["*anthropic.*"],
      envelope: BEDROCK_INVOKE,
      baseUrl: BEDROCK_RUNTIME,
      limitsOf: "bedrock",
    },
    {
      ...RESPONSES,
      models: ["*openai.*"],
      isFor: isFrontierModel,
      limitsOf: "openai",
      baseUrl: `${BEDROCK_RUNTIME}/openai/v1`,
    },
    {
      word: "converse",
      models: ["*"],
      dialect: BEDROCK_CONVERSE,
      auth: BEARER,
      asksForUsage: false,
      baseUrl: BEDROCK_RUNTIME,
    },
    { ...CHAT, models: [], baseUrl: `${BEDROCK_RUNTIME}/openai/v1` },
    { ...RESPONSES, limitsOf: "openai", baseUrl: `${BEDROCK_RUNTIME}/openai/v1` },
  ],
};

const BEDROCK_MANTLE_V1 = "https://bedrock-mantle.{region}.api.aws/v1";

const BEDROCK_MANTLE: Cloud = {
  name: "bedrock_mantle",
  title: "Amazon Bedrock Mantle",
  keys: ["region"],
  keyVariable: "AWS_BEARER_TOKEN_BEDROCK",
  needsKey: true,
  login: { type: "aws", service: "bedrock-mantle" },
  apis: [
    {
      ...CLAUDE,
      models: ["*anthropic.*"],
      limitsOf: "bedrock_mantle",
      auth: BEARER,
      baseUrl: "https://bedrock-mantle.{region}.api.aws/anthropic",
    },
    {
      ...CHAT,
      models: ["openai.gpt-oss*"],
      isFor: ({ model = "" }) => model.startsWith("openai.gpt-oss"),
      servesResponses: true,
      baseUrl: BEDROCK_MANTLE_V1,
    },
    // @see https://github.com/strands-agents/harness-sdk/pull/3032: the other path rejects these models.
    {
      ...RESPONSES,
      models: ["openai.*"],
      isFor: isFrontierModel,
      limitsOf: "openai",
      baseUrl: "https://bedrock-mantle.{region}.api.aws/openai/v1",
    },
    { ...CHAT, baseUrl: BEDROCK_MANTLE_V1 },
    { ...RESPONSES, baseUrl: BEDROCK_MANTLE_V1 },
  ],
};

export const CLOUDS: readonly Cloud[] = [
  AZURE_OPENAI,
  AZURE_FOUNDRY,
  GEMINI_API,
  VERTEX,
  BEDROCK,
  BEDROCK_MANTLE,
  ...HOSTED_CLOUDS,
];

export function findCloud(name: string | undefined): Cloud | undefined {
  return CLOUDS.find((cloud) => cloud.name === name);
}

/** Returns the cloud that alone has the API of a word of `provider_interface`, such as `converse`; undefined if others have it too. */
export function findCloudOfApi(word: string | undefined): Cloud | undefined {
  const [cloud, ...others] = CLOUDS.filter(
    (one) => word !== undefined && wordsOf(one).includes(word),
  );
  return others.length === 0 ? cloud : undefined;
}

/** Returns the API of a model; `word`: of `provider_interface`, undefined if it is not set. */
export function apiOf(
  { apis }: Cloud,
  model: string,
  word: string | undefined,
  values: AddressValues,
): CloudApi | undefined {
  const wanted = word === "anthropic" ? CLAUDE.word : word;
  return apis.find(
    ({ word: own, models, isFor }) =>
      (wanted === undefined ? models.some((one) => matchesPattern(one, model)) : own === wanted) &&
      isFor?.({ ...values, model }) !== false,
  );
}

/** Returns whether a pattern, in which `*` stands for any text, matches the name of a model. */
export function matchesPattern(pattern: string, model: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(".", String.raw`\.`));
  return new RegExp(`^${parts.join(".*")}$`).test(model);
}

/** The words of `provider_interface` that select one of its APIs, each once. */
export function wordsOf({ apis }: Cloud): string[] {
  return [...new Set(apis.map(({ word }) => word))];
}
