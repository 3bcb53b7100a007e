// A stream without an end: the VM does not grow with it, whatever it is made of.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import { FilterHost, compileFilter } from "../../control-plane/wasm-host/filter-host.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const MIB = 1024 ** 2;
const PIECE = 64 * 1024;
const CONFIG = `
llm_providers:
  - {model: vllm/chat, base_url: http://chat.test/v1}
  - {model: anthropic/claude, base_url: http://messages.test, access_key: $KEY}
`;

function chunk(delta: object): string {
  const choices = [{ index: 0, delta, finish_reason: null }];
  return `data: ${JSON.stringify({ id: "1", model: "m", choices })}\n\n`;
}

function event(type: string, more: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
}

function block(content_block: object, ...deltas: object[]): string {
  return [
    event("content_block_start", { index: 0, content_block }),
    ...deltas.map((delta) => event("content_block_delta", { index: 0, delta })),
    event("content_block_stop", { index: 0 }),
  ].join("");
}

const CHAT = {
  text: chunk({ content: "word" }),
  "text and reasoning in turn": chunk({ content: "a" }) + chunk({ reasoning_content: "b" }),
  "one call after the other": chunk({
    tool_calls: [{ id: "call_1", function: { name: "f", arguments: "{}" } }],
  }),
  "reasoning details": chunk({
    reasoning_details: [{ type: "reasoning.text", text: "a", signature: "s", index: 0 }],
  }),
  comments: ": ping\n\n",
};
const MESSAGES = {
  text: block({ type: "text", text: "" }, { type: "text_delta", text: "word" }),
  tools: block({ type: "tool_use", id: "toolu_1", name: "f", input: {} }),
  "tools without ids": block({ type: "tool_use", name: "f", input: { a: 1 } }),
  "blocks that never stop": event("content_block_start", {
    index: 0,
    content_block: { type: "text", text: "" },
  }),
  thinking: block(
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: "a" },
    { type: "signature_delta", signature: "s" },
  ),
  unknown: event("unknown", {}),
};

async function start(): Promise<FilterHost> {
  const environment = { KEY: "key" };
  const result = loadConfiguration({ file: "gateway.yaml", text: CONFIG }, environment);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const module = await compileFilter(FILTER);
  return FilterHost.load(module, { filterConfig: filterConfig(result.model), environment });
}

/** Growth of the VM over a stream of `size` bytes, of which the client gets a part and leaves. */
function stream(host: FilterHost, model: string, path: string, one: string, size: number): number {
  const first = event("message_start", {
    message: { id: "1", content: [], model: "m", usage: {} },
  });
  const piece = Buffer.from(one.repeat(Math.ceil(PIECE / one.length)));
  const pieces = Array<Buffer>(Math.ceil(size / piece.length)).fill(piece);
  const { faults, trap, response } = host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path,
      headers: [["content-type", "application/json"]],
      body: Buffer.from(
        JSON.stringify({
          model,
          stream: true,
          max_tokens: 9,
          messages: [{ role: "user", content: "hi" }],
        }),
      ),
    },
    upstream: () => ({
      status: 200,
      headers: [["content-type", "text/event-stream"]],
      chunks: [
        Buffer.from(model.startsWith("anthropic") ? first : chunk({ role: "assistant" })),
        ...pieces,
      ],
      ending: "reset",
    }),
  });
  expect(faults).toEqual([]);
  expect(trap).toBeUndefined();
  expect(response.status).toBe(200);
  return host.memorySize;
}

describe.each(["/v1/chat/completions", "/v1/messages"])("to a client of %s", (path) => {
  it.each([
    ...Object.entries(CHAT).map(([name, one]) => ({ name, model: "vllm/chat", one })),
    ...Object.entries(MESSAGES).map(([name, one]) => ({ name, model: "anthropic/claude", one })),
  ])("$model, $name", async ({ model, one }) => {
    const host = await start();
    const before = stream(host, model, path, one, 2 * MIB);
    // Without a collection on the way some of these take a byte for each of theirs.
    expect(stream(host, model, path, one, 40 * MIB) - before).toBeLessThan(20 * MIB);
  });
});
