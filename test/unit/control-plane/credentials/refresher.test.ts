// A token is replaced at half of its lifetime; a failing identity provider costs nothing while the old one is valid.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MintedToken } from "../../../../control-plane/credentials/refresher.ts";
import { Refresher } from "../../../../control-plane/credentials/refresher.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let refresher: Refresher;
let written: string[];
let requests: number[];
let mint: () => Promise<MintedToken>;

function start(): Refresher {
  refresher = new Refresher(
    () => {
      requests.push(Date.now());
      return mint();
    },
    { write: (token) => written.push(token), onChange: () => undefined },
  );
  return refresher;
}

const tokens = (lifetime: number) => () =>
  Promise.resolve({ token: `token-${requests.length}`, expiresAt: Date.now() + lifetime });
const failing = (message: string) => () => Promise.reject(new Error(message));

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  written = [];
  requests = [];
});
afterEach(() => {
  refresher.stop();
  vi.useRealTimers();
});

describe("a token", () => {
  it("a token is requested at once, and again at half of its lifetime", async () => {
    mint = tokens(HOUR);
    await start().hasTried;
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(requests).toEqual([0, 30 * MINUTE, HOUR]);
    expect(written).toEqual(["token-1", "token-2", "token-3"]);
    expect(refresher.state).toEqual({ validUntil: 2 * HOUR });
  });

  it("a token of an identity provider that repeats it is requested before it expires", async () => {
    // As Google's metadata server: the same token until five minutes before its end.
    let end = HOUR;
    mint = () => {
      if (end - Date.now() < 5 * MINUTE) end = Date.now() + HOUR;
      return Promise.resolve({ token: String(end), expiresAt: end });
    };
    await start().hasTried;
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(written).not.toContain("");
    expect(refresher.state.validUntil).toBeGreaterThan(HOUR);
  });

  it("a token stays while a new one cannot be had, and is removed when it expires", async () => {
    mint = tokens(HOUR);
    await start().hasTried;
    mint = failing("the identity provider is down");
    await vi.advanceTimersByTimeAsync(HOUR - 1);
    expect(written).toEqual(["token-1"]);
    expect(refresher.state).toEqual({
      validUntil: HOUR,
      lastError: "the identity provider is down",
    });
    await vi.advanceTimersByTimeAsync(1);
    expect(written).toEqual(["token-1", ""]);
    expect(refresher.state).toEqual({ lastError: "the identity provider is down" });
    mint = tokens(HOUR);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(written).toHaveLength(3);
    expect(refresher.state.lastError).toBeUndefined();
  });
});

it("the pauses after failures double up to a minute", async () => {
  mint = failing("no");
  await start().hasTried;
  await vi.advanceTimersByTimeAsync(4 * MINUTE);
  const pauses = requests.slice(1).map((at, index) => (at - (requests[index] ?? 0)) / 1000);
  expect(pauses.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

it("nothing is requested after a stop, and a token that comes late is not written", async () => {
  const late = Promise.withResolvers<MintedToken>();
  mint = () => late.promise;
  const { hasTried } = start();
  refresher.stop();
  late.resolve({ token: "late", expiresAt: HOUR });
  await hasTried;
  await vi.advanceTimersByTimeAsync(HOUR);
  expect(written).toEqual([]);
  expect(requests).toHaveLength(1);
});

it("the reason of a failure is one line, without what looks like a secret", async () => {
  mint = failing(`invalid_grant:\n eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0 ${"long ".repeat(200)}`);
  await start().hasTried;
  expect(refresher.state.lastError).toMatch(/^invalid_grant: \(not shown\) long /);
  expect(refresher.state.lastError?.length).toBeLessThan(310);
});
