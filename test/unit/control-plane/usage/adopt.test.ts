// The files of versions before usage.db, in older-files/, written by their code: metrics.json has the first line of the log, history.db two, spend.db
// three. usage.db takes all of them over, exactly once, and reads what each of them lacks.
import { spawn } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import { Counters } from "../../../../control-plane/observability/counters.ts";
import { History } from "../../../../control-plane/observability/history/history.ts";
import { observer } from "../../../../control-plane/observability/history/observed-request.ts";
import { RequestMetrics } from "../../../../control-plane/observability/request-metrics.ts";
import { Ledger } from "../../../../control-plane/spend/ledger.ts";
import { readSpend } from "../../../../control-plane/spend/read-spend.ts";
import { Usage } from "../../../../control-plane/usage/usage-follower.ts";

const FIXTURES = join(import.meta.dirname, "older-files");
/** Where metrics.json ends. */
const FIRST_LINE_END = 177;
const NOW = Date.UTC(2026, 10, 23, 12);
const CONFIG = `
llm_providers: [{model: openai/gpt-4o, access_key: $KEY}]
pricing: {openai/gpt-4o: {input: 1, output: 2}}
observability: {}
`;
const loaded = loadConfiguration({ file: "gateway.yaml", text: CONFIG }, { KEY: "k".repeat(30) });
if (!loaded.ok) throw new Error("the configuration is invalid");
const { model } = loaded;

let directory: string;
let log: string;
let reports: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "adopt-"));
  log = join(directory, "access_usage.log");
  reports = [];
  install();
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Writes the files as an older version has left them. */
function install(): void {
  copyFileSync(join(FIXTURES, "usage-lines.txt"), log);
  const { ino } = statSync(log);
  for (const name of ["history", "spend"]) {
    const database = new DatabaseSync(join(directory, `${name}.db`));
    database.exec(readFileSync(join(FIXTURES, `${name}.sql`), "utf8"));
    database.prepare("UPDATE place SET log = ?, inode = ?").run(log, ino);
    database.close();
  }
  const metrics = JSON.parse(readFileSync(join(FIXTURES, "metrics.json"), "utf8")) as object;
  const positions = { [log]: { inode: ino, offset: FIRST_LINE_END } };
  writeFileSync(join(directory, "metrics.json"), JSON.stringify({ ...metrics, positions }));
}

function start(pollMs = 5) {
  const report = (line: string) => void reports.push(line);
  const usage = new Usage({ directory, report, pollMs, retryMs: 20 });
  const ledger = new Ledger({
    ...{ usage, startsAtEnd: () => false, onSpend: () => undefined, onOpen: () => undefined },
  });
  const metrics = new RequestMetrics(() => model);
  const counters = new Counters(metrics.families, (line) => void metrics.observe(line));
  const history = new History({ usage, observe: observer(() => model), now: () => NOW });
  const views = [ledger, counters, history];
  for (const view of views) usage.attach(view);
  usage.follow(log);
  const ready = () => Promise.all(views.map((view) => usage.catchUp(view)));
  const stop = () => Promise.all(views.map((view) => usage.detach(view)));
  return { ledger, counters, history, page: () => metrics.families.render(), ready, stop };
}

const spent = (ledger: Ledger) => ledger.spentSince(0, { subject: "all" });
const REQUESTS = /^gateway_requests_total\{.*\} (\d+)$/m;

/** Starts, and expects that each part has each of the lines once. */
async function expectLines(lines: number): Promise<void> {
  const { ledger, counters, history, page, ready, stop } = start();
  await ready();
  expect(REQUESTS.exec(page())?.[1]).toBe(String(lines));
  expect(history.newest(9)).toHaveLength(lines);
  // The fourth line has no cost of its own, and this ledger no prices.
  expect(spent(ledger)).toBe(366_000);
  expect(ledger.cellsSince(0).reduce((sum, { requests }) => sum + requests, 0)).toBe(lines);
  expect(ledger.id).toBe("e50c55310773f6f4");
  expect(counters.since).toBe(1_795_478_443_770);
  await stop();
}

