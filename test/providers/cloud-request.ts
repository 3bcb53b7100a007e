// What Claude at a cloud accepts, as strictly as the clouds do: one unknown beta or member, and the request is refused.
// Betas: live probes of envoyproxy/ai-gateway (Bedrock), issues of claude-code (Vertex), LiteLLM's table, November 2026.
import {
  type AnthropicBlock,
  type AnthropicRequest,
  blocksOf,
  readAnthropicRequest,
  type Verify,
} from "./anthropic-request.ts";

export interface Cloud {
  /** The word in `anthropic_version`. */
  version: string;
  betas: readonly string[];
  /** The message for a beta that it does not know. */
  unknownBeta(name: string): string;
  /** Members that a beta permits. */
  permits: Readonly<Record<string, string>>;
  /** Models without structured output. */
  withoutSchema: RegExp;
  /** Whether no model searches the web. */
  withoutSearch?: boolean;
}

export const VERTEX_CLOUD: Cloud = {
  version: "vertex-2023-10-16",
  betas: [
    "context-1m-2025-08-07",
    "context-management-2025-06-27",
    "interleaved-thinking-2025-05-14",
    "tool-search-tool-2025-10-19",
    "web-search-2025-03-05",
  ],
  unknownBeta: (name) => `Unexpected value(s) \`${name}\` for the \`anthropic-beta\` header.`,
  permits: {
    context_management: "context-management-2025-06-27",
    defer_loading: "tool-search-tool-2025-10-19",
  },
  withoutSchema: /./,
};

export const BEDROCK_CLOUD: Cloud = {
  version: "bedrock-2023-05-31",
  betas: [
    "computer-use-2025-01-24",
    "context-1m-2025-08-07",
    "context-management-2025-06-27",
    "effort-2025-11-24",
    "fine-grained-tool-streaming-2025-05-14",
    "interleaved-thinking-2025-05-14",
    "mid-conversation-tool-changes-2026-07-01",
    "output-128k-2025-02-19",
    "token-efficient-tools-2025-02-19",
    "tool-search-tool-2025-10-19",
    "web-search-2025-03-05",
  ],
  unknownBeta: () => "invalid beta flag",
  permits: {
    context_management: "context-management-2025-06-27",
    defer_loading: "tool-search-tool-2025-10-19",
  },
  withoutSchema: /opus-4-[78]|opus-5|sonnet-5|fable-5/,
  withoutSearch: true,
};

/** Top-level members that no cloud has, or that need a beta. */
const EXTRA = [
  "cache_control",
  "container",
  "context_management",
  "diagnostics",
  "inference_geo",
  "mcp_servers",
  "speed",
] as const;
const EXTRA_OF_TOOLS = ["allowed_callers", "defer_loading", "eager_input_streaming"] as const;

interface Asked {
  /** From the path. */
  model: string;
  isStreaming: boolean;
  /** The header `anthropic-beta`. */
  betas: string | undefined;
  verify: Verify;
}

/** The request as Anthropic would get it, or the message of the 400. */
export function readCloudRequest(
  cloud: Cloud,
  json: unknown,
  { model, isStreaming, betas, verify }: Asked,
): AnthropicRequest | string {
  const {
    anthropic_version: version,
    anthropic_beta: inBody,
    ...rest
  } = (json ?? {}) as Record<string, unknown>;
  const isBedrock = cloud === BEDROCK_CLOUD;
  if (version !== cloud.version) return "anthropic_version: Field required";
  if ("model" in rest) return "model: Extra inputs are not permitted";
  if (isBedrock && "stream" in rest) return "stream: Extra inputs are not permitted";
  if (isBedrock && betas !== undefined) return "the header anthropic-beta has no meaning here";
  if (!isBedrock && inBody !== undefined) return "anthropic_beta: Extra inputs are not permitted";
  if (!isBedrock && (rest["stream"] === true) !== isStreaming) return "stream: wrong method";
  const named = isBedrock ? ((inBody ?? []) as string[]) : (betas?.split(",") ?? []);
  const unknown = named.find((name) => !cloud.betas.includes(name));
  if (unknown !== undefined) return cloud.unknownBeta(unknown);
  const permitted = (name: string): boolean => named.includes(cloud.permits[name] ?? "none");
  const extra = EXTRA.find((name) => name in rest && !permitted(name));
  if (extra !== undefined) return `${extra}: Extra inputs are not permitted`;
  const { tools, messages, ...others } = rest;
  const read = readAnthropicRequest(
    {
      ...others,
      model,
      ...(isStreaming ? { stream: true } : {}),
      ...(tools === undefined ? {} : { tools: withoutPermitted(tools, permitted) }),
      // Newer models take system messages inside the conversation.
      messages: Array.isArray(messages)
        ? messages.filter(({ role }: { role: string }) => role !== "system")
        : messages,
    },
    verify,
  );
  return typeof read === "string" ? read : (cloudRefusal(cloud, read) ?? read);
}

function withoutPermitted(tools: unknown, permitted: (name: string) => boolean): unknown {
  if (!Array.isArray(tools)) return tools;
  return tools.map((tool: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(tool).filter(
        ([name]) => !EXTRA_OF_TOOLS.some((one) => one === name) || !permitted(name),
      ),
    ),
  );
}

/** Members of blocks that Anthropic's API accepts back. */
function ofResponse(block: AnthropicBlock): string[] {
  return [
    ...(block.type === "text" && "citations" in block ? ["text.citations"] : []),
    ...(block.type === "tool_use" && "caller" in block ? ["tool_use.caller"] : []),
  ];
}

function cloudRefusal(cloud: Cloud, request: AnthropicRequest): string | undefined {
  if (JSON.stringify(request.messages).includes('"source":{"type":"url"'))
    return "messages: URL sources are not supported";
  const extra = request.messages.flatMap(blocksOf).flatMap(ofResponse)[0];
  if (extra !== undefined) return `messages: ${extra}: Extra inputs are not permitted`;
  const functions = request.tools?.flatMap((tool) => ("input_schema" in tool ? [tool] : []));
  if (cloud.withoutSearch === true && functions?.length !== request.tools?.length)
    return "tools.0: Input tag 'web_search_20250305' found using 'type' does not match any of the expected tags";
  if (functions?.some((tool) => tool.eager_input_streaming != null) === true)
    return "tools.0.eager_input_streaming: Extra inputs are not permitted";
  if (!cloud.withoutSchema.test(request.model)) return undefined;
  if (request.output_config?.format != null)
    return "output_config.format: Extra inputs are not permitted";
  return functions?.some((tool) => tool.strict != null) === true
    ? "tools.0.strict: Extra inputs are not permitted"
    : undefined;
}
