// The audit log: what it writes, and what shows that it was changed.
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import type * as fileSystem from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostname } from "node:os";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hashOf } from "../../../../control-plane/audit/audit-line.ts";
import { AuditLog, type AuditLogOptions } from "../../../../control-plane/audit/audit-log.ts";
import { identityOf } from "../../../../control-plane/processes/process-identity.ts";
import { readAudit, verifyAudit } from "../../../../control-plane/audit/verify.ts";

/** A disk that takes no more after a number of bytes. */
const disk = vi.hoisted(() => ({ free: Infinity }));
vi.mock("node:fs", async (load) => {
  const real = await load<typeof fileSystem>();
  const writeSync = (descriptor: number, bytes: Uint8Array, at: number): number => {
    if (disk.free === 0)
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const written = Math.min(disk.free, bytes.length - at);
    disk.free -= written;
    return real.writeSync(descriptor, bytes, at, written);
  };
  return { ...real, writeSync };
});

const ACTOR = { kind: "user", name: "ann@example.com", address: "192.0.2.7" };
const FIRST_FILE = "audit-000001.jsonl";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "audit-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

const open = (more: Partial<AuditLogOptions> = {}) => new AuditLog({ directory, ...more });

function writeLines(count: number, more: Partial<AuditLogOptions> = {}): void {
  const log = open(more);
  for (let at = 1; at <= count; at++)
    expect(log.append({ actor: ACTOR, action: "keys.create", after: { id: at } })).toBe(true);
  log.close();
}

const file = () => join(directory, FIRST_FILE);
const rows = () => readFileSync(file(), "utf8").trimEnd().split("\n");
const writeRows = (lines: readonly string[]) => {
  writeFileSync(file(), `${lines.join("\n")}\n`);
};

