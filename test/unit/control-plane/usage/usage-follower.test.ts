// The follower of access_usage.log: each view has each line exactly once, over rotation, restarts, crashes and damage.
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Families } from "../../../../control-plane/observability/metric-families.ts";
import type { Counter } from "../../../../control-plane/observability/metric-families.ts";
import { Counters } from "../../../../control-plane/observability/counters.ts";
import type { UsageView } from "../../../../control-plane/usage/usage-view.ts";
import { Usage } from "../../../../control-plane/usage/usage-follower.ts";

let directory: string;
let log: string;
let reports: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "usage-reader-"));
  log = join(directory, "access_usage.log");
  reports = [];
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function line(target: string, output = 1): string {
  const record = { id: "i", listener: "egress", target, output };
  return `1763800000.123 200 - 12 1 900 100 50 10 20 ${JSON.stringify(record)}\n`;
}

interface Running {
  families: Families;
  tokens: Counter;
  usage: Usage;
  stop: () => Promise<void>;
}

/** Starts to count the tokens. */
function start({ usage = newUsage() } = {}): Running {
  const families = new Families();
  const tokens = families.counter({ name: "tokens", help: "T.", labels: ["target"] });
  const view = new Counters(families, ({ record }) => {
    tokens.add([record?.target ?? "none"], record?.output ?? 0);
  });
  usage.attach(view);
  usage.follow(log);
  return { families, tokens, usage, stop: () => usage.detach(view) };
}

function newUsage(state = directory): Usage {
  const report = (text: string) => void reports.push(text);
  return new Usage({ directory: state, report, pollMs: 5, retryMs: 20 });
}

const total = ({ tokens }: Running) => tokens.total();

it("the follower counts the lines that are there and those that come", async () => {
  writeFileSync(log, line("a/b", 5));
  const running = start();
  await expect.poll(() => total(running)).toBe(5);
  appendFileSync(log, line("a/b", 2) + line("c/d", 3));
  await expect.poll(() => total(running)).toBe(10);
  await running.stop();
});

it("the follower continues in a log that was moved to another directory", async () => {
  writeFileSync(log, line("a/b", 5));
  const first = start();
  await expect.poll(() => total(first)).toBe(5);
  await first.stop();
  mkdirSync(join(directory, "own"));
  renameSync(log, join(directory, "own/access_usage.log"));
  log = join(directory, "own/access_usage.log");
  appendFileSync(log, line("a/b", 2));
  const second = start();
  await expect.poll(() => total(second)).toBe(7);
  await second.stop();
});

it("the follower continues after a restart, also if the log was rotated meanwhile", async () => {
  writeFileSync(log, line("a/b", 5));
  const first = start();
  await expect.poll(() => total(first)).toBe(5);
  await first.stop();
  appendFileSync(log, line("a/b", 7));
  renameSync(log, `${log}.1`);
  writeFileSync(log, line("a/b", 11));
  const second = start();
  await expect.poll(() => total(second)).toBe(23);
  await second.stop();
});

it("lines that a crash kept from being written are read again, and no line twice", async () => {
  writeFileSync(log, line("a/b", 5));
  const first = start();
  await expect.poll(() => total(first)).toBe(5);
  await first.stop();
  const saved = readFileSync(join(directory, "usage.db"));
  const second = start();
  appendFileSync(log, line("a/b", 7));
  await expect.poll(() => total(second)).toBe(12);
  await second.stop();
  // As if the second one had been killed before it wrote.
  writeFileSync(join(directory, "usage.db"), saved);
  const third = start();
  await expect.poll(() => total(third)).toBe(12);
  await third.stop();
});

it("half of a line is read when its other half is there, and garbage is counted", async () => {
  const text = line("a/b", 5);
  writeFileSync(log, `no line at all\n${text.slice(0, 40)}`);
  const running = start();
  await expect
    .poll(() => running.families.render())
    .toContain("gateway_usage_lines_invalid_total 1");
  expect(total(running)).toBe(0);
  appendFileSync(log, text.slice(40));
  await expect.poll(() => total(running)).toBe(5);
  await running.stop();
});

it("a line after one that was cut off is read, and the cut one is counted as invalid", async () => {
  writeFileSync(log, line("a/b", 5) + line("a/b", 7).slice(0, 60) + line("c/d", 3));
  const running = start();
  await expect.poll(() => total(running)).toBe(8);
  expect(running.families.render()).toContain("gateway_usage_lines_invalid_total 1");
  await running.stop();
});

