// What the writer of a response has to know of a Responses request: the client's tools, and the members that are repeated.
import { beforeAll, describe, expect, it } from "vitest";
import { CHAT, MESSAGES, RequestTranslator, RESPONSES } from "../../request-translator.ts";

let translator: RequestTranslator;
beforeAll(async () => {
  translator = await RequestTranslator.create();
});

interface Body {
  tools?: { name?: string; function?: { name: string } }[];
}

/** Translates a request and returns the names of its tools. */
function wireNames(request: unknown, to = MESSAGES): string[] {
  const { body, fault } = translator.translate(JSON.stringify(request), RESPONSES, to);
  expect(fault).toBeUndefined();
  const { tools = [] } = JSON.parse(body) as Body;
  return tools.map((tool) => tool.name ?? tool.function?.name ?? "");
}

const tool = (name: string, type = "function"): unknown => ({ type, name });
const space = (name: string, ...tools: unknown[]): unknown => ({ type: "namespace", name, tools });

describe("the tools of a request", () => {
  it.each([CHAT, MESSAGES])(
    "tools have their namespaces and kinds in the notes (target %i)",
    (to) => {
      const request = {
        input: [
          { type: "additional_tools", role: "developer", tools: [space("c", tool("z", "custom"))] },
          { role: "user", content: "A" },
        ],
        tools: [
          tool("plain"),
          tool("patch", "custom"),
          space("a", tool("x")),
          space("b", tool("x")),
        ],
      };
      expect(wireNames(request, to)).toEqual(["plain", "patch", "a__x", "b__x", "c__z"]);
      expect(translator.clientTool("plain")).toBe("");
      expect(translator.clientTool("patch")).toBe("patch||custom");
      expect(translator.clientTool("a__x")).toBe("x|a|function");
      expect(translator.clientTool("b__x")).toBe("x|b|function");
      expect(translator.clientTool("c__z")).toBe("z|c|custom");
    },
  );

  it("tools of the namespace functions are plain tools", () => {
    expect(wireNames({ input: "A", tools: [space("functions", tool("x"))] })).toEqual(["x"]);
    expect(translator.clientTool("x")).toBe("");
  });

  it("tools have names of at most 64 letters, digits, _ and -, and different ones", () => {
    const long = "n".repeat(80);
    const tools = [
      space("mcp.a/b", tool("get")),
      space("mcp_a_b", tool("get")),
      space(long, tool("one"), tool("two")),
      tool(`${long}1`),
      tool(`${long}2`),
      tool("naïve"),
    ];
    const names = wireNames({ input: "A", tools });
    expect(new Set(names).size).toBe(7);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(translator.clientTool(names[2] ?? "")).toBe(`one|${long}|function`);
    expect(wireNames({ input: "A", tools })).toEqual(names);
  });

  it("tools have the same name in the tools, in the choice and in the history", () => {
    const names = ["get".repeat(30), "get"];
    for (const name of names) {
      const call = { type: "function_call", call_id: "1", namespace: "s.1", name, arguments: "{}" };
      const request = {
        input: [call, { type: "function_call_output", call_id: "1", output: "" }],
        tools: [space("s.1", tool(name))],
        tool_choice: { type: "function", namespace: "s.1", name },
      };
      const { body } = translator.translate(JSON.stringify(request), RESPONSES, MESSAGES);
      const [wire = ""] = wireNames(request);
      expect(body.split(`"name":"${wire}"`)).toHaveLength(4);
    }
  });

  it("tools are the client's of the last request only", () => {
    wireNames({ input: "A", tools: [tool("patch", "custom")] });
    wireNames({ input: "A", tools: [tool("patch")] });
    expect(translator.clientTool("patch")).toBe("");
  });
});

const DEFAULTS = {
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
};

