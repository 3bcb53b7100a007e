// The history in SQLite: each line of the log is in it exactly once, over restarts, rotations, crashes and failures of the file.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import {
  DEFAULT_RETENTION,
  History,
} from "../../../../control-plane/observability/history/history.ts";
import type { HistoryOptions } from "../../../../control-plane/observability/history/history.ts";
import { observer } from "../../../../control-plane/observability/history/observed-request.ts";
import { storyOf } from "../../../../control-plane/observability/history/story.ts";
import { spentSince, summaryOf } from "../../../../control-plane/observability/history/summary.ts";
import { Usage } from "../../../../control-plane/usage/usage-follower.ts";

const CONFIG = `
llm_providers:
  - {model: openai/gpt-4o, access_key: $KEY}
  - {model: cluster/own, base_url: "http://own.test/v1", provider_interface: openai}
pricing:
  openai/gpt-4o: {input: 1, output: 2}
observability: {}
`;
/** 2026-11-22 12:30:00 of the machine. */
const NOW = new Date(2026, 10, 22, 12, 30).getTime();
const SECONDS = NOW / 1000;

const loaded = loadConfiguration({ file: "gateway.yaml", text: CONFIG }, { KEY: "k".repeat(30) });
if (!loaded.ok) throw new Error("the configuration is invalid");
const observe = observer(() => loaded.model);

let directory: string;
let log: string;
let file: string;
let reports: string[];
let all: Running[];

interface Running {
  usage: Usage;
  history: History;
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "history-"));
  log = join(directory, "access_usage.log");
  file = join(directory, "usage.db");
  reports = [];
  all = [];
});
afterEach(async () => {
  await Promise.all(all.map(stop));
  rmSync(directory, { recursive: true });
});

interface StartOptions extends Partial<HistoryOptions> {
  log?: string;
  /** The state directory. */
  directory?: string;
}

function start({ log: path = log, directory: state = directory, ...more }: StartOptions = {}) {
  const report = (text: string) => void reports.push(text);
  const usage = new Usage({ directory: state, report, retryMs: 10, pollMs: 5 });
  const history = new History({ usage, observe, now: () => NOW, ...more });
  usage.attach(history);
  usage.follow(path);
  all.push({ usage, history });
  return history;
}

async function stop({ usage, history }: Running): Promise<void> {
  await usage.detach(history);
}

const stopAll = () => Promise.all(all.splice(0).map(stop));

interface Line {
  /** Seconds before NOW at which it began. */
  ago?: number;
  status?: number;
  id?: string;
  [member: string]: unknown;
}

function line({ ago = 60, status = 200, id = "i", ...more }: Line = {}): string {
  const record = {
    id,
    listener: "egress",
    endpoint: "/v1/chat/completions",
    target: "openai/gpt-4o",
    input: 100,
    output: 11,
    ...more,
  };
  return `${(SECONDS - ago).toFixed(3)} ${String(status)} - 1000 1 250000 300 40 10 20 ${JSON.stringify(record)}\n`;
}

const requestsOf = (history: History) =>
  summaryOf(history, { range: "24h" }, SECONDS).total.requests;

async function waitFor(history: History, requests: number): Promise<void> {
  await expect.poll(() => requestsOf(history), { interval: 5 }).toBe(requests);
}

