// The sessions of the page: sums of each, the turns of one, and what a person sees of those of others.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { afterEach, beforeEach, expect, it } from "vitest";
import { setActor } from "../../../../control-plane/admin/actor.ts";
import type { Role } from "../../../../control-plane/admin/actor.ts";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import {
  DEFAULT_RETENTION,
  History,
} from "../../../../control-plane/observability/history/history.ts";
import { observer } from "../../../../control-plane/observability/history/observed-request.ts";
import { SessionHistory } from "../../../../control-plane/observability/history/session-history.ts";
import type { SessionSums } from "../../../../control-plane/observability/history/session-history.ts";
import type { RequestView } from "../../../../control-plane/observability/live/row.ts";
import {
  addSessions,
  searchSessions,
} from "../../../../control-plane/observability/page/page-sessions.ts";
import { Usage } from "../../../../control-plane/usage/usage-follower.ts";

const CONFIG = `
llm_providers:
  - {model: openai/gpt-4o, access_key: $KEY}
  - {model: openai/gpt-4.1, access_key: $KEY}
pricing:
  openai/gpt-4o: {input: 1, output: 2}
  openai/gpt-4.1: {input: 1, output: 2}
observability: {}
`;
const NOW = Date.UTC(2026, 10, 28, 12, 0);
const SECONDS = NOW / 1000;

const loaded = loadConfiguration({ file: "gateway.yaml", text: CONFIG }, { KEY: "k".repeat(30) });
if (!loaded.ok) throw new Error("the configuration is invalid");
const { model } = loaded;
const observe = observer(() => model);

let directory: string;
let log: string;
let running: { usage: Usage; history: History; sessions: SessionHistory }[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "session-history-"));
  log = join(directory, "access_usage.log");
  running = [];
});
afterEach(async () => {
  await stop();
  rmSync(directory, { recursive: true });
});

function start(retention = DEFAULT_RETENTION) {
  const usage = new Usage({ directory, report: () => undefined, retryMs: 10, pollMs: 5 });
  const options = { usage, observe, now: () => NOW, retention: () => retention };
  const one = { usage, history: new History(options), sessions: new SessionHistory(options) };
  for (const view of [one.history, one.sessions]) usage.attach(view);
  usage.follow(log);
  running.push(one);
  return one;
}

async function stop(): Promise<void> {
  for (const { usage, history, sessions } of running.splice(0)) {
    await usage.detach(history);
    await usage.detach(sessions);
  }
}

/** Returns a line of a request that began so many seconds before NOW. */
function line(ago: number, record: object, status = 200): string {
  const whole = { id: `r${String(ago)}`, listener: "egress", target: "openai/gpt-4o", ...record };
  return `${(SECONDS - ago).toFixed(3)} ${String(status)} - 1000 1 250000 300 40 10 20 ${JSON.stringify(whole)}\n`;
}

const TURN = { session: "s1", agent: "claude-cli/2.1", key: "TEAM", input: 100, output: 10 };

const all = ({ sessions }: { sessions: SessionHistory }, query = {}) =>
  searchSessions(sessions, query, SECONDS, undefined);

/** Returns what the page's API has for a person. */
function api(from: ReturnType<typeof start>, name = "ann", roles: Role[] = ["viewer"]) {
  const app = new Hono();
  app.use(async (context, next) => {
    setActor(context, { kind: "user", name, roles });
    await next();
  });
  addSessions(
    app,
    () => ({ ...from, observe, model: () => model }),
    () => NOW,
  );
  return async (path: string) =>
    (await (await app.request(`http://gateway/api/sessions${path}`)).json()) as {
      rows: SessionSums[];
      session?: SessionSums;
      others?: number;
      turns: (RequestView & { cache?: string; lost?: object })[];
      next?: string;
    };
}

