// Responses of Bedrock's Converse, whole and streamed, for clients of all dialects: what their SDKs make of them, however the
// bytes are cut.
import { beforeAll, describe, expect, test } from "vitest";
import {
  blockStop,
  CONVERSE_STREAMS,
  delta,
  FAILED_CONVERSE_STREAMS,
  messageStop,
  METADATA,
  START,
  toolStart,
} from "../../../../converse-streams.ts";
import { checkAnthropicStream, checkOpenaiStream } from "../../../../lifecycle.ts";
import {
  ANTHROPIC,
  CONVERSE,
  OPENAI,
  RESPONSES,
  Responses,
} from "../../../../response-translator.ts";
import { checkResponsesStream } from "../../../../responses-lifecycle.ts";
import { anthropicMessage, openaiCompletion, openaiResponse } from "../../../../sdk-streams.ts";

const TO_MESSAGES = { from: CONVERSE, to: ANTHROPIC };
const TO_CHAT = { from: CONVERSE, to: OPENAI };
const TO_RESPONSES = { from: CONVERSE, to: RESPONSES };

let responses: Responses;
beforeAll(async () => {
  responses = await Responses.load();
});

type Json = Record<string, unknown>;

describe.each(CONVERSE_STREAMS)("converse → messages: $name", (given) => {
  test("the stream becomes the SDK's message", async () => {
    const { text, dropped } = responses.stream(TO_MESSAGES, [given.stream]);
    expect(checkAnthropicStream(text)).toEqual({ ending: "clean", hasBegun: true });
    const message = await anthropicMessage(text);
    expect(message.content).toMatchObject(given.content);
    expect(message.content).toHaveLength(given.content.length);
    expect(message).toMatchObject({
      model: "asked-model",
      stop_reason: given.stopReason,
      stop_sequence: given.stopSequence ?? null,
      usage: {
        input_tokens: 15,
        cache_read_input_tokens: 10,
        cache_creation_input_tokens: 5,
        output_tokens: 12,
      },
    });
    expect(dropped).toBe(given.dropped ?? 0);
    // The usage comes after the reason, and both in one event.
    expect(text.split("event: message_delta\n")).toHaveLength(2);
  });

  test("the complete response becomes a message", () => {
    for (const body of [given.stream, JSON.stringify(given.whole)]) {
      const { status, text, dropped } = responses.complete(TO_MESSAGES, body);
      const message = JSON.parse(text) as Json;
      expect(status).toBe(200);
      expect(message["content"]).toMatchObject(given.content);
      expect(message["content"]).toHaveLength(given.content.length);
      expect(message["stop_reason"]).toBe(given.stopReason);
      expect(message["usage"]).toMatchObject({ input_tokens: 15, output_tokens: 12 });
      expect(dropped).toBe(given.dropped ?? 0);
    }
  });

  test("a complete response where a stream was asked for", async () => {
    const { text } = responses.stream(TO_MESSAGES, [Buffer.from(JSON.stringify(given.whole))]);
    expect(checkAnthropicStream(text)).toEqual({ ending: "clean", hasBegun: true });
    expect((await anthropicMessage(text)).content).toMatchObject(given.content);
  });
});

/** A messages client's content as a chat client has it. */
function chatMessage(content: Json[]): Json {
  const ofType = (type: string): Json[] => content.filter((block) => block["type"] === type);
  return {
    text: ofType("text")
      .map((block) => block["text"])
      .join(""),
    calls: ofType("tool_use").map(({ id, name, input }) => ({ id, name, input })),
    thoughts: ofType("thinking")
      .map((block) => block["thinking"])
      .join("\n\n"),
  };
}

describe.each(CONVERSE_STREAMS)("converse → chat: $name", (given) => {
  test("the stream and the complete response become the SDK's completion", async () => {
    const { text } = responses.stream(TO_CHAT, [given.stream]);
    expect(checkOpenaiStream(text, true)).toMatchObject({ ending: "clean" });
    const streamed = await openaiCompletion(text);
    const complete = responses.complete(TO_CHAT, JSON.stringify(given.whole));
    for (const completion of [streamed, JSON.parse(complete.text) as typeof streamed]) {
      const [choice] = completion.choices;
      const message = (choice?.message ?? {}) as unknown as Json;
      const calls = (message["tool_calls"] ?? []) as {
        id: string;
        function: { name: string; arguments: string };
      }[];
      const expected = chatMessage(given.content);
      expect(message["content"] ?? "").toBe(expected["text"]);
      // The SDK keeps the last piece of a member that it does not know.
      if (completion !== streamed)
        expect(message["reasoning_content"] ?? "").toBe(expected["thoughts"]);
      expect(
        calls.map(({ id, function: { name, arguments: input } }) => ({
          id,
          name,
          input: JSON.parse(input) as unknown,
        })),
      ).toMatchObject(
        (expected["calls"] as Json[]).map((call) =>
          call["id"] === undefined ? { ...call, id: expect.any(String) as string } : call,
        ),
      );
      expect(choice?.finish_reason).toBe(given.finishReason);
      expect(completion.usage).toMatchObject({
        prompt_tokens: 30,
        completion_tokens: 12,
        total_tokens: 42,
        prompt_tokens_details: { cached_tokens: 10 },
      });
    }
  });
});

