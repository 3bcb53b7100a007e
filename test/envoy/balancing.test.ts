// `balance` through Envoy with two workers: a provider that is slow gets few requests and few sessions, and what clients and providers
// break off leaves nothing behind.
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Behaviour } from "../providers/behaviour.ts";
import { openaiDialect } from "../providers/openai.ts";
import { startServer } from "../providers/server.ts";
import type { Dialect, FakeProvider } from "../providers/server.ts";

const TARGETS = 3;
const KEY = "key-of-the-test";
const SLOW_MS = 2000;

/** What each provider does with its requests. */
const behaviours: Behaviour[] = [];
let providers: FakeProvider[] = [];
let gateway: Gateway;

function provider(index: number): Dialect {
  const first = openaiDialect({ key: KEY });
  return { ...first, handle: (request) => first.handle(request, behaviours[index]) };
}

const config = (balance: string): string => `version: v0.1.0
observability: {}
llm_providers:
${providers.map(({ url }, index) => `  - {model: p${index}/gpt, provider_interface: openai, base_url: "${url}/v1", access_key: $KEY}`).join("\n")}
pricing:
  p0/gpt: {input: 9, output: 9}
  p1/gpt: {input: 1, output: 1}
  p2/gpt: {input: 3, output: 3}
model_aliases:
  shared: {targets: [${providers.map((_, index) => `{model: p${index}/gpt}`).join(", ")}], balance: ${balance}}
`;

beforeAll(async () => {
  providers = await Promise.all(
    Array.from({ length: TARGETS }, (_, index) => startServer(provider(index))),
  );
});
afterAll(async () => {
  await Promise.all(providers.map((one) => one.stop()));
});

function reset(): void {
  behaviours.length = 0;
  for (const { requests } of providers) requests.length = 0;
}

const counts = (): number[] => providers.map(({ requests }) => requests.length);

interface Sent {
  /** The status; 0 if the client has left, or the response was cut. */
  status: Promise<number>;
  leave: () => void;
}

/** Sends a request on a separate connection, so that any worker gets it. */
function start(session?: string, isStream = true): Sent {
  const sent = httpRequest(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    agent: false,
    headers: {
      "content-type": "application/json",
      ...(session === undefined ? {} : { "x-session-id": session }),
    },
  });
  const status = new Promise<number>((resolve) => {
    sent.on("response", (response) => {
      response.resume();
      response.on("end", () => {
        resolve(response.statusCode ?? 0);
      });
      response.on("error", () => {
        resolve(0);
      });
    });
    sent.on("error", () => {
      resolve(0);
    });
  });
  const messages = [{ role: "user", content: "Hello" }];
  sent.end(JSON.stringify({ model: "shared", stream: isStream, messages }));
  return { status, leave: () => sent.destroy() };
}

const send = (session?: string, isStream = true): Promise<number> =>
  start(session, isStream).status;

/** Sends requests, so many at once; returns those statuses that are not 200. */
async function sendAll(
  count: number,
  atOnce: number,
  sessionOf?: (index: number) => string,
  isStream = true,
): Promise<number[]> {
  let next = 0;
  const failed: number[] = [];
  const one = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const status = await send(sessionOf?.(index), isStream);
      if (status !== 200) failed.push(status);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return failed;
}

async function expectTwoWorkers(): Promise<void> {
  const text = await gateway.admin("/stats?filter=worker_[01].downstream_cx_total");
  const used = [...text.matchAll(/: (\d+)/g)].filter(([, count]) => Number(count) > 0);
  expect(used.length).toBeGreaterThanOrEqual(2);
}