it("a session is one row with the sums of its requests, its last model, agent and error", async () => {
  writeFileSync(
    log,
    line(50, TURN) +
      line(40, { ...TURN, cache_read: 80, cache_write: 10, target: "openai/gpt-4.1" }) +
      line(30, { ...TURN, subagent: "review", agent: "claude-cli/2.2" }) +
      line(20, { ...TURN, input: undefined, output: undefined, code: "bad", message: "No" }, 400) +
      line(10, { key: "TEAM", input: 5 }) +
      line(9, { ...TURN, listener: "internal_egress" }),
  );
  const one = start();
  await expect.poll(() => all(one).rows).toHaveLength(1);
  expect(all(one).rows[0]).toEqual({
    ...{ session: "s1", key: "TEAM", user: "", agent: "claude-cli/2.1", model: "openai/gpt-4o" },
    ...{
      turns: 3,
      subagentTurns: 1,
      errors: 1,
      input: 300,
      cached: 80,
      cacheWrite: 10,
      output: 30,
    },
    ...{ cost: 360_000, unpriced: 0, begun: SECONDS - 50, ended: SECONDS - 19 },
    ...{ error: "bad: No", failed: SECONDS - 19 },
  });
});

it("a session goes on after a restart, and each line is counted once", async () => {
  writeFileSync(log, line(50, TURN) + line(40, { ...TURN, code: "bad" }, 400));
  const first = start();
  await expect.poll(() => all(first).rows[0]?.turns).toBe(2);
  await stop();
  appendFileSync(log, line(30, { ...TURN, agent: undefined }));
  const one = start();
  await expect.poll(() => all(one).rows[0]?.turns).toBe(3);
  expect(all(one).rows[0]).toMatchObject({
    ...{ agent: "claude-cli/2.1", input: 300, begun: SECONDS - 50, ended: SECONDS - 29 },
    ...{ error: "bad", failed: SECONDS - 39 },
  });
});

it("sessions of other keys and people with one id are apart", async () => {
  const lines = [
    TURN,
    { ...TURN, key: "OTHER" },
    { ...TURN, user: "ann" },
    { ...TURN, user: "bob" },
  ];
  writeFileSync(log, lines.map((record, at) => line(60 - at, record)).join(""));
  const one = start();
  await expect.poll(() => all(one).rows).toHaveLength(4);
  const ask = api(one);
  expect(await ask("/s1?key=OTHER&user=")).toMatchObject({
    session: { key: "OTHER", user: "" },
    others: 3,
    turns: [{ key: "OTHER", session: "s1" }],
  });
  expect((await ask("/none")).session).toBeUndefined();
});

it("a person without a role sees the own sessions and their turns, and no others", async () => {
  writeFileSync(
    log,
    line(60, { ...TURN, user: "ann" }) +
      line(50, { ...TURN, user: "bob" }) +
      line(40, { ...TURN, session: "s2", user: "bob" }) +
      line(30, { ...TURN, session: "s3" }),
  );
  const one = start();
  await expect.poll(() => all(one).rows).toHaveLength(4);
  const ann = api(one, "ann", []);
  expect((await ann("")).rows.map(({ session, user }) => [session, user])).toEqual([["s1", "ann"]]);
  expect(await ann("/s1")).toMatchObject({ session: { user: "ann" }, others: 0 });
  expect((await ann("/s1")).turns).toHaveLength(1);
  expect((await ann("/s1?user=bob&key=TEAM")).turns).toEqual([]);
  expect((await ann("/s3")).session).toBeUndefined();
  expect((await api(one, "eve", ["viewer"])("")).rows).toHaveLength(4);
});

it("sessions are found by text, key and time, in pages", async () => {
  const lines = Array.from({ length: 25 }, (_, at) =>
    line(3600 - at, { ...TURN, session: `s${String(at)}`, key: at % 5 === 0 ? "FIVE" : "TEAM" }),
  );
  writeFileSync(log, lines.join(""));
  const one = start();
  await expect.poll(() => all(one).rows).toHaveLength(25);
  const pages: string[][] = [];
  let next: string | undefined = "";
  while (next !== undefined) {
    const page: ReturnType<typeof all> = all(one, { limit: "10", ...(next && { before: next }) });
    pages.push(page.rows.map(({ session }) => session));
    next = page.next;
  }
  expect(pages.map(({ length }) => length)).toEqual([10, 10, 5]);
  expect(new Set(pages.flat()).size).toBe(25);
  expect(pages[0]?.[0]).toBe("s24");
  expect(all(one, { key: "FIVE" }).rows).toHaveLength(5);
  expect(all(one, { text: "CLAUDE-CLI" }).rows).toHaveLength(25);
  expect(all(one, { text: "s24" }).rows).toHaveLength(1);
  const time = { from: String(SECONDS - 3590), to: String(SECONDS - 3650) };
  expect(all(one, time).rows.map(({ session }) => session)).toEqual(["s10", "s9"]);
  expect(all(one, { last: "3592" }).rows.map(({ session }) => session)).toHaveLength(18);
  expect(all(one, { before: "nonsense", limit: "x" }).rows).toHaveLength(25);
  // A search that reads no more than a few rows has an empty page, and a next one.
  const found = searchSessions(one.sessions, { text: "s3" }, SECONDS, undefined, 20);
  expect(found.rows).toEqual([]);
  expect(
    searchSessions(one.sessions, { text: "s3", before: found.next ?? "" }, SECONDS, undefined).rows,
  ).toHaveLength(1);
});

