// Providers that other gateways name and whose API is none that the gateway supports, with what they have instead.
const OWN_FORMATS: Readonly<Record<string, string>> = {
  aleph_alpha: "its API is no longer served",
  deepgram: "it has audio alone, in a format of its own",
  elevenlabs: "it has audio alone, in a format of its own",
  gigachat: "its function calls have a form of their own",
  infinity: "it serves embeddings and rerank alone",
  jina_ai: "it serves embeddings and rerank alone",
  kluster: "its API is no longer served",
  lambda_ai: "its API is no longer served",
  replicate: "its predictions API has no messages",
  sagemaker: "the format is that of the container in each endpoint",
  sap: "requests are in an envelope of its orchestration service",
  voyage: "it serves embeddings and rerank alone",
};

/** Returns why a provider is not supported; undefined for any other word. */
export function reasonOfOwnFormat(word: string): string | undefined {
  const plain = word.replaceAll("-", "_");
  return Object.hasOwn(OWN_FORMATS, plain) ? OWN_FORMATS[plain] : undefined;
}

/** Addresses of such APIs, each with what to write. */
const OWN_ADDRESSES: readonly [address: RegExp, hint: string][] = [
  [
    /^https:\/\/api\.cohere\.(?:com|ai)\/v[12]\b/i,
    "remove base_url, or write base_url: https://api.cohere.ai/compatibility/v1",
  ],
  [
    /^https:\/\/dashscope[\w-]*\.aliyuncs\.com\/api\/v1\b/i,
    "write the address of its OpenAI-compatible API: …/compatible-mode/v1",
  ],
  [
    /^https:\/\/[\w-]+\.ml\.cloud\.ibm\.com\/ml\/v1\b/i,
    "write the address of its model gateway: …/ml/gateway/v1",
  ],
  [/^https:\/\/api\.replicate\.com\b/i, "use one of the providers in docs/providers.md"],
];

/** Returns what to write in place of an address whose API has a format of its own; undefined for any other. */
export function hintForOwnAddress(baseUrl: string): string | undefined {
  return OWN_ADDRESSES.find(([address]) => address.test(baseUrl))?.[1];
}
