// `balance`: what is counted and measured of an attempt, however it ends, and where its session stays.
import { describe, expect, it } from "vitest";
import type { FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import { FAILURES } from "../../control-plane/wasm-host/upstream.ts";
import type { ExchangeInput } from "../../control-plane/wasm-host/wasm-exchange.ts";
import { gatewayOf, inputOf, ok, question, send } from "./affinity-gateway.ts";
import type { Setting, Upstream } from "./affinity-gateway.ts";
import { Clock } from "./queue-simulation.ts";
import { WatchedData } from "./watched-data.ts";

interface Balanced {
  gateway: FilterHost;
  clock: Clock;
  data: WatchedData;
  /** A further worker of the gateway, or the gateway after a reload. */
  another: () => Promise<FilterHost>;
}

async function balanced(balance: string, setting: Partial<Setting> = {}): Promise<Balanced> {
  const clock = new Clock();
  const data = new WatchedData();
  const { more = "", ...rest } = setting;
  const all = { targets: 3, keys: 1, ...rest, more: `    balance: ${balance}\n${more}` };
  const another = () => gatewayOf(all, "openai", { now: clock.now, sharedData: data });
  return { gateway: await another(), clock, data, another };
}

const named = (session: string): [string, string][] => [["x-session-id", session]];
const hostOf = (place: string | undefined): string => place?.split(" ")[0] ?? "";
const status =
  (code: number, headers: [string, string][] = []): Upstream =>
  () => ({
    status: code,
    headers: [["content-type", "application/json"], ...headers],
    chunks: [Buffer.from('{"error":{"message":"no"}}')],
  });
const stream: Upstream = () => ({
  status: 200,
  headers: [["content-type", "text/event-stream"]],
  chunks: [
    Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'),
    Buffer.from(
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    ),
  ],
});

/** Runs a request with an upstream of its attempts, until its client leaves if it does. */
function run(gateway: FilterHost, upstream: Upstream, more: Partial<ExchangeInput> = {}): void {
  const body = { ...question("Hi"), stream: true };
  gateway.exchange({ ...inputOf(body, []), upstream, ...more });
}

describe("open requests of a target", () => {
  it.each<[string, Upstream, Partial<ExchangeInput>]>([
    ["a response", ok, {}],
    ["a stream", stream, {}],
    ["an error of the client", status(400), {}],
    ["an error after all attempts", status(500), {}],
    ["a rejected key", status(401), {}],
    ["refused connections", () => FAILURES.connectionRefused, {}],
    ["no response in time", () => FAILURES.timeout, {}],
    ["a broken stream", (request) => ({ ...stream(request), ending: "reset" as const }), {}],
    ["a client that leaves before the response", ok, { clientLeavesAfter: -1 }],
    ["a client that leaves in the response", stream, { clientLeavesAfter: 1 }],
  ])("open requests are counted, and no more after %s", async (_, upstream, more) => {
    for (const balance of ["latency", "load", "cost"]) {
      const { gateway, data } = await balanced(balance);
      let most = 0;
      run(
        gateway,
        (request) => {
          most = Math.max(most, data.open);
          return upstream(request);
        },
        more,
      );
      if (more.clientLeavesAfter !== -1) expect(most).toBe(1);
      expect(data.open).toBe(0);
      expect(data.bytes).toBeGreaterThan(0);
    }
  });

  it("open requests fade if the worker that has counted them is lost", async () => {
    const { gateway, data, clock, another } = await balanced("load");
    for (let lost = 0; lost < 30; lost++) {
      const lostRun = gateway.start({ ...inputOf(question("Hi"), []), upstream: ok });
      for (let step = 0; step < 2; step++) lostRun.next();
    }
    expect(data.open).toBe(30);
    const next = await another();
    clock.time += 30 * 60_000;
    const hosts = new Map<string, number>();
    for (let index = 0; index < 300; index++) {
      const host = hostOf(send(next, question("Hi"), [], ok).places[0]);
      hosts.set(host, (hosts.get(host) ?? 0) + 1);
    }
    for (const count of hosts.values()) expect(count).toBeGreaterThan(70);
    expect(data.open).toBe(0);
  });

  it("open requests are exact for a request that was open for long", async () => {
    const { gateway, data, clock } = await balanced("load", { targets: 2 });
    const long = gateway.start({ ...inputOf(question("Hi"), []), upstream: ok });
    for (let step = 0; step < 2; step++) long.next();
    clock.time += 7 * 60_000;
    send(gateway, question("Hi"), [], ok);
    clock.time += 11 * 60_000;
    while (long.next().done !== true);
    send(gateway, question("Hi"), [], ok);
    expect(data.open).toBeLessThan(1e-9);
  });

  it("open requests are neither counted nor measured with the weights", async () => {
    const { gateway, data } = await balanced("weight");
    send(gateway, question("Hi"), named("one"), ok);
    expect(data.size).toBe(0);
  });
});

describe("a target that has failed", () => {
  /** Returns the targets to which requests go first. */
  function firsts(gateway: FilterHost): Set<string> {
    const hosts = new Set<string>();
    for (let index = 0; index < 50; index++)
      hosts.add(hostOf(send(gateway, question("Hi"), [], ok).places[0]));
    return hosts;
  }

  it.each([
    ["a 429 that asks for 20 s", status(429, [["retry-after", "20"]]), 20],
    ["a 429", status(429), 5],
    ["a 503", status(503), 5],
    ["a refused connection", () => FAILURES.connectionRefused, 5],
    ["a 429 that asks for an hour", status(429, [["retry-after", "3600"]]), 60],
  ] as [string, Upstream, number][])(
    "a target that has failed gets no new requests for a while after %s",
    async (_, failure, seconds) => {
      for (const balance of ["latency", "load", "cost"]) {
        const { gateway, clock, another } = await balanced(balance);
        let failed = "";
        const { status: code } = send(gateway, question("Hi"), [], (request) => {
          if (failed !== "") return ok(request);
          failed = request.authority;
          return failure(request);
        });
        expect(code).toBe(200);
        const worker = await another();
        clock.time += seconds * 1000 - 500;
        expect(firsts(worker)).not.toContain(failed);
        clock.time += 1000;
        expect(firsts(worker)).toContain(failed);
      }
    },
  );

  it("a target that has failed gets requests if all of them have failed", async () => {
    const { gateway } = await balanced("latency");
    send(gateway, question("Hi"), [], status(503));
    expect(firsts(gateway).size).toBeGreaterThan(0);
  });

  it("a target that has failed is used on if another of its keys works, and after an error of the client", async () => {
    const { gateway } = await balanced("load", { keys: 2 });
    let count = 0;
    send(gateway, question("Hi"), [], (request) =>
      count++ === 0 ? status(429)(request) : ok(request),
    );
    send(gateway, question("Hi"), [], status(400));
    expect(firsts(gateway).size).toBe(3);
  });
});

describe("a session of an alias with balance", () => {
  const SESSIONS = 40;
  const places = (gateway: FilterHost, upstream: Upstream = ok): string[] =>
    Array.from({ length: SESSIONS }, (_, session) =>
      hostOf(send(gateway, question("Hi"), named(`s${session}`), upstream).places.at(-1)),
    );

  it.each(["latency", "load", "cost"])(
    "a session keeps to its target with %s, whatever is measured later, at each worker and after a reload",
    async (balance) => {
      const { gateway, clock, another } = await balanced(balance);
      const usual = places(gateway);
      expect(new Set(usual).size).toBeGreaterThan(1);
      // Everybody is slow now but one.
      const slowly: Upstream = (request) => {
        if (request.authority !== "p1.test") clock.time += 700;
        return ok(request);
      };
      for (let index = 0; index < 60; index++) send(gateway, question("Hi"), [], slowly);
      expect(places(gateway)).toEqual(usual);
      expect(places(await another(), slowly)).toEqual(usual);
    },
  );

  it("a session leaves its target only while that fails, and returns", async () => {
    const { gateway } = await balanced("latency");
    const usual = places(gateway);
    const during = places(gateway, (request) =>
      request.authority === "p0.test" ? status(503)(request) : ok(request),
    );
    during.forEach((place, session) => {
      if (usual[session] === "p0.test") expect(place).not.toBe("p0.test");
      else expect(place).toBe(usual[session]);
    });
    expect(places(gateway)).toEqual(usual);
  });

  it("a session is placed again after an hour without a turn, and when its target gets no requests any more", async () => {
    const { gateway, clock, data } = await balanced("load");
    const usual = places(gateway);
    const drained = await gatewayOf(
      { targets: 3, keys: 1, weights: [0, 1, 1], more: "    balance: load\n" },
      "openai",
      { now: clock.now, sharedData: data },
    );
    expect(places(drained)).not.toContain("p0.test");
    clock.time += 2 * 3_600_000;
    const again = places(gateway);
    expect(new Set(again).size).toBe(3);
    // Without load the order of the session decides, which is the same as before.
    expect(again).toEqual(usual);
  });

  it("a session has the same first choice at gateways that share nothing, if neither has measured a difference", async () => {
    const [one, other] = [await balanced("load"), await balanced("load")];
    expect(places(one.gateway)).toEqual(places(other.gateway));
  });

  it("sessions need memory for 65,536 of them at most", async () => {
    const { gateway, data } = await balanced("load");
    const before = data.size;
    expect(before).toBe(1024);
    for (let session = 0; session < 400; session++)
      send(gateway, question("Hi"), named(`n${session}`), ok);
    expect(data.size).toBe(before + 3);
  });

  it("a session is not kept with affinity: off", async () => {
    const { gateway } = await balanced("load", { more: "    affinity: off\n" });
    const used = new Set(
      Array.from({ length: 40 }, () => send(gateway, question("Hi"), named("one"), ok).places[0]),
    );
    expect(used.size).toBe(3);
  });
});