it("the history has sums by minute, model and key", async () => {
  writeFileSync(
    log,
    line({ key: "TEAM_A", stream: 1 }) +
      line({ key: "TEAM_B", cache_read: 40 }) +
      line({ target: "cluster/own", ago: 7200, first_target: "openai/gpt-4o" }) +
      line({ status: 500, error: "e", target: undefined, input: undefined, output: undefined }) +
      line({ listener: "internal_egress" }),
  );
  const history = start();
  await waitFor(history, 4);
  const day = summaryOf(history, { range: "24h" }, SECONDS);
  expect(day.models.map(({ name, calls, errors }) => [name, calls, errors])).toEqual([
    ["openai/gpt-4o", 3, 0],
    ["cluster/own", 1, 0],
    ["", 0, 1],
  ]);
  expect(day.models[0]).toMatchObject({ cached: 40, input: 300, output: 33, cost: 366_000 });
  expect(day.models[1]).toMatchObject({ unpriced: 1, fallbacks: 1, cost: 0 });
  expect(day.keys.map(({ name, requests }) => [name, requests])).toEqual([
    ["", 2],
    ["TEAM_A", 1],
    ["TEAM_B", 1],
  ]);
  const [withoutKey, teamA] = day.keys;
  expect(teamA?.firstToken.p50).toBeCloseTo(250_000, -4);
  expect(teamA?.duration.p95).toBeCloseTo(1_000_000, -5);
  expect(withoutKey?.firstToken).toEqual({});
  const hour = summaryOf(history, { range: "1h", key: "TEAM_A" }, SECONDS);
  expect(hour.total).toMatchObject({ requests: 1, input: 100 });
  expect(hour.points.requests).toHaveLength(60);
  expect(hour.points.requests.reduce((sum, one) => sum + one, 0)).toBe(1);
  const { firstToken, duration, overhead, rate } = hour.total;
  expect(firstToken.p50).toBeCloseTo(250_000, -4);
  expect(duration.p95).toBeGreaterThan(975_000);
  expect(duration.p95).toBeLessThan(1_025_000);
  expect(overhead.p50).toBeGreaterThan(330);
  expect(rate.p50).toBeCloseTo(13.3, 0);
  expect(spentSince(history, SECONDS)).toEqual({ hour: 366_000, today: 366_000 });
});

it("the history continues after a restart, also if the log was rotated meanwhile", async () => {
  writeFileSync(log, line() + line());
  const first = start();
  await waitFor(first, 2);
  await stopAll();
  appendFileSync(log, line());
  renameSync(log, `${log}.1`);
  writeFileSync(log, line());
  const second = start();
  await waitFor(second, 4);
  appendFileSync(log, line());
  await waitFor(second, 5);
});

it("the history is in files of the owner alone", async () => {
  writeFileSync(log, line());
  const history = start();
  await waitFor(history, 1);
  for (const one of [file, `${file}-wal`, `${file}-shm`])
    expect(statSync(one).mode & 0o777).toBe(0o600);
});

it("lines that a crash kept from being written are read again, and no line twice", async () => {
  writeFileSync(log, line());
  const first = start();
  await waitFor(first, 1);
  // A second process reads what the first one has committed, as after a kill.
  appendFileSync(log, line());
  const second = start();
  await waitFor(second, 2);
  await stopAll();
  const third = start();
  await waitFor(third, 2);
});

it("a file that is no database is set aside, and filled again from the log", async () => {
  writeFileSync(file, "this is not a database, but a text of some length".repeat(100));
  writeFileSync(log, line());
  const history = start();
  await waitFor(history, 1);
  expect(reports.join("\n")).toContain("Usage cannot be recorded (file is not a database)");
  expect(existsSync(`${file}.damaged`)).toBe(true);
  await expect.poll(() => reports.at(-1)).toBe("Usage is recorded again.");
  expect(history.problem).toBeUndefined();
});

it("a file that another program has locked is a problem, and then each line is written once", async () => {
  writeFileSync(log, line());
  const history = start();
  await waitFor(history, 1);
  const other = new DatabaseSync(file);
  other.exec("BEGIN EXCLUSIVE");
  appendFileSync(log, line() + line());
  await expect
    .poll(() => requestsOf(history) * 0 + (history.problem?.length ?? 0))
    .toBeGreaterThan(0);
  expect(history.problem).toContain("database is locked");
  expect(requestsOf(history)).toBe(0);
  other.exec("ROLLBACK");
  other.close();
  await waitFor(history, 3);
  await expect.poll(() => reports).toHaveLength(2);
});

