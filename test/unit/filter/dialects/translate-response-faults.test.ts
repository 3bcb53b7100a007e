// Responses that fail: in the middle of a stream, by ending early, by being no response at all.
import { beforeAll, describe, expect, test } from "vitest";
import { blockDelta, blockStart, event, messageEnd, messageStart } from "../anthropic-streams.ts";
import { checkAnthropicStream, checkOpenaiStream, type Outcome } from "../lifecycle.ts";
import { ANTHROPIC, OPENAI, Responses, type Direction } from "../response-translator.ts";
import { anthropicMessage, openaiCompletion } from "../sdk-streams.ts";

const TO_ANTHROPIC: Direction = { from: OPENAI, to: ANTHROPIC };
const TO_OPENAI: Direction = { from: ANTHROPIC, to: OPENAI };

let responses: Responses;
beforeAll(async () => {
  responses = await Responses.load();
});

function chunk(delta: unknown, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "chatcmpl-1", model: "m", choices })}\n\n`;
}

function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

const TEXT = chunk({ role: "assistant", content: "Hel" });
const OPEN_TOOL = chunk({
  tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: '{"x' } }],
});
const BEGUN =
  messageStart() +
  blockStart(0, { type: "text", text: "" }) +
  blockDelta(0, { type: "text_delta", text: "Hel" });

interface FaultCase {
  name: string;
  direction: Direction;
  sse: string;
  type: string;
  message: string | RegExp;
  status: number;
  hasBegun: boolean;
}

const EARLY = "The provider ended the stream before its response was finished.";

const CASES: readonly FaultCase[] = [
  {
    name: "an error in mid-stream (OpenAI)",
    direction: TO_ANTHROPIC,
    sse:
      TEXT +
      data({ error: { message: "Slow down.", type: "requests", code: "rate_limit_exceeded" } }) +
      chunk({}, "stop") +
      "data: [DONE]\n\n",
    type: "rate_limit_error",
    message: "Slow down.",
    status: 429,
    hasBegun: true,
  },
  {
    name: "an error before anything else, with a status as code (OpenRouter)",
    direction: TO_ANTHROPIC,
    sse: `: OPENROUTER PROCESSING\n\n${data({
      id: "gen-1",
      error: {
        code: 503,
        message: "Provider returned error",
        metadata: { raw: "upstream overloaded" },
      },
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
    })}`,
    type: "overloaded_error",
    message: "Provider returned error: upstream overloaded",
    status: 503,
    hasBegun: false,
  },
  {
    name: "an error inside the choice",
    direction: TO_ANTHROPIC,
    sse:
      TEXT + data({ choices: [{ index: 0, delta: {}, error: { code: 502, message: "Lost it" } }] }),
    type: "api_error",
    message: "Lost it",
    status: 502,
    hasBegun: true,
  },
  {
    name: "an error event with text alone",
    direction: TO_ANTHROPIC,
    sse: `${TEXT}event: error\ndata: <b>Internal</b>  Server Error\n\n`,
    type: "api_error",
    message: "The provider sent an error: Internal Server Error",
    status: 502,
    hasBegun: true,
  },
  {
    name: "vLLM's error object",
    direction: TO_ANTHROPIC,
    sse: TEXT + data({ object: "error", message: "boom", type: "InternalServerError", code: 500 }),
    type: "api_error",
    message: "boom",
    status: 500,
    hasBegun: true,
  },
  {
    name: "a reason that means a failure (DeepSeek)",
    direction: TO_ANTHROPIC,
    sse: TEXT + chunk({}, "insufficient_system_resource") + "data: [DONE]\n\n",
    type: "overloaded_error",
    message: /ended its response with an error/,
    status: 503,
    hasBegun: true,
  },
  {
    name: "the context is too small: agents know it by Anthropic's words",
    direction: TO_ANTHROPIC,
    sse: data({
      error: {
        message: "This model's maximum context length is 8 tokens.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    }),
    type: "invalid_request_error",
    message: "prompt is too long: This model's maximum context length is 8 tokens.",
    status: 400,
    hasBegun: false,
  },
  {
    name: "the stream ends in the middle of text",
    direction: TO_ANTHROPIC,
    sse: TEXT,
    type: "api_error",
    message: EARLY,
    status: 502,
    hasBegun: true,
  },
  {
    name: "[DONE] without a reason",
    direction: TO_ANTHROPIC,
    sse: `${TEXT}data: [DONE]\n\n`,
    type: "api_error",
    message: EARLY,
    status: 502,
    hasBegun: true,
  },
  {
    name: "the stream ends in the middle of an event and of a tool call",
    direction: TO_ANTHROPIC,
    sse: TEXT + OPEN_TOOL + chunk({}, "stop").slice(0, 30),
    type: "api_error",
    message: EARLY,
    status: 502,
    hasBegun: true,
  },
  {
    name: "the stream has nothing in it",
    direction: TO_ANTHROPIC,
    sse: "",
    type: "api_error",
    message: "The provider ended the stream without a response.",
    status: 502,
    hasBegun: false,
  },
  {
    name: "a page instead of a stream",
    direction: TO_ANTHROPIC,
    sse: "<html><body>Sign in</body></html>",
    type: "api_error",
    message: "The provider ended the stream without a response.",
    status: 502,
    hasBegun: false,
  },
  {
    name: "an event that is not JSON",
    direction: TO_ANTHROPIC,
    sse: `${TEXT}data: {"choices":[}\n\n${chunk({}, "stop")}`,
    type: "api_error",
    message: /not valid JSON: a character stands where JSON does not allow it \(byte 12\)/,
    status: 502,
    hasBegun: true,
  },
  {
    name: "a complete error where a stream was asked for",
    direction: TO_ANTHROPIC,
    sse: '{"error":{"message":"No such model","type":"invalid_request_error","code":"model_not_found"}}',
    type: "invalid_request_error",
    message: "No such model",
    status: 400,
    hasBegun: false,
  },
  {
    name: "a complete response that was cut off",
    direction: TO_ANTHROPIC,
    sse: '{"choices":[{"message":{"content":"x"',
    type: "api_error",
    message: /response is not valid JSON: it ends too early/,
    status: 502,
    hasBegun: false,
  },
  {
    name: "an error in mid-stream (Anthropic)",
    direction: TO_OPENAI,
    sse:
      BEGUN +
      event("error", { error: { type: "overloaded_error", message: "Overloaded" } }) +
      messageEnd("end_turn"),
    type: "overloaded_error",
    message: "Overloaded",
    status: 529,
    hasBegun: true,
  },
  {
    name: "an error before message_start",
    direction: TO_OPENAI,
    sse: `event: error\ndata: {"type":"error","error":{"type":"rate_limit_error","message":"Later"}}\n\n`,
    type: "rate_limit_error",
    message: "Later",
    status: 429,
    hasBegun: false,
  },
  {
    name: "the stream ends before message_delta",
    direction: TO_OPENAI,
    sse: BEGUN,
    type: "server_error",
    message: EARLY,
    status: 502,
    hasBegun: true,
  },
  {
    name: "message_stop without a reason",
    direction: TO_OPENAI,
    sse: BEGUN + event("message_stop"),
    type: "server_error",
    message: EARLY,
    status: 502,
    hasBegun: true,
  },
  {
    name: "an event cut off in the middle",
    direction: TO_OPENAI,
    sse: BEGUN + messageEnd("end_turn").slice(0, 60),
    type: "server_error",
    message: EARLY,
    status: 502,
    hasBegun: true,
  },
];

function check(direction: Direction, text: string): Outcome {
  return direction.to === ANTHROPIC ? checkAnthropicStream(text) : checkOpenaiStream(text, true);
}

describe.each(CASES)("$name", (given) => {
  test("one terminal error of the client's dialect ends the stream", () => {
    const bytes = new TextEncoder().encode(given.sse);
    const { text, faultStatus } = responses.stream(given.direction, [bytes]);
    const outcome = check(given.direction, text);
    expect(outcome).toMatchObject({
      ending: "error",
      errorType: given.type,
      hasBegun: given.hasBegun,
    });
    expect(outcome.errorMessage).toMatch(given.message);
    expect(faultStatus).toBe(given.status);
    for (let cut = 1; cut < bytes.length; cut++) {
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
      expect(responses.streamText(given.direction, pieces)).toBe(text);
    }
  });

  test("the SDK raises it", async () => {
    const { text } = responses.stream(given.direction, [new TextEncoder().encode(given.sse)]);
    const read = given.direction.to === ANTHROPIC ? anthropicMessage : openaiCompletion;
    await expect(read(text)).rejects.toThrow(given.message);
  });

  test("a complete response has its status and no trace of the response", () => {
    const { status, text } = responses.complete(given.direction, given.sse);
    expect(status).toBe(given.status);
    const body = JSON.parse(text) as { error: { type: string; message: string } };
    expect(body.error.type).toBe(given.type);
    if (given.sse !== "" && !given.sse.startsWith("<"))
      expect(body.error.message).toMatch(given.message);
  });
});

test("pings keep a stream alive in both dialects, before it begins too", () => {
  const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const chat = responses.stream(TO_OPENAI, [bytes(ping), bytes(BEGUN), bytes(ping)]);
  expect(chat.calls[0]).toBe(": ping\n\n");
  expect(chat.calls[2]).toBe(": ping\n\n");
  const messages = responses.stream(TO_ANTHROPIC, [
    bytes(": hi\n\n"),
    bytes(TEXT),
    bytes(": hi\n\n"),
  ]);
  expect(messages.calls[0]).toBe(": ping\n\n");
  expect(messages.calls[2]).toBe(ping);
});

test.each([
  ["no choices", TO_ANTHROPIC, '{"id":"x","choices":[]}'],
  ["no content", TO_OPENAI, '{"type":"message","id":"x"}'],
  ["a number", TO_ANTHROPIC, "17"],
  ["a string", TO_OPENAI, '"hello"'],
  ["an empty list", TO_ANTHROPIC, "[]"],
  ["an empty list", TO_OPENAI, "[]"],
  ["null", TO_OPENAI, "null"],
  ["nothing", TO_ANTHROPIC, ""],
  ["spaces", TO_OPENAI, " \n "],
  ["a page", TO_OPENAI, "<!doctype html><title>x</title>"],
])("a 200 that is no response: %s", (_name, direction, body) => {
  const { status, text } = responses.complete(direction, body);
  expect(status).toBe(502);
  const answer = JSON.parse(text) as { error: { message: string } };
  expect(answer.error.message).not.toBe("");
});

test("a page where a response should be is quoted", () => {
  const { text } = responses.complete(
    TO_ANTHROPIC,
    "<html><body>Please <b>sign in</b></body></html>",
  );
  expect(text).toContain("neither JSON nor an event stream: Please sign in");
});
