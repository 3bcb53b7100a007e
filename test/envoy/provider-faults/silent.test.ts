// Providers that take the request and are silent, under the default settings: who is asked next, and for how long.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../../gateway/gateway.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { ask } from "../ask.ts";
import { startProvider } from "../../providers/scripted-provider.ts";
import type { Script, ScriptedProvider } from "../../providers/scripted-provider.ts";
import { responseParts, RESPONSE_TEXT } from "../../providers/wire.ts";
import { readComplete } from "../read-response.ts";

/** Of the listener: the last model has a third of it, more than a loaded machine needs for an answer. */
const TIMEOUT_MS = 8_000;

const MODELS = {
  good: "",
  failing: "",
  silent: "fallbacks: [vllm/good]",
  "silent-again": "retry: { attempts: 2 }, fallbacks: [vllm/good]",
  "silent-of-three": "fallbacks: [vllm/good, vllm/failing]",
  "silent-then-failing": "fallbacks: [vllm/failing, vllm/good]",
};

/** One for each model: a provider that fails often enough is left out. */
let providers: ScriptedProvider[];
let gateway: Gateway;
/** Prompts and the models that were asked with them, in order. */
const asked: { model: string; body: string }[] = [];

const behave: Script = (response, { body }) => {
  const { model } = JSON.parse(body) as { model: string };
  asked.push({ model, body });
  if (model.startsWith("silent")) return;
  response.writeHead(model === "failing" ? 503 : 200, { "content-type": "application/json" });
  response.end(responseParts("chat", "complete").parts[0]);
};

beforeAll(async () => {
  providers = await Promise.all(Object.keys(MODELS).map(() => startProvider(behave)));
  const entries = Object.entries(MODELS).map(([name, more], index) => {
    const url = `http://127.0.0.1:${String(providers[index]?.port)}/v1`;
    return `  - { model: vllm/${name}, base_url: "${url}", ${more} }\n`;
  });
  const timeout = `${String(TIMEOUT_MS / 1000)}s`;
  gateway = await startGateway({
    config: `listeners: { egress: { timeout: ${timeout} } }\nllm_providers:\n${entries.join("")}`,
  });
});
afterAll(() => Promise.all([gateway.stop(), ...providers.map((provider) => provider.stop())]));

describe.concurrent("a complete answer", () => {
  it.each([
    ["silent", ["silent", "good"]],
    ["silent-again", ["silent-again", "good"]],
    ["silent-of-three", ["silent-of-three", "good"]],
    ["silent-then-failing", ["silent-then-failing", "failing", "good"]],
  ])("a complete response of %s comes from the fallback", async (model, order) => {
    const text = `prompt for ${model}.`;
    const response = await ask(gateway, "chat", { model: `vllm/${model}`, text });
    const body = await response.text();
    expect([response.status, body]).toEqual([200, expect.any(String)]);
    expect(readComplete("chat", body)).toBe(RESPONSE_TEXT);
    expect(asked.filter((one) => one.body.includes(text)).map((one) => one.model)).toEqual(order);
  });
});
