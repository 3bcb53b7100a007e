// Streams of messages in the manner of Anthropic's API, and the completion that a chat client has to get.
// Shapes after the API's documentation, 2025–2026; contents are our own.

export interface AnthropicCase {
  name: string;
  sse: string;
  /** Members of the message besides its role; content null may also come out as "" from a stream. */
  message: Record<string, unknown>;
  finishReason: string;
  usage?: Record<string, unknown>;
  dropped?: number;
}

type Json = Record<string, unknown>;

export function event(type: string, fields: Json = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

export function messageStart(usage: Json = {}): string {
  return event("message_start", {
    message: {
      id: "msg_01XFDUDYJgAACzvnptvVoYEL",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5-20250929",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: 25,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 1,
        service_tier: "standard",
        ...usage,
      },
    },
  });
}

export function blockStart(index: number, block: Json): string {
  return event("content_block_start", { index, content_block: block });
}

export function blockDelta(index: number, delta: Json): string {
  return event("content_block_delta", { index, delta });
}

export function blockStop(index: number): string {
  return event("content_block_stop", { index });
}

function text(index: number, ...parts: string[]): string {
  return (
    blockStart(index, { type: "text", text: "" }) +
    parts.map((part) => blockDelta(index, { type: "text_delta", text: part })).join("") +
    blockStop(index)
  );
}

function tool(index: number, id: string, name: string, ...parts: string[]): string {
  return (
    blockStart(index, { type: "tool_use", id, name, input: {} }) +
    parts
      .map((part) => blockDelta(index, { type: "input_json_delta", partial_json: part }))
      .join("") +
    blockStop(index)
  );
}

export function messageEnd(
  reason: string,
  usage: Json = { output_tokens: 15 },
  more: Json = {},
): string {
  return (
    event("message_delta", {
      delta: { stop_reason: reason, stop_sequence: null, ...more },
      usage,
    }) + event("message_stop")
  );
}

const PING = 'event: ping\ndata: {"type": "ping"}\n\n';

function toolCall(id: string, name: string, text: string): Json {
  return { id, type: "function", function: { name, arguments: text } };
}

