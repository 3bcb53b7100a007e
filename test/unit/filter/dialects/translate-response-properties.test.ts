// Properties of the translation of responses: nothing that both dialects can say is lost on the way there and back, no
// bytes trap it, and whatever comes in, what goes out is one whole stream of the client's dialect.
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import {
  ANTHROPIC_STREAMS,
  blockDelta,
  blockStart,
  blockStop,
  messageEnd,
  messageStart,
} from "../anthropic-streams.ts";
import { checkAnthropicStream, checkOpenaiStream } from "../lifecycle.ts";
import { OPENAI_STREAMS } from "../openai-streams.ts";
import { RESPONSES_STREAMS } from "../responses-streams.ts";
import { ANTHROPIC, OPENAI, RESPONSES, Responses, type Direction } from "../response-translator.ts";
import { checkResponsesStream, codexTurn } from "../responses-lifecycle.ts";
import { anthropicMessage, openaiResponse } from "../sdk-streams.ts";

const TO_ANTHROPIC: Direction = { from: OPENAI, to: ANTHROPIC };
const TO_OPENAI: Direction = { from: ANTHROPIC, to: OPENAI };

let responses: Responses;
beforeAll(async () => {
  responses = await Responses.load();
});

type Json = Record<string, unknown>;

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 });
const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/);
const object = fc.dictionary(words, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
const count = fc.nat(1_000_000);

interface Message {
  thinking: string;
  text: string;
  tools: { id: string; name: string; input: Json }[];
  tokens: [number, number, number];
}

const message: fc.Arbitrary<Message> = fc.record({
  thinking: fc.oneof(fc.constant(""), words),
  text: fc.oneof(fc.constant(""), words),
  tools: fc.uniqueArray(fc.record({ id: name, name, input: object }), {
    maxLength: 4,
    selector: (tool) => tool.id,
  }),
  tokens: fc.tuple(count, count, count),
});

/** The same as a complete chat completion. Key order as the translation writes it. */
function chatCompletion({
  thinking,
  text,
  tools,
  tokens: [prompt, cached, output],
}: Message): Json {
  return {
    id: "chatcmpl-abc",
    object: "chat.completion",
    created: 1741569952,
    model: "m",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && tools.length > 0 ? null : text,
          refusal: null,
          ...(thinking === "" ? {} : { reasoning_content: thinking }),
          ...(tools.length === 0
            ? {}
            : {
                tool_calls: tools.map(({ id, name, input }) => ({
                  id,
                  type: "function",
                  function: { name, arguments: JSON.stringify(input) },
                })),
              }),
        },
        logprobs: null,
        finish_reason: tools.length > 0 ? "tool_calls" : "stop",
      },
    ],
    usage: {
      prompt_tokens: prompt + cached,
      completion_tokens: output,
      total_tokens: prompt + cached + output,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

/** The same as a stream of chunks, its strings cut at random places. */
function chatStream(given: Message, random: () => number): string {
  const chunk = (delta: Json, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: "chatcmpl-abc", created: 1741569952, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const complete = chatCompletion(given) as { choices: { finish_reason: string }[]; usage: Json };
  let stream = chunk({ role: "assistant", content: "" });
  for (const part of cut(given.thinking, random)) stream += chunk({ reasoning_content: part });
  for (const part of cut(given.text, random)) stream += chunk({ content: part });
  for (const [index, { id, name, input }] of given.tools.entries()) {
    stream += chunk({
      tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }],
    });
    for (const part of cut(JSON.stringify(input), random)) {
      stream += chunk({ tool_calls: [{ index, function: { arguments: part } }] });
    }
  }
  stream += chunk({}, complete.choices[0]?.finish_reason);
  return `${stream}data: ${JSON.stringify({ choices: [], usage: complete.usage })}\n\ndata: [DONE]\n\n`;
}

