// Sessions through Envoy: agents whose turns go to any worker of two gateways keep to their provider, through an ejection and a restart.
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { turnOf } from "../exchanges/session-turns.ts";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { usageLines } from "../gateway/usage-lines.ts";
import { openaiDialect } from "../providers/openai.ts";
import * as caches from "../providers/prompt-cache.ts";
import type { CacheUse } from "../providers/prompt-cache.ts";
import { startServer } from "../providers/server.ts";
import type { Dialect, FakeProvider } from "../providers/server.ts";

const KEYS = ["key-one", "key-two"];
const TARGETS = 3;
const SESSIONS = 12;
const TURNS = 20;
/** Failures in a row. */
const FAILURES = 3;

const isDown = new Set<number>();
let used: { place: string; use: CacheUse }[] = [];
let providers: FakeProvider[] = [];
let gateways: Gateway[] = [];

/** A provider of several keys, each of which has a cache. */
function provider(index: number): Dialect {
  const byKey = new Map(
    KEYS.map((key) => [
      `Bearer ${key}`,
      caches.withPromptCache(openaiDialect({ key }), {
        cache: caches.automaticCache(64, 1, 16),
        piecesOf: caches.chatPieces,
        usageOf: caches.chatUsage,
        onUse: (use) => used.push({ place: `${index} ${key}`, use }),
      }),
    ]),
  );
  const first = openaiDialect({ key: KEYS[0] ?? "" });
  return {
    ...first,
    handle(request, next) {
      if (isDown.has(index))
        return { response: first.error(503, "down"), behaviour: { kind: "answer" } };
      return (byKey.get(request.headers["authorization"] ?? "") ?? first).handle(request, next);
    },
  };
}

const start = (more = ""): Promise<Gateway> =>
  startGateway({
    config: `version: v0.1.0
observability: {}
upstream: {outlier_detection: {consecutive_failures: ${FAILURES}, ejection_time: 1s}}
llm_providers:
${providers.map(({ url }, index) => `  - {model: p${index}/gpt, provider_interface: openai, base_url: "${url}/v1", access_key: [$ONE, $TWO]}`).join("\n")}
model_aliases:
  shared: {targets: [${providers.map((_, index) => `{model: p${index}/gpt}`).join(", ")}]}
${more}`,
    environment: { ONE: KEYS[0] ?? "", TWO: KEYS[1] ?? "" },
  });

beforeAll(async () => {
  providers = await Promise.all(
    Array.from({ length: TARGETS }, (_, index) => startServer(provider(index))),
  );
  gateways = await Promise.all([start(), start()]);
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await Promise.all(providers.map((one) => one.stop()));
});

/** Sends a request on a separate connection, so that any worker gets it. Returns the place that has responded. */
async function placeOf(
  gateway: Gateway | undefined,
  session: number,
  turn: number,
): Promise<string> {
  const { body, headers } = turnOf(session, turn, session % 2 === 0);
  const before = used.length;
  const status = await new Promise<number>((resolve, reject) => {
    const sent = httpRequest(
      `${gateway?.url ?? ""}/v1/chat/completions`,
      {
        method: "POST",
        agent: false,
        headers: { "content-type": "application/json", ...Object.fromEntries(headers) },
      },
      (response) => {
        response.resume();
        response.on("end", () => {
          resolve(response.statusCode ?? 0);
        });
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(JSON.stringify({ ...body, stream: turn % 2 === 1 }));
  });
  expect(status).toBe(200);
  expect(used.length).toBe(before + 1);
  return used.at(-1)?.place ?? "";
}

const all = Array.from({ length: SESSIONS }, (_, session) => session);

async function turnsOfAll(from: number, to: number): Promise<string[][]> {
  const places = all.map((): string[] => []);
  for (let turn = from; turn < to; turn++)
    for (const session of all)
      places[session]?.push(
        await placeOf(gateways[(turn + session) % gateways.length], session, turn),
      );
  return places;
}

it("agents keep to their provider and key through an ejection and a restart", async () => {
  const before = await turnsOfAll(0, 7);
  const usual = before.map(([first = ""]) => first);
  for (const places of before) expect(new Set(places).size).toBe(1);
  expect(new Set(usual.map((place) => place.split(" ")[0])).size).toBe(TARGETS);

  // Connections of both workers.
  for (const gateway of gateways)
    expect(
      [
        ...(await gateway.admin("/stats?filter=worker_[01].downstream_cx_total")).matchAll(
          /: (\d+)/g,
        ),
      ]
        .map(([, count]) => Number(count))
        .filter((count) => count > 0).length,
    ).toBeGreaterThanOrEqual(2);

  isDown.add(0);
  const during = await turnsOfAll(7, 9);
  isDown.clear();
  during.forEach((places, session) => {
    const own = usual[session] ?? "";
    if (own.startsWith("0 ")) expect(places.join()).not.toMatch(/\b0 /);
    else expect(new Set(places)).toEqual(new Set([own]));
    expect(new Set(places).size).toBe(1);
  });

  const first = usual.findIndex((place) => place.startsWith("0 "));
  for (const gateway of gateways)
    await expect.poll(() => placeOf(gateway, first, 9), { timeout: 20_000 }).toBe(usual[first]);

  await gateways[0]?.stop();
  gateways[0] = await start("client_idle_timeout: 5m\n");
  // The probes of the ejection are no turns: they are not counted.
  used = used.filter((_, index) => index < SESSIONS * 9);
  const after = await turnsOfAll(9, TURNS);
  expect(after.map((places) => [...new Set(places)])).toEqual(usual.map((place) => [place]));

  const sum = (list: CacheUse[], of: (use: CacheUse) => number) =>
    list.reduce((total, use) => total + of(use), 0);
  const share = (list: CacheUse[]) =>
    sum(list, ({ read }) => read) / sum(list, ({ total }) => total);
  const measured = share(used.map(({ use }) => use));
  expect(measured / share(idealUses())).toBeGreaterThanOrEqual(0.95);
});

/** What the same turns read from one cache. */
function idealUses(): CacheUse[] {
  const cache = caches.automaticCache(64, 1, 16);
  return Array.from({ length: TURNS }, (_, turn) => turn).flatMap((turn) =>
    all.map((session) => {
      const { body } = turnOf(session, turn, true);
      const pieces = caches.chatPieces({ ...body, model: "gpt" });
      return cache({ model: "gpt", key: undefined, mode: undefined, pieces });
    }),
  );
}

it("the usage log has the session, and that it has decided", async () => {
  const [gateway] = gateways;
  if (gateway === undefined) throw new Error("no gateway");
  const count = usageLines(gateway).length;
  await placeOf(gateway, 0, 3);
  await placeOf(gateway, 1, 3);
  await expect.poll(() => usageLines(gateway).length).toBe(count + 2);
  const records = usageLines(gateway)
    .slice(count)
    .map(({ record }) => record);
  expect(records[0]).toMatchObject({ session: "session-0", affinity: 1 });
  expect(records[1]?.session).toMatch(/^conv-[0-9a-f]{16}$/);
});