export const ANTHROPIC_STREAMS: readonly AnthropicCase[] = [
  {
    name: "text, ping, cumulative usage with cached tokens",
    sse:
      messageStart({
        input_tokens: 5,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 7,
      }) +
      blockStart(0, { type: "text", text: "" }) +
      PING +
      blockDelta(0, { type: "text_delta", text: "Grüße" }) +
      blockDelta(0, { type: "text_delta", text: ' "you"\n\\ 🎈' }) +
      blockStop(0) +
      messageEnd("end_turn", { output_tokens: 15 }),
    message: { content: 'Grüße "you"\n\\ 🎈' },
    finishReason: "stop",
    usage: {
      prompt_tokens: 112,
      completion_tokens: 15,
      total_tokens: 127,
      prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 7 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  },
  {
    name: "usage corrected at the end: the last one wins, what is missing stays",
    sse:
      messageStart({ input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 4 }) +
      text(0, "a") +
      event("message_delta", { delta: { stop_reason: null }, usage: { output_tokens: 10 } }) +
      messageEnd("max_tokens", {
        input_tokens: 30,
        output_tokens: 12,
        output_tokens_details: { thinking_tokens: 5 },
      }),
    message: { content: "a" },
    finishReason: "length",
    usage: {
      prompt_tokens: 34,
      completion_tokens: 12,
      total_tokens: 46,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 5 },
    },
  },
  {
    name: "text and parallel tools, one without arguments",
    sse:
      messageStart() +
      text(0, "I look", ".") +
      tool(1, "toolu_1", "get_weather", "", '{"city": "Par', 'is \\"', '}"}') +
      tool(2, "toolu_2", "now", "") +
      tool(3, "toolu_3", "later") +
      messageEnd("tool_use"),
    message: {
      content: "I look.",
      tool_calls: [
        toolCall("toolu_1", "get_weather", '{"city": "Paris \\"}"}'),
        toolCall("toolu_2", "now", "{}"),
        toolCall("toolu_3", "later", "{}"),
      ],
    },
    finishReason: "tool_calls",
  },
  {
    name: "tools alone; input whole at the block's start; stops that never come",
    sse:
      messageStart() +
      blockStart(0, { type: "tool_use", id: "a", name: "f", input: { x: "é\n" } }) +
      blockStop(0) +
      blockStart(1, { type: "tool_use", id: "b", name: "g", input: { x: 1 } }) +
      blockDelta(1, { type: "input_json_delta", partial_json: '{"x":2}' }) +
      blockStart(2, { type: "tool_use", id: "c", name: "h", input: {} }) +
      blockDelta(2, { type: "input_json_delta", partial_json: '{"y":' }) +
      blockDelta(1, { type: "input_json_delta", partial_json: " " }) +
      blockDelta(2, { type: "input_json_delta", partial_json: "3}" }) +
      messageEnd("tool_use"),
    message: {
      content: null,
      tool_calls: [
        toolCall("a", "f", '{"x":"é\\n"}'),
        toolCall("b", "g", '{"x":2} '),
        toolCall("c", "h", '{"y":3}'),
      ],
    },
    finishReason: "tool_calls",
  },
  {
    name: "thinking with signatures and redacted thinking, carried",
    sse:
      messageStart() +
      blockStart(0, { type: "thinking", thinking: "", signature: "" }) +
      blockDelta(0, { type: "thinking_delta", thinking: "Let me " }) +
      blockDelta(0, { type: "thinking_delta", thinking: "see.\n" }) +
      blockDelta(0, { type: "signature_delta", signature: "EqQBCgIYAhIM" }) +
      blockStop(0) +
      blockStart(1, { type: "redacted_thinking", data: "EmwKAhgBEgy3" }) +
      blockStop(1) +
      blockStart(2, { type: "thinking", thinking: "", signature: "" }) +
      blockDelta(2, { type: "thinking_delta", thinking: "And then?" }) +
      blockDelta(2, { type: "signature_delta", signature: "c2ln" }) +
      blockStop(2) +
      text(3, "Yes.") +
      tool(4, "t", "f", "{}") +
      messageEnd("tool_use"),
    message: {
      content: "Yes.",
      reasoning_content: "Let me see.\n\n\nAnd then?",
      reasoning_details: [
        {
          type: "reasoning.text",
          text: "Let me see.\n",
          signature: "EqQBCgIYAhIM",
          format: "anthropic-claude-v1",
          index: 0,
        },
        {
          type: "reasoning.encrypted",
          data: "EmwKAhgBEgy3",
          format: "anthropic-claude-v1",
          index: 1,
        },
        {
          type: "reasoning.text",
          text: "And then?",
          signature: "c2ln",
          format: "anthropic-claude-v1",
          index: 2,
        },
      ],
      tool_calls: [toolCall("t", "f", "{}")],
    },
    finishReason: "tool_calls",
  },
  {
    name: "thinking without its text, and thinking without a signature",
    sse:
      messageStart() +
      blockStart(0, { type: "thinking", thinking: "", signature: "" }) +
      blockDelta(0, { type: "signature_delta", signature: "b25seQ==" }) +
      blockStop(0) +
      blockStart(1, { type: "thinking", thinking: "bare", signature: "" }) +
      blockStop(1) +
      text(2, "x") +
      messageEnd("end_turn"),
    message: {
      content: "x",
      reasoning_content: "bare",
      reasoning_details: [
        {
          type: "reasoning.text",
          text: "",
          signature: "b25seQ==",
          format: "anthropic-claude-v1",
          index: 0,
        },
      ],
    },
    finishReason: "stop",
  },
  {
    name: "a web search: its blocks are counted, citations become annotations of their text",
    sse:
      messageStart() +
      text(0, "Né: ") +
      blockStart(1, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }) +
      blockDelta(1, { type: "input_json_delta", partial_json: '{"query":"x"}' }) +
      blockStop(1) +
      blockStart(2, { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }) +
      blockStop(2) +
      blockStart(3, { type: "text", text: "", citations: [] }) +
      blockDelta(3, {
        type: "citations_delta",
        citation: {
          type: "web_search_result_location",
          url: "https://a.example/?q=1",
          title: 'The "A"',
          cited_text: "…",
          encrypted_index: "Eo8",
        },
      }) +
      blockDelta(3, { type: "text_delta", text: "🎈 on \n" }) +
      blockDelta(3, { type: "text_delta", text: "30." }) +
      blockDelta(3, {
        type: "citations_delta",
        citation: { type: "char_location", document_index: 0, cited_text: "y" },
      }) +
      blockStop(3) +
      text(4, " End") +
      messageEnd("end_turn", { output_tokens: 3, server_tool_use: { web_search_requests: 1 } }),
    message: {
      content: "Né: 🎈 on \n30. End",
      annotations: [
        {
          type: "url_citation",
          url_citation: {
            url: "https://a.example/?q=1",
            title: 'The "A"',
            start_index: 4,
            end_index: 13,
          },
        },
      ],
    },
    finishReason: "stop",
    dropped: 3,
  },
  {
    name: "a stop sequence",
    sse: messageStart() + text(0, "a") + messageEnd("stop_sequence", {}, { stop_sequence: "###" }),
    message: { content: "a" },
    finishReason: "stop",
  },
  {
    name: "a refusal that explains itself",
    sse:
      messageStart() +
      text(0, "I") +
      messageEnd(
        "refusal",
        { output_tokens: 2 },
        { stop_details: { type: "refusal", category: "cyber", explanation: "Not this." } },
      ),
    message: { content: "I", refusal: "Not this." },
    finishReason: "content_filter",
  },
  {
    name: "a paused turn has no chat form",
    sse: messageStart() + text(0, "wait") + messageEnd("pause_turn"),
    message: { content: "wait" },
    finishReason: "stop",
    dropped: 1,
  },
  {
    name: "the context is full",
    sse: messageStart() + text(0, "wait") + messageEnd("model_context_window_exceeded"),
    message: { content: "wait" },
    finishReason: "length",
    dropped: 1,
  },
  {
    name: "no message_stop, unknown events, blocks and deltas, nothing in the text",
    sse:
      messageStart() +
      event("something_new", { x: [1] }) +
      blockStart(0, { type: "compaction", content: "x" }) +
      blockDelta(0, { type: "compaction_delta", content: "x" }) +
      blockStop(0) +
      text(1, "") +
      messageEnd("end_turn").replace(event("message_stop"), ""),
    message: { content: "" },
    finishReason: "stop",
    dropped: 1,
  },
  {
    name: "two message_starts and two message_stops",
    sse:
      messageStart() +
      messageStart() +
      text(0, "x") +
      messageEnd("end_turn") +
      event("message_stop"),
    message: { content: "x" },
    finishReason: "stop",
  },
  {
    name: "priority tier, CR line ends",
    sse: (
      messageStart({ service_tier: "priority" }) +
      text(0, "x") +
      messageEnd("end_turn")
    ).replaceAll("\n", "\r"),
    message: { content: "x" },
    finishReason: "stop",
  },
  {
    name: "a complete reply where a stream was asked for",
    sse: JSON.stringify({
      id: "msg_9",
      type: "message",
      role: "assistant",
      model: "claude-x",
      content: [
        { type: "thinking", thinking: "Why", signature: "c2ln" },
        { type: "text", text: "Whole", citations: null },
        { type: "text", text: "." },
        { type: "tool_use", id: "t", name: "f", input: { n: 9007199254740992, x: [] } },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 4 },
    }).replace("9007199254740992", "9007199254740993"),
    message: {
      content: "Whole.",
      reasoning_content: "Why",
      reasoning_details: [
        {
          type: "reasoning.text",
          text: "Why",
          signature: "c2ln",
          format: "anthropic-claude-v1",
          index: 0,
        },
      ],
      tool_calls: [toolCall("t", "f", '{"n":9007199254740993,"x":[]}')],
    },
    finishReason: "tool_calls",
    usage: {
      prompt_tokens: 3,
      completion_tokens: 4,
      total_tokens: 7,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  },
];
