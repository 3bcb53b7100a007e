// Keys that clients have to send, through the real Envoy; what each request gets is in test/exchanges/api-keys-*.
import { request } from "node:http";
import { statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask, askAsModelServer, errorOf } from "./ask.ts";

const KEYS = {
  EGRESS_KEY: "egress-0123456789abcdef0123456789abcdef",
  INGRESS_KEY: "ingress-0123456789abcdef0123456789abcd",
};
const PROMPTS = `
listeners:
  egress: {api_keys: [$EGRESS_KEY]}
  ingress: {api_keys: [$INGRESS_KEY]}
prompt_guards: {input_guards: {jailbreak: {on_exception: {message: No.}}}}
`;
let all: WithFakes;

beforeAll(async () => {
  all = await startWithFakes({ config: PROMPTS, environment: KEYS });
});
afterAll(() => all.stop());

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe("each listener has separate keys", () => {
  it.each([
    ["egress", KEYS.EGRESS_KEY, 200],
    ["egress", KEYS.INGRESS_KEY, 401],
    // The guard's model server is not there, so that only a client that was let in learns that.
    ["ingress", KEYS.INGRESS_KEY, 503],
    ["ingress", KEYS.EGRESS_KEY, 401],
  ] as const)("%s with %s is %i", async (listener, key, status) => {
    const reply = await ask(all.gateway, "chat", { listener, headers: bearer(key) });
    expect(reply.status, await reply.text()).toBe(status);
  });
});

it("a stranger's body is not waited for", async () => {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const upload = request(`${all.gateway.url}/v1/messages`, {
    method: "POST",
    headers: { "content-length": 10_000_000 },
  });
  upload.on("response", (response) => {
    resolve(response.statusCode);
  });
  upload.on("error", () => undefined);
  upload.write("{");
  expect(await promise).toBe(401);
  upload.destroy();
});

it("a 401 has the required headers", async () => {
  const reply = await ask(all.gateway, "messages");
  expect(reply.headers.get("www-authenticate")).toBe("Bearer");
  expect((await errorOf(reply, "messages")).type).toBe("authentication_error");
});

it("no provider is asked for a stranger, and none sees a client's key", async () => {
  const before = all.openai.requests.length;
  await ask(all.gateway, "chat", { headers: bearer("somebody") });
  expect(all.openai.requests.length).toBe(before);
  await ask(all.gateway, "chat", {
    headers: { "x-api-key": KEYS.EGRESS_KEY, "x-gateway-api-key": KEYS.EGRESS_KEY },
  });
  expect(all.openai.requests.length).toBe(before + 1);
  expect(JSON.stringify(all.openai.requests.at(-1)?.headers)).not.toContain(KEYS.EGRESS_KEY);
});

it("the gateway's own model server needs no key, and nobody else can open its socket", async () => {
  const { status, body } = await askAsModelServer(all.gateway, "fast");
  expect(status, body).toBe(200);
  expect(statSync(all.gateway.ownEgressSocketPath).mode & 0o777).toBe(0o600);
});
