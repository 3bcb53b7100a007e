// Rate limits of prompt targets, through a real Envoy: tool calls and prompts use one budget.
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect } from "./clients.ts";
import { startWithTools } from "./set-up.ts";
import type { WithTools } from "./set-up.ts";

const LIMITS = `ratelimits:
  - {prompt_target: plain, selector: {key: x-user-id}, limit: {requests: 2, unit: hour}}
  - {prompt_target: keyed, selector: {key: authorization}, limit: {requests: 1, unit: hour}}
  - {prompt_target: rest, limit: {requests: 1, unit: hour}}
`;

let all: WithTools;
beforeAll(async () => {
  all = await startWithTools({ config: LIMITS.replace(/ {2}- \{prompt_target: rest.*\n/, "") });
});
afterAll(() => all.stop());

it("a user over the limit gets an error with the wait, and the API is not called", async () => {
  const client = await connect(all.url, { "x-user-id": "alice" });
  const calls = [
    await client.call("plain"),
    await client.call("plain"),
    await client.call("plain"),
  ];
  expect(calls.map(({ isError }) => isError)).toEqual([false, false, true]);
  expect(calls[2]?.text).toMatch(
    /^Rate limit reached: 2 requests an hour for plain and each x-user-id\. Retry in \d+ s\.$/,
  );
  expect(all.api.requests.filter(({ path }) => path.startsWith("/plain"))).toHaveLength(2);
  // Another tool and another user have their own budgets.
  expect((await client.call("quoted")).isError).toBe(false);
  const other = await connect(all.url, { "x-user-id": "bob" });
  expect((await other.call("plain")).isError).toBe(false);
  await Promise.all([client.close(), other.close()]);
});

it("the budgets can be those of the clients' keys, which the API does not get", async () => {
  for (const key of ["Bearer one", "Bearer two"]) {
    const client = await connect(all.url, { authorization: key });
    const calls = [await client.call("keyed"), await client.call("keyed")];
    expect(calls.map(({ isError }) => isError)).toEqual([false, true]);
    await client.close();
  }
  const sent = all.api.requests.map(({ headers }) => headers.authorization ?? "");
  expect(sent.filter((value) => /one|two/.test(value))).toEqual([]);
});

it("wrong arguments use nothing of a budget", async () => {
  const client = await connect(all.url, { "x-user-id": "carol" });
  expect((await client.call("plain", { a: 1 })).isError).toBe(true);
  expect((await client.call("plain")).isError).toBe(false);
  expect((await client.call("plain")).isError).toBe(false);
  await client.close();
});

it("a prompt and a tool call use the same budget; over it, the prompt gets a 429", async () => {
  // The default target needs no model server to be chosen.
  const gateway = await startWithTools({
    targets: (port) => `
prompt_targets:
  - {name: rest, description: Everything else, default: true, auto_llm_dispatch_on_response: false, endpoint: {name: api, path: /completion}}
endpoints:
  api: {endpoint: "127.0.0.1:${port}"}
`,
    config: `ratelimits:\n${/ {2}- \{prompt_target: rest.*\n/.exec(LIMITS)?.[0] ?? ""}`,
  });
  try {
    const messages = [{ role: "user", content: "hello" }];
    const client = await connect(gateway.url);
    expect((await client.call("rest", { messages })).isError).toBe(false);
    await client.close();
    const response = await fetch(
      `http://127.0.0.1:${gateway.gateway.ports.ingress}/v1/chat/completions`,
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "none", messages }),
      },
    );
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(3_000);
    expect(await response.json()).toMatchObject({ error: { code: "rate_limit_exceeded" } });
    expect(gateway.api.requests).toHaveLength(1);
  } finally {
    await gateway.stop();
  }
});
