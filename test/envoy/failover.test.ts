// Fallbacks, weights, keys and retries, from gateway.yaml to the wire: what a client gets when providers fail.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { ask, errorOf } from "./ask.ts";
import type { Ask, DialectName } from "./ask.ts";
import { RESPONSE_TEXT } from "../providers/wire.ts";
import { readComplete, readStream } from "./read-response.ts";
import { CLOSED_PORT, startFailingProvider } from "../providers/scripts/failures-by-model.ts";
import type { Attempt, FailingProvider } from "../providers/scripts/failures-by-model.ts";

let provider: FailingProvider;
let gateway: Gateway;

beforeAll(async () => {
  provider = await startFailingProvider();
  const at = (port: number) => `base_url: http://127.0.0.1:${port}`;
  // Most requests here fail, at the same addresses: who is left out after failures in a row is test/envoy/outliers.test.ts.
  const config = `
upstream: {outlier_detection: {consecutive_failures: 0}}
llm_providers:
  - {model: openai/a, ${at(provider.port)}/v1, access_key: $CHAT_KEY, fallbacks: [openai/b]}
  - {model: openai/b, ${at(provider.port)}/v1, access_key: $CHAT_KEY}
  - {model: openai/x, ${at(provider.port)}/v1, access_key: $CHAT_KEY, fallbacks: [anthropic/c]}
  - {model: openai/quick-x, ${at(provider.port)}/v1, access_key: $CHAT_KEY, fallbacks: [anthropic/c], retry: {first_byte_timeout: 2s}}
  - {model: anthropic/c, ${at(provider.port)}, access_key: $MESSAGES_KEY}
  - {model: anthropic/y, ${at(provider.port)}, access_key: $MESSAGES_KEY, fallbacks: [openai/b]}
  - {model: anthropic/quick-y, ${at(provider.port)}, access_key: $MESSAGES_KEY, fallbacks: [openai/b], retry: {first_byte_timeout: 2s}}
  - {model: openai/refused, ${at(CLOSED_PORT)}/v1, access_key: $CHAT_KEY, fallbacks: [anthropic/c, openai/b]}
  - {model: openai/nowhere, base_url: "http://no-such-host.invalid/v1", access_key: $CHAT_KEY, fallbacks: [openai/b]}
  - {model: openai/lost, base_url: "http://no-such-host.invalid/v1", access_key: $CHAT_KEY, retry: {attempts: 2}}
  - {model: openai/keys, ${at(provider.port)}/v1, access_key: [$KEY_ONE, $KEY_TWO, $KEY_THREE]}
  - {model: openai/again, ${at(provider.port)}/v1, access_key: $CHAT_KEY, retry: {attempts: 3}, fallbacks: [openai/b]}
  - {model: openai/slow, ${at(provider.port)}/v1, access_key: $CHAT_KEY, retry: {per_try_timeout: 2s, on: [reset]}, fallbacks: [openai/b]}
  - {model: openai/short, ${at(provider.port)}/v1, access_key: $CHAT_KEY, retry: {attempts: 3, on: [context_length]}, fallbacks: [anthropic/c, openai/b]}
  - {model: openai/down, ${at(CLOSED_PORT)}/v1, access_key: $CHAT_KEY}
  - {model: openai/alone, ${at(provider.port)}/v1, access_key: $CHAT_KEY}
model_aliases:
  shared: {targets: [{model: openai/a, weight: 3}, {model: anthropic/c, weight: 1}, {model: openai/b, weight: 0}]}
  foreign: {target: anthropic/c, fallbacks: [openai/b]}
  three: {target: openai/a, fallbacks: [anthropic/c, openai/b]}
`;
  gateway = await startGateway({
    config,
    environment: {
      CHAT_KEY: "chat-key",
      MESSAGES_KEY: "messages-key",
      KEY_ONE: "one",
      KEY_TWO: "two",
      KEY_THREE: "three",
    },
    adapt(model) {
      for (const listener of [model.ingress, model.egress]) listener.timeoutMs = 15_000;
    },
  });
});
afterAll(() => Promise.all([gateway.stop(), provider.stop()]));