describe.each(CONVERSE_STREAMS)("converse → responses: $name", (given) => {
  test("the stream becomes the SDK's response", async () => {
    const { text } = responses.stream(TO_RESPONSES, [given.stream]);
    expect(checkResponsesStream(text).ending).toBe("clean");
    const { output_text: said, usage } = await openaiResponse(text);
    expect(said).toBe(chatMessage(given.content)["text"]);
    expect(usage).toMatchObject({ input_tokens: 30, output_tokens: 12 });
  });
});

describe.each([
  { client: "messages", direction: TO_MESSAGES },
  { client: "chat", direction: TO_CHAT },
  { client: "responses", direction: TO_RESPONSES },
])("converse → $client: the same bytes", ({ direction }) => {
  test.each([...CONVERSE_STREAMS, ...FAILED_CONVERSE_STREAMS])("$name", ({ stream }) => {
    const whole = responses.stream(direction, [stream]).text;
    for (let cut = 1; cut < stream.length; cut++) {
      const pieces = [stream.subarray(0, cut), stream.subarray(cut)];
      const text = responses.streamText(direction, pieces);
      if (text !== whole) expect(text, `cut at ${cut}`).toBe(whole);
    }
    const bytes = [...stream].map((byte) => Buffer.of(byte));
    expect(responses.streamText(direction, bytes)).toBe(whole);
  });
});

describe.each(FAILED_CONVERSE_STREAMS)("a stream that fails: $name", (given) => {
  test("a stream that fails ends in one error of the client's dialect", () => {
    const messages = responses.stream(TO_MESSAGES, [given.stream]);
    expect(messages.faultStatus).toBe(given.status);
    const outcome = checkAnthropicStream(messages.text);
    expect(outcome).toMatchObject({ ending: "error", hasBegun: given.hasBegun });
    expect(outcome.errorMessage).toMatch(given.message);
    const chat = responses.stream(TO_CHAT, [given.stream]);
    expect(chat.faultStatus).toBe(given.status);
    const chatOutcome = checkOpenaiStream(chat.text, true);
    expect(chatOutcome.ending).toBe("error");
    expect(chatOutcome.errorMessage).toMatch(given.message);
    expect(chat.text).not.toContain("[DONE]");
    expect(responses.stream(TO_RESPONSES, [given.stream]).faultStatus).toBe(given.status);
  });
});

test("a response whose output was malformed is an error, not an empty stop", () => {
  const content = [{ text: "a" }];
  const body = { output: { message: { role: "assistant", content } } };
  const { status, text } = responses.complete(
    TO_CHAT,
    JSON.stringify({ ...body, stopReason: "malformed_tool_use" }),
  );
  expect(status).toBe(502);
  expect(text).toContain("malformed");
});

test("the client gets the tool's name as it has declared it", () => {
  const name = "mcp__server__a.tool";
  const stream = Buffer.concat([
    START,
    toolStart(0, "tooluse_a", "mcp__server__a_tool_0123456789abcdef"),
    delta(0, { toolUse: { input: "{}" } }),
    blockStop(0),
    messageStop("tool_use"),
    METADATA,
  ]);
  const tools = [{ wire: "mcp__server__a_tool_0123456789abcdef", name }];
  for (const direction of [TO_MESSAGES, TO_CHAT, TO_RESPONSES]) {
    const named = { ...direction, tools };
    for (const { text } of [responses.stream(named, [stream]), responses.complete(named, stream)]) {
      expect(text).toContain(`"name":"${name}"`);
      expect(text).not.toContain("0123456789abcdef");
    }
  }
});

test("errors with a capital letter have their message", () => {
  const error = responses.error(TO_CHAT, 403, '{"Message":"Not you."}');
  expect(JSON.parse(error)).toMatchObject({ error: { message: "Not you." } });
});
