// The texts of a request with their roles, in each client dialect and each form of a content.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { startPart } from "../lab.ts";

interface TextsExports {
  memory: WebAssembly.Memory;
  allocate(length: number): number;
  free(pointer: number): void;
  list(body: number, length: number, dialect: number): number;
  outputPointer(): number;
  outputLength(): number;
}

const ROLES = [
  "system",
  "user",
  "assistant",
  "reasoning",
  "document",
  "arguments",
  "result",
  "name",
];
const CHAT = 0;
const MESSAGES = 1;
const RESPONSES = 2;

let wasm: TextsExports;
beforeAll(async () => {
  wasm = await startPart<TextsExports>("texts");
}, 180_000);

/** Each text as `role: text`, with `[role]` where a message begins. */
function textsOf(dialect: number, request: unknown): string[] {
  const body = new TextEncoder().encode(JSON.stringify(request));
  const pointer = wasm.allocate(body.length);
  new Uint8Array(wasm.memory.buffer).set(body, pointer);
  expect(wasm.list(pointer, body.length, dialect)).toBe(1);
  const output = new Uint8Array(wasm.memory.buffer, wasm.outputPointer(), wasm.outputLength());
  const lines = new TextDecoder().decode(output).split("\n").slice(0, -1);
  wasm.free(pointer);
  return lines.map((line) => {
    const [role = "", start, end] = line.split(" ");
    if (start === undefined) return `[${String(ROLES[Number(role)])}]`;
    const text = new TextDecoder().decode(body.subarray(Number(start), Number(end)));
    return `${String(ROLES[Number(role)])}: ${text}`;
  });
}

const image = {
  type: "image_url",
  image_url: { url: "data:image/png;base64,AAAA", detail: "low" },
};

describe("chat completions", () => {
  it("a content is a string, or parts of which only the texts are visited", () => {
    const texts = textsOf(CHAT, {
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: [{ type: "text", text: "In English." }] },
        { role: "user", name: "ann", content: [{ type: "text", text: "one" }, image, "two"] },
        { role: "assistant", content: null, refusal: "No." },
        { content: [{ type: "refusal", refusal: "Never." }], role: "assistant" },
        { role: "user", content: "three" },
      ],
      user: "ann",
    });
    expect(texts).toEqual([
      ...["[system]", "system: Be brief.", "[system]", "system: In English."],
      ...["[user]", "user: one", "user: two", "[assistant]", "assistant: No."],
      ...["[assistant]", "assistant: Never.", "[user]", "user: three", "name: ann"],
    ]);
  });

  it("arguments and results of tools are visited, their ids and names are not", () => {
    const texts = textsOf(CHAT, {
      messages: [
        {
          role: "assistant",
          tool_calls: [
            { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } },
            {
              id: "c2",
              type: "function",
              function: { name: "g", arguments: { a: ["x", { b: "y" }] } },
            },
            { id: "c3", type: "custom", custom: { name: "h", input: "ls" } },
          ],
          function_call: { name: "old", arguments: "{}" },
        },
        { role: "tool", tool_call_id: "c1", content: "22 °C" },
        { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "ok" }] },
        { role: "function", name: "old", content: "done" },
      ],
    });
    expect(texts).toEqual([
      ...["[assistant]", String.raw`arguments: {\"a\":1}`, "arguments: x", "arguments: y"],
      ...["arguments: ls", "arguments: {}", "[result]", "result: 22 °C", "[result]", "result: ok"],
      ...["[result]", "result: done"],
    ]);
  });

  it("reasoning has its own role, and its signature is not visited", () => {
    const texts = textsOf(CHAT, {
      messages: [
        {
          role: "assistant",
          reasoning_content: "a",
          reasoning_details: [{ type: "reasoning.text", text: "b", signature: "s" }],
          thinking_blocks: [{ type: "thinking", thinking: "c", signature: "s" }],
          content: [{ type: "thinking", thinking: "d", signature: "s" }],
        },
      ],
    });
    expect(texts).toEqual(["[assistant]", ..."abcd".split("").map((text) => `reasoning: ${text}`)]);
  });
});

