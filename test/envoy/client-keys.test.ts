// Keys that clients have to send, through the real Envoy; what each request gets is in test/exchanges/client-keys.
import { request } from "node:http";
import { statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask, askAsModelServer, errorOf } from "./ask.ts";

const KEYS = {
  EGRESS_KEY: "egress-0123456789abcdef0123456789abcdef",
  INGRESS_KEY: "ingress-0123456789abcdef0123456789abcd",
  RESEARCH_KEY: "research-0123456789abcdef0123456789abc",
};
const CONFIG = `
listeners:
  egress:
    api_keys:
      - $EGRESS_KEY
      - key: $RESEARCH_KEY
        name: research
        models: [careful]
        ratelimits: [{requests: 3, unit: day}]
  ingress: {api_keys: [$INGRESS_KEY]}
prompt_guards: {input_guards: {jailbreak: {on_exception: {message: No.}}}}
`;
let all: WithFakes;

beforeAll(async () => {
  all = await startWithFakes({ config: CONFIG, environment: KEYS });
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
    const response = await ask(all.gateway, "chat", { listener, headers: bearer(key) });
    expect(response.status, await response.text()).toBe(status);
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
  const response = await ask(all.gateway, "messages");
  expect(response.headers.get("www-authenticate")).toBe("Bearer");
  expect((await errorOf(response, "messages")).type).toBe("authentication_error");
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

describe("a key with a name", () => {
  const research = bearer(KEYS.RESEARCH_KEY);
  const notAllowed = "The key 'research' may not be used for the model 'fast'. Its models: ";

  it.each(["chat", "messages", "responses"] as const)(
    "another model than its own is a 403 for a %s client, and reaches no provider",
    async (dialect) => {
      const before = all.openai.requests.length;
      const response = await ask(all.gateway, dialect, { model: "fast", headers: research });
      expect(response.status).toBe(403);
      const error = await errorOf(response, dialect);
      expect(error.type).toBe("permission_error");
      expect(error.message).toContain(notAllowed);
      expect(all.openai.requests.length).toBe(before);
    },
  );

  it("a key with a name lists its models only", async () => {
    const list = async (headers: Record<string, string>): Promise<string[]> => {
      const response = await fetch(`${all.gateway.url}/v1/models`, { headers });
      const { data } = (await response.json()) as { data: { id: string }[] };
      return data.map(({ id }) => id);
    };
    expect(await list(research)).toEqual(["careful"]);
    expect(await list(bearer(KEYS.EGRESS_KEY))).toContain("fast");
  });

  it("a key with a name has its limit of requests over all of Envoy's workers", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const headers = { ...research, connection: "close" };
        const response = await ask(all.gateway, "messages", { headers });
        await response.arrayBuffer();
        return response.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(9);
    const other = await ask(all.gateway, "messages", { headers: bearer(KEYS.EGRESS_KEY) });
    expect(other.status, await other.text()).toBe(200);
  });
});