describe("balance: latency", () => {
  beforeAll(async () => {
    gateway = await startGateway({ config: config("latency"), environment: { KEY } });
  });
  afterAll(() => gateway.stop());

  it.each([true, false])(
    "a slow provider gets a twentieth at most (stream: %s)",
    async (isStream) => {
      reset();
      behaviours[0] = { kind: "answer", delayMs: SLOW_MS };
      expect(await sendAll(150, 6, undefined, isStream)).toEqual([]);
      const [slow = 0, ...others] = counts();
      expect(slow).toBeLessThanOrEqual(7);
      for (const count of others) expect(count).toBeGreaterThan(30);
      await expectTwoWorkers();
    },
  );

  it("sessions stay where they were placed, whatever becomes slow later", async () => {
    reset();
    const sessions = 24;
    const placed: number[][] = Array.from({ length: sessions }, () => []);
    for (let turn = 0; turn < 4; turn++) {
      for (let session = 0; session < sessions; session++) {
        const before = counts();
        expect(await send(`session-${session}`, turn % 2 === 0)).toBe(200);
        placed[session]?.push(counts().findIndex((count, index) => count > (before[index] ?? 0)));
      }
      behaviours[1] = { kind: "answer", delayMs: 60 };
    }
    for (const places of placed) expect(new Set(places).size).toBe(1);
    expect(new Set(placed.map(([first]) => first)).size).toBeGreaterThan(1);
  });

  it("a provider that fails is avoided, and used again", async () => {
    reset();
    behaviours[2] = { kind: "error", status: 429, retryAfter: "1" };
    expect(await sendAll(60, 3)).toEqual([]);
    expect(counts()[2]).toBeLessThanOrEqual(10);
    behaviours.length = 0;
    await expect
      .poll(
        async () => {
          await sendAll(6, 3);
          return providers[2]?.requests.length ?? 0;
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(10);
  });
});

describe("balance: load", () => {
  beforeAll(async () => {
    gateway = await startGateway({ config: config("load"), environment: { KEY } });
  });
  afterAll(() => gateway.stop());

  /** Sends requests one after the other until one is at the first provider, and returns that one. */
  async function startAtFirst(): Promise<Sent> {
    for (let index = 0; index < 60; index++) {
      reset();
      behaviours[0] = { kind: "stall", afterEvents: 3 };
      const sent = start();
      await expect.poll(() => Math.max(...counts())).toBe(1);
      if (counts()[0] === 1) return sent;
      expect(await sent.status).toBe(200);
    }
    throw new Error("the first provider gets no requests: others have fewer that are open");
  }

  it("a provider with an open request gets none while others have none", async () => {
    const { leave } = await startAtFirst();
    const [{ wasCut } = { wasCut: undefined }] = providers[0]?.requests ?? [];
    expect(await sendAll(20, 1)).toEqual([]);
    expect(counts()[0]).toBe(1);
    leave();
    expect(await wasCut).toBe(true);
  });

  it("no open request is left of a client that leaves", async () => {
    for (let round = 0; round < 6; round++) {
      const { leave } = await startAtFirst();
      const [{ wasCut } = { wasCut: undefined }] = providers[0]?.requests ?? [];
      leave();
      expect(await wasCut).toBe(true);
    }
  });

  it("no open request is left of a connection that breaks", async () => {
    let broken = 0;
    for (let index = 0; index < 90 && broken < 6; index++) {
      reset();
      behaviours[0] = { kind: "reset", afterEvents: 3 };
      if ((await send()) !== 200) broken++;
    }
    expect(broken).toBe(6);
  });
});

describe("balance: cost", () => {
  beforeAll(async () => {
    gateway = await startGateway({ config: config("cost"), environment: { KEY } });
  });
  afterAll(() => gateway.stop());

  it("the cheapest gets all requests, and the next one if it fails", async () => {
    reset();
    expect(await sendAll(20, 4)).toEqual([]);
    expect(counts()).toEqual([0, 20, 0]);
    behaviours[1] = { kind: "error", status: 503 };
    expect(await sendAll(20, 1)).toEqual([]);
    expect(counts()[2]).toBeGreaterThanOrEqual(19);
    expect(counts()[0]).toBeLessThanOrEqual(1);
  });
});