let lastId = 0;

interface Outcome {
  response: Response;
  attempts: () => Attempt[];
  requestId: string;
}

async function send(
  client: DialectName,
  model: string,
  text: string,
  more: Ask = {},
): Promise<Outcome> {
  const requestId = `request-${++lastId}`;
  const headers = { "x-request-id": requestId, ...more.headers };
  const response = await ask(gateway, client, { ...more, model, text, headers });
  return { response, attempts: () => provider.attempts(requestId), requestId };
}

/** The text that the client reads, checked to be one whole answer. */
async function textOf(client: DialectName, response: Response, stream: boolean): Promise<string> {
  const body = await response.text();
  expect(response.status, body).toBe(200);
  if (!stream) return readComplete(client, body);
  const seen = readStream(client, body);
  expect(seen).toMatchObject({ isFinished: true });
  expect(seen.error).toBeUndefined();
  return seen.text;
}

const WAYS = [
  { name: "chat → chat", client: "chat", first: "a", second: "b" },
  { name: "chat → messages", client: "chat", first: "x", second: "c" },
  { name: "messages → chat", client: "messages", first: "y", second: "b" },
] as const;
const KINDS = [
  { kind: "complete", stream: false },
  { kind: "stream", stream: true },
];

describe.concurrent.each(WAYS)("$name", ({ client, first, second }) => {
  describe.each(KINDS)("$kind", ({ stream }) => {
    const failures = [
      "408",
      "429",
      "500",
      "502",
      "503",
      "504",
      "529",
      "reset",
      "empty",
      "page",
      "garbage",
    ];
    const own = stream ? ["error", "late-error", "opening", "late-reset", "object"] : ["object"];

    it.each([...failures, ...own])("the fallback answers after %s", async (failure) => {
      const { response, attempts } = await send(client, first, `${first}=${failure}`, { stream });
      expect(await textOf(client, response, stream)).toBe(RESPONSE_TEXT);
      expect(attempts().map(({ model }) => model)).toEqual([first, second]);
      expect(
        [...response.headers.keys()].filter((name) => name.startsWith("x-gateway-retry")),
      ).toEqual([]);
    });

    it("the client gets the last error in its own format if all attempts fail", async () => {
      const { response } = await send(client, first, `${first}=429 ${second}=503`, { stream });
      expect(response.status).toBe(503);
      expect((await errorOf(response, client)).message).toContain("The model is on fire.");
    });

    it("an invalid request is not tried at the fallback", async () => {
      const { response, attempts } = await send(client, first, `${first}=400`, { stream });
      expect(response.status).toBe(400);
      expect(attempts()).toHaveLength(1);
    });
  });
});

describe.concurrent("a stream", () => {
  // The only cases with a short timeout for the first byte: on a busy machine every response may take longer than that.
  it.each(WAYS.slice(1))(
    "a stream that stays silent moves to the fallback: $name",
    async ({ client, first }) => {
      for (const failure of ["silent", "hang"]) {
        const model = `quick-${first}`;
        const { response, attempts } = await send(client, model, `${model}=${failure}`, {
          stream: true,
        });
        expect(await textOf(client, response, true)).toBe(RESPONSE_TEXT);
        expect(attempts()).toHaveLength(2);
      }
    },
  );

  it("a stream that has begun may pause longer than first_byte_timeout", async () => {
    const started = performance.now();
    const { response, attempts } = await send("chat", "quick-x", "quick-x=slow", { stream: true });
    expect(await textOf("chat", response, true)).toBe(RESPONSE_TEXT);
    expect(performance.now() - started).toBeGreaterThan(2000);
    expect(attempts()).toHaveLength(1);
  });

  it.each(WAYS)(
    "a stream that fails after its first token ends with the error: $name",
    async ({ client, first }) => {
      const { response, attempts } = await send(client, first, `${first}=third-error`, {
        stream: true,
      });
      const seen = readStream(client, await response.text());
      expect(response.status).toBe(200);
      expect(seen.text).not.toBe("");
      expect(seen.error?.message).toContain("Overloaded.");
      expect(attempts()).toHaveLength(1);
    },
  );
});