describe("what a response repeats", () => {
  function echoOf(request: unknown, space = 0): Record<string, unknown> {
    const text = JSON.stringify(request, null, space);
    expect(translator.translate(text, RESPONSES, CHAT).fault).toBeUndefined();
    const { "": _, ...members } = translator.echo();
    return members;
  }

  it("the repeated members of a request have OpenAI's defaults", () => {
    expect(echoOf({ input: "A" })).toEqual(DEFAULTS);
  });

  it("the repeated members of a request have the client's values on one line, because an event is one line", () => {
    const given = {
      instructions: "Be kind.\n",
      max_output_tokens: 100,
      metadata: { a: "b c" },
      parallel_tool_calls: false,
      reasoning: { effort: "low", summary: "auto" },
      temperature: 0.5,
      text: { format: { type: "json_object" } },
      tool_choice: { type: "function", name: "f" },
      top_p: 0.9,
      user: "u",
      prompt_cache_key: "k",
      presence_penalty: 0.5,
      tools: [{ type: "function", name: "f", description: "A b", parameters: {}, strict: false }],
    };
    expect(echoOf({ input: "A", ...given }, 2)).toEqual({ ...DEFAULTS, ...given });
    expect(translator.exports.echoText()).toBeGreaterThan(100);
    const raw = translator.text(translator.exports.textPointer(), translator.exports.echoText());
    expect(raw).not.toMatch(/[\n\r\t]/);
  });

  it("the repeated members of a request include those of objects that the client left out", () => {
    const tools = [
      { type: "function", name: "f" },
      { type: "custom", name: "p" },
      { type: "web_search" },
    ];
    const given = { reasoning: { effort: "low" }, text: { verbosity: "low" }, tools };
    expect(echoOf({ input: "A", ...given })).toEqual({
      ...DEFAULTS,
      reasoning: { effort: "low", summary: null },
      text: { verbosity: "low", format: { type: "text" } },
      tools: [
        { ...tools[0], description: null, parameters: null, strict: null },
        ...tools.slice(1),
      ],
    });
    expect(echoOf({ input: "A", reasoning: {}, tools: [] })).toEqual(DEFAULTS);
  });

  it("the repeated members of a request have no long texts, and no values of another kind", () => {
    const wrong = {
      instructions: "x".repeat(20_000),
      temperature: "hot",
      top_logprobs: [],
      user: 1,
    };
    expect(echoOf({ input: "A", ...wrong })).toEqual(DEFAULTS);
  });

  it("the repeated members of a request are at most 64 KB, without the tools if they are too many", () => {
    const value = "x".repeat(20_000);
    const objects = Object.fromEntries(
      ["metadata", "reasoning", "text"].map((name) => [name, { value }]),
    );
    const repeated = echoOf({
      input: "A",
      ...objects,
      tools: [{ type: "function", name: "f", description: value }],
    });
    expect(repeated).toMatchObject({ ...objects, tools: [] });
    expect(translator.exports.echoText()).toBeLessThan(65_536);
  });
});

describe("chat and messages requests", () => {
  it("chat and messages requests leave no notes", () => {
    const messages = [{ role: "user", content: "A" }];
    translator.translate(JSON.stringify({ messages }), CHAT, MESSAGES);
    expect(translator.exports.echoText()).toBe(0);
  });
});

describe("large requests", () => {
  const count = 20_000;
  const range = Array.from({ length: count }, (_, index) => index);
  const call = (id: string): unknown => ({
    type: "function_call",
    call_id: id,
    name: "f",
    arguments: "{}",
  });
  const output = (id: string): unknown => ({
    type: "function_call_output",
    call_id: id,
    output: "R",
  });

  /** Translates in at most two seconds: it takes a tenth of one on a quiet machine. */
  function timed(request: unknown): ReturnType<RequestTranslator["translate"]> {
    const text = JSON.stringify(request);
    const start = process.cpuUsage();
    const result = translator.translate(text, RESPONSES, MESSAGES);
    const { user } = process.cpuUsage(start);
    expect(user / 1e6).toBeLessThan(2);
    return result;
  }

  it("large requests with all outputs in the reverse order of their calls take linear time", () => {
    const calls = range.map((index) => call(`call_${index}`));
    const outputs = range.map((index) => output(`call_${index}`)).reverse();
    const { body, fault } = timed({ input: [...calls, ...outputs] });
    expect(fault).toBeUndefined();
    expect(body.indexOf('"tool_use_id":"call_0"')).toBeLessThan(
      body.indexOf('"tool_use_id":"call_1"'),
    );
  });

  it("large requests with one id for all calls take linear time", () => {
    expect(timed({ input: range.flatMap(() => [call("a"), output("a")]) }).fault).toBeUndefined();
  });

  it("large requests with outputs that have no calls take linear time", () => {
    const result = timed({ input: range.map((index) => output(`call_${index}`)) });
    expect(result.droppedCount).toBe(count);
  });

  it("large requests with ids that were chosen to collide find some outputs, and take linear time", () => {
    const ids: string[] = [];
    // FNV-1a with the upper half folded, as filter/bytes/text-table.ts has it.
    for (let index = 0; ids.length < 200; index++) {
      let hash = 0xcbf29ce484222325n;
      for (const byte of Buffer.from(`call_${index}`))
        hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
      if (((hash ^ (hash >> 32n)) & 511n) === 7n) ids.push(`call_${index}`);
    }
    const few = ids.slice(0, 50);
    expect(timed({ input: [...few.map(call), ...few.map(output)] }).fault).toBeUndefined();
    const { fault } = timed({ input: [...ids.map(call), ...ids.map(output)] });
    expect(fault?.message).toContain("has no output");
  });

  it("large requests with thousands of tools, namespaces and allowed tools take linear time", () => {
    const tools = range.map((index) => space(`s${index}`, tool("f")));
    const allowed = range.map((index) => ({ type: "function", namespace: `s${index}`, name: "f" }));
    const tool_choice = { type: "allowed_tools", mode: "auto", tools: allowed };
    expect(timed({ input: "A", tools, tool_choice }).fault).toBeUndefined();
  });

  it("deep and with repeated members are no problem", () => {
    const deep = `${'{"a":['.repeat(50)}${"]}".repeat(50)}`;
    const item = `{"type":"brand_new","x":${deep}}`;
    const twice = '{"role":"user","role":"user","content":"A","content":"B"}';
    const text = `{"input":[],"input":[${item},${twice}],"tools":[{"type":"new","x":${deep}}]}`;
    const { body, fault } = translator.translate(text, RESPONSES, MESSAGES);
    expect(fault).toBeUndefined();
    expect(body).toContain('"content":"B"');
  });
});