/** Cuts between code units, so that characters and escapes are split too. */
function cut(text: string, random: () => number): string[] {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    let end = Math.min(text.length, at + 1 + Math.floor(random() * 8));
    // A lone surrogate cannot be sent in UTF-8.
    if (isHigh(text.charCodeAt(end - 1)) && end < text.length) end++;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

describe("there and back", () => {
  test("a complete chat completion is the same after messages", () => {
    fc.assert(
      fc.property(message, (given) => {
        const before = chatCompletion(given);
        const there = responses.complete(TO_ANTHROPIC, JSON.stringify(before));
        expect(there.status).toBe(200);
        const back = responses.complete(TO_OPENAI, there.text);
        expect(JSON.parse(back.text)).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  test("a stream of chunks says the same as its complete response", async () => {
    await fc.assert(
      fc.asyncProperty(
        message,
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        async (given, numbers) => {
          const random = (): number => Number(numbers.next().value);
          const sse = chatStream(given, random);
          const { text } = responses.stream(TO_ANTHROPIC, [new TextEncoder().encode(sse)]);
          expect(checkAnthropicStream(text).ending).toBe("clean");
          const streamed = (await anthropicMessage(text)) as unknown as Json;
          const complete = JSON.parse(
            responses.complete(TO_ANTHROPIC, JSON.stringify(chatCompletion(given))).text,
          ) as Json;
          expect(streamed).toMatchObject(complete);
          // And back again as a stream, into the same completion.
          const again = responses.stream(TO_OPENAI, [new TextEncoder().encode(text)]).text;
          expect(checkOpenaiStream(again, true).ending).toBe("clean");
          const body = responses.complete(TO_OPENAI, text).text;
          expect(JSON.parse(body)).toEqual(chatCompletion(given));
        },
      ),
      { numRuns: 60 },
    );
  });

  test("a response is the same after a Responses client, whose SDK and agent read the stream", async () => {
    const toResponses: Direction = { from: OPENAI, to: RESPONSES };
    await fc.assert(
      fc.asyncProperty(
        message,
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        async (given, numbers) => {
          const sse = chatStream(given, () => Number(numbers.next().value));
          const { text } = responses.stream(toResponses, [new TextEncoder().encode(sse)]);
          const { ending, response } = checkResponsesStream(text);
          expect(ending).toBe("clean");
          const types: string[] = [];
          const final = await openaiResponse(text, types);
          expect(final.output_text).toBe(given.text);
          expect(codexTurn(text)).toEqual({ items: response["output"], usage: response["usage"] });
          const there = responses.complete(toResponses, JSON.stringify(chatCompletion(given)));
          expect((JSON.parse(there.text) as Json)["output"]).toEqual(response["output"]);
          const back = responses.complete({ from: RESPONSES, to: OPENAI }, text);
          expect(JSON.parse(back.text)).toMatchObject({
            choices: chatCompletion(given)["choices"],
            usage: chatCompletion(given)["usage"],
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  test("reasoning with signatures is the same after a chat client", () => {
    const block = fc.oneof(
      fc.record({ type: fc.constant("thinking"), thinking: words, signature: name }),
      fc.record({ type: fc.constant("redacted_thinking"), data: name }),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 4 }), words, (blocks, text) => {
        const content = [...blocks, { type: "text", text, citations: [] }];
        const before = {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "m",
          content,
          stop_reason: "end_turn",
          stop_sequence: null,
          stop_details: null,
          container: null,
          diagnostics: null,
          usage: {
            input_tokens: 1,
            cache_creation_input_tokens: 2,
            cache_read_input_tokens: 3,
            output_tokens: 4,
            output_tokens_details: null,
            server_tool_use: null,
            cache_creation: null,
            inference_geo: null,
            speed: null,
            service_tier: null,
          },
        };
        const there = responses.complete(TO_OPENAI, JSON.stringify(before));
        const back = responses.complete(TO_ANTHROPIC, there.text);
        expect(JSON.parse(back.text)).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });
});

describe("events that look alike", () => {
  // Few words, many of them JSON's own, so that one event's end is often another one's middle.
  const word = fc.constantFrom(
    "a",
    '"',
    '"}',
    "\\",
    '","x":"',
    "}}]}",
    "é",
    "🎈",
    " ",
    "null",
    "\n",
    '\\"',
  );
  const piece = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(""));
  const padding = fc.option(piece, { nil: undefined });

  test("chunks of a chat completion that look alike keep their meaning", async () => {
    const chunk = fc.oneof(
      fc.record({ content: piece }),
      fc.record({ content: piece, role: fc.constant("assistant") }),
      fc.record({ reasoning_content: piece }),
      fc.record({ content: fc.constant(null), reasoning_content: piece }),
      fc.record({ refusal: piece }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(chunk, padding), { maxLength: 25 }), async (chunks) => {
        const lines = chunks.map(([delta, obfuscation]) =>
          JSON.stringify({ id: "x", choices: [{ index: 0, delta }], obfuscation }),
        );
        lines.push(JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
        const sse = lines.map((line) => `data: ${line}\n\n`).join("");
        const { text } = responses.stream(TO_ANTHROPIC, [new TextEncoder().encode(sse)]);
        expect(checkAnthropicStream(text).ending).toBe("clean");
        const { content } = await anthropicMessage(text);
        const said = content.map((block) => [
          block.type,
          block.type === "text" ? block.text : block.type === "thinking" && block.thinking,
        ]);
        const wanted: [string, string][] = [];
        for (const [delta] of chunks) {
          const kind = "reasoning_content" in delta ? "thinking" : "text";
          const words = Object.values(delta)
            .filter((value) => value !== "assistant")
            .join("");
          const last = wanted.at(-1);
          const isSameBlock = last?.[0] === kind;
          if (isSameBlock) last[1] += words;
          else wanted.push([kind, words]);
        }
        expect(said).toEqual(wanted);
      }),
      { numRuns: 500 },
    );
  });

  test("deltas of a message that look alike keep their meaning", () => {
    const kind = fc.constantFrom<"text" | "thinking" | "json">("text", "thinking", "json");
    fc.assert(
      fc.property(fc.array(fc.tuple(kind, piece, fc.nat(1)), { maxLength: 25 }), (deltas) => {
        let sse = messageStart();
        for (const index of [0, 1]) {
          sse += blockStart(index, { type: "tool_use", id: `t${index}`, name: "f", input: {} });
        }
        for (const [kind, words, index] of deltas) {
          const delta =
            kind === "text"
              ? { type: "text_delta", text: words }
              : kind === "thinking"
                ? { type: "thinking_delta", thinking: words }
                : { type: "input_json_delta", partial_json: words };
          sse += blockDelta(kind === "json" ? index : 2, delta);
        }
        sse += messageEnd("max_tokens");
        const { text } = responses.complete(TO_OPENAI, sse);
        const { choices } = JSON.parse(text) as { choices: [{ message: Json }] };
        const join = (wanted: string, at?: number): string =>
          deltas
            .filter(([kind, , index]) => kind === wanted && (at === undefined || index === at))
            .map(([, words]) => words)
            .join("");
        const { message } = choices[0];
        expect(message["content"] ?? "").toBe(join("text"));
        expect(message["reasoning_content"] ?? "").toBe(join("thinking"));
        const calls = message["tool_calls"] as { function: { arguments: string } }[];
        expect(calls.map((call) => call.function.arguments)).toEqual(
          [0, 1].map((index) => join("json", index) || "{}"),
        );
      }),
      { numRuns: 500 },
    );
  });
});

const STREAMS = [
  ...OPENAI_STREAMS.map(({ sse }) => ({ sse, direction: TO_ANTHROPIC })),
  ...OPENAI_STREAMS.map(({ sse }) => ({ sse, direction: { from: OPENAI, to: RESPONSES } })),
  ...ANTHROPIC_STREAMS.map(({ sse }) => ({ sse, direction: TO_OPENAI })),
  ...ANTHROPIC_STREAMS.map(({ sse }) => ({ sse, direction: { from: ANTHROPIC, to: RESPONSES } })),
  ...RESPONSES_STREAMS.map(({ sse }) => ({ sse, direction: { from: RESPONSES, to: OPENAI } })),
  ...RESPONSES_STREAMS.map(({ sse }) => ({ sse, direction: { from: RESPONSES, to: ANTHROPIC } })),
];

function checkStream({ to }: Direction, text: string): string {
  if (to === ANTHROPIC) return checkAnthropicStream(text.replaceAll(": ping\n\n", "")).ending;
  return to === OPENAI ? checkOpenaiStream(text, true).ending : checkResponsesStream(text).ending;
}

/** Changes, removes, doubles or inserts bytes. */
const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 0, max: 40 }),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 6 }),
    fc
      .constantFrom(
        '"',
        "{",
        "}",
        "]",
        "\\",
        "null",
        "0",
        "\n",
        "\n\n",
        ",",
        "[]",
        "{}",
        '""',
        "\\u0000",
      )
      .map((text) => new TextEncoder().encode(text)),
  ),
});

function mutate(
  bytes: Uint8Array,
  changes: readonly { at: number; length: number; bytes: Uint8Array }[],
): Uint8Array {
  let result = bytes;
  for (const { at, length, bytes: inserted } of changes) {
    const start = Math.floor(at * result.length);
    result = Buffer.concat([result.subarray(0, start), inserted, result.subarray(start + length)]);
  }
  return result;
}

describe("whatever comes in", () => {
  const changes = fc.array(mutation, { minLength: 1, maxLength: 3 });

  test("a whole stream of the client's dialect goes out", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...STREAMS),
        changes,
        fc.boolean(),
        ({ sse, direction }, edits, isWrong) => {
          const bytes = mutate(new TextEncoder().encode(sse), edits);
          // Sometimes the provider speaks another dialect than it should.
          const from = isWrong ? (direction.from + 1) % 3 : direction.from;
          const half = bytes.length >> 1;
          const text = responses.streamText({ ...direction, from }, [
            bytes.subarray(0, half),
            bytes.subarray(half),
          ]);
          expect(["clean", "error"]).toContain(checkStream(direction, text));
        },
      ),
      { numRuns: 4000 },
    );
  });

  // Found by the test above: the first call's item is damaged, so its fragments came to the second call.
  test("the end of a call whose fragments were another call's is not cut in an escape", () => {
    const event = (type: string, more: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
    const call = { type: "function_call", arguments: "", call_id: "call_b", name: "time" };
    const whole = { ...call, id: "fc_1", call_id: "call_a", arguments: '{"city":"Paris"}' };
    const delta = "response.function_call_arguments.delta";
    const sse = [
      event("response.created", { response: { id: "resp_1", model: "gpt-5.2", output: [] } }),
      event("response.output_item.added", { item: { ...call, id: "fc_2" } }),
      event(delta, { item_id: "fc_2", delta: "{}" }),
      event("response.output_item.done", { item: whole }),
      event("response.completed", { response: { id: "resp_1", status: "completed" } }),
    ].join("");
    const text = responses.streamText({ from: RESPONSES, to: OPENAI }, [Buffer.from(sse)]);
    expect(["clean", "error"]).toContain(checkOpenaiStream(text, true).ending);
  });

  test("a complete body is JSON with the status it says", () => {
    fc.assert(
      fc.property(fc.constantFrom(...STREAMS), changes, ({ sse, direction }, edits) => {
        const complete = responses.complete(direction, sse).text;
        const other = { from: direction.to, to: direction.from };
        const bytes = mutate(new TextEncoder().encode(complete), edits);
        const { status, text } = responses.complete(other, bytes);
        const body = JSON.parse(text) as Json;
        // A response of the Responses API has the member always.
        if (status === 200) expect(body["error"] ?? null).toBeNull();
        else expect(body["error"]).toBeTruthy();
      }),
      { numRuns: 2000 },
    );
  });

  test("an error body is an error", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.integer({ min: 400, max: 599 }),
        (bytes, status) => {
          const text = responses.error(TO_ANTHROPIC, status, bytes);
          expect(JSON.parse(text)).toHaveProperty("error.message");
        },
      ),
      { numRuns: 1000 },
    );
  });
});

