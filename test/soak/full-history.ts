// Fills usage.db with what the gateway has after 30 days at 50 requests a second, and prints how long the page's routes take.
// Usage: node test/soak/full-history.ts [requests that are kept]
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { DEFAULT_RETENTION, History } from "../../control-plane/observability/history/history.ts";
import { SessionHistory } from "../../control-plane/observability/history/session-history.ts";
import { observer } from "../../control-plane/observability/history/observed-request.ts";
import { KEPT_S, PERIODS } from "../../control-plane/observability/history/period-sums.ts";
import type { Kind, Period } from "../../control-plane/observability/history/period-sums.ts";
import { COUNTS, TIMES } from "../../control-plane/observability/history/totals.ts";
import { Sketch } from "../../control-plane/observability/history/sketch.ts";
import { spentSince } from "../../control-plane/observability/history/summary.ts";
import { addPage } from "../../control-plane/observability/page/page-routes.ts";
import type { PageSource } from "../../control-plane/observability/page/page-routes.ts";
import { readUsageLine } from "../../control-plane/usage/usage-line.ts";
import { UsageDatabase, USAGE_FILE } from "../../control-plane/usage/usage-database.ts";

const RATE = 50;
const DAYS = 30;
const NOW = Date.UTC(2026, 10, 28, 12, 7, 30) / 1000;
const MODELS = names("model", 20);
const KEYS = names("key", 200);
const USERS = names("user", 100);
const GROUPS = names("group", 30);
const ROUNDS = 20;
/** Those that the settings keep, and requests of each: agents work for a while. */
const SESSIONS = 100_000;
const TURNS = 40;
/** Values that a full distribution is made of. */
const SAMPLES = 200;