describe("messages", () => {
  it("the system prompt is a string, or blocks", () => {
    expect(textsOf(MESSAGES, { system: "one", messages: [] })).toEqual(["system: one"]);
    const system = [
      { type: "text", text: "one", cache_control: { type: "ephemeral" } },
      { type: "text", text: "two" },
    ];
    expect(textsOf(MESSAGES, { system })).toEqual(["system: one", "system: two"]);
  });

  it("tool calls and results are visited to their last string", () => {
    const texts = textsOf(MESSAGES, {
      messages: [
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "s" },
            { type: "redacted_thinking", data: "secret" },
            { type: "tool_use", id: "t", name: "f", input: { city: "Rome", days: [1, "two"] } },
            { type: "server_tool_use", id: "s", name: "web_search", input: { query: "q" } },
            {
              type: "web_search_tool_result",
              content: [
                { type: "web_search_result", title: "T", url: "u", encrypted_content: "e" },
              ],
            },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t", content: "sunny" },
            {
              type: "tool_result",
              content: [
                { type: "text", text: "rain" },
                {
                  type: "image",
                  source: { type: "base64", data: "AAAA", media_type: "image/png" },
                },
              ],
            },
            { type: "text", text: "Thanks." },
          ],
        },
      ],
    });
    expect(texts).toEqual([
      ...["[assistant]", "reasoning: hm", "arguments: Rome", "arguments: two", "arguments: q"],
      ...["result: T", "[user]", "result: sunny", "result: rain", "user: Thanks."],
    ]);
  });

  it("the text of a document is visited, a file in base64 is not", () => {
    const texts = textsOf(MESSAGES, {
      messages: [
        {
          role: "user",
          content: [
            {
              type: "document",
              title: "t",
              context: "c",
              source: { type: "text", media_type: "text/plain", data: "plain" },
            },
            {
              type: "document",
              source: { type: "content", content: [{ type: "text", text: "in" }] },
            },
            { type: "document", source: { type: "base64", data: "AAAA" } },
            {
              type: "search_result",
              source: "https://a.b",
              title: "s",
              content: [{ type: "text", text: "found" }],
            },
            { type: "text", text: "Sum up." },
          ],
        },
      ],
    });
    expect(texts).toEqual([
      ...["[user]", "document: t", "document: c", "document: plain", "document: in"],
      ...["document: s", "document: found", "user: Sum up."],
    ]);
  });
});

describe("responses", () => {
  it("instructions and an input of one string are visited", () => {
    const texts = textsOf(RESPONSES, { model: "m", instructions: "Be brief.", input: "Hi" });
    expect(texts).toEqual(["system: Be brief.", "[user]", "user: Hi"]);
  });

  it("items are visited by what they are", () => {
    const texts = textsOf(RESPONSES, {
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "one" },
            { type: "input_file", file_data: "AAAA" },
          ],
        },
        { type: "message", role: "developer", content: "two" },
        {
          type: "reasoning",
          summary: [{ type: "summary_text", text: "three" }],
          encrypted_content: "e",
        },
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: "four" },
        { type: "custom_tool_call", call_id: "d", name: "g", input: "five" },
        {
          type: "custom_tool_call_output",
          call_id: "d",
          output: [{ type: "input_text", text: "six" }],
        },
        { type: "local_shell_call", action: { type: "exec", command: ["ls", "-l"] } },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "seven" }] },
        {
          type: "web_search_call",
          status: "completed",
          action: { type: "search", query: "eight" },
        },
      ],
    });
    expect(texts).toEqual([
      ...["[user]", "user: one", "[system]", "system: two", "reasoning: three", "arguments: {}"],
      ...["result: four", "arguments: five", "result: six", "arguments: exec", "arguments: ls"],
      ...[
        "arguments: -l",
        "[assistant]",
        "assistant: seven",
        "arguments: search",
        "arguments: eight",
      ],
    ]);
  });

  it("the variables of a stored prompt are visited", () => {
    const prompt = {
      id: "p",
      variables: { city: "Rome", more: { type: "input_text", text: "x" } },
    };
    expect(textsOf(RESPONSES, { prompt })).toContain("user: Rome");
  });
});

it("any JSON is walked without a trap, and each text stands in the body once", () => {
  const body = fc.dictionary(
    fc.constantFrom("messages", "system", "input", "instructions", "prompt"),
    fc.jsonValue({ maxDepth: 6 }),
  );
  fc.assert(
    fc.property(body, fc.constantFrom(CHAT, MESSAGES, RESPONSES), (request, dialect) => {
      expect(Array.isArray(textsOf(dialect, request))).toBe(true);
    }),
  );
});
