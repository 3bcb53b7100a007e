// How a Responses stream begins, waits, fails and ends, and what its response object repeats.
import { beforeAll, describe, expect, test } from "vitest";
import {
  blockDelta,
  blockStart,
  blockStop,
  event,
  messageEnd,
  messageStart,
} from "../../../../anthropic-streams.ts";
import {
  ANTHROPIC,
  OPENAI,
  RESPONSES,
  Responses,
  type Direction,
} from "../../../../response-translator.ts";
import { checkResponsesStream, codexTurn } from "../../../../responses-lifecycle.ts";
import { client, openaiResponse } from "../../../../sdk-streams.ts";

const FROM_CHAT: Direction = { from: OPENAI, to: RESPONSES };
const FROM_MESSAGES: Direction = { from: ANTHROPIC, to: RESPONSES };

let responses: Responses;
beforeAll(async () => {
  responses = await Responses.load();
});

type Json = Record<string, unknown>;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function chunk(delta: unknown, finish: string | null = null, id = "chatcmpl-1"): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id, model: "m", choices })}\n\n`;
}

function chatError(error: Json): string {
  return `data: ${JSON.stringify({ error })}\n\n`;
}

const BEGUN =
  messageStart() +
  blockStart(0, { type: "thinking", thinking: "" }) +
  blockDelta(0, { type: "thinking_delta", thinking: "Hm" }) +
  blockStop(0) +
  blockStart(1, { type: "text", text: "" }) +
  blockDelta(1, { type: "text_delta", text: "Hel" });

const OVERLOADED = event("error", { error: { type: "overloaded_error", message: "Overloaded" } });
const TOO_LONG = event("error", {
  error: { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" },
});

describe("failures", () => {
  test.each([
    ["after two deltas", FROM_MESSAGES, BEGUN + OVERLOADED, "server_is_overloaded", "Overloaded"],
    [
      "the end of the stream in mid-text",
      FROM_MESSAGES,
      BEGUN,
      "server_error",
      "The provider ended the stream before its response was finished.",
    ],
    [
      "a rate limit",
      FROM_CHAT,
      chunk({ content: "x" }) +
        chatError({ message: "Please try again in 11.054s.", code: "rate_limit_exceeded" }),
      "rate_limit_exceeded",
      "Please try again in 11.054s.",
    ],
    [
      "a quota",
      FROM_CHAT,
      chunk({ content: "x" }) + chatError({ message: "Pay.", code: "insufficient_quota" }),
      "insufficient_quota",
      "Pay.",
    ],
    [
      "a code that clients do not know",
      FROM_CHAT,
      chunk({ content: "x" }) +
        chatError({ message: "No.", type: "invalid_request_error", code: "odd" }),
      "invalid_prompt",
      "No.",
    ],
    [
      "a context that is too small, before anything else",
      FROM_MESSAGES,
      TOO_LONG,
      "context_length_exceeded",
      "prompt is too long: 9 tokens > 8 maximum",
    ],
  ])("%s", async (_name, direction, sse, code, message) => {
    const bytes = encode(sse);
    const { text } = responses.stream(direction, [bytes]);
    const { ending, errorMessage, response, types } = checkResponsesStream(text);
    expect({ ending, errorMessage }).toEqual({ ending: "error", errorMessage: message });
    expect(types.slice(-2)).toEqual(["error", "response.failed"]);
    expect(response["error"]).toEqual({ code, message });
    expect(codexTurn(text).failure).toBe(code);
    await expect(openaiResponse(text)).rejects.toThrow(message);
    for (let cut = 1; cut < bytes.length; cut++) {
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
      expect(responses.streamText(direction, pieces)).toBe(text);
    }
  });

  test("finished items stay, the open one is left out", () => {
    const { response } = checkResponsesStream(
      responses.stream(FROM_MESSAGES, [encode(BEGUN + OVERLOADED)]).text,
    );
    expect((response["output"] as Json[]).map(({ type }) => type)).toEqual(["reasoning"]);
  });

  test("a fault of the gateway before the first byte is a whole stream", () => {
    const text = responses.failedStream(FROM_CHAT, 400, "prompt is too long: x");
    const { types, response } = checkResponsesStream(text);
    expect(types).toEqual(["response.created", "error", "response.failed"]);
    expect(response).toMatchObject({ id: "resp_req-1", model: "asked-model", status: "failed" });
    expect(codexTurn(text).failure).toBe("context_length_exceeded");
  });

  test("a complete response has its status and OpenAI's envelope", () => {
    const { status, text } = responses.complete(FROM_MESSAGES, BEGUN + OVERLOADED);
    expect(status).toBe(529);
    expect(JSON.parse(text)).toEqual({
      error: {
        message: "Overloaded",
        type: "overloaded_error",
        param: null,
        code: "server_is_overloaded",
      },
    });
  });
});

describe("pings", () => {
  const ping = 'event: ping\ndata: {"type": "ping"}\n\n';

  const comment = ": ping\n\n";
  const keepalive = (number: number): string =>
    `event: keepalive\ndata: {"type":"keepalive","sequence_number":${number}}\n\n`;

  test("pings beside events are comments, however long the stream takes", async () => {
    const rest = BEGUN.slice(messageStart().length);
    const last = blockStop(1) + messageEnd("end_turn");
    const pieces = [ping, ping, messageStart(), ping, rest, ping, last].map(encode);
    const { calls, text } = responses.stream({ ...FROM_MESSAGES, pace: 600 }, pieces);
    expect([0, 1, 3, 5].map((index) => calls[index])).toEqual(Array(4).fill(comment));
    expect(checkResponsesStream(text).types).not.toContain("keepalive");
    expect((await openaiResponse(text)).output_text).toBe("Hel");
  });

  test("alone for 30 seconds become a keepalive event, and again after 30 more", async () => {
    const wait = ": OPENROUTER PROCESSING\n\n";
    const pieces = [
      chunk({ role: "assistant" }),
      ...Array.from({ length: 7 }, () => wait),
      chunk({ content: "x" }),
      wait,
      chunk({}, "stop"),
    ].map(encode);
    const { calls, text } = responses.stream({ ...FROM_CHAT, pace: 10 }, pieces);
    expect(calls.slice(1, 8)).toEqual([
      comment,
      comment,
      comment,
      keepalive(2),
      comment,
      comment,
      keepalive(3),
    ]);
    expect(calls[9]).toBe(comment);
    expect(checkResponsesStream(text).ending).toBe("clean");
    expect((await openaiResponse(text)).output_text).toBe("x");
  });
});

describe("the response object", () => {
  const sse = chunk({ content: "x" }, "stop");

  test("the response object has every member that SDKs require", () => {
    const { response } = checkResponsesStream(responses.stream(FROM_CHAT, [encode(sse)]).text);
    expect(response).toMatchObject({
      id: "resp_1",
      object: "response",
      created_at: 1741569952,
      completed_at: 1741569999,
      model: "m",
      status: "completed",
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: {},
      parallel_tool_calls: true,
      temperature: 1,
      tool_choice: "auto",
      tools: [],
      top_p: 1,
      store: false,
      service_tier: "default",
      usage: null,
      presence_penalty: 0,
      frequency_penalty: 0,
      prompt_cache_key: null,
    });
    expect(response).not.toHaveProperty("user");
  });

  test("the response object repeats members of the request in every event", () => {
    const echo = ',"instructions":"Be \\"brief\\".","tools":[{"type":"custom","name":"p"}]';
    const direction = { ...FROM_CHAT, echo };
    const { text } = responses.stream(direction, [encode(sse)]);
    const { response } = checkResponsesStream(text);
    expect(response).toMatchObject({ instructions: 'Be "brief".', tools: [{ name: "p" }] });
    expect(text.split(echo)).toHaveLength(4);
    expect(responses.complete(direction, sse).text).toContain(echo);
  });

  test("the response object has ids that OpenAI accepts, whatever the provider's", () => {
    for (const id of ["x".repeat(300), "gen/1:é", "a b", "chatcmpl-", "resp_1", "-"]) {
      const { text } = responses.stream(FROM_CHAT, [
        encode(chunk({ content: "x" }, null, id) + chunk({}, "stop", id)),
      ]);
      const { response } = checkResponsesStream(text);
      expect(response["id"]).toMatch(/^resp_[\w-]{1,59}$/);
    }
  });

  test("the response object is parsed into the schema that the client requested", async () => {
    const { text: body } = responses.complete(FROM_CHAT, chunk({ content: '{"a":1}' }, "stop"));
    const parsed = await client(body, "application/json").responses.parse({
      model: "m",
      input: "x",
      text: { format: { type: "json_schema", name: "a", schema: {}, strict: true } },
    });
    expect(parsed.output_parsed).toEqual({ a: 1 });
  });
});

test("items beyond 4 MiB are not repeated at the end, and the SDK still has them", async () => {
  const part = blockDelta(0, { type: "text_delta", text: "x".repeat(100_000) });
  const big = blockStart(0, { type: "text", text: "" }) + part.repeat(45) + blockStop(0);
  const tool = blockStart(1, { type: "tool_use", id: "t", name: "f", input: {} }) + blockStop(1);
  const sse = messageStart() + big + tool + messageEnd("tool_use");
  const { text, dropped } = responses.stream(FROM_MESSAGES, [encode(sse)]);
  const { response } = checkResponsesStream(text);
  expect(response).not.toHaveProperty("output");
  expect(dropped).toBe(1);
  const final = await openaiResponse(text);
  expect(final.output_text).toHaveLength(4_500_000);
  expect(final.output).toHaveLength(2);
  expect(codexTurn(text)).toMatchObject({ items: final.output.map(({ id }) => ({ id })) });
});