function names(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${word}-${String(at)}`);
}

/** The same in every run. */
let seed = 1;
function random(): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
}

/** Shares of names: the first has the most. */
function sharesOf(list: readonly string[]): [string, number][] {
  const weights = list.map((_, at) => 1 / (at + 3));
  const sum = weights.reduce((one, other) => one + other, 0);
  return list.map((name, at) => [name, (weights[at] ?? 0) / sum]);
}

function distribution(count: number): Sketch {
  const sketch = new Sketch();
  for (let at = 0; at < count; at++) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    sketch.add(1_500_000 * Math.exp(0.6 * normal));
  }
  return sketch;
}

const FULL = distribution(SAMPLES).save();

/** Returns the text of a distribution of so many values. */
function timesOf(count: number): string {
  if (count < SAMPLES) return distribution(count).save();
  const [bucket, ...counts] = FULL.split(" ");
  const scaled = counts.map((text) =>
    text.startsWith("-") ? text : String(Math.ceil((Number(text) * count) / SAMPLES)),
  );
  return [bucket, ...scaled].join(" ");
}

/** Names and shares of the rows of a kind: model, key, share. */
const ROWS: Readonly<Record<Kind, [string, string, number][]>> = {
  all: [["", "", 1]],
  model: sharesOf(MODELS).map(([name, share]) => [name, "", share]),
  key: sharesOf(KEYS).map(([name, share]) => ["", name, share]),
  pair: sharesOf(MODELS).flatMap(([model, one]) =>
    sharesOf(KEYS).map(([key, other]): [string, string, number] => [model, key, one * other]),
  ),
  user: sharesOf(USERS).map(([name, share]) => ["", name, share]),
  group: sharesOf(GROUPS).map(([name, share]) => ["", name, share]),
};

function fillSums(database: UsageDatabase): number {
  const marks = Array.from({ length: 5 + COUNTS.length + TIMES.length }, () => "?").join(", ");
  const put = database.statement(`INSERT INTO sums VALUES (${marks})`);
  let rows = 0;
  for (const [period, seconds] of Object.entries(PERIODS) as [Period, number][]) {
    for (const [kind, kept = 0] of Object.entries(KEPT_S[period]) as [Kind, number][]) {
      const first = Math.floor((NOW - Math.min(kept, DAYS * 86_400)) / seconds) * seconds;
      database.inTransaction(() => {
        for (const [model, key, share] of ROWS[kind]) {
          for (let start = first; start <= NOW; start += seconds) {
            const count = Math.floor(RATE * seconds * share + random());
            if (count === 0) continue;
            rows++;
            const counts = COUNTS.map((name) =>
              name === "requests" || name === "calls" ? count : count * 1000,
            );
            const text = timesOf(count);
            put.run(period, kind, model, key, start, ...counts, ...TIMES.map(() => text));
          }
        }
      });
    }
  }
  return rows;
}

function sessionAt(at: number): string {
  return `${String(at).padStart(8, "0")}-5e55-4c4e-9a0e-0123456789ab`;
}

/** Adds the sessions of a month, which are as far apart as their number makes them. */
function fillSessions(database: UsageDatabase, sessions: SessionHistory): void {
  for (let at = 0; at < SESSIONS; at++) {
    const ended = NOW - ((SESSIONS - at) * DAYS * 86_400) / SESSIONS;
    const record = {
      ...{ id: "i", listener: "egress", session: sessionAt(at), agent: "claude-cli/2.1.330" },
      ...{ key: KEYS[at % KEYS.length], user: USERS[at % USERS.length], input: 1200, output: 96 },
      ...{ target: `openai/${MODELS[at % MODELS.length] ?? ""}`, cache_read: 640, cost: 3_520_000 },
      ...(at % 9 === 0 ? { error: "rate_limit_error", message: `Limit ${String(at)}` } : {}),
    };
    const text = `${ended.toFixed(3)} 200 - 1500 1 933000 300 40 4120 9120 ${JSON.stringify(record)}`;
    const line = readUsageLine(text);
    if (line !== undefined) sessions.add(line);
  }
  database.inTransaction(() => {
    sessions.write(database);
  });
  sessions.written();
}

function fillRequests(database: UsageDatabase, count: number): void {
  const put = database.statement(
    "INSERT INTO requests (id, ended, cost, line) VALUES (?, ?, ?, ?)",
  );
  database.inTransaction(() => {
    for (let at = 0; at < count; at++) {
      const started = NOW - (count - at) / RATE;
      const id = `${String(at).padStart(8, "0")}-3b1f-4c4e-9a0e-0123456789ab`;
      const isFailed = at % 97 === 0;
      const record = {
        ...{ id, listener: "egress", endpoint: "/v1/chat/completions", dialect: "openai_chat" },
        ...{ key: KEYS[at % KEYS.length], user: USERS[at % USERS.length], key_id: "k0123456789ab" },
        ...{ session: sessionAt(Math.floor(at / TURNS)), agent: "claude-cli/2.1.330" },
        ...{ requested: "gpt-4o", target: `openai/${MODELS[at % MODELS.length] ?? ""}`, stream: 1 },
        ...{ input: 1200, cache_read: 640, output: 96, finish: "stop", first_token: 933 },
        ...{ response_model: "gpt-4o-2024-11-20", owner: "provider", cost: 3_520_000 },
        ...(isFailed ? { error: "rate_limit_error", message: `Limit ${String(at)} reached` } : {}),
      };
      const line = `${started.toFixed(3)} ${isFailed ? "429" : "200"} - 1500 1 933000 300 40 4120 9120 ${JSON.stringify(record)}`;
      put.run(id, started + 1.5, 3_520_000, line);
    }
  });
}

function open(database: UsageDatabase) {
  const text = "llm_providers: [{model: openai/gpt-4o, access_key: $KEY}]\nobservability: {}\n";
  const loaded = loadConfiguration({ file: "gateway.yaml", text }, { KEY: "k".repeat(30) });
  if (!loaded.ok) throw new Error("the configuration is invalid");
  const observe = observer(() => loaded.model);
  const query = <Result>(work: (from: UsageDatabase) => Result) => work(database);
  const history = new History({
    ...{ usage: { problem: undefined, query }, observe, now: () => NOW * 1000 },
  });
  const retention = () => DEFAULT_RETENTION;
  const sessions = new SessionHistory({
    ...{ usage: { query }, observe, now: () => NOW * 1000, retention },
  });
  for (const { schema } of [history, sessions]) database.addTables(schema);
  const app = new Hono();
  addPage(app, {
    ...{ model: () => loaded.model, budgets: () => [], contentLog: () => undefined },
    parts: () =>
      ({ history, sessions, observe, model: () => loaded.model }) as unknown as ReturnType<
        PageSource["parts"]
      >,
    now: () => NOW * 1000,
  });
  return { app, history, sessions };
}

const RANGES = ["1h", "6h", "24h", "7d", "30d", "90d"];
const PAIR = "model=model-0&key=key-0";

function routesOf(count: number): string[] {
  const middle = NOW - count / RATE / 2;
  const id = `${String(Math.floor(count / 2)).padStart(8, "0")}-3b1f-4c4e-9a0e-0123456789ab`;
  return [
    ...RANGES.map((range) => `history?range=${range}`),
    ...RANGES.map((range) => `history?range=${range}&model=model-0`),
    ...RANGES.map((range) => `history?range=${range}&${PAIR}`),
    ...["key", "user", "group"].map((by) => `spend?by=${by}&days=30`),
    "requests?limit=100",
    `requests?limit=100&to=${String(middle)}`,
    "requests?limit=100&status=errors",
    "requests?limit=100&key=key-7&status=errors",
    "requests?limit=100&text=Limit%20970%20reached",
    "requests?limit=100&text=nothing%20has%20this",
    `requests/${id}`,
    "sessions?last=2592000",
    `sessions?last=2592000&to=${String(NOW - 15 * 86_400)}`,
    "sessions?last=2592000&key=key-7",
    "sessions?last=2592000&text=Limit%204500",
    "sessions?last=2592000&text=nothing%20has%20this",
    `sessions/${sessionAt(Math.floor(count / TURNS / 2))}`,
  ];
}

/** Returns milliseconds of processor time: other programs of the machine do not count. */
async function measure(work: () => unknown): Promise<{ p50: number; p99: number }> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(started);
    times.push((user + system) / 1000);
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.min(ROUNDS - 1, Math.floor(share * ROUNDS))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

const count = Number(process.argv[2] ?? 1_000_000);
const directory = mkdtempSync(join(tmpdir(), "full-history-"));
const file = join(directory, USAGE_FILE);
try {
  const database = new UsageDatabase(file);
  const { app, history, sessions } = open(database);
  // To fill it sooner; the gateway's own settings are those of the measurement.
  database.addTables("PRAGMA synchronous = OFF; PRAGMA cache_size = -600000");
  const rows = fillSums(database);
  const withoutRequests = statSync(file).size;
  fillRequests(database, count);
  const withRequests = statSync(file).size;
  fillSessions(database, sessions);
  database.addTables("PRAGMA cache_size = -2000");
  const mib = (bytes: number) => `${(bytes / 1_048_576).toFixed(0)} MiB`;
  console.log(`${String(rows)} rows of sums: ${mib(withoutRequests)}`);
  console.log(`${String(count)} requests: ${mib(withRequests - withoutRequests)}`);
  console.log(`${String(SESSIONS)} sessions: ${mib(statSync(file).size - withRequests)}`);
  const show = (name: string, { p50, p99 }: { p50: number; p99: number }) => {
    console.log(`${p50.toFixed(1).padStart(8)} ${p99.toFixed(1).padStart(8)}  ${name}`);
  };
  console.log("  p50 ms   p99 ms  route");
  for (const route of routesOf(count))
    show(route, await measure(async () => (await app.request(`/api/${route}`)).text()));
  show("spend of this hour and today", await measure(() => spentSince(history, NOW)));
  database.close();
} finally {
  rmSync(directory, { recursive: true });
}