describe.concurrent("the gateway", () => {
  it("a refused connection is followed by the fallback, and so is a name without an address", async () => {
    const refused = await send("chat", "refused", "hi");
    expect(await textOf("chat", refused.response, false)).toBe(RESPONSE_TEXT);
    expect(refused.attempts().map(({ model }) => model)).toEqual(["c"]);
    const nowhere = await send("chat", "nowhere", "hi");
    expect(await textOf("chat", nowhere.response, false)).toBe(RESPONSE_TEXT);
    const never = await send("chat", "nowhere", "b=reset");
    expect(never.response.status).toBe(503);
    const alone = await send("chat", "lost", "hi");
    expect(alone.response.status).toBe(503);
    expect((await errorOf(alone.response, "chat")).message).toContain("could not be resolved");
  });

  it("a target that does not support the request is skipped, first or later", async () => {
    const several = async (model: string, text: string) => {
      const requestId = `request-${++lastId}`;
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-request-id": requestId },
        body: JSON.stringify({ model, n: 2, messages: [{ role: "user", content: text }] }),
      });
      return { response, models: provider.attempts(requestId).map((one) => one.model) };
    };
    const first = await several("foreign", "hi");
    expect([first.response.status, first.models]).toEqual([200, ["b"]]);
    const later = await several("three", "a=500");
    expect([later.response.status, later.models]).toEqual([200, ["a", "b"]]);
    const afterNothing = await several("refused", "hi");
    expect([afterNothing.response.status, afterNothing.models]).toEqual([200, ["b"]]);
    const none = await several("anthropic/c", "hi");
    expect([none.response.status, none.models]).toEqual([400, []]);
    const last = await several("x", "x=500");
    expect([last.response.status, last.models]).toEqual([500, ["x"]]);
  });

  it("the gateway retries the same model, then the next", async () => {
    const twice = await send("chat", "again", "again=500,ok");
    expect(await textOf("chat", twice.response, false)).toBe(RESPONSE_TEXT);
    expect(twice.attempts().map(({ model }) => model)).toEqual(["again", "again"]);
    const all = await send("chat", "again", "again=503");
    expect(await textOf("chat", all.response, false)).toBe(RESPONSE_TEXT);
    expect(all.attempts().map(({ model }) => model)).toEqual(["again", "again", "again", "b"]);
  });

  it("a provider's retry-after delays the retry; a long one moves to the next model at once", async () => {
    const started = performance.now();
    const waited = await send("chat", "again", "again=429-1,ok");
    expect(await textOf("chat", waited.response, false)).toBe(RESPONSE_TEXT);
    expect(performance.now() - started).toBeGreaterThanOrEqual(1000);
    const long = await send("chat", "again", "again=429-60");
    expect(await textOf("chat", long.response, false)).toBe(RESPONSE_TEXT);
    expect(long.attempts().map(({ model }) => model)).toEqual(["again", "b"]);
  });

  it("an attempt that takes too long ends, and only configured reasons are retried", async () => {
    const slow = await send("chat", "slow", "slow=hang");
    expect(await textOf("chat", slow.response, false)).toBe(RESPONSE_TEXT);
    const never = await send("chat", "slow", "slow=hang b=hang");
    expect(never.response.status).toBe(504);
    expect((await errorOf(never.response, "chat")).message).toContain("openai/b' did not start");
    const status = await send("chat", "slow", "slow=500");
    expect(status.response.status).toBe(500);
    expect(status.attempts()).toHaveLength(1);
  });

  it.each([
    ["chat", false],
    ["chat", true],
    ["messages", false],
    ["messages", true],
    ["responses", false],
    ["responses", true],
  ] as const)(
    "a request that is too long is sent to each longer model once (%s, stream %s)",
    async (client, stream) => {
      const { response, attempts } = await send(client, "short", "short=long c=long", { stream });
      expect(await textOf(client, response, stream)).toBe(RESPONSE_TEXT);
      expect(attempts().map(({ model }) => model)).toEqual(["short", "c", "b"]);
    },
  );

  it("another 400 is not sent to a longer model", async () => {
    const { response, attempts } = await send("chat", "short", "short=400");
    expect([response.status, attempts().length]).toEqual([400, 1]);
  });

  it("the gateway makes no second attempt without fallbacks", async () => {
    const { response, attempts } = await send("chat", "alone", "alone=500");
    expect(response.status).toBe(500);
    expect(attempts()).toHaveLength(1);
  });

  it("the gateway makes no second attempt after the client has disconnected", async () => {
    const gone = new AbortController();
    const requestId = `request-${++lastId}`;
    const asked = ask(gateway, "chat", {
      model: "a",
      text: "a=hang",
      headers: { "x-request-id": requestId },
      signal: gone.signal,
    }).catch(() => undefined);
    await expect.poll(() => provider.attempts(requestId)).toHaveLength(1);
    gone.abort();
    await asked;
    const [line] = await gateway.waitForLog("ingress", (one) => one.requestId === requestId);
    expect(line).toMatchObject({ code: 0, flags: "DC" });
    expect(provider.attempts(requestId)).toHaveLength(1);
  });

  it("the gateway retries once without configuration if no connection was made", async () => {
    const { response, requestId } = await send("chat", "down", "hi");
    expect(response.status).toBe(503);
    const lines = await gateway.waitForLog("llm", (line) => line.requestId === requestId, 2);
    expect(lines.map(({ code, flags }) => [code, flags])).toEqual([
      [0, "UF"],
      [0, "UF"],
    ]);
  });

  it("a large body is sent whole after a fallback, in either format", async () => {
    const text = "x=500 ".padEnd(3_000_000, "large ");
    const { response, attempts } = await send("chat", "x", text);
    expect(await textOf("chat", response, false)).toBe(RESPONSE_TEXT);
    expect(attempts()).toHaveLength(2);
    for (const { request } of attempts()) {
      const { messages } = JSON.parse(request.body) as { messages: { content: string }[] };
      expect(messages[0]?.content === text).toBe(true);
    }
  });

  it("the gateway retries on the ingress listener", async () => {
    const { response } = await send("chat", "x", "x=500", { listener: "ingress" });
    expect(await textOf("chat", response, false)).toBe(RESPONSE_TEXT);
  });
});