const oldFiles = () =>
  readdirSync(directory).filter((name) => /^(metrics|history|spend)/.test(name));

function appendLine(): void {
  const [, , third = ""] = readFileSync(log, "utf8").split("\n");
  appendFileSync(log, `${third.replace("three", "four")}\n`);
}

it("counts, history and spend continue, and each line is in each of them once", async () => {
  await expectLines(3);
  expect(oldFiles()).toEqual([]);
  expect(reports).toEqual([
    "The content of spend.db is in usage.db now.",
    "The content of metrics.json is in usage.db now.",
    "The content of history.db is in usage.db now.",
  ]);
  appendLine();
  await expectLines(4);
  expect(reports).toHaveLength(3);
});

it("files that are there again, as if a crash had kept them from being removed, are not taken over twice", async () => {
  await expectLines(3);
  const ino = statSync(log).ino;
  install();
  expect(statSync(log).ino).toBe(ino);
  await expectLines(3);
  expect(oldFiles()).toEqual([]);
});

it("a process that is killed at any moment takes over nothing twice", async () => {
  const folder = join(import.meta.dirname, "../../../../control-plane");
  const program = `
    import { Ledger } from ${JSON.stringify(join(folder, "spend/ledger.ts"))};
    import { Usage } from ${JSON.stringify(join(folder, "usage/usage-follower.ts"))};
    process.stdout.write(".");
    const usage = new Usage({ directory: ${JSON.stringify(directory)}, report: () => process.stdout.write(".") });
    usage.attach(new Ledger({ usage, startsAtEnd: () => false, onSpend: () => undefined, onOpen: () => undefined }));
    usage.follow(${JSON.stringify(log)});
    process.stdout.write(".");
    setTimeout(() => undefined, 60_000);`;
  for (const dots of [1, 1, 2, 3]) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
    let seen = 0;
    child.stdout.on("data", (bytes: Buffer) => {
      seen += bytes.length;
      if (seen >= Math.min(dots, 2)) child.kill("SIGKILL");
    });
    await new Promise((resolve) => child.once("close", resolve));
  }
  await expectLines(3);
});

describe("a damaged file", () => {
  it.each(["spend.db", "history.db", "metrics.json"])(
    "%s is reported in one sentence and renamed, and its content is made from the logs",
    async (file) => {
      writeFileSync(join(directory, file), "damaged ".repeat(2000));
      const { ledger, history, page, ready, stop } = start();
      await ready();
      expect(history.newest(9)).toHaveLength(3);
      expect(REQUESTS.exec(page())?.[1]).toBe("3");
      expect(ledger.cellsSince(0).reduce((sum, { requests }) => sum + requests, 0)).toBe(3);
      await stop();
      const why = file.endsWith(".db") ? "file is not a database" : "not valid JSON";
      const [report, ...others] = reports.filter((line) => line.includes("damaged"));
      expect(report).toContain(`${join(directory, file)} cannot be moved to usage.db (`);
      expect(report).toContain(why);
      expect(report).toContain(`it is renamed to ${file}.damaged, and its content is made from`);
      expect(others).toEqual([]);
      expect(existsSync(join(directory, `${file}.damaged`))).toBe(true);
    },
  );

  it("a file of another version is treated as damaged", async () => {
    const database = new DatabaseSync(join(directory, "spend.db"));
    database.exec("PRAGMA user_version = 7");
    database.close();
    const { ready, stop } = start();
    await ready();
    await stop();
    expect(reports[0]).toContain("cannot be moved to usage.db (it is of another version)");
  });
});

it("gateway spend reads spend.db until the gateway is started", async () => {
  appendLine();
  const read = async () => {
    const report = await readSpend({
      ...{ directory, logDirectory: directory, model, environment: {}, since: 0, now: NOW },
    });
    return report?.cells.map(({ requests, cost }) => [requests, cost]);
  };
  expect(await read()).toEqual([[4, 488_000]]);
  expect(oldFiles()).toContain("spend.db");
  const { ready, stop } = start();
  await ready();
  await stop();
  expect(await read()).toEqual([[4, 366_000]]);
});
