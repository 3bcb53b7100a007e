// Streams of chat completions in the manner of the providers, and the message that an Anthropic client has to get.
// Shapes after the providers' documentation and published recordings, 2025–2026; contents are our own.

export interface OpenaiCase {
  name: string;
  sse: string;
  content: unknown[];
  stopReason: string;
  stopSequence?: string;
  /** input, cache read, cache write, output */
  usage?: [number, number, number, number];
  dropped?: number;
}

const UNSIGNED = "gw1.u";

const OPENAI_HEAD =
  '"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1741569952,"model":"gpt-4o-mini-2024-07-18","service_tier":"default","system_fingerprint":"fp_06737a9306"';

type Json = Record<string, unknown>;

function data(value: unknown): string {
  return `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
}

/** One chunk as OpenAI writes it, with its padding against eavesdroppers. */
function openai(delta: Json, finish: string | null = null, padding = "Xy7"): string {
  return `data: {${OPENAI_HEAD},"choices":[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}],"usage":null,"obfuscation":${JSON.stringify(padding)}}\n\n`;
}

function openaiUsage(usage: Json): string {
  return `data: {${OPENAI_HEAD},"choices":[],"usage":${JSON.stringify(usage)},"obfuscation":""}\n\n`;
}

/** One chunk as most compatible servers write it. */
function chunk(delta: Json, finish: string | null = null, more: Json = {}): string {
  return data({
    id: "cmpl-7",
    object: "chat.completion.chunk",
    created: 1750000000,
    model: "some-model",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
}

const DONE = "data: [DONE]\n\n";

function call(index: number, id: string, name: string, text: string): Json {
  return { index, id, type: "function", function: { name, arguments: text } };
}

function fragment(index: number, text: string): Json {
  return { index, function: { arguments: text } };
}

/** An annotation with a source of this title, and the citation that it becomes. */
function annotation(title: string): Json {
  return { type: "url_citation", url_citation: { title, url: `https://${title}.example` } };
}

function citation(title: string): Json {
  return {
    type: "web_search_result_location",
    cited_text: "",
    url: `https://${title}.example`,
    title,
    encrypted_index: "gw1.n",
  };
}

