// Responses of Gemini, whole and streamed, for all clients: what their SDKs make of them, however the bytes are cut.
import { beforeAll, describe, expect, test } from "vitest";
import { event, GEMINI_FAILURES, GEMINI_STREAMS, sseOf } from "../../../../gemini-streams.ts";
import { checkAnthropicStream, checkOpenaiStream } from "../../../../lifecycle.ts";
import {
  ANTHROPIC,
  GEMINI,
  OPENAI,
  Responses,
  RESPONSES,
} from "../../../../response-translator.ts";
import { anthropicMessage, openaiCompletion } from "../../../../sdk-streams.ts";

let responses: Responses;
beforeAll(async () => {
  responses = await Responses.load();
});

type Json = Record<string, unknown>;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const TO_MESSAGES = { from: GEMINI, to: ANTHROPIC };
const TO_CHAT = { from: GEMINI, to: OPENAI };
const TO_RESPONSES = { from: GEMINI, to: RESPONSES };

/** The ids, names and inputs of calls, and the text, of any dialect's message. */
function callsIn(content: readonly Json[]): Json[] {
  return content.filter(({ type }) => type === "tool_use");
}

const textIn = (content: readonly Json[]): string =>
  content.flatMap(({ type, text }) => (type === "text" ? [text] : [])).join("");

describe.each(GEMINI_STREAMS)("$name", (given) => {
  const sse = sseOf(given.responses);

  test("the stream of a messages client", async () => {
    const { text, dropped, usage } = responses.stream(TO_MESSAGES, [encode(sse)]);
    expect(checkAnthropicStream(text)).toEqual({ ending: "clean", hasBegun: true });
    const message = await anthropicMessage(text);
    expect(message.content).toMatchObject(given.content);
    expect(message.content).toHaveLength(given.content.length);
    expect(message).toMatchObject({ stop_reason: given.stopReason, model: "gemini-3-pro" });
    expect(dropped).toBe(given.dropped ?? 0);
    if (given.usage !== undefined)
      expect([
        usage.freshInput,
        Math.max(usage.cacheRead, 0),
        usage.output,
        usage.reasoning,
      ]).toEqual(given.usage);
  });

  test("the stream of a chat client is as expected", async () => {
    const wantsUsage = given.usage !== undefined;
    const { text } = responses.stream({ ...TO_CHAT, wantsUsage }, [encode(sse)]);
    expect(checkOpenaiStream(text, wantsUsage).ending).toBe("clean");
    const { choices, id } = await openaiCompletion(text);
    const { content, refusal, tool_calls: calls = [] } = choices[0]?.message ?? {};
    expect(id).toBe("chatcmpl-abc_123");
    expect([content, refusal].join("")).toBe(textIn(given.content));
    expect(choices[0]?.finish_reason).toBe(given.finishReason);
    expect(
      calls.map(
        (one) =>
          one.type === "function" && {
            type: "tool_use",
            id: one.id,
            name: one.function.name,
            input: JSON.parse(one.function.arguments) as unknown,
          },
      ),
    ).toEqual(callsIn(given.content));
  });

  test("the stream of a Responses client is as expected", () => {
    const { text } = responses.stream(TO_RESPONSES, [encode(sse)]);
    const last = text.trimEnd().split("\n").at(-1)?.slice("data: ".length) ?? "";
    const { response } = JSON.parse(last) as { response: { status: string; output: Json[] } };
    const calls = response.output.filter(({ type }) => type === "function_call");
    expect(calls.map(({ call_id: id, name }) => ({ id, name }))).toEqual(
      callsIn(given.content).map(({ id, name }) => ({ id, name })),
    );
    // A refusal in words is complete.
    if (given.finishReason === "content_filter") return;
    expect(response.status).toBe(given.finishReason === "length" ? "incomplete" : "completed");
  });

  test("complete, from the stream and from the list of its responses", () => {
    for (const body of [sse, JSON.stringify(given.responses, null, 2)]) {
      const { status, text } = responses.complete(TO_MESSAGES, body);
      expect(status).toBe(200);
      const message = JSON.parse(text) as { content: Json[]; stop_reason: string };
      expect(message.content).toMatchObject(given.content);
      expect(message.stop_reason).toBe(given.stopReason);
    }
  });

  test("the stream is the same cut at every byte", () => {
    for (const direction of [TO_MESSAGES, TO_CHAT, TO_RESPONSES]) {
      const bytes = encode(sse);
      const whole = responses.stream(direction, [bytes]).text;
      const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
      expect(responses.stream(direction, single).text).toBe(whole);
      for (let at = 1; at < bytes.length; at++) {
        const text = responses.streamText(direction, [bytes.subarray(0, at), bytes.subarray(at)]);
        if (text !== whole) expect(text, `cut at ${at}`).toBe(whole);
      }
    }
  });
});

describe.each(GEMINI_FAILURES)("a failure: $name", ({ responses: events, status, message }) => {
  test("a failure ends a stream with an error", () => {
    const { text, faultStatus } = responses.stream(TO_MESSAGES, [encode(sseOf(events))]);
    expect(checkAnthropicStream(text).ending).toBe("error");
    expect(faultStatus).toBe(status);
    expect(text).toContain(message);
    expect(responses.stream(TO_CHAT, [encode(sseOf(events))]).text).not.toContain("[DONE]");
  });

  test("a failure is the status of a complete response", () => {
    const body = JSON.stringify(events.length === 1 ? events[0] : events);
    expect(responses.complete(TO_CHAT, body).status).toBe(status);
  });
});

