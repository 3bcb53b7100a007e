// The envelopes of Claude at the clouds: a messages request whose model is in the path, with the version in the body, and with
// those betas that the cloud supports; it rejects any other. One row for each. Compiled by tsc and asc.
//
// What each cloud accepts: the SDKs of Anthropic and Vercel, live probes of envoyproxy/ai-gateway, LiteLLM's table of betas
// (all of November 2026); docs/decisions/2026-11-22-claude-envelopes.md.

/** A beta that a cloud knows by another name. */
export class BetaAlias {
  name: string = "";
  meaning: string = "";
}

export class EnvelopeRow {
  /** The name in the filter's configuration. */
  name: string = "";
  /** The API in error messages: "Claude on Vertex AI". */
  title: string = "";
  /** What is before the model in the path, after the path of the base URL. */
  path: string = "";
  /** Characters of a model's name that are not escaped in the path, besides the unreserved ones of RFC 3986. */
  plainCharacters: string = "";
  /** What is after the model in the path, for a complete response and for a stream. */
  method: string = "";
  streamMethod: string = "";
  /** The same for a request that counts tokens; in `countModel` the name that replaces the model's, empty for none. */
  countMethod: string = "";
  countModel: string = "";
  /** Whether such a request is inside of AWS's own, in base64. */
  wrapsCount: boolean = false;
  /** The member `anthropic_version`. */
  version: string = "";
  /** Whether the body has the member `stream`; else the path alone decides. */
  hasStream: boolean = true;
  /** Whether betas are the member `anthropic_beta`; else they are the header `anthropic-beta`. */
  hasBetaMember: boolean = false;
  /** Whether a stream is `application/vnd.amazon.eventstream` with Anthropic's events inside. */
  isEventStream: boolean = false;
  /** The supported betas, and those of them that a request to count tokens must not have. */
  betas: string[] = [];
  betasNotCounted: string[] = [];
  /** The beta that stands for `tools[].eager_input_streaming`; empty for none. */
  eagerToolBeta: string = "";
  /** The supported members beyond those that every Claude supports, by their paths in filter/dialects/anthropic/messages/members.ts. */
  members: string[] = [];
}

export function betaAliases(): BetaAlias[] {
  return [{ name: "advanced-tool-use-2025-11-20", meaning: "tool-search-tool-2025-10-19" }];
}

/** Betas that only name the client, or that no cloud requires any more: removed without being reported. */
export function needlessBetas(): string[] {
  return [
    "claude-code-20250219",
    "oauth-2025-04-20",
    "prompt-caching-2024-07-31",
    "extended-cache-ttl-2025-04-11",
    "structured-outputs-2025-11-13",
  ];
}

/** @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude */
function vertexRawPredict(): EnvelopeRow {
  return {
    name: "vertex_raw_predict",
    title: "Claude on Vertex AI",
    path: "/publishers/anthropic/models/",
    plainCharacters: "@",
    method: ":rawPredict",
    streamMethod: ":streamRawPredict",
    countMethod: ":rawPredict",
    countModel: "count-tokens",
    wrapsCount: false,
    version: "vertex-2023-10-16",
    hasStream: true,
    hasBetaMember: false,
    isEventStream: false,
    betas: [
      "compact-2026-01-12",
      "compact-2026-09-04",
      "computer-use-2025-01-24",
      "computer-use-2025-11-24",
      "context-1m-2025-08-07",
      "context-management-2025-06-27",
      "dangerous-tool-use-2026-09-03",
      "interleaved-thinking-2025-05-14",
      "per-turn-control-2026-07-01",
      "thinking-binding-controls-2026-08-01",
      "thinking-display-updates-2026-08-18",
      "tool-search-tool-2025-10-19",
      "web-search-2025-03-05",
    ],
    betasNotCounted: ["web-search-2025-03-05"],
    eagerToolBeta: "",
    members: ["context_management", "compaction", "tools[].defer_loading"],
  };
}

/** @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html */
function bedrockInvoke(): EnvelopeRow {
  return {
    name: "bedrock_invoke",
    title: "Claude on Amazon Bedrock",
    path: "/model/",
    plainCharacters: "",
    method: "/invoke",
    streamMethod: "/invoke-with-response-stream",
    countMethod: "/count-tokens",
    countModel: "",
    wrapsCount: true,
    version: "bedrock-2023-05-31",
    hasStream: false,
    hasBetaMember: true,
    isEventStream: true,
    betas: [
      "compact-2026-01-12",
      "computer-use-2024-10-22",
      "computer-use-2025-01-24",
      "computer-use-2025-11-24",
      "context-1m-2025-08-07",
      "context-management-2025-06-27",
      "dangerous-tool-use-2026-09-03",
      "dev-full-thinking-2025-05-14",
      "effort-2025-11-24",
      "fine-grained-tool-streaming-2025-05-14",
      "interleaved-thinking-2025-05-14",
      "mcp-client-2025-04-04",
      "mcp-client-2025-11-20",
      "mid-conversation-output-config-2026-07-01",
      "mid-conversation-tool-changes-2026-07-01",
      "model-context-window-exceeded-2025-08-26",
      "output-128k-2025-02-19",
      "pdfs-2024-09-25",
      "search-results-2025-06-09",
      "thinking-binding-controls-2026-08-01",
      "thinking-display-updates-2026-08-18",
      "token-counting-2024-11-01",
      "token-efficient-tools-2025-02-19",
      "tool-search-tool-2025-10-19",
      "web-search-2025-03-05",
    ],
    betasNotCounted: [],
    eagerToolBeta: "fine-grained-tool-streaming-2025-05-14",
    members: [
      "context_management",
      "compaction",
      "messages[].output_config",
      "tools[].defer_loading",
    ],
  };
}

export const VERTEX_RAW_PREDICT: EnvelopeRow = vertexRawPredict();
export const BEDROCK_INVOKE: EnvelopeRow = bedrockInvoke();

/** Makes each row when it is needed: the filter's collector visits every object, and most configurations need none. */
export const ENVELOPES: (() => EnvelopeRow)[] = [vertexRawPredict, bedrockInvoke];
