// The listener's timeout where it has to hold back (what it cuts is in streams.test.ts).
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Gateway } from "../gateway/gateway.ts";
import { startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider } from "../providers/scripted-provider.ts";
import { startTwoDialects } from "../gateway/two-dialects.ts";

const SHORT_MS = 3_000;

let provider: ScriptedProvider;
let gateway: Gateway;
let respondAfterMs: number;

beforeAll(async () => {
  provider = await startProvider(async (response) => {
    await sleep(respondAfterMs);
    response.end("{}");
  });
  gateway = await startTwoDialects(provider.port, {
    adapt(model) {
      model.egress.timeoutMs = SHORT_MS;
    },
  });
});
afterAll(() => Promise.all([gateway.stop(), provider.stop()]));

async function ask(listener: "ingress" | "egress"): Promise<number> {
  const url = `http://127.0.0.1:${gateway.ports[listener]}/v1/chat/completions`;
  const { status } = await fetch(url, { method: "POST", body: '{"model":"none","messages":[]}' });
  return status;
}

it("a complete answer may be silent until then", async () => {
  respondAfterMs = SHORT_MS * 0.6;
  expect(await ask("egress")).toBe(200);
});

it("each listener has a separate timeout", async () => {
  respondAfterMs = SHORT_MS * 1.5;
  expect(await Promise.all([ask("ingress"), ask("egress")])).toEqual([200, 504]);
});
