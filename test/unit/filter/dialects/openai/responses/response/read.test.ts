// Responses of providers of the Responses API, whole and streamed, for chat and messages clients: what their SDKs make of them,
// however the bytes are cut.
import { beforeAll, describe, expect, test } from "vitest";
import { checkAnthropicStream, checkOpenaiStream } from "../../../../lifecycle.ts";
import { ANTHROPIC, OPENAI, Responses, RESPONSES } from "../../../../response-translator.ts";
import {
  added,
  CREATED,
  events,
  FAILED_STREAMS,
  message,
  response,
  RESPONSES_STREAMS,
  textDelta,
} from "../../../../responses-streams.ts";
import { anthropicMessage, openaiCompletion } from "../../../../sdk-streams.ts";

const TO_MESSAGES = { from: RESPONSES, to: ANTHROPIC };
const TO_CHAT = { from: RESPONSES, to: OPENAI };

let responses: Responses;
beforeAll(async () => {
  responses = await Responses.load();
});

type Json = Record<string, unknown>;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A message's content as a chat completion has it. */
function chatMessage(content: Json[]): Json {
  const texts = content.flatMap((block) => (block["type"] === "text" ? [block["text"]] : []));
  const calls = content.filter((block) => block["type"] === "tool_use");
  const thoughts = content.flatMap((block) =>
    block["type"] === "thinking" && block["thinking"] !== "" ? [block["thinking"]] : [],
  );
  return {
    text: texts.join(""),
    calls: calls.map(({ id, name, input }) => ({ id, name, input })),
    thoughts: thoughts.join("\n\n"),
  };
}

function comparable(message: Json): Json {
  const calls = (message["tool_calls"] ?? []) as {
    id: string;
    function: { name: string; arguments: string };
  }[];
  return {
    text: [message["content"], message["refusal"]].join(""),
    calls: calls.map(({ id, function: f }) => ({
      id,
      name: f.name,
      input: JSON.parse(f.arguments) as unknown,
    })),
    thoughts: message["reasoning_content"] ?? "",
  };
}

describe.each(RESPONSES_STREAMS)("responses → messages: $name", (given) => {
  test("the stream becomes the SDK's message", async () => {
    const { text, dropped } = responses.stream(TO_MESSAGES, [encode(given.sse)]);
    expect(checkAnthropicStream(text)).toEqual({ ending: "clean", hasBegun: true });
    const { content, stop_reason, usage } = await anthropicMessage(text);
    expect(content).toMatchObject(given.content);
    expect(content).toHaveLength(given.content.length);
    expect(stop_reason).toBe(given.stopReason);
    expect(dropped).toBe(given.dropped ?? 0);
    expect(usage).toMatchObject({
      input_tokens: 15,
      cache_read_input_tokens: 10,
      cache_creation_input_tokens: 5,
      output_tokens: 12,
    });
  });

  test("the stream and the complete response become a complete message", () => {
    for (const body of [given.sse, given.whole && JSON.stringify(given.whole)]) {
      if (body === undefined) continue;
      const { status, text } = responses.complete(TO_MESSAGES, body);
      const message = JSON.parse(text) as Json;
      expect(status).toBe(200);
      expect(message["content"]).toMatchObject(given.content);
      expect(message["stop_reason"]).toBe(given.stopReason);
    }
  });

  test("the stream is the same cut at every byte", () => {
    const bytes = encode(given.sse);
    const whole = responses.stream(TO_MESSAGES, [bytes]);
    const single = responses.stream(
      TO_MESSAGES,
      Array.from(bytes, (byte) => Uint8Array.of(byte)),
    );
    expect(single.text).toBe(whole.text);
    for (let at = 1; at < bytes.length; at += 7) {
      const { text } = responses.stream(TO_MESSAGES, [bytes.slice(0, at), bytes.slice(at)]);
      expect(text).toBe(whole.text);
    }
  });
});

