// The ledger in SQLite: what each line of the log has cost is in it exactly once, over restarts, rotations, crashes and failures.
import { spawn } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { appliesTo, modelOfCell } from "../../../../control-plane/spend/cell.ts";
import type { Cell, RecordRules } from "../../../../control-plane/spend/cell.ts";
import { addCells, CellsTable, SCHEMA } from "../../../../control-plane/spend/cells-table.ts";
import { Ledger } from "../../../../control-plane/spend/ledger.ts";
import { UsageDatabase } from "../../../../control-plane/usage/usage-database.ts";
import { Usage } from "../../../../control-plane/usage/usage-follower.ts";
import { usageLine } from "./lines.ts";

const CONTROL_PLANE = join(import.meta.dirname, "../../../../control-plane");
/** 2026-11-22 23:59:59 UTC. */
const SECONDS = Date.UTC(2026, 10, 22, 23, 59, 59) / 1000;

let directory: string;
let log: string;
let file: string;
let reports: string[];
let added: Cell[];
let all: Running[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "ledger-"));
  log = join(directory, "access_usage.log");
  file = join(directory, "usage.db");
  reports = [];
  added = [];
  all = [];
});
afterEach(async () => {
  await Promise.all(all.map((ledger) => ledger.stop()));
  rmSync(directory, { recursive: true });
});

interface StartOptions {
  log?: string;
  /** The state directory. */
  directory?: string;
  startsAtEnd?: boolean;
  rules?: RecordRules;
}

class Running extends Ledger {
  readonly #usage: Usage;

  constructor({ log: path = log, directory: state = directory, ...more }: StartOptions) {
    const report = (line: string) => void reports.push(line);
    const usage = new Usage({ directory: state, report, pollMs: 5, retryMs: 20 });
    super({
      ...{ usage, ...more },
      startsAtEnd: () => more.startsAtEnd ?? false,
      onSpend: (cells) => added.push(...cells),
      onOpen: () => undefined,
    });
    this.#usage = usage;
    usage.attach(this);
    usage.follow(path);
  }

  get problem(): string | undefined {
    return this.#usage.problem;
  }

  catchUp(): Promise<void> {
    return this.#usage.catchUp(this);
  }

  stop(): Promise<void> {
    return this.#usage.detach(this);
  }
}

function start(more: StartOptions = {}): Running {
  const ledger = new Running(more);
  all.push(ledger);
  return ledger;
}

const write = (...lines: string[]) => {
  appendFileSync(log, lines.map((line) => `${line}\n`).join(""));
};
const costs = (...numbers: number[]) => numbers.map((cost) => usageLine({ cost, at: SECONDS }));
const spent = (ledger: Running) => ledger.spentSince(0, { subject: "all" });

async function readOnce(): Promise<void> {
  const ledger = start();
  await ledger.catchUp();
  await ledger.stop();
}