describe("several keys", () => {
  const keyOf = ({ credential }: Attempt): string => credential.replace("Bearer ", "");

  it("keys of one provider take turns", async () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 30; i++) {
      const { attempts } = await send("chat", "keys", "hi");
      for (const seen of attempts()) counts.set(keyOf(seen), (counts.get(keyOf(seen)) ?? 0) + 1);
    }
    // Each of the two workers has its own turn.
    for (const key of ["one", "two", "three"]) expect(counts.get(key)).toBeGreaterThanOrEqual(9);
  });

  it.each(["401", "403", "429"])("%s: each other key is tried once", async (status) => {
    for (let i = 0; i < 3; i++) {
      const { response, attempts } = await send("chat", "keys", `keys=one:${status},two:${status}`);
      expect(await textOf("chat", response, false)).toBe(RESPONSE_TEXT);
      const used = attempts().map(keyOf);
      expect(new Set(used).size).toBe(used.length);
      expect(used.at(-1)).toBe("three");
    }
    const none = await send("chat", "keys", `keys=${status}`);
    expect(none.response.status).toBe(Number(status));
    expect(none.attempts().map(keyOf).sort()).toEqual(["one", "three", "two"]);
  });
});

it("targets share the requests by weight, and stand in for each other", async () => {
  const counts: Record<string, number> = { a: 0, b: 0, c: 0 };
  for (let i = 0; i < 200; i++) {
    const { attempts } = await send("chat", "shared", "hi");
    const model = attempts()[0]?.model ?? "";
    counts[model] = (counts[model] ?? 0) + 1;
  }
  // 150 of 200 with a standard deviation of 6.
  expect(counts["a"]).toBeGreaterThan(120);
  expect(counts["a"]).toBeLessThan(180);
  expect(counts["b"]).toBe(0);
  const { response } = await send("chat", "shared", "a=500 c=500");
  expect(await textOf("chat", response, false)).toBe(RESPONSE_TEXT);
});

