// Events that repeat each other are read together. The result is that of the same events each of which has to be scanned: a number
// of spaces after the data differs from one event to the next.
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { eventFrame } from "../../../../providers/event-stream.ts";
import * as one from "../../response-translator.ts";
import { Responses } from "../../response-translator.ts";

let responses: Responses;

beforeAll(async () => {
  responses = await Responses.load();
});

type Event = Record<string, unknown>;

const text = fc.constantFrom("a", " b", "", "é", '"', "\\", "\n", '{"', "}", "1", "x".repeat(300));
const index = fc.constantFrom(0, 0, 0, 1);
const count = fc.nat(100_000);
const orNull = (value: fc.Arbitrary<unknown>) => fc.option(value, { freq: 3 });

const chatUsage = fc.record({ prompt_tokens: fc.constant(5), completion_tokens: count });
const chatDelta = fc.oneof(
  fc.record({ content: text }),
  fc.record({ reasoning_content: text }),
  fc.record({ content: text, reasoning_content: text }),
  fc.record({ index, function: fc.record({ arguments: text }) }).map((call) => ({
    tool_calls: [{ ...call, id: `call_${String(call.index)}` }],
  })),
  fc.record({ index, name: text }).map((call) => ({
    tool_calls: [{ index: call.index, id: "call_0", function: { name: "read", arguments: "" } }],
  })),
);
const chat = fc
  .record({ index, delta: chatDelta, reason: fc.constantFrom(null, null, null, null, "stop") })
  .chain(({ reason, ...choice }) =>
    fc.record({
      choices: fc.constant([{ ...choice, finish_reason: reason }]),
      usage: orNull(chatUsage),
      obfuscation: text,
    }),
  );

const delta = fc.oneof(
  text.map((value) => ({ type: "text_delta", text: value })),
  text.map((value) => ({ type: "input_json_delta", partial_json: value })),
  text.map((value) => ({ type: "thinking_delta", thinking: value })),
);
const block = fc.constantFrom<Event>(
  { type: "text", text: "" },
  { type: "tool_use", id: "toolu_1", name: "read", input: {} },
  { type: "thinking", thinking: "" },
);
const messages = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("content_block_delta"), index, delta }) },
  fc.record({ type: fc.constant("content_block_start"), index, content_block: block }),
  fc.record({ type: fc.constant("content_block_stop"), index }),
);

const part = fc.oneof(
  fc.record({ text }),
  fc.record({ text, thought: fc.boolean() }),
  fc.constant({ functionCall: { name: "read", args: {} } }),
);
const gemini = fc.record({ part, index, tokens: count, thoughts: count }).map((event) => ({
  candidates: [{ content: { parts: [event.part] }, index: event.index }],
  usageMetadata: {
    promptTokenCount: 5,
    candidatesTokenCount: event.tokens,
    thoughtsTokenCount: event.thoughts,
  },
}));

const converseDelta = fc.oneof(
  fc.record({ text }),
  fc.record({ reasoningContent: fc.record({ text }) }),
  fc.record({ toolUse: fc.record({ input: text }) }),
);
const converse = fc.record({ contentBlockIndex: index, delta: converseDelta, p: text });

const DIALECTS: [name: string, from: number, event: fc.Arbitrary<Event>][] = [
  ["chat", one.OPENAI, chat],
  ["messages", one.ANTHROPIC, messages],
  ["Gemini", one.GEMINI, gemini],
  ["Converse", one.CONVERSE, converse],
];

const COUNTS = /^(candidatesTokenCount|thoughtsTokenCount|completion_tokens)$/;
const STRINGS = /^(content|reasoning_content|arguments|text|partial_json|thinking|input)$/;

/** Returns the event with another text and other counts. */
const repeat = (event: Event, value: string, tokens: number): Event =>
  JSON.parse(JSON.stringify(event), (name, member: unknown) => {
    if (typeof member === "string" && STRINGS.test(name)) return value;
    return typeof member === "number" && COUNTS.test(name) ? tokens : member;
  }) as Event;

/** Events, most of which repeat the one before. */
const runs = (event: fc.Arbitrary<Event>): fc.Arbitrary<Event[]> =>
  fc
    .array(fc.tuple(event, fc.array(fc.tuple(text, count), { maxLength: 80 })), { maxLength: 8 })
    .map((all) =>
      all.flatMap(([first, others]) => [
        first,
        ...others.map(([value, tokens]) => repeat(first, value, tokens)),
      ]),
    );

function bytesOf(from: number, events: Event[], isSpaced: boolean, end: string): Buffer {
  const data = events.map((event, at) => JSON.stringify(event) + " ".repeat(isSpaced ? at % 2 : 0));
  return from === one.CONVERSE
    ? Buffer.concat(data.map((json) => eventFrame("contentBlockDelta", json)))
    : Buffer.from(data.map((json) => `data: ${json}${end}${end}`).join(""));
}

function pieces(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  places.sort((a, b) => a - b);
  return places.map((place, at) => bytes.subarray(places[at - 1] ?? 0, place));
}

it.each(DIALECTS)("a stream of %s means the same, however it is read", (_name, from, event) => {
  const cuts = fc.array(fc.nat(20_000), { maxLength: 6 });
  const to = fc.constantFrom(one.OPENAI, one.ANTHROPIC, one.RESPONSES);
  const end = fc.constantFrom("\n", "\r\n", "\r");
  fc.assert(
    fc.property(runs(event), to, end, cuts, cuts, (events, client, line, some, others) => {
      const read = (isSpaced: boolean, places: number[]) => {
        const stream = pieces(bytesOf(from, events, isSpaced, line), places);
        const { text: written, usage, dropped } = responses.stream({ from, to: client }, stream);
        return { written, usage, dropped };
      };
      expect(read(false, some)).toEqual(read(true, others));
    }),
    { numRuns: 150 },
  );
});
