// What a stream costs whose client hangs up before its usage: a token for each event, or for four bytes of what the model has
// written, whichever are more.
import { describe, expect, it } from "vitest";
import type { UpstreamResponse } from "../../../control-plane/wasm-host/upstream.ts";
import { chunkFrame, eventFrame } from "../../providers/event-stream.ts";
import { recordOf, start } from "./set-up.ts";
import type { Path, Worker } from "./set-up.ts";

const CONFIGURATION = `
listeners:
  egress:
    api_keys: [{key: $TEAM_B, name: research, budget: {amount: 50 USD, per: month}}]
llm_providers:
  - {model: openai/gpt, access_key: $OPENAI_API_KEY}
  - {model: other/gpt, provider_interface: openai_responses, base_url: "https://api.example.com/v1", access_key: $OPENAI_API_KEY}
  - {model: anthropic/claude, access_key: $ANTHROPIC_API_KEY}
  - {model: gemini/gemini-3-flash, access_key: $OPENAI_API_KEY}
  - {model: "bedrock/amazon.nova-pro-v1:0", region: eu-central-1, access_key: $OPENAI_API_KEY}
  - {model: "bedrock/eu.anthropic.claude-sonnet-4-6-v1:0", region: eu-central-1, access_key: $OPENAI_API_KEY}
pricing:
${[
  "openai/gpt",
  "other/gpt",
  "anthropic/claude",
  "gemini/gemini-3-flash",
  "bedrock/amazon.nova-pro-v1:0",
  "bedrock/eu.anthropic.claude-sonnet-4-6-v1:0",
]
  .map((name) => `  "${name}": {input: 0, output: 1000}\n`)
  .join("")}
`;
/** Nano-dollars of a token of the output. */
const TOKEN = 1_000_000;

type Kind = "text" | "reasoning" | "arguments";
/** The events before the first part, and one for each part. */
interface Stream {
  type: string;
  begin: Buffer[];
  part: (text: string, number: number) => Buffer;
}

