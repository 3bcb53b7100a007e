// What Anthropic's messages endpoint accepts, as strictly as it does: shape by schema, the order of turns by rules.
// https://docs.anthropic.com/en/api/messages and the messages of the real API, read November 2025.
import { z } from "zod";
import { modelRefusal } from "./anthropic-models.ts";
import { strictSchemaRefusal, toolSchemaRefusal } from "./anthropic-schema.ts";

const cacheControl = z
  .strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() })
  .nullish();
const text = z.strictObject({
  type: z.literal("text"),
  text: z.string().min(1, "text content blocks must be non-empty"),
  cache_control: cacheControl,
  citations: z.array(z.unknown()).nullish(),
});
const mediaType = z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]);
const image = z.strictObject({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("base64"), media_type: mediaType, data: z.base64() }),
    z.strictObject({ type: z.literal("url"), url: z.url() }),
    z.strictObject({ type: z.literal("file"), file_id: z.string() }),
  ]),
  cache_control: cacheControl,
});
const document = z.strictObject({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("base64"),
      media_type: z.literal("application/pdf"),
      data: z.base64(),
    }),
    z.strictObject({
      type: z.literal("text"),
      media_type: z.literal("text/plain"),
      data: z.string(),
    }),
    z.strictObject({ type: z.literal("url"), url: z.url() }),
    z.strictObject({ type: z.literal("file"), file_id: z.string() }),
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.strictObject({ enabled: z.boolean() }).optional(),
  cache_control: cacheControl,
});
const id = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const toolResult = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: id,
  content: z
    .union([z.string(), z.array(z.discriminatedUnion("type", [text, image, document]))])
    .optional(),
  is_error: z.boolean().optional(),
  cache_control: cacheControl,
});
const toolUse = z.strictObject({
  type: z.literal("tool_use"),
  id,
  name: z.string().min(1).max(200),
  input: z.looseObject({}),
  caller: z.strictObject({ type: z.literal("direct") }).optional(),
  cache_control: cacheControl,
});
const thinking = z.strictObject({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string(),
});
const redacted = z.strictObject({ type: z.literal("redacted_thinking"), data: z.string() });
const direct = z.strictObject({ type: z.literal("direct") }).optional();
const serverToolUse = z.strictObject({
  type: z.literal("server_tool_use"),
  id: z.string().regex(/^srvtoolu_[a-zA-Z0-9_]+$/),
  name: z.literal("web_search"),
  input: z.strictObject({ query: z.string() }),
  caller: direct,
  cache_control: cacheControl,
});
const searchResult = z.strictObject({
  type: z.literal("web_search_tool_result"),
  tool_use_id: z.string(),
  content: z.array(
    z.strictObject({
      type: z.literal("web_search_result"),
      url: z.string(),
      title: z.string(),
      encrypted_content: z.string(),
      page_age: z.string().nullish(),
    }),
  ),
  caller: direct,
  cache_control: cacheControl,
});

const message = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.literal("user"),
    content: z.union([
      z.string().min(1, "user messages must have non-empty content"),
      z.array(z.discriminatedUnion("type", [text, image, document, toolResult])).min(1),
    ]),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.union([
      z.string(),
      z.array(
        z.discriminatedUnion("type", [
          text,
          toolUse,
          thinking,
          redacted,
          serverToolUse,
          searchResult,
        ]),
      ),
    ]),
  }),
]);

const tool = z.strictObject({
  type: z.literal("custom").nullish(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal("object") }),
  strict: z.boolean().nullish(),
  eager_input_streaming: z.boolean().nullish(),
  cache_control: cacheControl,
});

const place = z.string().min(1).max(255).nullish();
/**
 * The search tool, in the version that every model with a search supports.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
 */
const searchTool = z
  .strictObject({
    type: z.literal("web_search_20250305"),
    name: z.literal("web_search"),
    max_uses: z.int().min(1).nullish(),
    allowed_domains: z.array(z.string().min(1)).min(1).nullish(),
    blocked_domains: z.array(z.string().min(1)).min(1).nullish(),
    user_location: z
      .strictObject({
        type: z.literal("approximate"),
        city: place,
        region: place,
        country: place,
        timezone: place,
      })
      .nullish(),
    cache_control: cacheControl,
  })
  .refine((one) => one.allowed_domains == null || one.blocked_domains == null, {
    message: "only one of allowed_domains and blocked_domains may be used",
  });

