// Sessions keep to one target and one key: what agents read from prompt caches that each key and each replica has for itself.
import { describe, expect, it } from "vitest";
import type { FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import { FAILURES } from "../../control-plane/wasm-host/upstream.ts";
import type { SentRequest } from "../../control-plane/wasm-host/upstream.ts";
import { openaiDialect } from "../providers/openai.ts";
import * as caches from "../providers/prompt-cache.ts";
import type { CacheUse } from "../providers/prompt-cache.ts";
import type { Dialect } from "../providers/server.ts";
import { gatewayOf, keyOf, ok, question, RESPONSES, send } from "./affinity-gateway.ts";
import { respond } from "./respond.ts";
import type { Setting, Upstream } from "./affinity-gateway.ts";
import { turnOf } from "./session-turns.ts";

const SESSIONS = 16;
const TURNS = 20;
/** In these turns the first target is ejected; from RELOADED on, all gateways are new ones. */
const EJECTED = { from: 6, to: 9 };
const RELOADED = 12;

/** Providers in which each key of each target has a cache. */
function providers(onUse: (use: CacheUse) => void): (request: SentRequest) => Dialect {
  const all = new Map<string, Dialect>();
  return (request) => {
    const key = keyOf(request);
    const name = `${request.authority} ${key}`;
    const known =
      all.get(name) ??
      caches.withPromptCache(openaiDialect({ key }), {
        cache: caches.automaticCache(64, 1, 16),
        piecesOf: caches.chatPieces,
        usageOf: caches.chatUsage,
        onUse,
      });
    all.set(name, known);
    return known;
  };
}

interface Run {
  /** Tokens that were read from caches, as a share of all. */
  share: number;
  /** The first place of each session in each turn. */
  placesOf: string[][];
}

/** Sessions side by side, each turn at another of two gateways, through an ejection and a reload. */
async function run(setting: Setting, isNamed: boolean): Promise<Run> {
  let [read, total] = [0, 0];
  const providerOf = providers((use) => {
    read += use.read;
    total += use.total;
  });
  let gateways = [await gatewayOf(setting), await gatewayOf(setting)];
  const placesOf: string[][] = Array.from({ length: SESSIONS }, () => []);
  for (let turn = 0; turn < TURNS; turn++) {
    if (turn === RELOADED) gateways = [await gatewayOf(setting), await gatewayOf(setting)];
    const isEjected = setting.targets > 1 && turn >= EJECTED.from && turn < EJECTED.to;
    for (let session = 0; session < SESSIONS; session++) {
      const gateway = gateways[(turn + session) % gateways.length];
      if (gateway === undefined) throw new Error("no gateway");
      const { body, headers } = turnOf(session, turn, isNamed);
      const { places, status } = send(gateway, body, headers, (request) =>
        isEjected && request.authority === "p0.test"
          ? FAILURES.connectionRefused
          : respond(providerOf(request), request),
      );
      expect(status).toBe(200);
      placesOf[session]?.push(places.at(-1) ?? "");
    }
  }
  return { share: read / total, placesOf };
}

describe("the turns of 16 agents through an ejection and a reload", () => {
  const ideal = run({ targets: 1, keys: 1 }, true);

  it.each([
    { targets: 1, keys: 2 },
    { targets: 2, keys: 1 },
    { targets: 8, keys: 1 },
    { targets: 8, keys: 2 },
  ])("agents read 97 % of the ideal with $targets targets and $keys keys", async (setting) => {
    for (const isNamed of [true, false]) {
      const { share } = await run(setting, isNamed);
      expect(share / (await ideal).share).toBeGreaterThanOrEqual(0.97);
    }
  });

  it("agents read less without affinity", async () => {
    const off = { targets: 8, keys: 1, more: "sessions: {affinity: off}\n" };
    const { share } = await run(off, true);
    expect(share / (await ideal).share).toBeLessThan(0.9);
  });

  it("agents leave a target only while it is ejected, and only those of that target", async () => {
    const { placesOf } = await run({ targets: 4, keys: 2 }, true);
    const moved = placesOf.filter((places) => new Set(places).size > 1);
    for (const places of placesOf) {
      const usual = places[0] ?? "";
      const during = places.slice(EJECTED.from, EJECTED.to);
      const others = [...places.slice(0, EJECTED.from), ...places.slice(EJECTED.to)];
      expect(new Set(others)).toEqual(new Set([usual]));
      if (usual.startsWith("p0.test")) expect(during.join()).not.toContain("p0.test");
      else expect(new Set(during)).toEqual(new Set([usual]));
    }
    expect(moved.length).toBeGreaterThan(0);
    // Those that moved are spread over the targets that are left.
    const found = moved.map((places) => places[EJECTED.from]?.split(" ")[0]);
    expect(new Set(found).size).toBeGreaterThan(1);
  });
});

const named = (session: string): [string, string][] => [["x-session-id", session]];

/** Counts the first places of many sessions. */
function spread(gateway: FilterHost, count: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let session = 0; session < count; session++) {
    const [place = ""] = send(gateway, question("Hi"), named(`s${session}`), ok).places;
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return counts;
}

describe("sessions of a route with several targets and keys", () => {
  it("sessions are spread by weight", async () => {
    const counts = spread(await gatewayOf({ targets: 3, keys: 1, weights: [7, 2, 1] }), 2000);
    const shares = [0, 1, 2].map(
      (index) => (counts.get(`p${index}.test value-of-KEY_0`) ?? 0) / 2000,
    );
    expect(shares[0]).toBeCloseTo(0.7, 1);
    expect(shares[1]).toBeCloseTo(0.2, 1);
    expect(shares[2]).toBeCloseTo(0.1, 1);
  });

  it("sessions are spread over the keys", async () => {
    const counts = spread(await gatewayOf({ targets: 1, keys: 4 }), 1000);
    expect([...counts.keys()].sort()).toEqual(
      [0, 1, 2, 3].map((key) => `p0.test value-of-KEY_${key}`),
    );
    for (const count of counts.values()) expect(count).toBeGreaterThan(180);
  });

  it("sessions never go first to a target with the weight 0", async () => {
    const counts = spread(await gatewayOf({ targets: 3, keys: 1, weights: [1, 0, 1] }), 200);
    expect(counts.has("p1.test value-of-KEY_0")).toBe(false);
    expect(counts.size).toBe(2);
  });

  it("sessions move by their share alone when a target is added", async () => {
    const [few, more] = [
      await gatewayOf({ targets: 4, keys: 1 }),
      await gatewayOf({ targets: 5, keys: 1 }),
    ];
    let moved = 0;
    for (let session = 0; session < 500; session++) {
      const placeIn = (gateway: FilterHost) =>
        send(gateway, question("Hi"), named(`s${session}`), ok).places[0];
      const [before, after] = [placeIn(few), placeIn(more)];
      if (before === after) continue;
      moved++;
      expect(after).toBe("p4.test value-of-KEY_0");
    }
    expect(moved / 500).toBeCloseTo(0.2, 1);
  });

  it("sessions go on with their next key after a 429, and return", async () => {
    const gateway = await gatewayOf({ targets: 1, keys: 3 });
    const first = send(gateway, question("Hi"), named("one"), ok).places;
    const limited: Upstream = (request) =>
      `p0.test ${keyOf(request)}` === first[0]
        ? { status: 429, headers: [], chunks: [Buffer.from('{"error":{"message":"slow"}}')] }
        : ok(request);
    const during = [1, 2].map(() => send(gateway, question("Hi"), named("one"), limited).places);
    expect(during[0]?.[0]).toBe(first[0]);
    expect(during[0]).toHaveLength(2);
    expect(during[1]).toEqual(during[0]);
    expect(send(gateway, question("Hi"), named("one"), ok).places).toEqual(first);
  });

  it("sessions differ for the sub-agents of one session", async () => {
    const gateway = await gatewayOf({ targets: 8, keys: 1 });
    const placeOf = (agent: string) =>
      send(gateway, question("Hi"), [...named("one"), ["x-claude-code-agent-id", agent]], ok)
        .places[0];
    expect(new Set(["a", "b", "c", "d", "e"].map(placeOf)).size).toBeGreaterThan(1);
    expect(placeOf("a")).toBe(placeOf("a"));
  });

  it("sessions are in the usage record as what has decided", async () => {
    const gateway = await gatewayOf({ targets: 2, keys: 1 });
    expect(send(gateway, question("Hi"), named("one"), ok).record).toMatchObject({
      session: "one",
      affinity: 1,
    });
  });

  it("sessions are not kept for one question without tools, which has no cache to return to", async () => {
    const gateway = await gatewayOf({ targets: 2, keys: 1 });
    const places = new Set<string | undefined>();
    for (let index = 0; index < 40; index++) {
      const { record, places: attempted } = send(gateway, question("Hi"), [], ok);
      expect(record.affinity).toBeUndefined();
      places.add(attempted[0]);
    }
    expect(places.size).toBe(2);
  });

  it.each([
    ["for all", "sessions: {affinity: off}\n"],
    ["for the alias", "    affinity: off\n"],
  ])("sessions are not kept if affinity is off %s", async (_, more) => {
    const gateway = await gatewayOf({ targets: 2, keys: 1, more });
    const places = new Set<string | undefined>();
    for (let index = 0; index < 40; index++) {
      const { record, places: attempted } = send(gateway, question("Hi"), named("one"), ok);
      expect(record).toMatchObject({ session: "one" });
      expect(record.affinity).toBeUndefined();
      places.add(attempted[0]);
    }
    expect(places.size).toBe(2);
  });

  it("sessions are kept for an alias that turns on what is off for all", async () => {
    const gateway = await gatewayOf({
      targets: 2,
      keys: 1,
      more: "    affinity: on\nsessions: {affinity: off}\n",
    });
    expect(send(gateway, question("Hi"), named("one"), ok).record.affinity).toBe(1);
  });

  it("sessions continue a stored response at the target that has it", async () => {
    const gateway = await gatewayOf({ targets: 4, keys: 1 }, "openai_responses");
    const targets = new Set<string | undefined>();
    for (let session = 0; session < 12; session++) {
      const placeOf = (more: Record<string, unknown>) =>
        send(
          gateway,
          { model: "shared", input: "Hi", ...more },
          named(`s${session}`),
          ok,
          RESPONSES,
        ).places[0];
      const place = placeOf({});
      targets.add(place);
      expect(placeOf({ previous_response_id: "resp_1" })).toBe(place);
    }
    expect(targets.size).toBeGreaterThan(1);
  });
});