const data = (value: object): Buffer => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
const named = (type: string, value: object): Buffer =>
  Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`);
const SSE = "text/event-stream";
const AWS = "application/vnd.amazon.eventstream";

const CHUNK = { id: "c1", object: "chat.completion.chunk", created: 1, model: "gpt" };
const chunk = (delta: object, more: object = {}): Buffer =>
  data({ ...CHUNK, choices: [{ index: 0, delta, finish_reason: null, ...more }] });

function chat(kind: Kind): Stream {
  const call = { index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "" } };
  const first = kind === "arguments" ? { tool_calls: [call] } : { content: "" };
  const parts: Record<Kind, (text: string) => object> = {
    text: (content) => ({ content }),
    reasoning: (reasoning) => ({
      reasoning,
      reasoning_content: reasoning,
      reasoning_details: [{ type: "reasoning.text", text: reasoning, index: 0 }],
    }),
    arguments: (text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
  };
  return {
    type: SSE,
    begin: [chunk({ role: "assistant", ...first })],
    part: (text) => chunk(parts[kind](text)),
  };
}

const BLOCKS: Record<Kind, [object, (text: string) => object]> = {
  text: [{ type: "text", text: "" }, (text) => ({ type: "text_delta", text })],
  reasoning: [
    { type: "thinking", thinking: "" },
    (thinking) => ({ type: "thinking_delta", thinking }),
  ],
  arguments: [
    { type: "tool_use", id: "t1", name: "f", input: {} },
    (partial_json) => ({ type: "input_json_delta", partial_json }),
  ],
};
const MESSAGE_START = {
  message: {
    ...{ id: "m", type: "message", role: "assistant", model: "claude", content: [] },
    ...{ stop_reason: null, stop_sequence: null },
    usage: { input_tokens: 5, output_tokens: 1 },
  },
};

function messages(kind: Kind): Stream {
  const [block, delta] = BLOCKS[kind];
  return {
    type: SSE,
    begin: [
      named("message_start", MESSAGE_START),
      named("content_block_start", { index: 0, content_block: block }),
    ],
    part: (text) => named("content_block_delta", { index: 0, delta: delta(text) }),
  };
}

function invoke(kind: Kind): Stream {
  const { begin, part } = messages(kind);
  const framed = (event: Buffer) => chunkFrame(/^data: (.*)$/m.exec(event.toString())?.[1]);
  return {
    type: AWS,
    begin: begin.map(framed),
    part: (text, number) => framed(part(text, number)),
  };
}

const PLACE = { output_index: 0, item_id: "item_1" };
const ITEMS: Record<Kind, [object, string, object]> = {
  text: [
    { type: "message", role: "assistant", content: [] },
    "response.output_text.delta",
    { content_index: 0, logprobs: [] },
  ],
  reasoning: [
    { type: "reasoning", summary: [] },
    "response.reasoning_summary_text.delta",
    { summary_index: 0 },
  ],
  arguments: [
    { type: "function_call", call_id: "call_1", name: "f", arguments: "" },
    "response.function_call_arguments.delta",
    {},
  ],
};

function responses(kind: Kind): Stream {
  const [item, type, place] = ITEMS[kind];
  const response = {
    ...{ id: "resp_1", object: "response", created_at: 1, model: "gpt", output: [], usage: null },
    instructions: "x".repeat(20_000),
    tools: [
      { type: "function", name: "f", parameters: { properties: { text: "x".repeat(20_000) } } },
    ],
  };
  return {
    type: SSE,
    begin: [
      named("response.created", { sequence_number: 0, response }),
      named("response.output_item.added", {
        ...{ sequence_number: 1, output_index: 0 },
        item: { id: "item_1", status: "in_progress", ...item },
      }),
    ],
    part: (delta, number) =>
      named(type, {
        ...{ sequence_number: number + 2, ...PLACE, ...place },
        ...{ delta, obfuscation: "abcdefghijklmnop".slice(number % 16) },
      }),
  };
}

function gemini(kind: Kind): Stream {
  const parts: Record<Kind, (text: string) => object> = {
    text: (text) => ({ text }),
    reasoning: (text) => ({ text, thought: true }),
    arguments: (text) => ({ functionCall: { name: "f", args: { city: text } } }),
  };
  return {
    type: SSE,
    begin: [],
    part: (text) =>
      data({
        candidates: [{ content: { parts: [parts[kind](text)], role: "model" }, index: 0 }],
        modelVersion: "gemini-3-flash",
      }),
  };
}

function converse(kind: Kind): Stream {
  const parts: Record<Kind, (text: string) => object> = {
    text: (text) => ({ text }),
    reasoning: (text) => ({ reasoningContent: { text } }),
    arguments: (input) => ({ toolUse: { input } }),
  };
  const tool = { contentBlockIndex: 0, start: { toolUse: { toolUseId: "t1", name: "f" } } };
  return {
    type: AWS,
    begin: [
      eventFrame("messageStart", { role: "assistant", p: "abc" }),
      ...(kind === "arguments" ? [eventFrame("contentBlockStart", tool)] : []),
    ],
    part: (text) =>
      eventFrame("contentBlockDelta", {
        contentBlockIndex: 0,
        delta: parts[kind](text),
        p: "abcdefgh",
      }),
  };
}

const PROVIDERS: [string, (kind: Kind) => Stream][] = [
  ["openai/gpt", chat],
  ["other/gpt", responses],
  ["anthropic/claude", messages],
  ["gemini/gemini-3-flash", gemini],
  ["bedrock/amazon.nova-pro-v1:0", converse],
  ["bedrock/eu.anthropic.claude-sonnet-4-6-v1:0", invoke],
];
const PATHS: Path[] = ["/v1/chat/completions", "/v1/messages", "/v1/responses"];
/** OpenAI has both APIs: each client gets its own. */
function streamFor(
  path: Path,
  model: string,
  stream: (kind: Kind) => Stream,
): (kind: Kind) => Stream {
  return path === "/v1/responses" && model === "openai/gpt" ? responses : stream;
}

const EVERY = PATHS.flatMap((path) =>
  PROVIDERS.flatMap(([model, stream]) =>
    (["text", "reasoning", "arguments"] as const).map((kind): [Path, string, Kind, Stream] => [
      path,
      model,
      kind,
      streamFor(path, model, stream)(kind),
    ]),
  ),
);

interface Cut {
  path: Path;
  model: string;
  stream: Stream;
  texts: string[];
  /** Whether the events come in one piece. */
  atOnce?: boolean;
}

/** Sends a stream of these texts, whose client leaves after the last one. Returns the tokens that are charged. */
function tokensOf(worker: Worker, { path, model, stream, texts, atOnce = false }: Cut): number {
  const before = worker.charged()["research"] ?? 0;
  const events = [...stream.begin, ...texts.map(stream.part)];
  const chunks = atOnce ? [Buffer.concat(events)] : events;
  const upstream: UpstreamResponse = {
    ...{ status: 200, ending: "complete" },
    headers: [["content-type", stream.type]],
    chunks: [...chunks, stream.part("the last one", texts.length)],
  };
  const input = { clientLeavesAfter: chunks.length };
  const { cost = 0, estimated } = recordOf(
    worker.ask({ path, model, stream: true, upstream, input }),
  );
  expect(estimated).toBe(1);
  expect((worker.charged()["research"] ?? 0) - before).toBe(cost);
  return cost / TOKEN;
}

async function allowed(): Promise<Worker> {
  const worker = await start({ text: CONFIGURATION });
  worker.allow();
  return worker;
}

describe.each(EVERY)(
  "a stream that its client cuts, %s from %s with %s,",
  (path, model, kind, stream) => {
    it.each([false, true])(
      "a stream that its client cuts is charged by its text if events are long; in one piece: %s",
      async (atOnce) => {
        const worker = await allowed();
        const long = Array.from({ length: 20 }, (_, at) => `${String(at)} ${"word ".repeat(800)}`);
        const bytes = long.join("").length;
        const tokens = tokensOf(worker, { path, model, stream, texts: long, atOnce });
        expect(tokens).toBeGreaterThanOrEqual(Math.floor(bytes / 4));
        expect(tokens).toBeLessThan(bytes / 4 + (kind === "arguments" ? 120 : 20));
      },
    );

    it("a stream that its client cuts is charged by its events if they are short", async () => {
      const worker = await allowed();
      // A model may write the same twice.
      const short = Array.from({ length: 60 }, (_, at) => ["a", "an", "the", "the"][at % 4] ?? "");
      const tokens = tokensOf(worker, { path, model, stream, texts: short });
      const most =
        60 + stream.begin.length + (model.startsWith("gemini") && kind === "arguments" ? 200 : 0);
      expect(tokens).toBeGreaterThanOrEqual(60);
      expect(tokens).toBeLessThanOrEqual(most);
    });
  },
);

describe("a stream in the client's dialect that its client cuts", () => {
  const path = "/v1/chat/completions";
  const model = "openai/gpt";

  it("a stream in the client's dialect that its client cuts is charged by its text if no event repeats another", async () => {
    const worker = await allowed();
    const stream: Stream = {
      ...chat("text"),
      part: (content, at) =>
        chunk(
          { content },
          {
            logprobs: {
              content: [
                {
                  token: `t${String(at)}`,
                  bytes: [at],
                  top_logprobs: [{ token: `o${String(at)}` }],
                },
              ],
            },
          },
        ),
    };
    const short = Array.from({ length: 40 }, (_, at) => `w${String(at)}`);
    expect(tokensOf(worker, { path, model, stream, texts: short })).toBe(41);
    const long = short.map((word) => word.padEnd(400, " and"));
    expect(tokensOf(worker, { path, model, stream, texts: long })).toBe(40 * 100);
  });

  it("a stream in the client's dialect that its client cuts is charged by its text if another string differs first", async () => {
    const worker = await allowed();
    const stream: Stream = {
      ...chat("text"),
      part: (content, at) =>
        data({
          ...CHUNK,
          id: `chatcmpl-${String(at)}`,
          choices: [{ index: 0, delta: { content } }],
        }),
    };
    const long = Array.from({ length: 40 }, (_, at) => `w${String(at)}`.padEnd(400, " and"));
    expect(tokensOf(worker, { path, model, stream, texts: long })).toBe(40 * 100);
  });

  it("a stream in the client's dialect that its client cuts is not charged by the bytes of an image", async () => {
    const worker = await allowed();
    const image = (_: string, at: number): Buffer =>
      named("response.image_generation_call.partial_image", {
        ...{ sequence_number: at, ...PLACE, partial_image_index: at },
        partial_image_b64: "A".repeat(at % 2 === 0 ? 400_000 : 1_600_000),
      });
    const stream: Stream = { ...responses("text"), part: image };
    const cut = {
      path: "/v1/responses",
      model: "openai/gpt",
      stream,
      texts: ["", "", "", ""],
    } as const;
    expect(tokensOf(worker, { ...cut, texts: [...cut.texts] })).toBe(6);
  });
});
