// Providers that keep failing, and too many requests at once: who is left out, who is refused, and for how long.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Gateway } from "../gateway/gateway.ts";
import { ask, errorOf } from "./ask.ts";
import { startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider, Script } from "../providers/scripted-provider.ts";
import { responseParts, RESPONSE_TEXT } from "../providers/wire.ts";
import { readComplete } from "./read-response.ts";
import { host, RETRY, targetAt } from "./models.ts";
import { startTwoDialects } from "../gateway/two-dialects.ts";

const FAILURES = 3;
/** More than the requests of a test take on a loaded machine. */
const EJECTION_MS = 6000;

const respond: Script = (response) => {
  const [body = ""] = responseParts("chat", "complete").parts;
  response.writeHead(200, { "content-type": "application/json" }).end(body);
};
const fail =
  (status: number): Script =>
  (response) => {
    const [body = ""] = responseParts("chat", "error").parts;
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  };

let first: ScriptedProvider;
let second: ScriptedProvider;
let gateway: Gateway;
let behave: Script = respond;

beforeAll(async () => {
  first = await startProvider((response, request) => behave(response, request));
  second = await startProvider(respond);
});
afterAll(() => Promise.all([first.stop(), second.stop()]));

/** A gateway of its own for each test: what one has ejected is none of the next one's business. */
async function start(consecutiveFailures = FAILURES): Promise<void> {
  gateway = await startTwoDialects(1, {
    adapt(model) {
      model.targets = [
        targetAt("test/first", host("127.0.0.1", first.port)),
        targetAt("test/second", host("127.0.0.1", second.port)),
        targetAt("test/refused", host("127.0.0.1", 1)),
        targetAt("test/alone", host("localhost", first.port)),
      ];
      model.targetSets = [
        { name: "safe", targets: [0, 1], retry: RETRY },
        { name: "lost", targets: [2, 0], retry: RETRY },
        { name: "twice", targets: [3], retry: { ...RETRY, attempts: 2 } },
      ];
      model.upstream = { consecutiveFailures, ejectionTimeMs: EJECTION_MS };
      model.limits.concurrentRequests = 3;
    },
  });
}

/** Status of so many requests one after the other, and how many of them the first provider got. */
async function askOften(model: string, count: number): Promise<{ codes: number[]; got: number }> {
  const before = first.requests.length;
  const codes: number[] = [];
  for (let at = 0; at < count; at++) codes.push((await ask(gateway, "chat", { model })).status);
  return { codes, got: first.requests.length - before };
}

const isAsked = async (): Promise<number> => (await askOften("safe", 1)).got;

/** Not before so many failures, and soon after: Envoy tells its workers of it. */
async function becomesLeftOut(): Promise<void> {
  expect((await askOften("safe", FAILURES)).got).toBe(FAILURES);
  await expect.poll(isAsked).toBe(0);
}

describe("a provider that keeps failing", () => {
  beforeEach(() => start());
  afterEach(() => gateway.stop());

  it.each([502, 503, 504])("a provider that keeps failing with %i is ejected", async (status) => {
    behave = fail(status);
    await becomesLeftOut();
    expect(await askOften("safe", 3)).toEqual({ codes: [200, 200, 200], got: 0 });
  });

  it("an ejected provider is requested again after a while", async () => {
    behave = fail(503);
    await becomesLeftOut();
    behave = respond;
    await expect.poll(isAsked, { timeout: 60_000, interval: 200 }).toBe(1);
  });

  it.each([429, 500, 529])(
    "a provider that keeps failing with %i gets each request",
    async (status) => {
      behave = fail(status);
      expect(await askOften("safe", FAILURES * 2)).toEqual({
        codes: Array(FAILURES * 2).fill(200),
        got: FAILURES * 2,
      });
    },
  );

  it("a provider that keeps breaking connections is ejected", async () => {
    behave = (response) => {
      response.socket?.resetAndDestroy();
    };
    await becomesLeftOut();
  });

  it("an ejected provider gets requests for its name, which no other target serves", async () => {
    behave = fail(503);
    await becomesLeftOut();
    expect(await askOften("test/first", FAILURES * 2)).toEqual({
      codes: Array(FAILURES * 2).fill(503),
      got: FAILURES * 2,
    });
  });

  it("an ejected provider gets every retry if it is the only target", async () => {
    behave = fail(503);
    const { codes, got } = await askOften("twice", FAILURES);
    expect(codes).toEqual(Array(FAILURES).fill(503));
    expect(got).toBe(FAILURES * 2);
  });

  it("a request gets an error if all targets are ejected", async () => {
    behave = fail(503);
    const message = async (): Promise<string> =>
      (await errorOf(await ask(gateway, "chat", { model: "lost" }), "chat")).message;
    await expect.poll(message, { timeout: 60_000 }).toMatch(/ejected after repeated failures/);
  });
});

it("no target is ejected if outlier detection is off", async () => {
  await start(0);
  behave = fail(503);
  expect((await askOften("safe", 10)).got).toBe(10);
  await gateway.stop();
});

it("more requests at once than the circuit breaker allows are refused, and only they", async () => {
  await start();
  let open: (() => void)[] = [];
  behave = (response, request) => {
    open.push(() => void respond(response, request));
  };
  const asked = Array.from({ length: 3 }, () => ask(gateway, "chat", { model: "test/first" }));
  await expect.poll(() => open.length).toBe(3);
  const refused = await ask(gateway, "chat", { model: "test/first" });
  expect(refused.status).toBe(503);
  expect((await errorOf(refused, "chat")).message).toMatch(/^Too many requests are in flight/);
  expect((await ask(gateway, "chat", { model: "test/second" })).status).toBe(200);
  for (const end of open) end();
  open = [];
  for (const response of await Promise.all(asked))
    expect(readComplete("chat", await response.text())).toBe(RESPONSE_TEXT);
  await gateway.stop();
});
