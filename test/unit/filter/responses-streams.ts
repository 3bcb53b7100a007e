// Streams of providers of the Responses API, as OpenAI and others send them, and what they mean.
type Json = Record<string, unknown>;

/** `data` in OpenAI's order: the type, the number, the rest. */
export function events(...list: Json[]): string {
  return list
    .map(({ type, ...rest }, index) => {
      const data = { type, sequence_number: index, ...rest };
      return `event: ${String(type)}\ndata: ${JSON.stringify(data)}\n\n`;
    })
    .join("");
}

export const USAGE = {
  input_tokens: 30,
  input_tokens_details: { cached_tokens: 10, cache_write_tokens: 5 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 42,
};

export function response(output: unknown, more: Json = {}): Json {
  return {
    id: "resp_abc",
    object: "response",
    created_at: 1741569952,
    status: "completed",
    model: "gpt-5.2",
    service_tier: "default",
    error: null,
    incomplete_details: null,
    output,
    usage: USAGE,
    ...more,
  };
}

const started = response([], { status: "in_progress", usage: null, service_tier: "auto" });
export const CREATED = { type: "response.created", response: started };
export const IN_PROGRESS = { type: "response.in_progress", response: started };
export const completed = (output: unknown, more: Json = {}): Json => ({
  type: "response.completed",
  response: response(output, more),
});

export const added = (output_index: number, item: Json): Json => ({
  type: "response.output_item.added",
  output_index,
  item,
});
export const done = (output_index: number, item: Json): Json => ({
  type: "response.output_item.done",
  output_index,
  item,
});
let padding = 0;
export const textDelta = (item_id: string, output_index: number, delta: string): Json => ({
  type: "response.output_text.delta",
  item_id,
  output_index,
  content_index: 0,
  delta,
  logprobs: [],
  obfuscation: "abcdefgh".slice(padding++ % 8),
});
const summaryDelta = (output_index: number, summary_index: number, delta: string): Json => ({
  type: "response.reasoning_summary_text.delta",
  item_id: "rs_1",
  output_index,
  summary_index,
  delta,
  obfuscation: "x",
});
const argumentsDelta = (item_id: string, output_index: number, delta: string): Json => ({
  type: "response.function_call_arguments.delta",
  item_id,
  output_index,
  delta,
  obfuscation: "yz",
});
const argumentsDone = (item_id: string, output_index: number, text: string): Json => ({
  type: "response.function_call_arguments.done",
  item_id,
  output_index,
  arguments: text,
});

export const message = (id: string, text: string, annotations: Json[] = []): Json => ({
  id,
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", annotations, logprobs: [], text }],
});
const withLogprobs = ({ content, ...rest }: Json): Json => ({
  ...rest,
  content: (content as Json[]).map((part) => ({
    ...part,
    logprobs: [{ token: "a", bytes: [97], logprob: -0.5, top_logprobs: [] }],
  })),
});
const emptyMessage = (id: string): Json => ({
  ...message(id, ""),
  status: "in_progress",
  content: [],
});
export const reasoning = (texts: string[], encrypted?: string): Json => ({
  id: "rs_1",
  type: "reasoning",
  ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
  summary: texts.map((text) => ({ type: "summary_text", text })),
});
export const call = (id: string, call_id: string, name: string, args: string): Json => ({
  id,
  type: "function_call",
  status: "completed",
  arguments: args,
  call_id,
  name,
});
const emptyCall = (id: string, call_id: string, name: string): Json => ({
  ...call(id, call_id, name, ""),
  status: "in_progress",
});
const customCall = (input: string): Json => ({
  id: "ctc_1",
  type: "custom_tool_call",
  status: "completed",
  call_id: "call_p",
  input,
  name: "apply_patch",
});

const TEXT = message("msg_1", "Hello, wörld “quoted” 😀\n");
const REASONED = reasoning(["First.", "**Then** more."], "gAAAAdone");
const CALL_A = call("fc_1", "call_a", "weather", '{"city":"Par\\"is }{"}');
const CALL_B = call("fc_2", "call_b", "time", "{}");
const PATCH = '*** Begin\n+say "hi"\\n é \\u00e9\t😀\n';
const CITED = {
  type: "url_citation",
  start_index: 0,
  end_index: 3,
  url: "https://example.com/a",
  title: "A title",
};

const textPart = { content_index: 0, part: { type: "output_text", annotations: [], text: "" } };
const textEvents = (index: number): Json[] => [
  added(index, emptyMessage("msg_1")),
  { type: "response.content_part.added", item_id: "msg_1", output_index: index, ...textPart },
  ...["Hello", ", wör", "ld ", "“quoted” 😀", "\n"].map((delta) =>
    textDelta("msg_1", index, delta),
  ),
  {
    type: "response.output_text.done",
    item_id: "msg_1",
    output_index: index,
    content_index: 0,
    text: "Hello, wörld “quoted” 😀\n",
    logprobs: [],
  },
  { type: "response.content_part.done", item_id: "msg_1", output_index: index, ...textPart },
  done(index, TEXT),
];
const reasoningEvents: Json[] = [
  // The carrier of an item that has just begun is another one.
  added(0, reasoning([], "gAAAAadded")),
  {
    type: "response.reasoning_summary_part.added",
    item_id: "rs_1",
    output_index: 0,
    summary_index: 0,
    part: { type: "summary_text", text: "" },
  },
  summaryDelta(0, 0, "Fir"),
  summaryDelta(0, 0, "st."),
  {
    type: "response.reasoning_summary_text.done",
    item_id: "rs_1",
    output_index: 0,
    summary_index: 0,
    text: "First.",
  },
  summaryDelta(0, 1, "**Then** "),
  summaryDelta(0, 1, "more."),
  done(0, REASONED),
];
const callEvents = (index: number): Json[] => [
  added(index, emptyCall("fc_1", "call_a", "weather")),
  argumentsDelta("fc_1", index, '{"ci'),
  argumentsDelta("fc_1", index, 'ty":"Par\\"is'),
  argumentsDelta("fc_1", index, ' }{"}'),
  argumentsDone("fc_1", index, '{"city":"Par\\"is }{"}'),
  done(index, CALL_A),
];

const M_TEXT = { type: "text", text: "Hello, wörld “quoted” 😀\n" };
const M_THINKING = {
  type: "thinking",
  thinking: "First.\n\n**Then** more.",
  signature: "gw1.o.gAAAAdone",
};
const M_CALL_A = { type: "tool_use", id: "call_a", name: "weather", input: { city: 'Par"is }{' } };
const M_CALL_B = { type: "tool_use", id: "call_b", name: "time", input: {} };

export interface ResponsesStream {
  name: string;
  sse: string;
  /** The same as one complete response, if it means the same. */
  whole?: Json;
  /** Of a message. */
  content: Json[];
  stopReason: string;
  finishReason: string;
  dropped?: number;
}

const withoutIndex = (list: Json[]): Json[] => list.map(({ output_index: _, ...event }) => event);

export const RESPONSES_STREAMS: ResponsesStream[] = [
  {
    name: "a text",
    sse: events(CREATED, IN_PROGRESS, ...textEvents(0), completed([TEXT])),
    whole: response([TEXT]),
    content: [M_TEXT],
    stopReason: "end_turn",
    finishReason: "stop",
  },
  {
    name: "reasoning, a text and two calls",
    sse: events(
      CREATED,
      ...reasoningEvents,
      ...textEvents(1),
      ...callEvents(2),
      added(3, emptyCall("fc_2", "call_b", "time")),
      argumentsDelta("fc_2", 3, "{}"),
      argumentsDone("fc_2", 3, "{}"),
      done(3, CALL_B),
      completed([REASONED, TEXT, CALL_A, CALL_B]),
    ),
    whole: response([REASONED, TEXT, CALL_A, CALL_B]),
    content: [M_THINKING, M_TEXT, M_CALL_A, M_CALL_B],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "encrypted reasoning without a summary",
    sse: events(
      CREATED,
      added(0, reasoning([], "gAAAAadded")),
      done(0, reasoning([], "gAAAAdone")),
      ...textEvents(1),
      completed([reasoning([], "gAAAAdone"), TEXT]),
    ),
    whole: response([reasoning([], "gAAAAdone"), TEXT]),
    content: [{ type: "thinking", thinking: "", signature: "gw1.o.gAAAAdone" }, M_TEXT],
    stopReason: "end_turn",
    finishReason: "stop",
  },
  {
    // Recorded of xAI in 2026: all items of a response's reasoning have one id.
    name: "two items of reasoning with one id (xAI)",
    sse: events(
      CREATED,
      added(0, reasoning([])),
      done(0, reasoning([], "gAAAAone")),
      added(1, reasoning([])),
      done(1, reasoning([], "gAAAAtwo")),
      ...textEvents(2),
      completed([reasoning([], "gAAAAone"), reasoning([], "gAAAAtwo"), TEXT]),
    ),
    whole: response([reasoning([], "gAAAAone"), reasoning([], "gAAAAtwo"), TEXT]),
    content: [
      { type: "thinking", thinking: "", signature: "gw1.o.gAAAAone" },
      { type: "thinking", thinking: "", signature: "gw1.o.gAAAAtwo" },
      M_TEXT,
    ],
    stopReason: "end_turn",
    finishReason: "stop",
  },
  {
    name: "log probabilities are counted for a messages client",
    sse: events(
      CREATED,
      added(0, emptyMessage("msg_1")),
      textDelta("msg_1", 0, "a"),
      done(0, withLogprobs(message("msg_1", "a"))),
      completed([withLogprobs(message("msg_1", "a"))]),
    ),
    whole: response([withLogprobs(message("msg_1", "a"))]),
    content: [{ type: "text", text: "a" }],
    stopReason: "end_turn",
    finishReason: "stop",
    dropped: 1,
  },
  {
    name: "reasoning as plain text, without a carrier (vLLM)",
    sse: events(
      CREATED,
      added(0, { id: "rs_1", type: "reasoning", summary: [] }),
      {
        type: "response.reasoning_text.delta",
        content_index: 0,
        delta: "Hm",
        item_id: "rs_1",
        output_index: 0,
      },
      {
        type: "response.reasoning_text.delta",
        content_index: 0,
        delta: "m.",
        item_id: "rs_1",
        output_index: 0,
      },
      done(0, {
        id: "rs_1",
        type: "reasoning",
        summary: [],
        content: [{ type: "reasoning_text", text: "Hmm." }],
      }),
      completed([]),
    ),
    whole: response([
      {
        id: "rs_1",
        type: "reasoning",
        summary: [],
        content: [{ type: "reasoning_text", text: "Hmm." }],
      },
    ]),
    content: [{ type: "thinking", thinking: "Hmm.", signature: "gw1.u" }],
    stopReason: "end_turn",
    finishReason: "stop",
  },
  {
    name: "no output_index, interleaved ends (llama.cpp)",
    sse: events(
      CREATED,
      ...withoutIndex([
        added(0, emptyCall("fc_1", "call_a", "weather")),
        argumentsDelta("fc_1", 0, '{"city":"Par\\"is'),
        added(0, emptyCall("fc_2", "call_b", "time")),
        argumentsDelta("fc_2", 0, "{"),
        argumentsDelta("fc_1", 0, ' }{"}'),
        argumentsDelta("fc_2", 0, "}"),
        done(0, CALL_A),
        done(0, CALL_B),
      ]),
      completed([CALL_A, CALL_B]),
    ),
    content: [M_CALL_A, M_CALL_B],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "arguments only at the end of the call (LM Studio)",
    sse: events(
      CREATED,
      added(0, emptyCall("fc_1", "call_a", "weather")),
      argumentsDone("fc_1", 0, '{"city":"Par\\"is }{"}'),
      done(0, CALL_A),
      added(1, emptyCall("fc_2", "call_b", "time")),
      done(1, CALL_B),
      completed([CALL_A, CALL_B]),
    ),
    content: [M_CALL_A, M_CALL_B],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "the end of the arguments only at the end of the call",
    sse: events(
      CREATED,
      added(0, emptyCall("fc_1", "call_a", "weather")),
      argumentsDelta("fc_1", 0, '{"ci'),
      done(0, CALL_A),
      completed([CALL_A]),
    ),
    content: [M_CALL_A],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "ids that change between events, and the call's id as item_id (GitHub Copilot)",
    sse: events(
      CREATED,
      added(0, emptyMessage("x1")),
      textDelta("x2", 0, "Hello, wörld "),
      textDelta("x3", 0, "“quoted” 😀\n"),
      done(0, message("x4", "Hello, wörld “quoted” 😀\n")),
      added(1, emptyCall("x5", "call_a", "weather")),
      argumentsDelta("call_a", 1, '{"city":"Par\\"is }{"}'),
      done(1, call("x6", "call_a", "weather", '{"city":"Par\\"is }{"}')),
      completed([TEXT, CALL_A]),
    ),
    content: [M_TEXT, M_CALL_A],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "no output_item.done",
    sse: events(
      CREATED,
      added(0, reasoning([])),
      summaryDelta(0, 0, "First.\n\n**Then** more."),
      added(1, emptyMessage("msg_1")),
      textDelta("msg_1", 1, "Hello, wörld “quoted” 😀\n"),
      added(2, emptyCall("fc_1", "call_a", "weather")),
      argumentsDelta("fc_1", 2, '{"city":'),
      completed([REASONED, TEXT, CALL_A]),
    ),
    // The reasoning has ended when the text begins: its carrier comes too late.
    content: [{ ...M_THINKING, signature: "gw1.u" }, M_TEXT, M_CALL_A],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "only the complete response",
    sse: events(completed([REASONED, TEXT, CALL_A])),
    content: [M_THINKING, M_TEXT, M_CALL_A],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "only items, and no output at the end (Codex's backend)",
    sse: events(CREATED, done(0, REASONED), done(1, TEXT), done(2, CALL_A), completed(null)),
    content: [M_THINKING, M_TEXT, M_CALL_A],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "a custom tool",
    sse: events(
      CREATED,
      added(0, { ...customCall(""), status: "in_progress" }),
      ...Array.from(PATCH).map((delta) => ({
        type: "response.custom_tool_call_input.delta",
        item_id: "ctc_1",
        output_index: 0,
        delta,
        obfuscation: "o",
      })),
      {
        type: "response.custom_tool_call_input.done",
        item_id: "ctc_1",
        output_index: 0,
        input: PATCH,
      },
      done(0, customCall(PATCH)),
      completed([customCall(PATCH)]),
    ),
    whole: response([customCall(PATCH)]),
    content: [{ type: "tool_use", id: "call_p", name: "apply_patch", input: { input: PATCH } }],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "a web search with a citation",
    sse: events(
      CREATED,
      added(0, { id: "ws_1", type: "web_search_call", status: "in_progress" }),
      { type: "response.web_search_call.searching", output_index: 0, item_id: "ws_1" },
      done(0, { id: "ws_1", type: "web_search_call", status: "completed" }),
      added(1, emptyMessage("msg_1")),
      textDelta("msg_1", 1, "Yes"),
      textDelta("msg_1", 1, "."),
      {
        type: "response.output_text.annotation.added",
        item_id: "msg_1",
        output_index: 1,
        content_index: 0,
        annotation_index: 0,
        annotation: CITED,
      },
      done(1, message("msg_1", "Yes.", [CITED])),
      completed([]),
    ),
    whole: response([
      { id: "ws_1", type: "web_search_call", status: "completed" },
      message("msg_1", "Yes.", [CITED]),
    ]),
    content: [
      {
        type: "text",
        text: "Yes.",
        citations: [
          {
            type: "web_search_result_location",
            url: "https://example.com/a",
            title: "A title",
            encrypted_index: "gw1.n",
            cited_text: "",
          },
        ],
      },
    ],
    stopReason: "end_turn",
    finishReason: "stop",
    dropped: 1,
  },
  {
    name: "a refusal",
    sse: events(
      CREATED,
      added(0, emptyMessage("msg_1")),
      {
        type: "response.refusal.delta",
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        delta: "No.",
      },
      done(0, { ...message("msg_1", ""), content: [{ type: "refusal", refusal: "No." }] }),
      completed([]),
    ),
    whole: response([{ ...message("msg_1", ""), content: [{ type: "refusal", refusal: "No." }] }]),
    content: [{ type: "text", text: "No." }],
    stopReason: "refusal",
    finishReason: "content_filter",
  },
  {
    name: "a response that ran out of tokens",
    sse: events(
      CREATED,
      added(0, emptyMessage("msg_1")),
      textDelta("msg_1", 0, "Hel"),
      done(0, { ...message("msg_1", "Hel"), status: "incomplete" }),
      {
        type: "response.incomplete",
        response: response([{ ...message("msg_1", "Hel"), status: "incomplete" }], {
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
        }),
      },
    ),
    whole: response([{ ...message("msg_1", "Hel"), status: "incomplete" }], {
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    }),
    content: [{ type: "text", text: "Hel" }],
    stopReason: "max_tokens",
    finishReason: "length",
  },
  {
    name: "unknown events, items and parts; keep-alives; an end mark",
    sse:
      events(
        CREATED,
        { type: "keepalive" },
        { type: "response.brand_new", output_index: 0, delta: "x" },
        { type: "response.metadata", headers: {} },
        added(0, { id: "z_1", type: "brand_new", text: "x" }),
        done(0, { id: "z_1", type: "brand_new", text: "x" }),
        ...textEvents(1),
        completed([{ id: "z_1", type: "brand_new" }, TEXT]),
      ) + "data: [DONE]\n\n",
    content: [M_TEXT],
    stopReason: "end_turn",
    finishReason: "stop",
    dropped: 1,
  },
  {
    name: "two messages of one response",
    sse: events(
      CREATED,
      added(0, { ...emptyMessage("msg_0"), phase: "commentary" }),
      textDelta("msg_0", 0, "Let me see."),
      done(0, message("msg_0", "Let me see.")),
      ...textEvents(1),
      completed([message("msg_0", "Let me see."), TEXT]),
    ),
    whole: response([message("msg_0", "Let me see."), TEXT]),
    content: [{ type: "text", text: "Let me see." }, M_TEXT],
    stopReason: "end_turn",
    finishReason: "stop",
  },
];

/** Streams that fail, with the status that the failure means. */
export const FAILED_STREAMS: { name: string; sse: string; status: number; words: string }[] = [
  {
    name: "OpenAI's nested error and response.failed",
    sse: events(
      CREATED,
      added(0, emptyMessage("msg_1")),
      textDelta("msg_1", 0, "Hel"),
      {
        type: "error",
        error: { type: "insufficient_quota", code: "insufficient_quota", message: "No quota." },
      },
      {
        type: "response.failed",
        response: response([], {
          status: "failed",
          error: { code: "insufficient_quota", message: "No quota." },
        }),
      },
    ),
    status: 429,
    words: "No quota.",
  },
  {
    name: "a flat error",
    sse: events(CREATED, {
      type: "error",
      code: "server_error",
      message: "Sorry.",
      param: null,
    }).replaceAll("event: error\n", ""),
    status: 500,
    words: "Sorry.",
  },
  {
    name: "response.failed alone",
    sse: events(CREATED, {
      type: "response.failed",
      response: response([], {
        status: "failed",
        error: { code: "rate_limit_exceeded", message: "Slow down." },
      }),
    }),
    status: 429,
    words: "Slow down.",
  },
  {
    name: "response.failed without an error",
    sse: events(CREATED, {
      type: "response.failed",
      response: response([], { status: "failed", error: null }),
    }),
    status: 502,
    words: "failed without an error message",
  },
  {
    name: "no end",
    sse: events(CREATED, ...textEvents(0)),
    status: 502,
    words: "ended the stream before its response was finished",
  },
];