describe("the audit log", () => {
  it("the log has one JSON line an action, with the hash of the line before", () => {
    writeLines(2);
    const [first = "", second = ""] = rows();
    expect(JSON.parse(first)).toEqual({
      line: 1,
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      action: "keys.create",
      result: "done",
      actor: ACTOR,
      after: { id: 1 },
      previous: "0".repeat(64),
    });
    expect(JSON.parse(second)).toMatchObject({ line: 2, previous: hashOf(first) });
  });

  it("a log goes on where it ended", () => {
    writeLines(2);
    writeLines(2);
    expect(verifyAudit(directory)).toMatchObject({ lines: 4, broken: undefined, notes: [] });
  });

  it("a line hides what looks like a key, and members of secrets", () => {
    const log = open();
    const secret = `gwk_${"a1b2".repeat(10)}`;
    const after = { key: "x", nested: [{ note: `it was ${secret}` }], name: "build", id: "key_1" };
    log.append({ actor: { kind: "token", name: secret }, action: "keys.create", after });
    log.close();
    const text = rows()[0] ?? "";
    expect(text).not.toContain(secret);
    expect(JSON.parse(text)).toMatchObject({
      actor: { name: "(not shown)" },
      after: { key: "(not shown)", nested: [{ note: "(not shown)" }], name: "build", id: "key_1" },
    });
  });

  it("a line has no secret, in whichever field it comes", () => {
    const secret = `sk-ant-api03-${"a1b2".repeat(20)}`;
    const log = open();
    const value = {
      ...{ name: secret, owner: `of ${secret}`, models: [secret], groups: [secret] },
      ...{ metadata: { note: secret, [secret]: "x", nested: { deep: [{ [secret]: secret }] } } },
      ...{ client_secret: ["plain-1", "plain-2"], Token: "plain-3", cookie: "plain-4" },
    };
    const actor = { kind: "user", name: secret, address: "192.0.2.7", roles: ["admin"] };
    log.append({ actor, action: "keys.update", subject: secret, before: value, after: [value] });
    log.denied({ actor, action: "admin.request", subject: `/api/v1/keys/${secret}` });
    log.close();
    const text = rows().join("\n");
    expect(rows()).toHaveLength(2);
    expect(text).not.toContain(secret.slice(0, 30));
    expect(text).not.toContain("plain-");
    expect(verifyAudit(directory).broken).toBeUndefined();
  });

  it("a line bounds a value that is too long", () => {
    const log = open();
    log.append({ actor: ACTOR, action: "keys.create", after: "a ".repeat(50_000) });
    log.close();
    expect(rows()[0]?.length).toBeLessThan(1000);
    expect(rows()[0]).toContain("too_long");
  });

  it("the log counts denials beyond 60 a minute", () => {
    let now = Date.UTC(2026, 10, 28, 12);
    const log = open({ now: () => now });
    for (let at = 0; at < 1000; at++) log.denied({ actor: ACTOR, action: "admin.request" });
    now += 60_000;
    log.denied({ actor: ACTOR, action: "admin.request" });
    log.close();
    expect(rows()).toHaveLength(62);
    expect(JSON.parse(rows()[60] ?? "")).toMatchObject({
      action: "audit.more_denied",
      after: { more: 940 },
    });
  });

  it("callers that nobody knows write two short lines a minute", () => {
    let now = Date.UTC(2026, 10, 28, 12);
    const log = open({ now: () => now });
    const actor = { kind: "anonymous", name: "unknown" };
    for (let minute = 0; minute < 3; minute++) {
      for (let at = 0; at < 1000; at++)
        log.denied({ actor, action: "admin.request", subject: `/${"ü".repeat(1000)}` });
      log.denied({ actor: ACTOR, action: "admin.request" });
      now += 60_000;
    }
    log.close();
    expect(rows()).toHaveLength(9);
    expect(Math.max(...rows().map((row) => row.length))).toBeLessThan(500);
    expect(JSON.parse(rows()[2] ?? "")).toMatchObject({ after: { more: 999 } });
  });

  it("the log continues after a line that a crash cut off, and names it", () => {
    writeLines(2);
    appendFileSync(file(), '{"line":3,"time":"20');
    expect(verifyAudit(directory)).toMatchObject({ lines: 2, broken: undefined });
    expect(verifyAudit(directory).notes[0]).toContain("cut off");
    writeLines(1);
    expect(verifyAudit(directory)).toMatchObject({ lines: 4, broken: undefined });
    expect(rows()[3]).toContain('"action":"audit.cut"');
    // The cut line itself cannot be changed later.
    writeRows(rows().map((row, at) => (at === 2 ? `${row}x` : row)));
    expect(verifyAudit(directory).broken).toMatchObject({ file: FIRST_FILE, row: 3 });
  });

  it("the log reports a disk that is full, and writes how many lines were lost", () => {
    const problems: (string | undefined)[] = [];
    const log = open({ onProblem: (problem) => problems.push(problem) });
    expect(log.append({ actor: ACTOR, action: "keys.create" })).toBe(true);
    disk.free = 10;
    expect(log.append({ actor: ACTOR, action: "keys.create" })).toBe(false);
    expect(log.append({ actor: ACTOR, action: "keys.create" })).toBe(false);
    expect(problems).toEqual([expect.stringContaining("ENOSPC")]);
    expect(rows()).toHaveLength(1);
    disk.free = Infinity;
    expect(log.append({ actor: ACTOR, action: "keys.revoke" })).toBe(true);
    expect(problems.at(-1)).toBeUndefined();
    log.close();
    expect(JSON.parse(rows()[1] ?? "")).toMatchObject({
      action: "audit.lost",
      after: { lines: 2 },
    });
    expect(verifyAudit(directory)).toMatchObject({ lines: 3, broken: undefined });
  });

  it("the log finds out by itself that there is room again", () => {
    vi.useFakeTimers();
    const problems: (string | undefined)[] = [];
    const log = open({ onProblem: (problem) => problems.push(problem) });
    disk.free = 0;
    expect(log.append({ actor: ACTOR, action: "keys.create" })).toBe(false);
    vi.advanceTimersByTime(5000);
    expect(log.problem).toContain("ENOSPC");
    disk.free = Infinity;
    vi.advanceTimersByTime(1000);
    expect(log.problem).toBeUndefined();
    expect(problems).toHaveLength(2);
    log.close();
    vi.useRealTimers();
    expect(rows().map((row) => (JSON.parse(row) as { action: string }).action)).toEqual([
      "audit.lost",
    ]);
  });

  it("a second writer in the same directory writes nothing, and says why", () => {
    const lock = join(directory, "writer.json");
    const write = (pid: number, host: string, age = 0) => {
      writeFileSync(lock, JSON.stringify({ ...identityOf(pid), host }));
      const time = new Date(Date.now() - age);
      utimesSync(lock, time, time);
    };
    const problemOf = () => {
      const log = open();
      log.close();
      return log.problem;
    };
    const parent = process.ppid;
    write(parent, hostname());
    expect(problemOf()).toContain(`process ${String(parent)} on ${hostname()} writes to it`);
    write(7, "another-pod");
    expect(problemOf()).toContain("process 7 on another-pod writes to it");
    expect(existsSync(lock)).toBe(true);
    expect(existsSync(file())).toBe(false);
    for (const [pid, host, age] of [
      [7, "another-pod", 61_000],
      [process.pid, hostname(), 0],
      [2 ** 30, hostname(), 0],
    ] as const) {
      write(pid, host, age);
      expect(problemOf()).toBeUndefined();
      expect(existsSync(lock)).toBe(false);
    }
  });

  it("the log starts a new file at a size, and removes the oldest one, which a line says", () => {
    writeLines(40, { maxFileBytes: 1000, maxFiles: 3 });
    expect(existsSync(file())).toBe(false);
    expect(readdirSync(directory).filter((name) => name.endsWith(".jsonl"))).toHaveLength(3);
    expect(verifyAudit(directory).broken).toBeUndefined();
    expect(verifyAudit(directory).last?.line).toBeGreaterThan(40);
    expect([...readAudit(directory)].length).toBe(verifyAudit(directory).lines);
    const [oldest = ""] = readdirSync(directory).sort();
    rmSync(join(directory, oldest));
    expect(verifyAudit(directory).broken?.why).toMatch(/lines before line \d+ are missing/);
  });

  it("a missing file in between is found", () => {
    writeLines(12, { maxFileBytes: 1000 });
    rmSync(join(directory, "audit-000002.jsonl"));
    expect(verifyAudit(directory).broken).toEqual({
      file: "audit-000002.jsonl",
      row: 0,
      why: "the file is missing",
    });
  });
});

