// Tool loops over two turns against strict fakes of providers of open models: each client keeps what it gets, sends it back, and
// the provider gets its own reasoning in the member that it came in.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { compileFilter, FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import { partsOf, judge, THOUGHT } from "../providers/open-models.ts";
import type { OpenModelProvider, OpenModelRequest } from "../providers/open-models.ts";
import { anthropicMessage } from "../unit/filter/sdk-streams.ts";
import { loadCase } from "./case.ts";

let host: FilterHost;
beforeAll(async () => {
  const file = join(import.meta.dirname, "config/open-models.yaml");
  const { filterConfig, environment } = loadCase({
    name: "open-model-loops",
    configuration: readFileSync(file, "utf8"),
  });
  const module = await compileFilter(join(import.meta.dirname, "../../build/filter.wasm"));
  host = await FilterHost.load(module, { filterConfig, environment });
});

type Json = Record<string, unknown>;

interface Turn {
  text: string;
  dropped: string | undefined;
  sent: OpenModelRequest;
}

function ask(provider: OpenModelProvider, path: string, body: Json): Turn {
  let sent: OpenModelRequest | undefined;
  const { response, faults } = host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path,
      headers: [
        ["content-type", "application/json"],
        ["anthropic-version", "2023-06-01"],
      ],
      body: Buffer.from(JSON.stringify(body)),
    },
    upstream: ({ body: bytes }) => {
      const verdict = judge(provider, JSON.parse(Buffer.from(bytes).toString()));
      if (verdict.request === undefined) {
        const text = JSON.stringify({ error: { message: verdict.message } });
        const headers = [["content-type", "application/json"] as const];
        return { status: verdict.status, headers, chunks: [Buffer.from(text)] };
      }
      sent = verdict.request;
      const type = sent.stream === true ? "text/event-stream" : "application/json";
      return {
        status: 200,
        headers: [["content-type", type]],
        chunks: partsOf(provider, sent).map((part) => Buffer.from(part)),
      };
    },
  });
  const text = Buffer.from(response.body).toString();
  expect(faults).toEqual([]);
  expect(response.status, text).toBe(200);
  const dropped = response.headers.find(([name]) => name === "x-gateway-dropped")?.[1];
  if (sent === undefined) throw new Error("no request reached the provider");
  return { text, dropped, sent };
}

const question = "Weather?";
const schema = { type: "object", properties: {} };

/** Returns the second turn of a messages client, which keeps the content of the first. */
async function messagesLoop(provider: OpenModelProvider, model: string, stream: boolean) {
  const user = { role: "user", content: question };
  const tools = [{ name: "f", input_schema: schema }];
  const base = { model, max_tokens: 4000, stream, tools };
  const first = ask(provider, "/v1/messages", { ...base, messages: [user] });
  const { content } = stream
    ? await anthropicMessage(first.text)
    : (JSON.parse(first.text) as { content: { type: string; id?: string }[] });
  const id = content.flatMap((one) => ("id" in one ? [one.id] : []))[0];
  const results = [
    { type: "tool_result", tool_use_id: id, content: "sunny" },
    { type: "text", text: "Go on." },
  ];
  return ask(provider, "/v1/messages", {
    ...base,
    messages: [user, { role: "assistant", content }, { role: "user", content: results }],
  });
}

/** Returns the second turn of a Responses client, which keeps the output items of the first. */
function responsesLoop(provider: OpenModelProvider, model: string, stream: boolean): Turn {
  const user = { type: "message", role: "user", content: question };
  const tools = [{ type: "function", name: "f", parameters: schema }];
  const base = { model, store: false, stream, tools, include: ["reasoning.encrypted_content"] };
  const first = ask(provider, "/v1/responses", { ...base, input: [user] });
  const items = stream
    ? [...first.text.matchAll(/^data: (.*"response\.output_item\.done".*)$/gm)].map(
        ([, data]) => (JSON.parse(data ?? "{}") as { item: Json }).item,
      )
    : (JSON.parse(first.text) as { output: Json[] }).output;
  const id = items.find(({ type }) => type === "function_call")?.["call_id"];
  const output = { type: "function_call_output", call_id: id, output: "sunny" };
  return ask(provider, "/v1/responses", { ...base, input: [user, ...items, output] });
}

