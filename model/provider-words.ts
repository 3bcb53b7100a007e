// The words of OpenTelemetry's conventions for providers, where they differ from the names in the configuration.
// @see https://github.com/open-telemetry/semantic-conventions-genai

const PROVIDERS: Readonly<Record<string, string>> = {
  azure_openai: "azure.ai.openai",
  azure_foundry: "azure.ai.inference",
  bedrock: "aws.bedrock",
  bedrock_mantle: "aws.bedrock",
  gemini: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  mistral: "mistral_ai",
  moonshotai: "moonshot_ai",
  xai: "x_ai",
};

/** Returns `gen_ai.provider.name`. */
export function providerWord(provider: string): string {
  return PROVIDERS[provider] ?? provider;
}
