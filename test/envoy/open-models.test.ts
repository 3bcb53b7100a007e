// A tool loop with a provider of open models through the real Envoy: its reasoning comes back to it in the next turn.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { startOpenModels, THOUGHT } from "../providers/open-models.ts";
import type { FakeProvider } from "../providers/server.ts";
import { anthropicMessage } from "../unit/filter/sdk-streams.ts";

let vllm: FakeProvider;
let mistral: FakeProvider;
let gateway: Gateway;
beforeAll(async () => {
  [vllm, mistral] = await Promise.all([startOpenModels("vllm"), startOpenModels("mistral")]);
  gateway = await startGateway({
    config: `
version: v0.1.0
llm_providers:
  - model: vllm/qwen3
    base_url: http://127.0.0.1:${vllm.port}
    default: true
  - model: mistral/magistral-medium-latest
    base_url: http://127.0.0.1:${mistral.port}
`,
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([vllm.stop(), mistral.stop()]);
});

async function turn(model: string, messages: object[]) {
  const response = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model,
      max_tokens: 4000,
      stream: true,
      tools: [{ name: "f", input_schema: { type: "object", properties: {} } }],
      messages,
    }),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return (await anthropicMessage(text)).content;
}

it.each([
  ["vllm/qwen3", () => vllm],
  ["mistral/magistral-medium-latest", () => mistral],
])("%s gets its reasoning back, and the user's text after its tool's result", async (model, at) => {
  const user = { role: "user", content: "Weather?" };
  const content = await turn(model, [user]);
  const call = content.find(({ type }) => type === "tool_use") as { id: string } | undefined;
  const results = [
    { type: "tool_result", tool_use_id: call?.id, content: "sunny" },
    { type: "text", text: "Go on." },
  ];
  const said = [user, { role: "assistant", content }, { role: "user", content: results }];
  await turn(model, said);
  const { json } = await at().request(1);
  const { messages } = json as { messages: object[] };
  expect(JSON.stringify(messages[1])).toContain(THOUGHT);
});
