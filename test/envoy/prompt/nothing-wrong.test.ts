// What reaches an API through a real Envoy and the real model server: exactly what the prompt states.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import type { WithFakes } from "../../gateway/with-fakes.ts";
import {
  faultsOf,
  STATED_TARGETS,
  STATEMENTS,
} from "../../unit/control-plane/model-server/statements.ts";
import type { FakeApi } from "./fakes.ts";
import { startWithModelServer } from "./with-model-server.ts";

const STATEMENTS_SENT = 120;

function configuration(apiPort: number): string {
  const targets = STATED_TARGETS.map(({ acts, ...target }) => ({
    ...target,
    endpoint: { name: "api", path: `/${target.name}`, http_method: acts === true ? "POST" : "GET" },
    auto_llm_dispatch_on_response: false,
  }));
  return stringify({
    prompt_targets: targets,
    endpoints: { api: { endpoint: `127.0.0.1:${String(apiPort)}` } },
    model_server: { extraction: "embedded" },
  });
}

let all: WithFakes;
let api: FakeApi;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ all, api, stop } = await startWithModelServer(configuration));
});
afterAll(() => stop());

/** Returns the values that the API received for a prompt, or undefined if it was not called. */
async function receivedFor(prompt: string) {
  const id = randomUUID();
  const response = await fetch(
    `http://127.0.0.1:${all.gateway.ports.ingress}/v1/chat/completions`,
    {
      method: "POST",
      headers: { "content-type": "application/json", "x-request-id": id },
      body: JSON.stringify({ model: "none", messages: [{ role: "user", content: prompt }] }),
    },
  );
  expect(response.status).toBe(200);
  const [call] = api.of(id);
  if (call === undefined) return undefined;
  const url = new URL(call.path, "http://api");
  const values =
    call.body === ""
      ? Object.fromEntries(url.searchParams)
      : (JSON.parse(call.body) as Record<string, unknown>);
  return { target: url.pathname.slice(1), values };
}

it("an API receives what the prompt states, or is not called", async () => {
  const statements = fc.sample(STATEMENTS, { seed: 20, numRuns: STATEMENTS_SENT });
  const faults: string[] = [];
  let calls = 0;
  for (const statement of statements) {
    const received = await receivedFor(statement.prompt);
    if (received === undefined) continue;
    calls++;
    const wrong =
      received.target === statement.target.name
        ? faultsOf(statement, received.values, true)
        : [`target ${received.target}`];
    faults.push(...wrong.map((fault) => `${statement.prompt}: ${fault}`));
  }
  expect(faults).toEqual([]);
  expect(calls).toBeGreaterThan(STATEMENTS_SENT / 2);
});
