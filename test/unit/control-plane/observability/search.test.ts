// Pages of the history: each request once, by time and by all filters, with a bound on what one request reads.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import { History } from "../../../../control-plane/observability/history/history.ts";
import { observer } from "../../../../control-plane/observability/history/observed-request.ts";
import { searchRequests } from "../../../../control-plane/observability/page/search.ts";
import { Usage } from "../../../../control-plane/usage/usage-follower.ts";

const text = "llm_providers: [{model: openai/gpt-4o, access_key: $KEY}]\nobservability: {}\n";
const loaded = loadConfiguration({ file: "gateway.yaml", text }, { KEY: "k".repeat(30) });
if (!loaded.ok) throw new Error("the configuration is invalid");
const observe = observer(() => loaded.model);

const SECONDS = 1_795_000_000;
const COUNT = 500;
let directory: string;
let usage: Usage;
let history: History;

/** Two requests end in each second: request 0 is the oldest, and each 50th fails with the key TEAM_B. */
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "search-"));
  const log = join(directory, "access_usage.log");
  const lines = Array.from({ length: COUNT }, (_, at) => {
    const isFailed = at % 50 === 0;
    const record = {
      ...{ id: `r${String(at)}`, listener: "egress", endpoint: "/v1/chat/completions" },
      ...{ target: "openai/gpt-4o", key: isFailed ? "TEAM_B" : "TEAM_A", dialect: "openai_chat" },
      ...(at % 100 === 0 ? { session: `ses-${String(at)}`, subagent: "agent-7" } : {}),
      ...(isFailed ? { error: "overloaded_error", owner: "provider" } : { input: 1, output: 1 }),
    };
    const start = (SECONDS - 1000 + Math.floor(at / 2)).toFixed(3);
    return `${start} ${isFailed ? "529" : "200"} - 0 1 - - - 10 20 ${JSON.stringify(record)}\n`;
  });
  writeFileSync(log, lines.join(""));
  const now = () => SECONDS * 1000;
  usage = new Usage({ directory, report: () => undefined, pollMs: 5 });
  history = new History({ usage, observe, now });
  usage.attach(history);
  usage.follow(log);
  await vi.waitFor(() => {
    expect(history.newest(COUNT)).toHaveLength(COUNT);
  });
});
afterAll(async () => {
  await usage.detach(history);
  rmSync(directory, { recursive: true });
});

/** Reads all pages. */
function search(query: Record<string, string>, maxRead?: number): string[] {
  const ids: string[] = [];
  let before: string | undefined;
  do {
    const page = searchRequests(history, observe, { ...query, before: before ?? "" }, maxRead);
    ids.push(...page.rows.map(({ id }) => id));
    before = page.next;
  } while (before !== undefined);
  return ids;
}

const FAILED = Array.from({ length: 10 }, (_, at) => `r${String(450 - 50 * at)}`);

it("pages have each request once, the newest first, also if two end at the same time", () => {
  const all = Array.from({ length: COUNT }, (_, at) => `r${String(COUNT - 1 - at)}`);
  expect(search({ limit: "7" })).toEqual(all);
  expect(search({}, 3)).toEqual(all);
});

it.each<Record<string, string>>([
  { key: "TEAM_B" },
  { status: "errors" },
  { status: "5xx", model: "openai/gpt-4o" },
  { text: "team_b" },
  { text: "Overloaded" },
])("a search for %j finds requests of the whole history", (query) => {
  expect(search(query)).toEqual(FAILED);
});

it("a search has the requests of a time, and those of the minute in which it ends", () => {
  const from = SECONDS - 1000 + 100;
  const ids = search({ from: String(from), to: String(from) });
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([120, "r319", "r200"]);
});

it("a search for a session, or for a sub-agent, has its requests", () => {
  const found = (text: string) =>
    searchRequests(history, observe, { text }).rows.map(({ id }) => id);
  expect(found("ses-200")).toEqual(["r200"]);
  expect(found("AGENT-7")).toEqual(["r400", "r300", "r200", "r100", "r0"]);
});

it("one request reads and returns a bounded number of lines", () => {
  expect(searchRequests(history, observe, { limit: "100000" }).rows).toHaveLength(200);
  const none = searchRequests(history, observe, { text: "nothing has this" }, 100);
  expect(none.rows).toEqual([]);
  expect(none.next).toBeDefined();
});

it.each<Record<string, string>>([
  { limit: "-1" },
  { limit: "x", from: "x", to: "NaN", before: "1; DROP TABLE" },
])("%j is read as far as it has a meaning", (query) => {
  expect(searchRequests(history, observe, query).rows[0]?.id).toBe("r499");
});

it("pages are read by an index", () => {
  const database = new DatabaseSync(join(directory, "usage.db"), { readOnly: true });
  const plan = database
    .prepare(
      `EXPLAIN QUERY PLAN SELECT * FROM requests WHERE ended >= 1 AND (ended, number) < (9, 9)
      ORDER BY ended DESC, number DESC LIMIT 9`,
    )
    .all()
    .map(({ detail }) => String(detail));
  database.close();
  expect(plan).toEqual([expect.stringMatching(/^SEARCH requests USING INDEX requests_by_end/)]);
});