test("a stream that is cut does not end as a success", () => {
  const text = responses.streamText(TO_CHAT, [
    encode(sseOf([event({ content: { parts: [{ text: "Hel" }] } })])),
  ]);
  expect(text).toContain("ended the stream before");
  expect(text).not.toContain("[DONE]");
});

describe("events that repeat the last one but for their text and counts", () => {
  /** JSON texts of `candidatesTokenCount`, `thoughtsTokenCount` and `totalTokenCount`, event by event. */
  const runs: [name: string, counts: string[][]][] = [
    ["growing", Array.from({ length: 12 }, (_, i) => [`${i + 1}`, `${i * 9}`, `${i * 10 + 6}`])],
    [
      "not counts",
      [
        ["1", "2", "3"],
        ["-1", "2.5", "1e3"],
        ["4", "null", '"5"'],
        ["6", "7", "8"],
      ],
    ],
    [
      "first a fraction",
      [
        ["1.5", "2", "3"],
        ["4", "5", "6"],
        ["7", "8", "9"],
      ],
    ],
    [
      "too long",
      [
        ["1", "2", "3"],
        ["999999999999999999", "0", "4"],
        ["9999999999999999999", "5", "6"],
      ],
    ],
  ];
  const ways = [
    ["one", (c: string) => `"candidatesTokenCount":${c}`],
    ["the last of two", (c: string) => `"candidatesTokenCount":77,"candidatesTokenCount":${c}`],
    [
      "the last of two, a text",
      (c: string) => `"candidatesTokenCount":${c},"candidatesTokenCount":"x"`,
    ],
  ] as const;
  const events = (counts: string[][], more: (at: number) => string, own: (c: string) => string) =>
    counts
      .map(
        ([c = "", t = "", total = ""], at) =>
          `data: {"candidates":[{"content":{"parts":[{"text":"${"w".repeat(at % 4)}"}]},"index":0}],` +
          `"usageMetadata":{"promptTokenCount":5,${own(c)},"thoughtsTokenCount":${t},` +
          `"totalTokenCount":${total}},"modelVersion":"m"${more(at)}}\r\n\r\n`,
      )
      .join("");

  describe.each(runs)("counts: %s", (_, counts) => {
    test.each(ways)("%s", (_name, own) => {
      // Also after each event: a stream that is cut there is charged by the counts so far.
      for (let length = 1; length <= counts.length; length++) {
        const some = counts.slice(0, length);
        const repeated = responses.stream(TO_CHAT, [encode(events(some, () => "", own))]);
        const changing = (at: number): string => `,"unknown":"${at}"`;
        expect(repeated).toEqual(responses.stream(TO_CHAT, [encode(events(some, changing, own))]));
      }
    });
  });

  test("a count that is not JSON ends the stream", () => {
    const counts = [
      ["1", "2", "3"],
      ["4", "5", "6"],
      ["07", "8", "9"],
    ];
    const { text } = responses.stream(TO_CHAT, [encode(events(counts, () => "", ways[0][1]))]);
    expect(text).toContain("not valid JSON");
  });
});

test("further candidates that the client has not asked for remain dropped", () => {
  const other = { candidates: [{ index: 1, content: { parts: [{ text: "Other" }] } }] };
  const one = { candidates: [{ index: 0, content: { parts: [{ text: "One" }] } }] };
  const end = event({ finishReason: "STOP" });
  const { text, dropped } = responses.stream(TO_CHAT, [
    encode(sseOf([one, other, other, other, end])),
  ]);
  expect(text).toContain("One");
  expect(text).not.toContain("Other");
  expect(dropped).toBe(3);
});

describe("errors", () => {
  const error = (status: number, body: object): Json =>
    JSON.parse(responses.error(TO_MESSAGES, status, JSON.stringify(body))) as Json;

  test.each([
    [400, "INVALID_ARGUMENT", "invalid_request_error"],
    [401, "UNAUTHENTICATED", "authentication_error"],
    [403, "PERMISSION_DENIED", "permission_error"],
    [404, "NOT_FOUND", "not_found_error"],
    [429, "RESOURCE_EXHAUSTED", "rate_limit_error"],
    [500, "INTERNAL", "api_error"],
    [503, "UNAVAILABLE", "overloaded_error"],
    [504, "DEADLINE_EXCEEDED", "timeout_error"],
  ])("%i %s", (code, status, type) => {
    const body = { error: { code, message: "Why.", status } };
    for (const shape of [body, [body]])
      expect(error(code, shape)).toMatchObject({ error: { type, message: "Why." } });
  });

  test("a wrong key is 400", () => {
    const details = [{ "@type": "x", reason: "API_KEY_INVALID" }];
    const body = { error: { code: 400, message: "No.", status: "INVALID_ARGUMENT", details } };
    expect(error(400, body)).toMatchObject({ error: { type: "authentication_error" } });
  });
});
