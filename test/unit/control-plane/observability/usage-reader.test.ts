// The follower of access_usage.log: each line is counted exactly once, over rotation, restarts and crashes.
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
import { afterEach, beforeEach, expect, it } from "vitest";
import { Families } from "../../../../control-plane/observability/families.ts";
import type { Counter } from "../../../../control-plane/observability/families.ts";
import { startUsageReader } from "../../../../control-plane/observability/usage-reader.ts";
import type { UsageReader } from "../../../../control-plane/observability/usage-reader.ts";

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
  reader: UsageReader;
  families: Families;
  tokens: Counter;
}

function start(saveMs = 60_000): Running {
  const families = new Families();
  const tokens = families.counter({ name: "tokens", help: "T.", labels: ["target"] });
  const reader = startUsageReader({
    log,
    stateFile: join(directory, "metrics.json"),
    families,
    onLine({ record }) {
      tokens.add([record?.target ?? "none"], record?.output ?? 0);
    },
    report: (text) => reports.push(text),
    saveMs,
    pollMs: 5,
  });
  return { reader, families, tokens };
}

const total = ({ tokens }: Running) => tokens.total();

it("counts the lines that are there and those that come", async () => {
  writeFileSync(log, line("a/b", 5));
  const running = start();
  await expect.poll(() => total(running)).toBe(5);
  appendFileSync(log, line("a/b", 2) + line("c/d", 3));
  await expect.poll(() => total(running)).toBe(10);
  await running.reader.stop();
});

it("goes on in a log that was moved to another directory", async () => {
  writeFileSync(log, line("a/b", 5));
  const first = start();
  await expect.poll(() => total(first)).toBe(5);
  await first.reader.stop();
  mkdirSync(join(directory, "own"));
  renameSync(log, join(directory, "own/access_usage.log"));
  log = join(directory, "own/access_usage.log");
  appendFileSync(log, line("a/b", 2));
  const second = start();
  await expect.poll(() => total(second)).toBe(7);
  await second.reader.stop();
});

it("goes on after a restart, also if the log was rotated meanwhile", async () => {
  writeFileSync(log, line("a/b", 5));
  const first = start();
  await expect.poll(() => total(first)).toBe(5);
  await first.reader.stop();
  appendFileSync(log, line("a/b", 7));
  renameSync(log, `${log}.1`);
  writeFileSync(log, line("a/b", 11));
  const second = start();
  await expect.poll(() => total(second)).toBe(23);
  await second.reader.stop();
});

it("after a crash it reads again what it had not saved, and nothing twice", async () => {
  writeFileSync(log, line("a/b", 5));
  const first = start(20);
  const state = join(directory, "metrics.json");
  await expect.poll(() => readState(state)).toContain("a/b");
  await first.reader.stop();
  const saved = readFileSync(state);
  const second = start();
  appendFileSync(log, line("a/b", 7));
  await expect.poll(() => total(second)).toBe(12);
  await second.reader.stop();
  // As if the second one had been killed before it saved.
  writeFileSync(state, saved);
  const third = start();
  await expect.poll(() => total(third)).toBe(12);
  await third.reader.stop();
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
  await running.reader.stop();
});

it("a line behind one that was cut off is read, and the cut one is counted as invalid", async () => {
  writeFileSync(log, line("a/b", 5) + line("a/b", 7).slice(0, 60) + line("c/d", 3));
  const running = start();
  await expect.poll(() => total(running)).toBe(8);
  expect(running.families.render()).toContain("gateway_usage_lines_invalid_total 1");
  await running.reader.stop();
});

it("a state that cannot be read starts at zero, and one that cannot be written is reported once", async () => {
  const state = join(directory, "metrics.json");
  writeFileSync(state, "{");
  writeFileSync(log, line("a/b", 5));
  const running = start(10);
  expect(reports.join()).toContain("they start at zero");
  await expect.poll(() => total(running)).toBe(5);
  await running.reader.stop();
  rmSync(state);
  const other = mkdtempSync(join(tmpdir(), "usage-reader-"));
  rmSync(other, { recursive: true });
  const families = new Families();
  const lost: string[] = [];
  const reader = startUsageReader({
    log,
    stateFile: join(other, "metrics.json"),
    families,
    onLine: () => undefined,
    report: (text) => lost.push(text),
    saveMs: 5,
    pollMs: 5,
  });
  await expect.poll(() => lost.length).toBe(1);
  appendFileSync(log, line("a/b", 5));
  await reader.stop();
  expect(lost).toHaveLength(1);
});

function readState(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