it.runIf(canMount())("a full disk is a problem until there is space", async () => {
  const disk = join(directory, "disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk]);
  try {
    writeFileSync(log, line());
    const history = start({ directory: disk });
    await waitFor(history, 1);
    writeFileSync(join(disk, "other"), Buffer.alloc(64 * 1024));
    appendFileSync(log, line().repeat(2000));
    await expect.poll(() => history.problem).toBeDefined();
    expect(history.problem).toMatch(/database or disk is full|disk I\/O error/);
    rmSync(join(disk, "other"));
    execFileSync("mount", ["-o", "remount,size=8m", disk]);
    await waitFor(history, 2001);
    await expect.poll(() => history.problem).toBeUndefined();
    await stopAll();
  } finally {
    execFileSync("umount", ["-l", disk]);
  }
});

it("records older than a day are dropped, and the oldest requests above the limit", async () => {
  writeFileSync(log, line({ ago: 26 * 3600 }) + line({ ago: 3600, id: "old" }));
  let now = NOW;
  const history = start({
    retention: () => ({ ...DEFAULT_RETENTION, maxRequests: 3 }),
    now: () => now,
  });
  await waitFor(history, 1);
  for (const id of ["a", "b", "c"]) appendFileSync(log, line({ id }));
  await waitFor(history, 4);
  now += 60_000;
  appendFileSync(log, line({ id: "d", ago: -60 }));
  await expect.poll(() => history.newest(10).map(({ id }) => id)).toEqual(["b", "c", "d"]);
  expect(summaryOf(history, { range: "24h" }, now / 1000).total.requests).toBe(5);
  now += 26 * 3_600_000;
  appendFileSync(log, line({ id: "e", ago: -26 * 3600 }));
  await expect.poll(() => history.newest(10).map(({ id }) => id)).toEqual(["e"]);
});

it("the oldest periods above the limit of rows are dropped, each with all its rows", async () => {
  const lines = [2700, 1800, 900].flatMap((ago) => ["a", "b"].map((key) => line({ ago, key })));
  writeFileSync(log, lines.join(""));
  const keptWith = async (maxPeriods: number) => {
    const history = start({ maxPeriods });
    const ofKeys = () =>
      summaryOf(history, { range: "6h" }, SECONDS).keys.reduce((sum, one) => sum + one.requests, 0);
    await expect.poll(ofKeys, { interval: 5 }).toBe(maxPeriods - (maxPeriods % 2));
    await stopAll();
  };
  for (const maxPeriods of [6, 5, 3]) await keptWith(maxPeriods);
});

it("a story has all lines of a request id, in the order of their beginnings", async () => {
  writeFileSync(
    log,
    line({ id: "s", listener: "internal_egress", ago: 59 }) +
      line({ id: "other" }) +
      line({ id: "s", listener: "ingress", ago: 60, steps: { guard: 3 } }),
  );
  const history = start();
  await waitFor(history, 2);
  const story = storyOf(history, observe, "s");
  expect(story.map(({ line: { record } }) => record?.listener)).toEqual([
    "ingress",
    "internal_egress",
  ]);
  expect(storyOf(history, observe, "none")).toEqual([]);
});

it("a probe is no request, and a line that cannot be read is none", async () => {
  writeFileSync(log, line({ endpoint: "/healthz" }) + "garbage\n" + line());
  const history = start();
  await waitFor(history, 1);
  expect(history.newest(10)).toHaveLength(1);
});

/** Whether this user may mount a small disk. */
function canMount(): boolean {
  const disk = mkdtempSync(join(tmpdir(), "history-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "tmpfs", disk], { stdio: "ignore" });
    execFileSync("umount", [disk]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(disk, { recursive: true });
  }
}

it("the history continues in a log that was moved to another directory", async () => {
  writeFileSync(log, line({ id: "first" }));
  const first = start();
  await expect.poll(() => first.newest(9)).toHaveLength(1);
  await stopAll();
  mkdirSync(join(directory, "own"));
  const moved = join(directory, "own/access_usage.log");
  renameSync(log, moved);
  appendFileSync(moved, line({ id: "second" }));
  const second = start({ log: moved });
  await expect.poll(() => second.newest(9).map(({ id }) => id)).toEqual(["first", "second"]);
});