describe("a changed audit log", () => {
  beforeEach(() => {
    writeLines(5);
  });

  it("a change of any byte is found", () => {
    const whole = readFileSync(file());
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(file(), changed);
      expect(verifyAudit(directory).broken, `byte ${String(at)}`).toBeDefined();
    }
  });

  it("a line that was removed or added is found", () => {
    const lines = rows();
    for (let at = 0; at < lines.length; at++) {
      writeRows(lines.toSpliced(at, 1));
      expect(verifyAudit(directory).broken, `without line ${String(at + 1)}`).toBeDefined();
      writeRows(lines.toSpliced(at, 0, lines[at] ?? ""));
      expect(verifyAudit(directory).broken, `twice line ${String(at + 1)}`).toBeDefined();
    }
  });

  it("lines in another order, and a line that was cut, are found where they are", () => {
    const lines = rows();
    for (let at = 0; at + 1 < lines.length; at++) {
      const [one = "", other = ""] = lines.slice(at, at + 2);
      writeRows(lines.toSpliced(at, 2, other, one));
      const isAt = (row: number | undefined) => row === at + 1 || row === at + 2;
      const swapped = verifyAudit(directory).broken;
      expect(swapped).toMatchObject({ file: FIRST_FILE });
      expect(isAt(swapped?.row), JSON.stringify(swapped)).toBe(true);
      writeRows(lines.toSpliced(at, 1, one.slice(0, -5)));
      const { broken } = verifyAudit(directory);
      expect(broken).toMatchObject({ file: FIRST_FILE });
      // The line itself, or the next one, whose hash is of the whole line.
      expect(isAt(broken?.row), JSON.stringify(broken)).toBe(true);
      expect(broken?.why).not.toBe("");
    }
    writeRows(lines);
    expect(verifyAudit(directory).broken).toBeUndefined();
  });

  it("files in another order, and a file whose end was cut, are found", () => {
    rmSync(directory, { recursive: true });
    writeLines(12, { maxFileBytes: 1000 });
    const names = readdirSync(directory).filter((name) => name.startsWith("audit-"));
    expect(names.length).toBeGreaterThan(2);
    const [first = "", second = ""] = names.map((name) =>
      readFileSync(join(directory, name), "utf8"),
    );
    const [one = "", other = ""] = names.map((name) => join(directory, name));
    writeFileSync(one, second);
    writeFileSync(other, first);
    expect(verifyAudit(directory).broken).toBeDefined();
    writeFileSync(one, first);
    writeFileSync(other, second);
    expect(verifyAudit(directory).broken).toBeUndefined();
    truncateSync(one, first.length - 10);
    expect(verifyAudit(directory).broken).toMatchObject({ file: names[0] });
    writeFileSync(one, first.slice(0, first.trimEnd().lastIndexOf("\n") + 1));
    expect(verifyAudit(directory).broken).toMatchObject({ file: names[1], row: 1 });
  });

  it("lines that are missing at the end are found, also after the next start", () => {
    writeRows(rows().slice(0, 3));
    expect(verifyAudit(directory).broken?.why).toBe("lines from 4 on are missing");
    writeLines(1);
    expect(verifyAudit(directory).broken?.why).toContain("missing when the gateway started");
    expect(rows()[3]).toContain('"action":"audit.missing"');
  });

  it("a new log in its place is found by a line that was noted elsewhere", () => {
    const { head } = verifyAudit(directory);
    expect(verifyAudit(directory, head).broken).toBeUndefined();
    rmSync(directory, { recursive: true });
    writeLines(6);
    expect(verifyAudit(directory).broken).toBeUndefined();
    expect(verifyAudit(directory, head).broken?.why).toBe("it is not the line that was written");
  });

  it("a head that was removed is found, also after the next start", () => {
    rmSync(join(directory, "head.json"));
    writeRows(rows().slice(0, 3));
    expect(verifyAudit(directory).broken).toMatchObject({ file: "head.json" });
    writeLines(1);
    expect(verifyAudit(directory).broken?.why).toContain("head.json was missing");
  });

  it("a file that was emptied is found", () => {
    truncateSync(file(), 0);
    expect(verifyAudit(directory).broken?.why).toBe("lines from 1 on are missing");
  });
});
