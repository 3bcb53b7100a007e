// Streams of both dialects through the translation: what clients' SDKs make of them, at any cut, in time.
import { type ChatCompletion, type ChatCompletionChunk } from "openai/resources/chat/completions";
import { beforeAll, describe, expect, test } from "vitest";
import { ANTHROPIC_STREAMS } from "../anthropic-streams.ts";
import { checkAnthropicStream, checkOpenaiStream, parseEvents } from "../lifecycle.ts";
import { OPENAI_STREAMS } from "../openai-streams.ts";
import { ANTHROPIC, OPENAI, Responses, type Direction } from "../response-translator.ts";
import { anthropicMessage, openaiCompletion } from "../sdk-streams.ts";

const TO_ANTHROPIC: Direction = { from: OPENAI, to: ANTHROPIC };
const TO_OPENAI: Direction = { from: ANTHROPIC, to: OPENAI };

let responses: Responses;
beforeAll(async () => {
  responses = await Responses.load();
});

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

type Json = Record<string, unknown>;

/** A block with the members that every block of its type has. */
function whole(block: unknown): unknown {
  const { type } = block as Json;
  if (type === "text") return { citations: [], ...(block as Json) };
  return type === "tool_use" ? { ...(block as Json), caller: { type: "direct" } } : block;
}

/** The message of Node's SDK, which keeps the last delta of a member that it does not know instead of joining them. */
async function completionOf(text: string): Promise<ChatCompletion> {
  const completion = await openaiCompletion(text);
  let thoughts = "";
  for (const { data } of parseEvents(text)) {
    if (data === "[DONE]") continue;
    const delta = (JSON.parse(data) as ChatCompletionChunk).choices[0]?.delta;
    thoughts += (delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? "";
  }
  if (thoughts !== "")
    Object.assign(completion.choices[0]?.message ?? {}, { reasoning_content: thoughts });
  return completion;
}

/** What a stream cannot tell apart from a complete response: null and empty content. */
function comparable(message: Json): Json {
  return Object.fromEntries(
    Object.entries(message).filter(
      ([key, value]) => key !== "parsed" && value !== null && !(key === "content" && value === ""),
    ),
  );
}

describe.each(OPENAI_STREAMS)("chat completions → messages: $name", (given) => {
  test("the stream becomes the SDK's message", async () => {
    const { text, dropped } = responses.stream(TO_ANTHROPIC, [encode(given.sse)]);
    expect(checkAnthropicStream(text)).toEqual({ ending: "clean", hasBegun: true });
    const message = await anthropicMessage(text);
    expect(message.content).toEqual(given.content.map(whole));
    expect(message.stop_reason).toBe(given.stopReason);
    expect(message.stop_sequence).toBe(given.stopSequence ?? null);
    expect(dropped).toBe(given.dropped ?? 0);
    if (given.usage !== undefined) {
      const usage = message.usage;
      expect([
        usage.input_tokens,
        usage.cache_read_input_tokens,
        usage.cache_creation_input_tokens,
        usage.output_tokens,
      ]).toEqual(given.usage);
    }
  });

  test("the complete translation says the same", async () => {
    const { text } = responses.stream(TO_ANTHROPIC, [encode(given.sse)]);
    const message = (await anthropicMessage(text)) as unknown as Json;
    const { status, text: body } = responses.complete(TO_ANTHROPIC, given.sse);
    expect(status).toBe(200);
    const complete = JSON.parse(body) as Json;
    expect(complete).toMatchObject({
      id: message["id"],
      model: message["model"],
      stop_reason: message["stop_reason"],
      stop_sequence: message["stop_sequence"],
      usage: message["usage"],
    });
    expect(complete["content"]).toEqual(message["content"]);
  });
});

describe.each(ANTHROPIC_STREAMS)("messages → chat completions: $name", (given) => {
  test("the stream becomes the SDK's completion", async () => {
    const { text, dropped } = responses.stream(TO_OPENAI, [encode(given.sse)]);
    expect(checkOpenaiStream(text, true)).toEqual({ ending: "clean", hasBegun: true });
    const completion = await completionOf(text);
    const choice = completion.choices[0];
    expect(comparable(choice?.message as unknown as Json)).toEqual(
      comparable({ role: "assistant", ...given.message }),
    );
    expect(choice?.finish_reason).toBe(given.finishReason);
    expect(dropped).toBe(given.dropped ?? 0);
    if (given.usage !== undefined) expect(completion.usage).toEqual(given.usage);
  });

  test("the complete translation says the same", async () => {
    const { text } = responses.stream(TO_OPENAI, [encode(given.sse)]);
    const streamed = await completionOf(text);
    const { status, text: body } = responses.complete(TO_OPENAI, given.sse);
    expect(status).toBe(200);
    const complete = JSON.parse(body) as typeof streamed;
    expect(complete.usage).toEqual(streamed.usage);
    expect(complete.choices[0]?.finish_reason).toBe(streamed.choices[0]?.finish_reason);
    expect([complete.id, complete.model, complete.created]).toEqual([
      streamed.id,
      streamed.model,
      streamed.created,
    ]);
    expect(comparable(complete.choices[0]?.message as unknown as Json)).toEqual(
      comparable(streamed.choices[0]?.message as unknown as Json),
    );
  });

  test("no usage unless the client asked", () => {
    const { text } = responses.stream({ ...TO_OPENAI, wantsUsage: false }, [encode(given.sse)]);
    expect(checkOpenaiStream(text, false).ending).toBe("clean");
    expect(text).not.toContain('"usage"');
  });
});

const ALL = [
  ...OPENAI_STREAMS.map(({ name, sse }) => ({ name, sse, direction: TO_ANTHROPIC })),
  ...ANTHROPIC_STREAMS.map(({ name, sse }) => ({ name, sse, direction: TO_OPENAI })),
];

describe.each(ALL)("cut anywhere: $name", ({ sse, direction }) => {
  test("the same bytes for the client", () => {
    const bytes = encode(sse);
    const whole = responses.stream(direction, [bytes]).text;
    for (let cut = 1; cut < bytes.length; cut++) {
      const text = responses.streamText(direction, [bytes.subarray(0, cut), bytes.subarray(cut)]);
      if (text !== whole) expect(text, `cut at ${cut}`).toBe(whole);
    }
  });

  test("byte by byte, each event leaves with its last byte", () => {
    const bytes = encode(sse);
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    const { calls, text } = responses.stream(direction, pieces);
    expect(text).toBe(responses.stream(direction, [bytes]).text);
    // A call that gives anything gives whole events, and only a byte that ends an event makes it give anything.
    for (const [at, out] of calls.entries()) {
      if (out === "") continue;
      expect(out.endsWith("\n\n")).toBe(true);
      const isEnd = at === pieces.length;
      const lastByte = pieces[at]?.[0];
      expect(isEnd || lastByte === 0x0a || lastByte === 0x0d).toBe(true);
    }
  });
});

test("every text event of a stream leaves in the call that brought it", () => {
  for (const { sse } of OPENAI_STREAMS.slice(0, 1)) {
    const events = sse.split(/(?<=\n\n)/).map(encode);
    const { calls } = responses.stream(TO_ANTHROPIC, events);
    expect(
      calls.map((out) => [...out.matchAll(/^event: (\w+)/gm)].map((found) => found[1])),
    ).toEqual([
      ["message_start", "ping"],
      ["content_block_start", "content_block_delta"],
      ["content_block_delta"],
      ["content_block_delta"],
      ["content_block_stop"],
      ["message_delta"],
      ["message_stop"],
      [],
    ]);
  }
});