test("memory is flat over many streams", () => {
  const encoder = new TextEncoder();
  const round = (): void => {
    for (const { sse, direction } of STREAMS) {
      const bytes = encoder.encode(sse);
      responses.streamText(direction, [bytes.subarray(0, 100), bytes.subarray(100)]);
    }
  };
  for (let i = 0; i < 20; i++) round();
  const before = responses.memoryBytes();
  for (let i = 0; i < 200; i++) round();
  expect(responses.memoryBytes()).toBe(before);
});

test("a stream of many events keeps no more than its largest", () => {
  const part = "x".repeat(1000);
  const start = messageStart() + blockStart(0, { type: "text", text: "" });
  const middle = blockDelta(0, { type: "text_delta", text: part }).repeat(50);
  const end = blockStop(0) + messageEnd("end_turn");
  const pieces = (count: number): Uint8Array[] =>
    [start, ...Array.from({ length: count }, () => middle), end].map((text) =>
      new TextEncoder().encode(text),
    );
  responses.stream(TO_OPENAI, pieces(2));
  const before = responses.memoryBytes();
  responses.stream(TO_OPENAI, pieces(400));
  expect(responses.memoryBytes() - before).toBeLessThan(1 << 20);
});

test("places of citations count characters, however they are written", () => {
  const unit = fc.constantFrom(
    "a",
    "é",
    "你",
    "🎈",
    '"',
    "\\",
    "\n",
    "\u0001",
    "plain text of some length ",
  );
  const text = fc.array(unit, { minLength: 1, maxLength: 30 }).map((units) => units.join(""));
  const written = (words: string, isAscii: boolean): string =>
    isAscii
      ? JSON.stringify(words).replaceAll(/[^ -~]/gu, (character) =>
          // Half by half, as serialisers do that keep to ASCII.
          Array.from(
            { length: character.length },
            (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
          ).join(""),
        )
      : JSON.stringify(words);
  fc.assert(
    fc.property(text, text, fc.boolean(), (before, cited, isAscii) => {
      const citation =
        '{"type":"web_search_result_location","url":"https://a.example","title":"A"}';
      const { text: body } = responses.complete(
        TO_OPENAI,
        `{"type":"message","id":"x","content":[{"type":"text","text":${written(before, isAscii)}},` +
          `{"type":"text","text":${written(cited, isAscii)},"citations":[${citation}]}],"stop_reason":"end_turn"}`,
      );
      const { choices } = JSON.parse(body) as {
        choices: [
          {
            message: {
              annotations: [{ url_citation: { start_index: number; end_index: number } }];
            };
          },
        ];
      };
      const place = choices[0].message.annotations[0].url_citation;
      const start = Array.from(before).length;
      expect(place).toMatchObject({
        start_index: start,
        end_index: start + Array.from(cited).length,
      });
    }),
    { numRuns: 300 },
  );
});