it("the ledger adds up cost, tokens and requests by UTC day of the end, key and model", async () => {
  write(
    usageLine({ at: SECONDS, duration: 500, key: "a", cost: 5, input: 3, output: 2 }),
    usageLine({ at: SECONDS, duration: 500, key: "a", cost: 7, input: 1, output: 1, estimated: 1 }),
    usageLine({ at: SECONDS, duration: 1500, key: "a", cost: 11 }),
    usageLine({ at: SECONDS, key: "b", input: 9, output: 1 }),
    usageLine({ at: SECONDS, target: "other/model", cost: 13 }),
    usageLine({ at: SECONDS, key: "a", status: 503 }),
  );
  const ledger = start();
  await ledger.catchUp();
  const day = Math.floor(SECONDS / 86_400);
  const none = { requests: 1, unpriced: 0, cost: 0, estimated: 0, input: 0, output: 0 };
  expect(ledger.cellsSince(0)).toEqual([
    { ...none, day, key: "", target: "other/model", cost: 13 },
    {
      ...none,
      day,
      key: "a",
      target: "openai/gpt",
      requests: 2,
      cost: 12,
      estimated: 7,
      input: 4,
      output: 3,
    },
    { ...none, day, key: "b", target: "openai/gpt", unpriced: 1, input: 9, output: 1 },
    { ...none, day: day + 1, key: "a", target: "openai/gpt", cost: 11 },
  ]);
  expect(ledger.spentSince(0, { subject: { key: "a" } })).toBe(23);
  expect(ledger.spentSince((day + 1) * 86_400_000, { subject: { key: "a" } })).toBe(11);
  expect(ledger.spentSince(0, { subject: { target: "other/model" } })).toBe(13);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("the ledger adds the cost by the price where the filter has not computed it, and keeps the computed one", async () => {
  const rate = 1000;
  const tier = {
    input: rate,
    output: rate,
    cacheRead: rate,
    cacheWrite: rate,
    cacheWriteHour: rate,
  };
  write(
    usageLine({ at: SECONDS, input: 3, output: 2 }),
    usageLine({ at: SECONDS, input: 3, output: 2, cost: 7 }),
    usageLine({ at: SECONDS, input: 3, output: 2, target: "own/model" }),
    usageLine({ at: SECONDS, status: 503 }),
  );
  const ledger = start({
    rules: {
      priceOf: ({ target }) =>
        target === "openai/gpt" ? { tiers: [{ start: 0, ...tier }], source: "yours" } : undefined,
    },
  });
  await ledger.catchUp();
  expect(
    ledger.cellsSince(0).map(({ target, cost, unpriced }) => [target, cost, unpriced]),
  ).toEqual([
    ["openai/gpt", 12, 0],
    ["own/model", 0, 1],
  ]);
});

it("the ledger adds each line once over restarts, and reports what it has added", async () => {
  write(...costs(1, 2));
  const first = start();
  await first.catchUp();
  await first.stop();
  write(...costs(4));
  const second = start();
  await second.catchUp();
  expect(spent(second)).toBe(7);
  expect(added.map(({ cost }) => cost)).toEqual([3, 4]);
  expect(second.id).toMatch(/^[0-9a-f]{16}$/);
});

it("the ledger adds each line once if its process is killed at any moment", async () => {
  write(...costs(...Array.from({ length: 20_000 }, () => 1)));
  const program = `
    import { Ledger } from ${JSON.stringify(join(CONTROL_PLANE, "spend/ledger.ts"))};
    import { Usage } from ${JSON.stringify(join(CONTROL_PLANE, "usage/usage-follower.ts"))};
    const usage = new Usage({ directory: ${JSON.stringify(directory)}, report: console.error, commitMs: 0 });
    usage.attach(new Ledger({ usage, startsAtEnd: () => false, onSpend: () => process.stdout.write("."), onOpen: () => undefined }));
    usage.follow(${JSON.stringify(log)});`;
  // The log has 50 blocks of 64 KiB, each of them a transaction.
  for (const blocks of [1, 3, 4, 9]) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
    let seen = 0;
    child.stdout.on("data", (bytes: Buffer) => {
      seen += bytes.length;
      if (seen >= blocks) child.kill("SIGKILL");
    });
    await new Promise((resolve) => child.once("close", resolve));
    expect(seen).toBeGreaterThan(0);
  }
  const last = start();
  await last.catchUp();
  expect(spent(last)).toBe(20_000);
});

it("the ledger adds each line once while the log is rotated", async () => {
  const ledger = start();
  for (let round = 0; round < 20; round += 1) {
    write(...costs(1, 1));
    if (round % 3 === 0) {
      if (existsSync(`${log}.1`)) renameSync(`${log}.1`, `${log}.2`);
      renameSync(log, `${log}.1`);
      writeFileSync(log, "");
    }
    write(...costs(1));
    await ledger.catchUp();
  }
  expect(spent(ledger)).toBe(60);
});

it("the ledger has caught up with a log that is empty, before its first line and after a rotation", async () => {
  writeFileSync(log, "");
  const ledger = start();
  await ledger.catchUp();
  write(...costs(1, 2));
  await ledger.catchUp();
  expect(spent(ledger)).toBe(3);
  write(...costs(4));
  renameSync(log, `${log}.1`);
  writeFileSync(log, "");
  await ledger.catchUp();
  expect(spent(ledger)).toBe(7);
});

it("a line that a crash cut off is skipped, and the next line is read", async () => {
  appendFileSync(log, usageLine({ cost: 1, at: SECONDS }).slice(0, 90));
  write(...costs(2, 4));
  const ledger = start();
  await ledger.catchUp();
  expect(spent(ledger)).toBe(6);
});

it("a damaged ledger is moved away and reported, and the log is read again", async () => {
  write(...costs(1, 2));
  writeFileSync(file, "no database".repeat(1000));
  const ledger = start();
  await ledger.catchUp();
  expect(spent(ledger)).toBe(3);
  expect(existsSync(`${file}.damaged`)).toBe(true);
  expect(reports).toContain(
    `Usage is read from the log again; the damaged file is ${file}.damaged`,
  );
  expect(reports.at(-1)).toBe("Usage is recorded again.");
});

it("a new file of gateways that share begins at the end of the log", async () => {
  write(...costs(1, 2));
  const ledger = start({ startsAtEnd: true });
  await ledger.catchUp();
  write(...costs(4));
  await ledger.catchUp();
  expect(spent(ledger)).toBe(4);
});

it("a cut last line of a rotated log does not keep the ledger from catching up with an empty log", async () => {
  write(...costs(1));
  appendFileSync(log, "17637");
  const ledger = start();
  await expect.poll(() => spent(ledger)).toBe(1);
  renameSync(log, `${log}.1`);
  writeFileSync(log, "");
  await ledger.catchUp();
  expect(spent(ledger)).toBe(1);
});

it("a new file of gateways that share keeps its place before the first line", async () => {
  write(...costs(1, 2));
  await start({ startsAtEnd: true }).stop();
  write(...costs(4));
  const ledger = start({ startsAtEnd: true });
  await ledger.catchUp();
  expect(spent(ledger)).toBe(4);
});

it("a log that was moved to another directory and back is not counted again", async () => {
  write(...costs(1, 2));
  await readOnce();
  const moved = join(directory, "moved/access_usage.log");
  mkdirSync(join(directory, "moved"));
  renameSync(log, moved);
  appendFileSync(moved, `${costs(4).join()}\n`);
  const there = start({ log: moved });
  await there.catchUp();
  expect(spent(there)).toBe(7);
  await there.stop();
  renameSync(moved, log);
  write(...costs(8));
  const back = start();
  await back.catchUp();
  expect(spent(back)).toBe(15);
});

it("a log that was restored from a copy is not counted again", async () => {
  write(...costs(1, 2));
  await readOnce();
  copyFileSync(log, `${log}.copy`);
  renameSync(`${log}.copy`, log);
  write(...costs(4));
  const ledger = start();
  await ledger.catchUp();
  expect(spent(ledger)).toBe(7);
  expect(reports).toEqual([
    `${log} is a copy of the log that was read before; its lines up to there are not counted again.`,
  ]);
});

it("a log that has taken the place of a removed one is counted", async () => {
  write(...costs(1, 2));
  await readOnce();
  // The other file keeps the inode in use.
  renameSync(log, join(directory, "kept"));
  write(...costs(16_000_000, 32, 64));
  const ledger = start();
  await ledger.catchUp();
  expect(spent(ledger)).toBe(16_000_099);
  expect(reports).toEqual([]);
});

it("sums above 2^53 are read exactly", async () => {
  await start().stop();
  const opened = new UsageDatabase(file);
  opened.addTables(SCHEMA);
  const table = new CellsTable((work) => work(opened));
  const cell = { day: 1, key: "a", target: "b", requests: 1, unpriced: 0, estimated: 0 };
  const large = { ...cell, cost: 8e15, input: 0, output: 0 };
  for (let times = 0; times < 2; times += 1) addCells(opened, [large]);
  expect(table.cellsSince(0)).toEqual([{ ...large, requests: 2, cost: 16e15 }]);
  expect(table.cell(large)?.cost).toBe(16e15);
  opened.close();
});

it("a file that cannot be written is reported once, and the process waits between two attempts", async () => {
  write(...costs(1));
  const ledger = start();
  await ledger.catchUp();
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  write(...costs(2));
  await expect.poll(() => ledger.problem).toContain("locked");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(reports).toHaveLength(1);
  other.exec("ROLLBACK");
  other.close();
  await expect.poll(() => spent(ledger)).toBe(3);
  expect(reports.at(-1)).toBe("Usage is recorded again.");
  expect(reports).toHaveLength(2);
});

it("a log that cannot be read is reported once, and the process waits between two attempts", async () => {
  symlinkSync(log, log);
  const ledger = start();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(reports).toEqual([
    `Usage cannot be recorded (ELOOP); the gateway tries again until it can. File: ${log}`,
  ]);
  rmSync(log);
  write(...costs(1));
  await expect.poll(() => spent(ledger)).toBe(1);
  expect(reports.at(-1)).toBe("Usage is recorded again.");
});

it("a file that cannot be opened is reported once, and used as soon as it can be", async () => {
  const missing = join(directory, "missing");
  write(...costs(1));
  const ledger = start({ directory: missing });
  await expect(ledger.catchUp()).rejects.toThrow("Usage cannot be recorded (ENOENT)");
  await expect.poll(() => reports.length).toBe(1);
  mkdirSync(missing);
  await expect.poll(() => spent(ledger)).toBe(1);
  expect(reports).toHaveLength(2);
});

it("the models of a wildcard have separate sums, and a budget of the wildcard has all of them", async () => {
  const target = "openai/*";
  const ledger = start({
    rules: {
      nameOf: (name, requested) => (name === target ? `openai/${requested ?? "other"}` : name),
    },
  });
  write(
    usageLine({ at: SECONDS, target, requested: "gpt-4o", cost: 5 }),
    usageLine({ at: SECONDS, target, requested: "o3", cost: 7 }),
    usageLine({ at: SECONDS, target: "openai/gpt-4.1", cost: 11 }),
  );
  await ledger.catchUp();
  expect(ledger.cellsSince(0).map((cell) => [modelOfCell(cell), cell.cost])).toEqual([
    ["openai/gpt-4o", 5],
    ["openai/o3", 7],
    ["openai/gpt-4.1", 11],
  ]);
  const budget = { subject: { target } } as const;
  expect(ledger.spentSince(0, budget)).toBe(12);
  expect(added.filter((cell) => appliesTo(budget, cell)).length).toBe(2);
});
