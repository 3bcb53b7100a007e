// The calls between Envoy and the filter, by callback, in the cases of the benchmark: each costs as much as scanning 20 KB
// (docs/performance/instructions.md). A change that adds one has to be worth it.
import { join } from "node:path";
import { expect, it } from "vitest";
import { CHAT_MODEL, MESSAGES_MODEL } from "../../bench/bodies.ts";
import { CASES } from "../../bench/cases.ts";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import { compileFilter, FilterHost } from "../../control-plane/wasm-host/filter-host.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const CONFIGURATION = `version: v0.1.0
listeners:
  egress: {address: 127.0.0.1, port: 12000}
llm_providers:
  - {model: openai/${CHAT_MODEL}, base_url: "http://127.0.0.1:1", access_key: $KEY}
  - {model: anthropic/${MESSAGES_MODEL}, base_url: "http://127.0.0.1:1", access_key: $KEY}
`;
const COMPLETION = '{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}';
const MESSAGE =
  '{"type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}';
const STREAM = `data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}\n\ndata: [DONE]\n\n`;

it.each([
  ["a16", "application/json", COMPLETION],
  ["b16", "application/json", MESSAGE],
  ["c16", "text/event-stream", STREAM],
  ["c16-translated", "text/event-stream", STREAM],
])("%s", async (name, type, response) => {
  const names: string[] = [];
  const loaded = loadConfiguration(
    { file: "gateway.yaml", text: CONFIGURATION },
    { KEY: "key-of-the-provider" },
  );
  if (!loaded.ok) throw new Error("the configuration is not valid");
  const host = await FilterHost.load(await compileFilter(FILTER), {
    filterConfig: filterConfig(loaded.model),
    environment: { KEY: "key-of-the-provider" },
    onCall: (call) => names.push(call),
  });
  const { request } = CASES.find((one) => one.name === name) ?? {};
  if (request === undefined) throw new Error("no such case");
  names.length = 0;
  const result = host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path: request.path,
      headers: [
        ["content-type", "application/json"],
        ["x-request-id", "00000000-0000-4000-8000-000000000001"],
      ],
      body: Buffer.from(JSON.stringify(request.body)),
      emptyEnd: true,
    },
    upstream: () => ({
      status: 200,
      headers: [["content-type", type]],
      chunks: [Buffer.from(response)],
      emptyEnd: true,
    }),
  });
  expect(result.faults).toEqual([]);
  expect(result.response.status).toBe(200);
  const lines = byCallback(names).join("\n");
  await expect(`${lines}\n`).toMatchFileSnapshot(`calls/${name}.txt`);
});

/** Returns a line for each callback: its calls into Envoy, and `+` for those that allocate memory of the VM. */
function byCallback(names: string[]): string[] {
  const lines: string[] = [];
  for (const name of names) {
    if (name === "proxy_on_memory_allocate") lines.push(`${lines.pop() ?? ""}+`);
    else if (name.startsWith("proxy_on_")) lines.push(`${name}:`);
    else lines.push(`${lines.pop() ?? ""} ${name}`);
  }
  return lines;
}
