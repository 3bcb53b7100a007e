// `balance`: the targets of an alias are chosen by what was measured of them, in virtual time.
import { describe, expect, it } from "vitest";
import { SharedData } from "../../control-plane/wasm-host/wasm-shared-data.ts";
import type { FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import { gatewayOf } from "./affinity-gateway.ts";
import { Clock, exponential, percentile, randomNumbers, simulate } from "./queue-simulation.ts";
import type { Replica, Visit } from "./queue-simulation.ts";

/** Two workers of a gateway. */
async function workersOf(
  targets: number,
  balance: string,
  clock: Clock,
  weights: number[] = [],
): Promise<FilterHost[]> {
  const sharedData = new SharedData();
  const setting = { targets, keys: 1, weights, more: `    balance: ${balance}\n` };
  const load = () => gatewayOf(setting, "openai", { now: clock.now, sharedData });
  return [await load(), await load()];
}

const shareOf = (visits: readonly Visit[], replica: number): number =>
  visits.filter((visit) => visit.replica === replica).length / visits.length;

describe("replicas that are busy for 80 % of the time", () => {
  const REPLICAS = 8;
  const MEAN_MS = 1000;

  /** Returns the milliseconds within which 99 % of the requests are over. */
  async function slowest(balance: string): Promise<number> {
    const clock = new Clock();
    const random = randomNumbers(1);
    const replica: Replica = {
      slots: 1,
      times: () => ({ first: 50, rest: exponential(random, MEAN_MS - 50) }),
    };
    let at = 0;
    const arrivals = Array.from({ length: 4000 }, () => {
      at += exponential(random, MEAN_MS / REPLICAS / 0.8);
      return { at };
    });
    const visits = simulate({
      gateways: await workersOf(REPLICAS, balance, clock),
      clock,
      replicas: Array.from({ length: REPLICAS }, () => replica),
      arrivals,
    });
    expect(visits).toHaveLength(arrivals.length);
    return percentile(
      visits.map(({ milliseconds }) => milliseconds),
      0.99,
    );
  }
  const byWeight = slowest("weight");

  it.each(["latency", "load"])(
    "the 99th percentile is at most 0.6 of that of random choice with balance: %s",
    async (balance) => {
      expect(await slowest(balance)).toBeLessThan(0.6 * (await byWeight));
    },
  );
});

describe("a replica that is slow", () => {
  const SECONDS = 25;
  const NEW_SESSIONS = 20;

  /** New sessions, with the replica 0 slow from a time on. */
  async function run(balance: string, slowFrom: number): Promise<Visit[]> {
    const clock = new Clock();
    const fast: Replica = { slots: 16, times: () => ({ first: 60, rest: 140 }) };
    const slow: Replica = {
      slots: 16,
      times: (at) => (at < slowFrom ? { first: 60, rest: 140 } : { first: 3000, rest: 2000 }),
    };
    return simulate({
      gateways: await workersOf(4, balance, clock),
      clock,
      replicas: [slow, fast, fast, fast],
      arrivals: Array.from({ length: SECONDS * NEW_SESSIONS }, (_, index) => ({
        at: (index * 1000) / NEW_SESSIONS,
        session: `session-${index}`,
      })),
    });
  }

  it.each([
    { balance: "latency", slowFrom: 0 },
    { balance: "latency", slowFrom: 15_000 },
    { balance: "load", slowFrom: 15_000 },
  ])(
    "a slow replica gets 1 of 20 new sessions at most within 5 s, with $balance, slow from $slowFrom ms",
    async ({ balance, slowFrom }) => {
      const visits = await run(balance, slowFrom);
      const soon = visits.filter(({ at }) => at >= slowFrom && at < slowFrom + 5000);
      const later = visits.filter(({ at }) => at >= slowFrom + 5000);
      expect(soon.length).toBeGreaterThanOrEqual(5 * NEW_SESSIONS);
      expect(shareOf(soon, 0)).toBeLessThan(0.05);
      expect(shareOf(later, 0)).toBeLessThan(0.05);
      for (const replica of [1, 2, 3]) expect(shareOf(later, replica)).toBeGreaterThan(0.2);
    },
  );

  it("a slow replica gets its share of new sessions with the weights alone", async () => {
    const visits = await run("weight", 0);
    expect(shareOf(visits, 0)).toBeGreaterThan(0.2);
  });

  it("a slow replica gets new sessions again when it is as fast as the others", async () => {
    const clock = new Clock();
    const fast: Replica = { slots: 16, times: () => ({ first: 60, rest: 140 }) };
    const other: Replica = {
      slots: 16,
      times: (at) => (at < 20_000 ? { first: 3000, rest: 2000 } : { first: 60, rest: 140 }),
    };
    const visits = simulate({
      gateways: await workersOf(4, "latency", clock),
      clock,
      replicas: [other, fast, fast, fast],
      arrivals: Array.from({ length: 2400 }, (_, index) => ({
        at: index * 100,
        session: `session-${index}`,
      })),
    });
    expect(
      shareOf(
        visits.filter(({ at }) => at < 20_000),
        0,
      ),
    ).toBeLessThan(0.05);
    expect(
      shareOf(
        visits.filter(({ at }) => at > 120_000),
        0,
      ),
    ).toBeGreaterThan(0.1);
  });
});

describe("targets with weights", () => {
  it("a target of three times the weight gets three times the requests with balance: load", async () => {
    const clock = new Clock();
    const random = randomNumbers(2);
    const times = () => ({ first: 50, rest: exponential(random, 1000) });
    let at = 0;
    const visits = simulate({
      gateways: await workersOf(2, "load", clock, [3, 1]),
      clock,
      replicas: [
        { slots: 30, times },
        { slots: 10, times },
      ],
      arrivals: Array.from({ length: 1500 }, () => ({ at: (at += exponential(random, 30)) })),
    });
    expect(shareOf(visits, 0)).toBeGreaterThan(0.7);
    expect(shareOf(visits, 0)).toBeLessThan(0.8);
  });

  it.each(["latency", "load", "cost"])(
    "a target of the weight 0 gets no request first with balance: %s",
    async (balance) => {
      const clock = new Clock();
      const visits = simulate({
        gateways: await workersOf(3, balance, clock, [1, 0, 1]),
        clock,
        replicas: [0, 1, 2].map(() => ({ slots: 9, times: () => ({ first: 50, rest: 50 }) })),
        arrivals: Array.from({ length: 100 }, (_, index) => ({ at: index * 20 })),
      });
      expect(shareOf(visits, 1)).toBe(0);
      expect(shareOf(visits, 0)).toBeGreaterThan(0.2);
      expect(shareOf(visits, 2)).toBeGreaterThan(0.2);
    },
  );
});