it("64 clients at once get their own answers, each after a failure", async () => {
  const all = Array.from({ length: 64 }, async (_, index) => {
    const { client, first } = WAYS[index % 3] ?? WAYS[0];
    const nonce = `nonce-${index}x`;
    const { response, attempts } = await send(
      client,
      first,
      `${first}=${index % 2 === 0 ? "500" : "reset"} ${nonce}`,
    );
    expect(await textOf(client, response, false)).toBe(nonce);
    expect(attempts().every(({ request }) => request.body.includes(nonce))).toBe(true);
    expect(attempts()).toHaveLength(2);
  });
  await Promise.all(all);
});

it("each attempt has a line with what that attempt was, and the request's id", async () => {
  const { response, requestId } = await send("chat", "x", "x=error", { stream: true });
  await response.text();
  const lines = await gateway.waitForLog("llm", (line) => line.requestId === requestId, 2);
  const [one, two] = lines;
  expect(one).toMatchObject({ path: "/v1/chat/completions", code: 500 });
  expect(two).toMatchObject({ path: "/v1/messages", code: 200, flags: "-" });
});

it("a provider gets only its own credentials and headers", async () => {
  const { attempts } = await send("messages", "y", "y=500", {
    headers: { authorization: "Bearer client", "anthropic-beta": "some-beta" },
  });
  const [first, second] = attempts();
  expect(first?.request.headers).toMatchObject({
    "x-api-key": "messages-key",
    "anthropic-beta": "some-beta",
  });
  expect(first?.request.headers).not.toHaveProperty("authorization");
  expect(second?.request.headers).toMatchObject({ authorization: "Bearer chat-key" });
  for (const name of ["x-api-key", "anthropic-beta", "anthropic-version"])
    expect(second?.request.headers).not.toHaveProperty(name);
});

describe("a retry budget", () => {
  it("a retry budget leaves the client the failure when too many other attempts are under way", async () => {
    const at = `base_url: http://127.0.0.1:${provider.port}/v1, access_key: $CHAT_KEY`;
    const other = await startGateway({
      config: `
llm_providers:
  - {model: openai/a, ${at}, fallbacks: [openai/b]}
  - {model: openai/b, ${at}}
retry: {budget: 2}
`,
      environment: { CHAT_KEY: "chat-key" },
    });
    const gone = new AbortController();
    try {
      const requestIds = Array.from({ length: 8 }, () => `request-${++lastId}`);
      const asked: Promise<number | "left">[] = [];
      const start = (requestId: string): void => {
        const headers = { "x-request-id": requestId };
        const body = { model: "a", text: "a=500 b=hang", headers, signal: gone.signal };
        asked.push(
          ask(other, "chat", body).then(
            ({ status }) => status,
            () => "left",
          ),
        );
      };
      // Two hold the budget before the next ones ask for it: two workers that ask at once may both get the last of it.
      for (const requestId of requestIds.slice(0, 2)) {
        start(requestId);
        await expect.poll(() => provider.attempts(requestId)).toHaveLength(2);
      }
      requestIds.slice(2).forEach(start);
      expect(await Promise.all(asked.slice(2))).toEqual(Array(6).fill(500));
      gone.abort();
      expect(await Promise.all(asked.slice(0, 2))).toEqual(["left", "left"]);
    } finally {
      await other.stop();
    }
  });
});
