// An agent's session of 20 turns with tools, as each client's format has it: what it sends grows with every turn. The clients are
// Claude Code (messages), Codex (Responses) and opencode (chat completions), as they were recorded in November 2026.

export type ClientFormat = "chat" | "messages" | "responses";

export const TURNS = 20;
const SESSION = "0b0e9a5e-2f0e-4d6c-9a39-3f4f6f0f5a11";
const SYSTEM_WORDS = 6000;
const TOOL_WORDS = 400;
const TOOLS = ["read", "write", "search", "run"];
const RESULT_WORDS = 120;

type Json = Record<string, unknown>;

export interface AgentRequest {
  path: string;
  headers: [name: string, value: string][];
  body: Json;
}

/** Different words for each seed, about five characters each. */
function words(seed: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `${seed}${index % 97}`).join(" ");
}

const SYSTEM = words("rule", SYSTEM_WORDS);
const SCHEMA = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
};
/** The parallel calls of a turn. Their results are as long together as that of one. */
const callsOf = (turn: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `call_${turn}_${index}`,
    path: `/src/file-${turn}-${index}.ts`,
    result: words(`line${turn}x`, Math.ceil(RESULT_WORDS / count)),
  }));
const description = (name: string) => words(name, TOOL_WORDS);

/** Returns the request of a turn, from 0, with so many parallel calls in each turn. Every fifth is a new text of the user. */
export function agentRequest(
  format: ClientFormat,
  model: string,
  turn: number,
  calls = 1,
): AgentRequest {
  if (format === "chat") return chatRequest(model, turn, calls);
  return format === "messages"
    ? messagesRequest(model, turn, calls)
    : responsesRequest(model, turn, calls);
}

const asks = (turn: number) => turn % 5 === 4;

function chatRequest(model: string, turn: number, count: number): AgentRequest {
  const messages: Json[] = [
    { role: "system", content: SYSTEM },
    { role: "user", content: "Fix the bug." },
  ];
  for (let i = 0; i < turn; i++) {
    const calls = callsOf(i, count);
    if (asks(i)) {
      messages.push({ role: "assistant", content: "Done." });
      messages.push({ role: "user", content: `And the next one, ${i}?` });
      continue;
    }
    messages.push({
      role: "assistant",
      content: "I read on.",
      tool_calls: calls.map(({ id, path }) => ({
        id,
        type: "function",
        function: { name: "read", arguments: JSON.stringify({ path }) },
      })),
    });
    for (const { id, result } of calls)
      messages.push({ role: "tool", tool_call_id: id, content: result });
  }
  return {
    path: "/v1/chat/completions",
    headers: [["x-session-id", `ses_${SESSION}`]],
    body: {
      model,
      max_tokens: 500,
      messages,
      tools: TOOLS.map((name) => ({
        type: "function",
        function: { name, description: description(name), parameters: SCHEMA },
      })),
    },
  };
}

/** The mark at the end wanders, and a text without one is a string. */
function messagesRequest(model: string, turn: number, count: number): AgentRequest {
  const messages: Json[] = [{ role: "user", content: "Fix the bug." }];
  for (let i = 0; i < turn; i++) {
    const calls = callsOf(i, count);
    if (asks(i)) {
      messages.push({ role: "assistant", content: "Done." });
      messages.push({ role: "user", content: `And the next one, ${i}?` });
      continue;
    }
    messages.push({
      role: "assistant",
      content: [
        { type: "text", text: "I read on." },
        ...calls.map(({ id, path }) => ({ type: "tool_use", id, name: "read", input: { path } })),
      ],
    });
    messages.push({
      role: "user",
      content: calls.map(({ id, result }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: result,
      })),
    });
  }
  const mark = { cache_control: { type: "ephemeral" } };
  const last = messages.at(-1) as { content: string | Json[] };
  const blocks =
    typeof last.content === "string" ? [{ type: "text", text: last.content }] : last.content;
  last.content = blocks.map((block, index) =>
    index + 1 === blocks.length ? { ...block, ...mark } : block,
  );
  const user = { device_id: "d".repeat(64), account_uuid: "", session_id: SESSION };
  return {
    path: "/v1/messages",
    headers: [
      ["anthropic-version", "2023-06-01"],
      ["x-claude-code-session-id", SESSION],
    ],
    body: {
      model,
      max_tokens: 500,
      system: [
        { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.330.abc;" },
        { type: "text", text: "You are Claude Code.", ...mark },
        { type: "text", text: SYSTEM, ...mark },
      ],
      tools: TOOLS.map((name) => ({
        name,
        description: description(name),
        input_schema: SCHEMA,
      })),
      metadata: { user_id: JSON.stringify(user) },
      messages,
    },
  };
}

function responsesRequest(model: string, turn: number, count: number): AgentRequest {
  const message = (text: string): Json => ({
    type: "message",
    role: "user",
    content: [{ type: "input_text", text }],
  });
  const said = (text: string): Json => ({
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text }],
  });
  const input: Json[] = [message("<environment_context>"), message("Fix the bug.")];
  for (let i = 0; i < turn; i++) {
    const calls = callsOf(i, count);
    if (asks(i)) {
      input.push(said("Done."), message(`And the next one, ${i}?`));
      continue;
    }
    input.push(said("I read on."));
    for (const { id, path } of calls)
      input.push({
        type: "function_call",
        call_id: id,
        name: "read",
        arguments: JSON.stringify({ path }),
      });
    for (const { id, result } of calls)
      input.push({ type: "function_call_output", call_id: id, output: result });
  }
  return {
    path: "/v1/responses",
    headers: [["session-id", SESSION]],
    body: {
      model,
      instructions: SYSTEM,
      input,
      tools: TOOLS.map((name) => ({
        type: "function",
        name,
        description: description(name),
        parameters: SCHEMA,
        strict: false,
      })),
      store: false,
      prompt_cache_key: SESSION,
    },
  };
}

/** What a client reads of a complete response's usage. */
export function usageIn(
  format: ClientFormat,
  response: unknown,
): { total: number; read: number; written: number } {
  const { usage } = response as { usage: Record<string, unknown> };
  if (format === "messages") {
    const read = Number(usage["cache_read_input_tokens"]);
    const written = Number(usage["cache_creation_input_tokens"]);
    return { total: Number(usage["input_tokens"]) + read + written, read, written };
  }
  const name = format === "chat" ? "prompt_tokens" : "input_tokens";
  const details = usage[`${name}_details`] as {
    cached_tokens?: number;
    cache_write_tokens?: number;
  };
  return {
    total: Number(usage[name]),
    read: details.cached_tokens ?? 0,
    written: details.cache_write_tokens ?? 0,
  };
}