it("the turns of a session come in pages, the newest first, with the cost of their time", async () => {
  const lines = Array.from({ length: 450 }, (_, at) =>
    line(1000 - at, { ...TURN, id: `t${String(at)}`, cost: 7 }),
  );
  writeFileSync(log, lines.join(""));
  const one = start();
  await expect.poll(() => all(one).rows[0]?.turns).toBe(450);
  const ask = api(one);
  const last = await ask("/s1");
  expect(last.turns).toHaveLength(200);
  expect(last.turns.at(-1)).toMatchObject({ id: "t449", cost: 7 });
  const before = await ask(`/s1?before=${encodeURIComponent(last.next ?? "")}`);
  expect([before.turns[0]?.id, before.turns.at(-1)?.id]).toEqual(["t50", "t249"]);
  const first = await ask(`/s1?before=${encodeURIComponent(before.next ?? "")}`);
  expect(first.turns).toHaveLength(50);
  expect(first.next).toBeUndefined();
});

it("a turn that lost the cache has the reason, and the first turns of a page are no first turns", async () => {
  const prompt = { system: "aaaabbbb", count: 1, messages: "mmmm" };
  const read = { ...TURN, input: 20_000, cache_read: 19_000, prompt };
  const lost = {
    ...TURN,
    input: 20_000,
    cache_write: 19_900,
    prompt: { ...prompt, system: "aaaacccc" },
  };
  const lines = Array.from({ length: 230 }, (_, at) =>
    line(1000 - at, { ...read, id: `t${String(at)}` }),
  );
  writeFileSync(log, [...lines, line(20, { ...lost, id: "lost" })].join(""));
  const one = start();
  await expect.poll(() => all(one).rows[0]?.turns).toBe(231);
  const { turns } = await api(one)("/s1");
  expect(turns.map(({ cache }) => cache).filter(Boolean)).toEqual([
    expect.stringMatching(/^system\[1\] was changed: [\d,]+ tokens were not read from the cache/),
  ]);
  expect(turns.at(-1)).toMatchObject({ id: "lost", lost: { reason: "system" } });
});

it("the sessions that were used last are kept, up to a number and an age", async () => {
  const lines = Array.from({ length: 20 }, (_, at) =>
    line(90_000 - at, { ...TURN, session: `s${String(at)}` }),
  );
  const old = line(200_000, { ...TURN, session: "old" });
  writeFileSync(log, old + lines.join(""));
  const retention = { ...DEFAULT_RETENTION, sumsMs: 100_000_000 };
  const first = start(retention);
  await expect.poll(() => all(first).rows).toHaveLength(20);
  await stop();
  // Once a minute, and after a start.
  const one = start({ ...retention, maxSessions: 5 });
  await expect
    .poll(() => all(one).rows.map(({ session }) => session))
    .toEqual(["s19", "s18", "s17", "s16", "s15"]);
});

it("a session with hostile texts in its names is a row like any other", async () => {
  const record = {
    ...TURN,
    agent: `'"; DROP TABLE sessions; --`,
    key: "a\nb",
    user: `"session":"`,
  };
  writeFileSync(log, line(20, record));
  const one = start();
  await expect.poll(() => all(one).rows[0]).toMatchObject({ key: "a\nb", agent: record.agent });
  expect((await api(one)("/s1")).turns).toHaveLength(1);
});