it("a damaged file is renamed, and the counts begin again from the logs", async () => {
  writeFileSync(join(directory, "usage.db"), "no database".repeat(1000));
  writeFileSync(log, line("a/b", 5));
  const running = start();
  await expect.poll(() => total(running)).toBe(5);
  expect(reports).toContain(
    `Usage is read from the log again; the damaged file is ${join(directory, "usage.db.damaged")}`,
  );
  expect(reports.at(-1)).toBe("Usage is recorded again.");
  await running.stop();
});

it("a file that is damaged while the gateway runs gets all counts again, and no line is counted twice", async () => {
  writeFileSync(log, line("a/b", 5));
  const first = start();
  await expect.poll(() => total(first)).toBe(5);
  const file = join(directory, "usage.db");
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  appendFileSync(log, line("c/d", 7));
  await expect.poll(() => first.usage.problem).toContain("database is locked");
  other.exec("ROLLBACK");
  other.close();
  writeFileSync(file, "no database".repeat(1000));
  await expect.poll(() => reports.at(-1)).toBe("Usage is recorded again.");
  await expect.poll(() => total(first)).toBe(12);
  await first.stop();
  const second = start();
  expect(total(second)).toBe(12);
  await second.stop();
});

it("lines are counted while the file is locked, and written once, also if the process ends", async () => {
  writeFileSync(log, line("a/b", 5));
  const first = start();
  await expect.poll(() => total(first)).toBe(5);
  const other = new DatabaseSync(join(directory, "usage.db"));
  other.exec("BEGIN IMMEDIATE");
  appendFileSync(log, line("a/b", 7));
  await expect.poll(() => total(first)).toBe(12);
  const locked = "Usage cannot be recorded (database is locked)";
  await expect.poll(() => first.usage.problem).toBe(locked);
  await first.stop();
  other.exec("ROLLBACK");
  const second = start();
  await expect.poll(() => total(second)).toBe(12);
  other.exec("BEGIN IMMEDIATE");
  appendFileSync(log, line("a/b", 11));
  await expect.poll(() => total(second)).toBe(23);
  await expect.poll(() => second.usage.problem).toBe(locked);
  other.exec("ROLLBACK");
  other.close();
  await expect.poll(() => second.usage.problem).toBeUndefined();
  await second.stop();
  const third = start();
  expect(total(third)).toBe(23);
  await third.stop();
});

it("a second view has what the log had before it, and each line from then on once", async () => {
  const lines = Array.from({ length: 3000 }, () => line("a/b"));
  writeFileSync(log, lines.join(""));
  const usage = newUsage();
  const first = start({ usage });
  await expect.poll(() => total(first)).toBe(3000);
  const second = view("second");
  usage.attach(second);
  appendFileSync(log, lines.join(""));
  await expect.poll(() => total(first)).toBe(6000);
  await usage.catchUp(second);
  expect(second.added).toBe(6000);
  await usage.detach(second);
  appendFileSync(log, line("a/b"));
  await expect.poll(() => total(first)).toBe(6001);
  usage.attach(second);
  await usage.catchUp(second);
  expect(second.added).toBe(6001);
  await Promise.all([first.stop(), usage.detach(second)]);
});

it("the previous log is read until it is settled, and a log that comes back goes on where it was", async () => {
  writeFileSync(log, line("a/b", 1));
  const running = start();
  await expect.poll(() => total(running)).toBe(1);
  const next = join(directory, "next.log");
  running.usage.follow(next);
  writeFileSync(next, line("a/b", 10));
  appendFileSync(log, line("a/b", 2));
  await expect.poll(() => total(running)).toBe(13);
  expect(running.usage.isDraining).toBe(true);
  appendFileSync(log, line("a/b", 4));
  await running.usage.settle();
  expect(total(running)).toBe(17);
  expect(running.usage.isDraining).toBe(false);
  appendFileSync(log, line("a/b", 8));
  running.usage.follow(log);
  await expect.poll(() => total(running)).toBe(25);
  await running.stop();
});

/** A view that counts lines in memory alone. */
function view(name: string): UsageView & { added: number } {
  const adoption = { file: "none", take: () => undefined };
  const nothing = () => undefined;
  return {
    ...{ name, schema: "", adoption, added: 0, open: nothing, write: nothing, written: nothing },
    add() {
      this.added += 1;
    },
  };
}
