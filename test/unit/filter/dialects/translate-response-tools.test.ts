// Calls of tools that a client declared otherwise than its provider knows them: custom tools, and tools in namespaces.
import { type ChatCompletion } from "openai/resources/chat/completions";
import { beforeAll, describe, expect, test } from "vitest";
import {
  blockDelta,
  blockStart,
  blockStop,
  messageEnd,
  messageStart,
} from "../anthropic-streams.ts";
import {
  ANTHROPIC,
  type ClientTool,
  OPENAI,
  RESPONSES,
  Responses,
  type Direction,
} from "../response-translator.ts";
import { checkResponsesStream, codexTurn } from "../responses-lifecycle.ts";
import { openaiCompletion, openaiResponse } from "../sdk-streams.ts";

const TOOLS: readonly ClientTool[] = [
  { wire: "apply_patch", name: "apply_patch", isCustom: true },
  { wire: "a__get", name: "get", space: "a" },
  { wire: "b__get", name: "get", space: "b" },
  { wire: "b__patch", name: "patch", space: "b", isCustom: true },
];

const PATCH =
  '*** Begin Patch\n*** Update File: "a\\b.ts"\n-\té "x"\n+\u00e9🎈\u0007\\n\\u00e9\n*** End Patch';

let responses: Responses;
beforeAll(async () => {
  responses = await Responses.load();
});

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

type Json = Record<string, unknown>;

/** A messages stream with one call, its arguments cut into pieces of this many characters. */
function call(name: string, input: string, size = 5): string {
  const pieces = input.match(new RegExp(`[^]{1,${String(size)}}`, "gu")) ?? [];
  return (
    messageStart() +
    blockStart(0, { type: "tool_use", id: "toolu_1", name, input: {} }) +
    pieces.map((part) => blockDelta(0, { type: "input_json_delta", partial_json: part })).join("") +
    blockStop(0) +
    messageEnd("tool_use")
  );
}

describe("Responses clients", () => {
  const direction: Direction = { from: ANTHROPIC, to: RESPONSES, tools: TOOLS };
  const itemOf = (sse: string): Json => {
    const { text } = responses.stream(direction, [encode(sse)]);
    const { response } = checkResponsesStream(text);
    const complete = JSON.parse(responses.complete(direction, sse).text) as Json;
    expect(complete).toEqual(response);
    expect(codexTurn(text)).toMatchObject({ items: response["output"] });
    const [item, ...others] = response["output"] as Json[];
    expect(others).toEqual([]);
    return item ?? {};
  };

  test.each([JSON.stringify({ input: PATCH }), `{"input":"${escaped(PATCH)}"}`])(
    "a patch comes as the text that the model wrote, however it is escaped and cut",
    async (input) => {
      const sse = call("apply_patch", input);
      expect(itemOf(sse)).toMatchObject({
        type: "custom_tool_call",
        call_id: "toolu_1",
        name: "apply_patch",
        input: PATCH,
        status: "completed",
      });
      const bytes = encode(sse);
      const whole = responses.stream(direction, [bytes]).text;
      const response = await openaiResponse(whole);
      expect(response.output[0]).toMatchObject({ type: "custom_tool_call", input: PATCH });
      for (let cut = 1; cut < bytes.length; cut++) {
        const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
        expect(responses.streamText(direction, pieces)).toBe(whole);
      }
    },
  );

  test("the input comes as one delta", () => {
    const { text } = responses.stream(direction, [
      encode(call("apply_patch", JSON.stringify({ input: PATCH }))),
    ]);
    expect(checkResponsesStream(text).types.slice(2, -2)).toEqual([
      "response.output_item.added",
      "response.custom_tool_call_input.delta",
      "response.custom_tool_call_input.done",
    ]);
  });

  test.each([
    ["no object", '"text"'],
    ["no input", '{"patch":"x"}'],
    ["an input that is no string", '{"input":{"a":1}}'],
    ["JSON that was cut off", '{"input":"*** Begin'],
    ["no JSON", "*** Begin Patch"],
  ])("arguments of another shape come as they are: %s", (_name, input) => {
    expect(itemOf(call("apply_patch", input))).toMatchObject({ input });
  });

  test("an input beside others, and an empty one", () => {
    expect(itemOf(call("apply_patch", '{"why":"x","input":"y"}'))).toMatchObject({ input: "y" });
    expect(itemOf(call("apply_patch", '{"input":""}'))).toMatchObject({ input: "" });
    expect(itemOf(call("apply_patch", ""))).toMatchObject({ input: "" });
  });

  test("a name in a namespace comes back as both", () => {
    expect(itemOf(call("a__get", "{}"))).toMatchObject({
      type: "function_call",
      name: "get",
      namespace: "a",
    });
    expect(itemOf(call("b__get", "{}"))).toMatchObject({ name: "get", namespace: "b" });
    expect(itemOf(call("b__patch", '{"input":"p"}'))).toMatchObject({
      type: "custom_tool_call",
      name: "patch",
      namespace: "b",
      input: "p",
    });
    expect(itemOf(call("c__get", "{}"))).not.toHaveProperty("namespace");
  });
});