/** Returns the second turn of a chat client, which keeps the message, or only the members of OpenAI's API. */
function chatLoop(provider: OpenModelProvider, model: string, keepsAll: boolean): Turn {
  const user = { role: "user", content: question };
  const tools = [{ type: "function", function: { name: "f", parameters: schema } }];
  const first = ask(provider, "/v1/chat/completions", { model, tools, messages: [user] });
  const { choices } = JSON.parse(first.text) as { choices: { message: Json }[] };
  const said = choices[0]?.message ?? {};
  const message = keepsAll
    ? said
    : { role: "assistant", content: null, tool_calls: said["tool_calls"] };
  const result = { role: "tool", tool_call_id: "D681PevKs", content: "sunny" };
  return ask(provider, "/v1/chat/completions", { model, tools, messages: [user, message, result] });
}

/** The members of the assistant's message that hold the thought, by provider. */
const MEMBERS: [OpenModelProvider, string, Json][] = [
  ["vllm", "vllm/qwen3", { reasoning: THOUGHT }],
  ["groq", "groq/openai/gpt-oss-120b", { reasoning: THOUGHT }],
  ["cerebras", "cerebras/zai-glm-4.7", { reasoning: THOUGHT }],
  ["deepseek", "deepseek/deepseek-v4-pro", { reasoning_content: THOUGHT }],
  [
    "mistral",
    "mistral/magistral-medium-latest",
    {
      content: [
        {
          type: "thinking",
          thinking: [{ type: "text", text: THOUGHT }],
          signature: "c2lnbmVkLWJ5LW1pc3RyYWw=",
        },
      ],
    },
  ],
];

describe.each(MEMBERS)("%s (%s) gets its reasoning back", (provider, model, member) => {
  it.each([false, true])(
    "a messages client gives the reasoning back, stream %s",
    async (stream) => {
      const { sent, dropped } = await messagesLoop(provider, model, stream);
      expect(sent.messages[1]).toMatchObject(member);
      expect(dropped).toBeUndefined();
    },
  );

  it.each([false, true])("a Responses client gives the reasoning back, stream %s", (stream) => {
    const { sent, dropped } = responsesLoop(provider, model, stream);
    expect(sent.messages[1]).toMatchObject(member);
    expect(dropped).toBeUndefined();
  });

  it("a chat client that keeps the message gives the reasoning back", () => {
    expect(chatLoop(provider, model, true).sent.messages[1]).toMatchObject(member);
  });
});

describe("a provider accepts the second turn", () => {
  it.each(MEMBERS)(
    "%s (%s) accepts the turn of a chat client that keeps no reasoning",
    (provider, model) => {
      chatLoop(provider, model, false);
    },
  );

  it("a model of Mistral at vLLM accepts the turn of a messages client with thinking off", async () => {
    const { sent } = await messagesLoop("vllm", "vllm/mistralai/Devstral-Small-2507", false);
    expect(sent.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });

  it("a model of Groq that does not reason accepts the turn", async () => {
    await messagesLoop("groq", "groq/llama-3.3-70b-versatile", true);
  });
});

describe("a history moves to another provider", () => {
  const history = (signature: string) => [
    { role: "user", content: question },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: THOUGHT, signature },
        { type: "tool_use", id: "toolu_01A", name: "f", input: {} },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_01A", content: "x" }] },
  ];

  it.each(MEMBERS)("a history moves to %s (%s)", (provider, model) => {
    const { text } = ask("vllm", "/v1/messages", {
      model: "vllm/qwen3",
      max_tokens: 100,
      messages: [{ role: "user", content: question }],
    });
    const { content } = JSON.parse(text) as { content: { signature: string }[] };
    const { sent, dropped } = ask(provider, "/v1/messages", {
      model,
      max_tokens: 100,
      tools: [{ name: "f", input_schema: schema }],
      messages: history(content[0]?.signature ?? ""),
    });
    const takesAny = provider === "vllm" || provider === "deepseek";
    expect(JSON.stringify(sent.messages[1])).toContain(takesAny ? THOUGHT : '"tool_calls"');
    expect(dropped).toBe(takesAny ? undefined : "messages[].content[].thinking");
  });
});
