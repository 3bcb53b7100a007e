// `gateway explain` of a request that was too long for its model, on a running gateway: which context window, and by how much.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startAnthropicProvider } from "../providers/anthropic.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";
import { freePort } from "../free-port.ts";

const KEY = "a-key-of-the-providers-0123";
const TOO_LONG =
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.";
let desk: Desk;
let ports: Ports;
let openai: FakeProvider;
let anthropic: FakeProvider;

beforeAll(async () => {
  openai = await startOpenaiProvider({ key: KEY, models: ["gpt-4"] });
  anthropic = await startAnthropicProvider({ key: KEY });
  ports = await freePorts();
  const rest = `llm_providers:
  - {model: openai/gpt-4, access_key: $KEY, base_url: "${openai.url}/v1", fallbacks: [anthropic/claude-sonnet-4-5]}
  - {model: anthropic/claude-sonnet-4-5, access_key: $KEY, base_url: "${anthropic.url}"}
model_aliases:
  patient: {target: openai/gpt-4, fallbacks: [anthropic/claude-sonnet-4-5], retry: {on: [context_length]}}
observability: {metrics: {port: ${String(await freePort())}}, content: {max_bytes: 1MiB}}
`;
  desk = openDesk({ "gateway.yaml": configurationOn(ports, rest), ".env": `KEY=${KEY}\n` });
  const { code, stderr } = await desk.run("up", "--detach", "--concurrency", "1");
  expect(code, stderr).toBe(0);
});
afterAll(async () => {
  await desk.run("down");
  await desk.clear();
  await Promise.all([openai.stop(), anthropic.stop()]);
});

async function ask(id: string, model: string): Promise<number> {
  openai.next({ kind: "error", status: 400, message: TOO_LONG });
  const response = await fetch(`http://127.0.0.1:${ports.egress}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-request-id": id },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "word ".repeat(8000) }] }),
  });
  await response.text();
  for (const log of ["access_content.log", "access_usage.log"])
    await vi.waitFor(() => {
      expect(readFileSync(join(desk.logs, log), "utf8")).toContain(`"id":"${id}"`);
    });
  return response.status;
}

it("gateway explain has the context window that a request exceeded, by how much, and that the next model followed", async () => {
  expect(await ask("long-one", "patient")).toBe(200);
  const { code, stdout, stderr } = await desk.run("explain", "long-one");
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(
    /^Too long +openai\/gpt-4 rejected 9,000 tokens, 808 more than its context window of 8,192\n +the next model follows \(context_length\)$/m,
  );
  // Before it is sent: an estimate.
  expect(stdout).toMatch(
    /^ +too long: about 10,0\d\d tokens, 1,8\d\d more than its context window of 8,192$/m,
  );
  expect(stdout.match(/too long: about/g)).toHaveLength(1);
  const json = await desk.run("explain", "--json", "long-one");
  expect(JSON.parse(json.stdout)).toMatchObject({
    overflows: [{ target: "openai/gpt-4", tokens: 9000, limit: 8192 }],
    attempts: [{ context: { window: 8192 } }, { target: "anthropic/claude-sonnet-4-5" }],
  });
});

it("gateway explain has what a request needs so that the next model follows one that it is too long for", async () => {
  expect(await ask("long-two", "openai/gpt-4")).toBe(400);
  const { stdout } = await desk.run("explain", "long-two");
  expect(stdout).toMatch(/^Too long +openai\/gpt-4 rejected 9,000 tokens, 808 more than/m);
  expect(stdout).toContain("no other model follows: it needs context_length in retry.on");
});