test("indexes and ids are of items, not of calls: reasoning, text, and two calls that begin at index 1", () => {
  const call = (index: number, id: string, name: string): object => ({
    tool_calls: [{ index, id, function: { name, arguments: "{}" } }],
  });
  const deltas = [
    { reasoning_content: "Hm" },
    { content: "I look." },
    call(1, "call_a", "f"),
    call(2, "call_b", "g"),
  ];
  const sse = [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason: "tool_calls" }]
    .map((choice) => ({ id: "chatcmpl-9", model: "m", choices: [{ index: 0, ...choice }] }))
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .join("");
  const { text } = responses.stream({ from: OPENAI, to: RESPONSES }, [encode(sse)]);
  const { output } = checkResponsesStream(text).response as { output: Json[] };
  expect(output.map(({ id, call_id: call }) => [id, call])).toEqual([
    ["rs_9_0", undefined],
    ["msg_9_1", undefined],
    ["fc_9_2", "call_a"],
    ["fc_9_3", "call_b"],
  ]);
});

test("a call alone has no message", () => {
  const direction = { from: ANTHROPIC, to: RESPONSES };
  const { text } = responses.stream(direction, [encode(call("f", "{}"))]);
  const { types } = checkResponsesStream(text);
  expect(types.filter((type) => /content_part|output_text/.test(type))).toEqual([]);
  expect(text).not.toContain("msg_01XF");
});

describe("chat clients", () => {
  const direction: Direction = { from: ANTHROPIC, to: OPENAI, tools: TOOLS };
  const sse =
    messageStart() +
    blockStart(0, { type: "tool_use", id: "toolu_1", name: "apply_patch", input: {} }) +
    blockStart(1, { type: "tool_use", id: "toolu_2", name: "other", input: {} }) +
    blockDelta(0, { type: "input_json_delta", partial_json: '{"input":"a' }) +
    blockDelta(1, { type: "input_json_delta", partial_json: '{"x":1}' }) +
    blockDelta(0, { type: "input_json_delta", partial_json: '\\nb"}' }) +
    blockStop(0) +
    blockStop(1) +
    messageEnd("tool_use");
  const calls = [
    { id: "toolu_1", type: "custom", custom: { name: "apply_patch", input: "a\nb" } },
    { id: "toolu_2", type: "function", function: { name: "other", arguments: '{"x":1}' } },
  ];

  test("a custom tool's call is one", async () => {
    const complete = JSON.parse(responses.complete(direction, sse).text) as ChatCompletion;
    expect(complete.choices[0]?.message.tool_calls).toEqual(calls);
    const { text } = responses.stream(direction, [encode(sse)]);
    const streamed = await openaiCompletion(text);
    expect(streamed.choices[0]?.message.tool_calls).toMatchObject(calls);
    expect(streamed.choices[0]?.finish_reason).toBe("tool_calls");
  });
});

/** Every character beyond ASCII as `\u`, as serialisers do that keep to ASCII. */
function escaped(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[^ -~]/gu, (character) =>
      Array.from(
        { length: character.length },
        (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
      ).join(""),
    );
}
