// The words of a request's labels: those of OpenTelemetry's conventions for generative AI where they have one.
// @see https://github.com/open-telemetry/semantic-conventions-genai
import { BROKEN } from "../../contract/usage-record.ts";
import type { UsageLine } from "./usage-line.ts";

const OPERATIONS: Readonly<Record<string, string>> = {
  "/v1/chat/completions": "chat",
  "/v1/messages": "chat",
  "/v1/responses": "chat",
  "/v1/completions": "text_completion",
  "/v1/embeddings": "embeddings",
};

/** Returns `gen_ai.operation.name`; undefined for an endpoint without tokens. */
export function operationOf(endpoint: string | undefined): string | undefined {
  return endpoint === undefined ? undefined : OPERATIONS[endpoint];
}

/** Providers whose word in the conventions is not their name in the configuration. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure_openai: "azure.ai.openai",
  azure_foundry: "azure.ai.inference",
  bedrock: "aws.bedrock",
  bedrock_mantle: "aws.bedrock",
  gemini: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  mistral: "mistral_ai",
  moonshot: "moonshot_ai",
  xai: "x_ai",
};

/** Returns `gen_ai.provider.name`. */
export function providerWord(provider: string): string {
  return PROVIDERS[provider] ?? provider;
}

/** Flags of Envoy, and what they mean for the client. */
const FLAGS: Readonly<Record<string, string>> = {
  DC: "client_disconnected",
  UT: "timeout",
  SI: "timeout",
  DT: "timeout",
  UR: "upstream_reset",
  UC: "upstream_reset",
  UPE: "upstream_reset",
};

/** Returns `error.type`; empty for a request that succeeded. */
export function errorType({ status, flags, record }: UsageLine): string {
  for (const flag of flags) {
    const type = FLAGS[flag];
    // A status below 400 is that of a response which was not complete.
    if (type !== undefined) return type;
  }
  if (status >= 400) return String(status);
  if (record?.error === BROKEN) return BROKEN;
  return status === 0 ? "_OTHER" : "";
}
