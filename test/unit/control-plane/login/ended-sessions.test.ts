// Sessions that have ended: every Envoy gets all of them, and gateways with one Redis have the same.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EnvoySessions, loginsTo } from "../../../../control-plane/login/push-sessions.ts";
import { SharedSessions } from "../../../../control-plane/login/shared-sessions.ts";
import {
  EndedSessions,
  MAX_ENDED,
} from "../../../../control-plane/observability/sign-in/page-session.ts";
import { missingForRateLimitService } from "../../../../scripts/rate-limit-service.ts";
import { startRedis, type TestRedis } from "../../../gateway/redis.ts";
import { startFakeEnvoy } from "../keys/fake-envoy.ts";

const missing = missingForRateLimitService(process.env);
if (missing !== undefined) console.error(`· Not tested: shared logouts, because ${missing}`);

const NOW = Date.now() / 1000;
const LATER = NOW + 3600;
const SOON = { timeout: 30_000, interval: 20 };

it("an Envoy gets all that have ended before it accepts tokens, and then each as it ends", async () => {
  const directory = mkdtempSync(join(tmpdir(), "sessions-"));
  const socket = join(directory, "envoy.sock");
  const envoy = await startFakeEnvoy(socket);
  const ids = Array.from({ length: 6000 }, (_, at) => `session-${String(at)}`);
  const sessions = new EnvoySessions({
    ...{ all: () => ids, send: loginsTo(socket), what: "ended logins", report: () => undefined },
  });
  await sessions.push();
  const sent = envoy.pushes.flatMap((one) => Object.keys(one.sessions ?? {}));
  expect(sent).toEqual([...ids, "*"]);
  envoy.pushes.length = 0;
  // It is down for the first push alone.
  let asked = 0;
  Object.defineProperty(envoy, "isDown", { get: () => asked++ === 0 });
  const pushed = sessions.push(["one"]);
  void sessions.push(["two"]);
  await pushed;
  expect(asked).toBeGreaterThan(1);
  expect(Object.assign({}, ...envoy.pushes.map((one) => one.sessions))).toEqual({
    one: {},
    two: {},
  });
  sessions.close();
  await envoy.close();
  rmSync(directory, { recursive: true });
});

const endsOf = (name: string, count: number, expires: number) =>
  Array.from({ length: count }, (_, at): [string, number] => [`${name}-${String(at)}`, expires]);

it("the sessions that expire first are forgotten if too many have ended", () => {
  const changes: (readonly string[])[] = [];
  const ended = new EndedSessions([], (ids) => changes.push(ids));
  ended.end({ id: "page", expires: LATER }, NOW);
  ended.add(endsOf("login", MAX_ENDED - 1, LATER + 1), NOW);
  expect(ended.has({ id: "page" })).toBe(true);
  ended.end({ id: "last", expires: LATER + 2 }, NOW);
  expect(["page", "login-0", "last"].map((id) => ended.has({ id }))).toEqual([false, true, true]);
  ended.end({ id: "page", expires: LATER }, NOW);
  expect(ended.all.size).toBe(MAX_ENDED);
  expect(changes.map(({ length }) => length)).toEqual([1, MAX_ENDED - 1, 1]);
});

describe.skipIf(missing !== undefined)("gateways with one Redis", { timeout: 120_000 }, () => {
  let redis: TestRedis;
  const open = async (onProblem: () => void = () => undefined) => {
    const onChange = () => {
      gateway.changes++;
      void gateway.shared?.write();
    };
    const gateway: {
      ended: EndedSessions;
      shared?: SharedSessions;
      changes: number;
      lines: string[];
    } = { ended: new EndedSessions([], onChange), changes: 0, lines: [] };
    gateway.shared = new SharedSessions({
      kind: { place: "sessions", what: "Logouts", withoutRedis: "they count later" },
      settings: { url: { text: redis.url }, prefix: "test", onFailure: "allow" },
      environment: {},
      ended: gateway.ended,
      report: (line) => gateway.lines.push(line),
      onProblem,
    });
    await gateway.shared.start();
    all.push(gateway.shared);
    return gateway;
  };
  let all: SharedSessions[];
  beforeEach(async () => {
    all = [];
    redis = await startRedis({ password: "a-password" });
  });
  afterEach(async () => {
    for (const one of all) await one.close();
    await redis.stop();
  });

  it("a logout counts at the other gateway, also one that starts later, until it may be forgotten", async () => {
    const [first, second] = [await open(), await open()];
    first.ended.end({ id: "one", expires: LATER }, NOW);
    second.ended.end({ id: "two", expires: LATER }, NOW);
    for (const { ended } of [first, second])
      await vi.waitFor(() => {
        expect([...ended.all.keys()].sort()).toEqual(["one", "two"]);
      }, SOON);
    const third = await open();
    expect(third.ended.all.get("one")).toBeCloseTo(LATER, 3);
  });

  it("gateways at the limit keep the same sessions, and exchange no more", async () => {
    const [first, second] = [await open(), await open()];
    first.ended.add(endsOf("login", MAX_ENDED - 10, LATER + 1), NOW);
    await vi.waitFor(() => {
      expect(second.ended.all.size).toBe(MAX_ENDED - 10);
    }, SOON);
    // They expire before those that ended earlier, and all at once: ten are kept.
    second.ended.add(endsOf("page", 20, LATER), NOW);
    await vi.waitFor(() => {
      expect(first.ended.all.size).toBe(MAX_ENDED);
      expect(new Set(first.ended.all.keys())).toEqual(new Set(second.ended.all.keys()));
    }, SOON);
    const changes = () => [first.changes, second.changes];
    const before = changes();
    for (const { shared } of [first, second, first, second]) await shared?.write();
    expect(changes()).toEqual(before);
    expect((await open()).ended.all).toEqual(first.ended.all);
  });

  it("logouts while Redis is down, and those that it has lost, count when it is back", async () => {
    const [first, second] = [await open(), await open()];
    first.ended.end({ id: "before", expires: LATER }, NOW);
    await vi.waitFor(() => {
      expect(second.ended.has({ id: "before" })).toBe(true);
    }, SOON);
    await redis.kill();
    await vi.waitFor(() => {
      expect(first.shared?.problem).toContain("Redis cannot be used");
    }, SOON);
    second.ended.end({ id: "meanwhile", expires: LATER }, NOW);
    expect(first.ended.has({ id: "meanwhile" })).toBe(false);
    await redis.start();
    await vi.waitFor(() => {
      expect(first.ended.has({ id: "meanwhile" })).toBe(true);
    }, SOON);
    await vi.waitFor(() => {
      expect(first.shared?.problem).toBeUndefined();
    }, SOON);
    expect((await open()).ended.has({ id: "before" })).toBe(true);
    expect(first.lines.join()).not.toContain("a-password");
  });
});