const parallel = { disable_parallel_tool_use: z.boolean().optional() };
const body = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(message).min(1, "at least one message is required"),
  cache_control: cacheControl,
  container: z.unknown().optional(),
  context_management: z.unknown().optional(),
  diagnostics: z.unknown().optional(),
  inference_geo: z.string().nullish(),
  mcp_servers: z.array(z.unknown()).optional(),
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  output_config: z
    .strictObject({
      effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
      format: z
        .strictObject({ type: z.literal("json_schema"), schema: z.looseObject({}) })
        .nullish(),
    })
    .optional(),
  service_tier: z.enum(["auto", "standard_only"]).optional(),
  speed: z.string().nullish(),
  stop_sequences: z
    .array(z.string().regex(/\S/, "each stop sequence must contain non-whitespace"))
    .optional(),
  stream: z.boolean().optional(),
  system: z.union([z.string(), z.array(text)]).optional(),
  temperature: z.number().min(0).max(1).optional(),
  thinking: z
    .discriminatedUnion("type", [
      z.strictObject({
        type: z.literal("enabled"),
        budget_tokens: z.int().min(1024),
        display: z.string().nullish(),
      }),
      z.strictObject({ type: z.literal("adaptive"), display: z.string().nullish() }),
      z.strictObject({ type: z.literal("disabled") }),
      z.strictObject({ type: z.literal("between_tools") }),
    ])
    .optional(),
  tool_choice: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("auto"), ...parallel }),
      z.strictObject({ type: z.literal("any"), ...parallel }),
      z.strictObject({ type: z.literal("tool"), name: z.string(), ...parallel }),
      z.strictObject({ type: z.literal("none") }),
    ])
    .optional(),
  tools: z.array(z.union([tool, searchTool])).optional(),
  top_k: z.int().min(0).optional(),
  top_p: z.number().min(0).max(1).optional(),
});

export type AnthropicRequest = z.infer<typeof body>;
export type AnthropicMessage = z.infer<typeof message>;
export type AnthropicBlock = Exclude<AnthropicMessage["content"], string>[number];

/** Whether the provider signed that thinking itself. */
export type Verify = (kind: "thinking" | "redacted", content: string, signature: string) => boolean;

/** The request, or the message of the 400 that the API would answer. */
export function readAnthropicRequest(json: unknown, verify: Verify): AnthropicRequest | string {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    return "The request body is not valid JSON";
  const parsed = body.safeParse(json);
  if (!parsed.success) return shapeRefusal(parsed.error, json);
  const request = parsed.data;
  return (
    orderRefusal(request.messages) ??
    toolRefusal(request.messages) ??
    thinkingRefusal(request, verify) ??
    searchRefusal(request, verify) ??
    memberRefusal(request) ??
    modelRefusal(request) ??
    request
  );
}

function shapeRefusal(error: z.ZodError, json: object): string {
  const [issue] = error.issues;
  if (issue === undefined) return "invalid request";
  const path = issue.path.map(String).join(".");
  if (
    /^messages\.\d+\.role$/.test(path) ||
    (issue.code === "invalid_union" && /^messages\.\d+$/.test(path))
  ) {
    const role = roleAt(json, Number(path.split(".")[1]));
    if (role === "system")
      return 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.';
  }
  if (issue.code === "unrecognized_keys")
    return `${[...issue.path.map(String), issue.keys[0]].join(".")}: Extra inputs are not permitted`;
  if (issue.code === "invalid_type" && issue.message.includes("received undefined"))
    return `${path}: Field required`;
  return `${path}: ${issue.message}`;
}

function roleAt(json: object, index: number): unknown {
  const { messages } = json as { messages?: { role?: unknown }[] };
  return messages?.[index]?.role;
}

export function blocksOf({ content }: AnthropicMessage): AnthropicBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function orderRefusal(messages: AnthropicMessage[]): string | undefined {
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  for (const [index, { role }] of messages.entries())
    if (index > 0 && messages[index - 1]?.role === role)
      return `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`;
  const last = messages.at(-1);
  const lastBlock = last === undefined ? undefined : blocksOf(last).at(-1);
  if (last?.role === "assistant" && lastBlock?.type === "text" && /\s$/.test(lastBlock.text))
    return "messages: final assistant content cannot end with trailing whitespace";
  const empty = messages.findIndex((one) => one.role === "assistant" && blocksOf(one).length === 0);
  if (empty !== -1 && empty !== messages.length - 1)
    return `messages.${empty}: all messages must have non-empty content except for the optional final assistant message`;
  return undefined;
}