export const OPENAI_STREAMS: readonly OpenaiCase[] = [
  {
    name: "OpenAI: text, usage at the end, padding in every chunk",
    sse:
      openai({ role: "assistant", content: "", refusal: null }, null, "a") +
      openai({ content: "Grüße" }, null, "Qk3") +
      openai({ content: ', "world"\n' }, null, "Zz90k") +
      openai({ content: "\\ 🎈 \u0007" }, null, "1") +
      openai({}, "stop", "q2") +
      openaiUsage({
        prompt_tokens: 219,
        completion_tokens: 31,
        total_tokens: 250,
        prompt_tokens_details: { cached_tokens: 128, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 12, audio_tokens: 0 },
      }) +
      DONE,
    content: [{ type: "text", text: 'Grüße, "world"\n\\ 🎈 \u0007' }],
    stopReason: "end_turn",
    usage: [91, 128, 0, 31],
  },
  {
    name: "OpenAI: escapes as some servers write them",
    sse:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"\\u0063ontent":"\\u00e9\\ud83c\\udf88\\/"},"finish_reason":null}]}\n\n' +
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"\\u4f60"},"finish_reason":"stop"}]}\n\n' +
      DONE,
    content: [{ type: "text", text: "é🎈/你" }],
    stopReason: "end_turn",
  },
  {
    name: "OpenAI: parallel tool calls after text",
    sse:
      openai({ role: "assistant", content: null }) +
      openai({ content: "I look." }) +
      openai({ tool_calls: [call(0, "call_a", "get_weather", "")] }) +
      openai({ tool_calls: [fragment(0, '{"')] }) +
      openai({ tool_calls: [fragment(0, 'city":"Par')] }) +
      openai({ tool_calls: [fragment(0, 'is \\"}{')] }) +
      openai({ tool_calls: [fragment(0, '"}')] }) +
      openai({ tool_calls: [call(1, "call_b", "get_time", "")] }) +
      openai({ tool_calls: [fragment(1, '{"zone":["a",{"b":1}')] }) +
      openai({ tool_calls: [fragment(1, "]}")] }) +
      openai({}, "tool_calls") +
      openaiUsage({ prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }) +
      DONE,
    content: [
      { type: "text", text: "I look." },
      { type: "tool_use", id: "call_a", name: "get_weather", input: { city: 'Paris "}{' } },
      { type: "tool_use", id: "call_b", name: "get_time", input: { zone: ["a", { b: 1 }] } },
    ],
    stopReason: "tool_use",
    usage: [10, 0, 0, 20],
  },
  {
    name: "tool calls interleaved by index come out one by one",
    sse:
      chunk({ role: "assistant" }) +
      chunk({ tool_calls: [call(0, "a", "f", ""), call(1, "b", "g", "")] }) +
      chunk({ tool_calls: [fragment(1, '{"y"'), fragment(0, '{"x":"\\u')] }) +
      chunk({ tool_calls: [fragment(0, "0041")] }) +
      chunk({ tool_calls: [fragment(1, ":2")] }) +
      chunk({ content: "late text" }) +
      chunk({ tool_calls: [fragment(0, '"}')] }) +
      chunk({ tool_calls: [fragment(1, "}")] }) +
      chunk({}, "tool_calls") +
      DONE,
    content: [
      { type: "tool_use", id: "a", name: "f", input: { x: "A" } },
      { type: "tool_use", id: "b", name: "g", input: { y: 2 } },
      { type: "text", text: "late text" },
    ],
    stopReason: "tool_use",
  },
  {
    name: "tool calls whole in their first delta (Groq, Mistral, Ollama)",
    sse:
      chunk({ role: "assistant", content: null }) +
      chunk({ tool_calls: [call(0, "a", "f", '{"x":1}'), call(1, "b", "g", "{}")] }, "tool_calls", {
        x_groq: { usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } },
      }) +
      DONE,
    content: [
      { type: "tool_use", id: "a", name: "f", input: { x: 1 } },
      { type: "tool_use", id: "b", name: "g", input: {} },
    ],
    stopReason: "tool_use",
    usage: [7, 0, 0, 3],
  },
  {
    name: "Gemini: every call has index 0 and another id, the reason is stop",
    sse:
      chunk({ role: "assistant", tool_calls: [call(0, "x1", "f", '{"a":1}')] }) +
      chunk({ role: "assistant", tool_calls: [call(0, "x2", "f", '{"a":2}')] }) +
      chunk({ role: "assistant" }, "stop", {
        usage: { prompt_tokens: 5, completion_tokens: 6, total_tokens: 31 },
      }) +
      DONE,
    content: [
      { type: "tool_use", id: "x1", name: "f", input: { a: 1 } },
      { type: "tool_use", id: "x2", name: "f", input: { a: 2 } },
    ],
    stopReason: "tool_use",
    usage: [5, 0, 0, 26],
  },
  {
    name: "calls without ids and index: made ones, by their order",
    sse:
      chunk({ tool_calls: [{ function: { name: "f", arguments: '{"a":1}' } }] }) +
      chunk({ tool_calls: [{ id: "", function: { name: "f", arguments: { a: 2 } } }] }) +
      chunk({}, "stop") +
      DONE,
    content: [
      { type: "tool_use", id: "call_req1_0", name: "f", input: { a: 1 } },
      { type: "tool_use", id: "call_req1_1", name: "f", input: { a: 2 } },
    ],
    stopReason: "tool_use",
  },
  {
    name: "index from 1, id and name in every fragment, name late",
    sse:
      chunk({ tool_calls: [{ index: 1, id: "a", function: { arguments: "" } }] }) +
      chunk({ tool_calls: [{ index: 1, id: "a", function: { arguments: '{"k"' } }] }) +
      chunk({ tool_calls: [call(1, "a", "f", ":")] }) +
      chunk({ tool_calls: [call(1, "a", "f", "null")] }) +
      chunk({ tool_calls: [call(1, "a", "f", "}")] }) +
      chunk({ tool_calls: [call(2, "b", "g", "")] }) +
      chunk({}, "tool_calls") +
      DONE,
    content: [
      { type: "tool_use", id: "a", name: "f", input: { k: null } },
      { type: "tool_use", id: "b", name: "g", input: {} },
    ],
    stopReason: "tool_use",
  },
  {
    name: "an empty object ahead of the real arguments",
    sse:
      chunk({ tool_calls: [call(0, "a", "f", "{}")] }) +
      chunk({ tool_calls: [fragment(0, '{"x":')] }) +
      chunk({ tool_calls: [fragment(0, "1}")] }) +
      chunk({ tool_calls: [call(1, "b", "g", "{}")] }) +
      chunk({ tool_calls: [call(2, "c", "h", "null")] }) +
      chunk({}, "tool_calls") +
      DONE,
    content: [
      { type: "tool_use", id: "a", name: "f", input: { x: 1 } },
      { type: "tool_use", id: "b", name: "g", input: {} },
      { type: "tool_use", id: "c", name: "h", input: {} },
    ],
    stopReason: "tool_use",
  },
  {
    name: "the older function_call",
    sse:
      chunk({ role: "assistant", content: null, function_call: { name: "f", arguments: "" } }) +
      chunk({ function_call: { arguments: '{"x":' } }) +
      chunk({ function_call: { arguments: "[]}" } }) +
      chunk({}, "function_call") +
      DONE,
    content: [{ type: "tool_use", id: "call_req1_0", name: "f", input: { x: [] } }],
    stopReason: "tool_use",
  },
  {
    name: "DeepSeek: reasoning_content, cache hits at the top of usage",
    sse:
      chunk({ role: "assistant", content: null, reasoning_content: "" }) +
      chunk({ content: null, reasoning_content: "First, " }) +
      chunk({ content: null, reasoning_content: "think." }) +
      chunk({ content: "Four", reasoning_content: null }) +
      chunk({ content: ".", reasoning_content: null }) +
      chunk({ content: "", reasoning_content: null }, "stop", {
        usage: {
          prompt_tokens: 15,
          completion_tokens: 40,
          total_tokens: 55,
          prompt_cache_hit_tokens: 10,
          prompt_cache_miss_tokens: 5,
          completion_tokens_details: { reasoning_tokens: 30 },
        },
      }) +
      DONE,
    content: [
      { type: "thinking", thinking: "First, think.", signature: UNSIGNED },
      { type: "text", text: "Four." },
    ],
    stopReason: "end_turn",
    usage: [5, 10, 0, 40],
  },
  {
    name: "OpenRouter: comments, reasoning said twice, signature and encrypted reasoning",
    sse:
      ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" +
      chunk({
        role: "assistant",
        content: "",
        reasoning: "Let me ",
        reasoning_details: [{ type: "reasoning.text", text: "Let me ", index: 0 }],
      }) +
      chunk({
        content: "",
        reasoning: "see.",
        reasoning_details: [{ type: "reasoning.text", text: "see.", index: 0 }],
      }) +
      ": OPENROUTER PROCESSING\n\n" +
      chunk({
        content: "",
        reasoning: null,
        reasoning_details: [{ type: "reasoning.text", signature: "c2ln", index: 0 }],
      }) +
      chunk({ reasoning_details: [{ type: "reasoning.encrypted", data: "ZW5j", index: 1 }] }) +
      chunk({
        reasoning: "Again.",
        reasoning_details: [{ type: "reasoning.summary", summary: "Again.", index: 2 }],
      }) +
      chunk({ content: "Yes" }) +
      chunk({ content: "" }, "stop") +
      data({
        id: "cmpl-7",
        choices: [],
        usage: {
          prompt_tokens: 20,
          completion_tokens: 9,
          total_tokens: 29,
          prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 4 },
        },
      }) +
      DONE,
    content: [
      { type: "thinking", thinking: "Let me see.", signature: "c2ln" },
      { type: "redacted_thinking", data: "ZW5j" },
      { type: "thinking", thinking: "Again.", signature: UNSIGNED },
      { type: "text", text: "Yes" },
    ],
    stopReason: "end_turn",
    usage: [8, 8, 4, 9],
  },
  {
    name: "Mistral: content as parts with thinking, the context is full",
    sse:
      chunk({ role: "assistant", content: "" }) +
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }] }] }) +
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "m." }] }] }) +
      chunk({ content: [{ type: "text", text: "So" }] }) +
      chunk({ content: "!" }) +
      chunk({ content: [{ type: "reference", reference_ids: [1] }] }) +
      chunk({ content: "" }, "model_length"),
    content: [
      { type: "thinking", thinking: "Hmm.", signature: UNSIGNED },
      { type: "text", text: "So!" },
    ],
    stopReason: "model_context_window_exceeded",
    dropped: 1,
  },
  {
    name: "Azure: filter results first, content filter at the end",
    sse:
      data({
        choices: [],
        created: 0,
        id: "",
        model: "",
        object: "",
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
      }) +
      chunk({ role: "assistant", content: "" }) +
      chunk({ content: "It is" }) +
      chunk({}, "content_filter") +
      DONE,
    content: [{ type: "text", text: "It is" }],
    stopReason: "refusal",
  },
  {
    name: "a refusal in words of its own",
    sse:
      openai({ role: "assistant", content: "", refusal: null }) +
      openai({ refusal: "I can't " }) +
      openai({ refusal: "do that." }) +
      openai({}, "stop") +
      DONE,
    content: [{ type: "text", text: "I can't do that." }],
    stopReason: "refusal",
  },
  {
    name: "vLLM: running usage, a stop sequence by name, choices of other indexes",
    sse:
      chunk({ role: "assistant", content: "" }, null, {
        usage: { prompt_tokens: 4, completion_tokens: 0, total_tokens: 4 },
      }) +
      chunk({ content: "a" }, null, {
        usage: { prompt_tokens: 4, completion_tokens: 1, total_tokens: 5 },
      }) +
      data({ id: "x", choices: [{ index: 1, delta: { content: "other" }, finish_reason: null }] }) +
      data({
        id: "x",
        choices: [
          { index: 0, delta: { content: "b" }, finish_reason: "stop", stop_reason: "\n\nHuman:" },
        ],
        usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
      }) +
      data({
        id: "x",
        choices: [],
        usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
      }) +
      DONE,
    content: [{ type: "text", text: "ab" }],
    stopReason: "stop_sequence",
    stopSequence: "\n\nHuman:",
    usage: [4, 0, 0, 2],
    dropped: 1,
  },
  {
    name: "Moonshot: usage inside the choice; xAI: reasoning outside of completion_tokens",
    sse:
      chunk({ role: "assistant", content: "" }) +
      chunk({ content: "x" }) +
      data({
        id: "x",
        choices: [
          {
            index: 0,
            delta: {},
            finish_reason: "length",
            usage: {
              prompt_tokens: 8,
              completion_tokens: 2,
              total_tokens: 17,
              cached_tokens: 3,
              completion_tokens_details: { reasoning_tokens: 7 },
            },
          },
        ],
      }) +
      DONE,
    content: [{ type: "text", text: "x" }],
    stopReason: "max_tokens",
    usage: [5, 3, 0, 9],
  },
  {
    name: "annotations become citations; logprobs and audio are counted",
    sse:
      openai({ role: "assistant", content: "" }) +
      openai({ content: "See [a](https://a.example)." }) +
      openai({
        annotations: [
          {
            type: "url_citation",
            url_citation: {
              start_index: 4,
              end_index: 26,
              title: "A",
              url: "https://a.example",
            },
          },
        ],
      }) +
      data({
        id: "x",
        choices: [
          {
            index: 0,
            delta: { audio: { id: "x" } },
            logprobs: { content: [] },
            finish_reason: "stop",
          },
        ],
      }) +
      DONE,
    content: [
      {
        type: "text",
        text: "See [a](https://a.example).",
        citations: [
          {
            type: "web_search_result_location",
            cited_text: "",
            url: "https://a.example",
            title: "A",
            encrypted_index: "gw1.n",
          },
        ],
      },
    ],
    stopReason: "end_turn",
    dropped: 2,
  },
  {
    name: "Perplexity: search results in every chunk",
    sse:
      chunk({ role: "assistant", content: "Paris" }, null, {
        search_results: [{ title: "P", url: "https://p.example" }],
      }) +
      chunk({ content: "." }, "stop", {
        search_results: [{ title: "P", url: "https://p.example" }],
      }) +
      DONE,
    content: [
      {
        type: "text",
        text: "Paris.",
        citations: [
          {
            type: "web_search_result_location",
            cited_text: "",
            url: "https://p.example",
            title: "P",
            encrypted_index: "gw1.n",
          },
        ],
      },
    ],
    stopReason: "end_turn",
  },
  {
    // Recorded of Perplexity in 2026: a complete response repeats its choice as an empty delta.
    name: "Perplexity: a complete response with an empty delta beside its message",
    sse: JSON.stringify({
      id: "8f1d",
      model: "sonar",
      object: "chat.completion",
      created: 1750000000,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hello" },
          delta: { role: "assistant", content: "" },
          finish_reason: "stop",
        },
      ],
    }),
    content: [{ type: "text", text: "Hello" }],
    stopReason: "end_turn",
  },
  {
    name: "OpenRouter: annotations before the text wait for it",
    sse:
      chunk({ role: "assistant", content: "", annotations: [annotation("A")] }) +
      chunk({ reasoning: "Hm." }) +
      chunk({ annotations: [annotation("B")] }) +
      chunk({ content: "Hi" }) +
      chunk({ content: "." }, "stop") +
      DONE,
    content: [
      { type: "thinking", thinking: "Hm.", signature: UNSIGNED },
      { type: "text", text: "Hi.", citations: [citation("A"), citation("B")] },
    ],
    stopReason: "end_turn",
  },
  {
    name: "annotations before a call wait for the text after it",
    sse:
      chunk({ tool_calls: [call(0, "a", "f", "{")] }) +
      chunk({ annotations: [annotation("A")] }) +
      chunk({ content: "Hi" }) +
      chunk({ tool_calls: [fragment(0, "}")] }, "tool_calls") +
      DONE,
    content: [
      { type: "tool_use", id: "a", name: "f", input: {} },
      { type: "text", text: "Hi", citations: [citation("A")] },
    ],
    stopReason: "tool_use",
  },
  {
    name: "annotations without any text are counted",
    sse: chunk({ annotations: [annotation("A"), annotation("B")] }, "stop") + DONE,
    content: [],
    stopReason: "end_turn",
    dropped: 2,
  },
  {
    name: "Groq: tools that the provider ran are counted",
    sse:
      chunk({ role: "assistant", executed_tools: [{ index: 0, type: "search", output: "x" }] }) +
      chunk({ content: "Hi", executed_tools: [] }, "stop") +
      DONE,
    content: [{ type: "text", text: "Hi" }],
    stopReason: "end_turn",
    dropped: 1,
  },
  {
    name: "Mistral: cached tokens at the top level",
    sse:
      chunk({ content: "Hi" }, "stop", {
        usage: {
          prompt_tokens: 10,
          completion_tokens: 2,
          total_tokens: 12,
          num_cached_tokens: 9,
        },
      }) + DONE,
    content: [{ type: "text", text: "Hi" }],
    stopReason: "end_turn",
    usage: [1, 9, 0, 2],
  },
  {
    name: "arguments cut off by the limit",
    sse: chunk({ tool_calls: [call(0, "a", "f", '{"x":"long te')] }) + chunk({}, "length") + DONE,
    content: [{ type: "tool_use", id: "a", name: "f", input: {} }],
    stopReason: "max_tokens",
  },
  {
    name: "nothing at all",
    sse: chunk({ role: "assistant", content: "" }) + chunk({}, "stop") + DONE,
    content: [],
    stopReason: "end_turn",
  },
  {
    name: "a call promised by the reason that never came; reason of nobody's table",
    sse: chunk({ content: "x" }) + chunk({}, "tool_calls") + DONE,
    content: [{ type: "text", text: "x" }],
    stopReason: "end_turn",
  },
  {
    name: "an unknown reason",
    sse: chunk({ content: "x" }) + chunk({}, "because") + DONE,
    content: [{ type: "text", text: "x" }],
    stopReason: "end_turn",
    dropped: 1,
  },
  {
    name: "the whole message once more in the last chunk, and no [DONE]",
    sse:
      chunk({ role: "assistant", content: "once" }) +
      data({
        id: "x",
        object: "chat.completion",
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: "once" },
            finish_reason: "stop",
          },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    content: [{ type: "text", text: "once" }],
    stopReason: "end_turn",
    usage: [1, 0, 0, 1],
  },
  {
    name: "CRLF line ends, other fields, data in several lines, odd members",
    sse:
      "\uFEFFretry: 10\r\n\r\nid: 1\r\nevent: chunk\r\n" +
      'data: {"id":"cmpl-7","surprise":[1e400,{"a":null}],\r\ndata: "choices":[{"delta":\r\ndata: {"content":"multi","x":{}},"index":0}]}\r\n\r\n' +
      'data:{"choices":[{"index":0,"finish_reason":"stop"}]}\r\n\r\ndata: [DONE]\r\n\r\n',
    content: [{ type: "text", text: "multi" }],
    stopReason: "end_turn",
  },
  {
    name: "the last event without its empty line",
    sse: chunk({ content: "x" }) + chunk({}, "stop") + "data: [DONE]",
    content: [{ type: "text", text: "x" }],
    stopReason: "end_turn",
  },
  {
    name: "a complete reply where a stream was asked for",
    sse: JSON.stringify({
      id: "chatcmpl-9",
      object: "chat.completion",
      created: 3,
      model: "some-model",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "Whole.",
            reasoning_content: "Why",
            tool_calls: [
              { id: "a", type: "function", function: { name: "f", arguments: ' {"x" : 1.10} ' } },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
    }),
    content: [
      { type: "thinking", thinking: "Why", signature: UNSIGNED },
      { type: "text", text: "Whole." },
      { type: "tool_use", id: "a", name: "f", input: { x: 1.1 } },
    ],
    stopReason: "tool_use",
    usage: [2, 0, 0, 3],
  },
];