describe.each(RESPONSES_STREAMS)("responses → chat completions: $name", (given) => {
  test("the stream becomes the SDK's completion", async () => {
    const { text } = responses.stream(TO_CHAT, [encode(given.sse)]);
    expect(checkOpenaiStream(text, true)).toMatchObject({ ending: "clean", hasBegun: true });
    const { choices, usage, id, model } = await openaiCompletion(text);
    expect([id, model]).toEqual(["chatcmpl-abc", "gpt-5.2"]);
    const { thoughts: _, ...expected } = chatMessage(given.content);
    expect(comparable(choices[0]?.message as unknown as Json)).toMatchObject(expected);
    expect(choices[0]?.finish_reason).toBe(given.finishReason);
    expect(usage).toMatchObject({ prompt_tokens: 30, completion_tokens: 12, total_tokens: 42 });
  });

  test("the stream and the complete response become a complete completion", () => {
    for (const body of [given.sse, given.whole && JSON.stringify(given.whole)]) {
      if (body === undefined) continue;
      const { text } = responses.complete(TO_CHAT, body);
      const { choices } = JSON.parse(text) as { choices: { message: Json }[] };
      expect(comparable(choices[0]?.message ?? {})).toEqual(chatMessage(given.content));
    }
  });

  test("the stream is the same with each byte alone", () => {
    const bytes = encode(given.sse);
    const whole = responses.stream(TO_CHAT, [bytes]);
    const single = responses.stream(
      TO_CHAT,
      Array.from(bytes, (byte) => Uint8Array.of(byte)),
    );
    expect(single.text).toBe(whole.text);
  });
});

test("a chat client gets OpenAI's reasoning in reasoning_details, summary first", () => {
  const given = RESPONSES_STREAMS.find(({ name }) => name.startsWith("reasoning, a text"));
  const { text } = responses.complete(TO_CHAT, given?.sse ?? "");
  const { choices } = JSON.parse(text) as { choices: { message: Json }[] };
  const format = "openai-responses-v1";
  expect(choices[0]?.message["reasoning_details"]).toEqual([
    { type: "reasoning.summary", summary: "First.\n\n**Then** more.", format, index: 0 },
    { type: "reasoning.encrypted", data: "gAAAAdone", format, index: 1 },
  ]);
});

describe.each(FAILED_STREAMS)("a failed response: $name", ({ sse, status, words }) => {
  test.each([
    ["messages", TO_MESSAGES],
    ["chat completions", TO_CHAT],
  ])("%s", (_, direction) => {
    const stream = responses.stream(direction, [encode(sse)]);
    expect(stream.faultStatus).toBe(status);
    expect(stream.text).toContain(words);
    const complete = responses.complete(direction, sse);
    expect(complete.status).toBe(status);
    expect(complete.text).toContain(words);
  });
});

test.each([
  ["failed", { error: { code: "server_error", message: "Sorry." } }, 500, "Sorry."],
  ["queued", {}, 502, "in the background"],
  ["in_progress", {}, 502, "in the background"],
  ["cancelled", {}, 502, "failed without an error message"],
])("a complete response that is %s", (status, more, expected, words) => {
  const body = JSON.stringify(response([], { status, ...more }));
  const result = responses.complete(TO_MESSAGES, body);
  expect(result.status).toBe(expected);
  expect(result.text).toContain(words);
});

test("deltas that repeat are translated without a scan, whatever is around them", () => {
  const deltas = Array.from({ length: 50 }, (_, i) => textDelta("msg_1", 0, `${i} "é" `));
  const expected = Array.from({ length: 50 }, (_, i) => `${i} "é" `).join("");
  const orders = [
    (event: Json) => event,
    // vLLM writes the members in alphabetical order.
    (event: Json) => Object.fromEntries(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1))),
  ];
  for (const order of orders) {
    const sse = events(CREATED, added(0, { ...message("msg_1", ""), content: [] }), ...deltas)
      .split("\n\n")
      .map((event) => {
        const data = event.replace(/^event: .*\ndata: /, "");
        return data === "" ? "" : `data: ${JSON.stringify(order(JSON.parse(data) as Json))}\n\n`;
      })
      .join("");
    const end = events({ type: "response.completed", response: response([]) });
    const { text } = responses.complete(TO_CHAT, sse + end);
    const { choices } = JSON.parse(text) as { choices: { message: Json }[] };
    expect(choices[0]?.message["content"]).toBe(expected);
  }
});