/** Every tool_use is answered at the beginning of the next user message, and nothing else is. */
function toolRefusal(messages: AnthropicMessage[]): string | undefined {
  const seen = new Set<string>();
  for (const [index, one] of messages.entries()) {
    const blocks = blocksOf(one);
    const uses = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    for (const use of uses) {
      if (seen.has(use)) return `messages.${index}: \`tool_use\` ids must be unique`;
      seen.add(use);
    }
    const next = messages[index + 1];
    const answers = next === undefined ? [] : leadingResults(next);
    const missing = uses.filter((use) => !answers.includes(use));
    if (missing.length > 0)
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    const previous = messages[index - 1];
    const asked = previous === undefined ? [] : usesOf(previous);
    for (const [place, block] of blocks.entries())
      if (block.type === "tool_result" && !asked.includes(block.tool_use_id))
        return `messages.${index}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  }
  return undefined;
}

function usesOf(one: AnthropicMessage): string[] {
  return blocksOf(one).flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}

function leadingResults(one: AnthropicMessage): string[] {
  const ids: string[] = [];
  for (const block of blocksOf(one)) {
    if (block.type !== "tool_result") break;
    ids.push(block.tool_use_id);
  }
  return ids;
}

function thinkingRefusal(request: AnthropicRequest, verify: Verify): string | undefined {
  const isThinking = request.thinking !== undefined && request.thinking.type !== "disabled";
  for (const [index, one] of request.messages.entries()) {
    const blocks = blocksOf(one);
    for (const [place, block] of blocks.entries()) {
      const at = `messages.${index}.content.${place}`;
      if (block.type === "thinking" && !verify("thinking", block.thinking, block.signature))
        return `${at}: Invalid \`signature\` in \`thinking\` block`;
      if (block.type === "redacted_thinking" && !verify("redacted", "", block.data))
        return `${at}: Invalid \`data\` in \`redacted_thinking\` block`;
    }
    const first = blocks[0]?.type;
    const isInLoop = index === request.messages.length - 2 && usesOf(one).length > 0;
    // With adaptive thinking a turn may have none.
    if (
      request.thinking?.type === "enabled" &&
      isInLoop &&
      first !== "thinking" &&
      first !== "redacted_thinking"
    )
      return `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
  }
  if (request.thinking?.type === "enabled" && request.thinking.budget_tokens >= request.max_tokens)
    return "`max_tokens` must be greater than `thinking.budget_tokens`.";
  if (!isThinking) return undefined;
  if (request.temperature !== undefined && request.temperature !== 1)
    return "`temperature` may only be set to 1 when thinking is enabled.";
  if (request.top_k !== undefined) return "`top_k` must be unset when thinking is enabled.";
  if (request.tool_choice?.type === "any" || request.tool_choice?.type === "tool")
    return "Thinking may not be enabled when tool_choice forces tool use.";
  return undefined;
}

/** A search of an earlier turn has its result after it, with the pages as they were; the request offers the tool. */
function searchRefusal(request: AnthropicRequest, verify: Verify): string | undefined {
  const canSearch = request.tools?.some(({ name }) => name === "web_search") === true;
  for (const [index, one] of request.messages.entries()) {
    const blocks = blocksOf(one);
    for (const [place, block] of blocks.entries()) {
      const at = `messages.${index}.content.${place}`;
      if (block.type === "server_tool_use") {
        const next = blocks[place + 1];
        if (!canSearch) return `${at}: \`web_search\` is not among the tools`;
        if (next?.type !== "web_search_tool_result" || next.tool_use_id !== block.id)
          return `${at}: \`web_search\` tool use with id \`${block.id}\` was found without a corresponding \`web_search_tool_result\` block`;
      }
      if (block.type !== "web_search_tool_result") continue;
      const use = blocks[place - 1];
      if (use?.type !== "server_tool_use" || use.id !== block.tool_use_id)
        return `${at}: unexpected \`tool_use_id\` found in \`web_search_tool_result\` blocks`;
      if (block.content.some((page) => !verify("redacted", "", page.encrypted_content)))
        return `${at}.content.0: Invalid \`encrypted_content\` in \`web_search_result\` block`;
    }
  }
  return undefined;
}

function memberRefusal(request: AnthropicRequest): string | undefined {
  const names = request.tools?.map((one) => one.name) ?? [];
  if (new Set(names).size !== names.length) return "tools: Tool names must be unique.";
  if (request.tool_choice !== undefined && request.tools === undefined)
    return "tool_choice: may only be specified while providing tools.";
  if (request.tool_choice?.type === "tool" && !names.includes(request.tool_choice.name))
    return `tool_choice.name: Tool '${request.tool_choice.name}' not found in provided tools`;
  for (const [index, one] of (request.tools ?? []).entries()) {
    const refusal = "input_schema" in one ? toolSchemaRefusal(one, `tools.${index}`) : undefined;
    if (refusal !== undefined) return refusal;
  }
  const schema = request.output_config?.format?.schema;
  const schemaRefusal = strictSchemaRefusal(schema, "output_config.format.schema");
  if (schemaRefusal !== undefined) return schemaRefusal;
  const marks = JSON.stringify(request).split('"cache_control":{').length - 1;
  if (marks > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`;
  const hasToolTurns = request.messages.some((one) => usesOf(one).length > 0);
  if (hasToolTurns && request.tools === undefined)
    return "Requests which include `tool_use` or `tool_result` blocks must define tools";
  return undefined;
}
