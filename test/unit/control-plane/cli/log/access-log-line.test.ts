// Reading access logs: one line, the last lines of a file, and lines as they come, across a rotation.
import {
  appendFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  endOfLog,
  followLines,
  lastLines,
  withRotated,
} from "../../../../../control-plane/log-files/log-files.ts";
import { parseAccessLogLine } from "../../../../../control-plane/cli/log/access-log-line.ts";

const LINE =
  '[2026-01-31T10:00:00.123Z] "POST /v1/messages?beta=true HTTP/1.1" 200 - 70 404 1695 984 "10.0.0.1" "curl/8.5" "ab4ebd3f-bfbb-42a6-9516-762f34046a0d" "api.example.com" "192.0.2.1:443"';

const PATIENCE = { timeout: 60_000 };

describe("a line of the access log", () => {
  it("a line of the access log has the 15 fields", () => {
    expect(parseAccessLogLine(LINE)).toEqual({
      startTime: "2026-01-31T10:00:00.123Z",
      method: "POST",
      path: "/v1/messages?beta=true",
      protocol: "HTTP/1.1",
      responseCode: 200,
      responseFlags: null,
      bytesReceived: 70,
      bytesSent: 404,
      duration: 1695,
      upstreamServiceTime: 984,
      forwardedFor: "10.0.0.1",
      userAgent: "curl/8.5",
      requestId: "ab4ebd3f-bfbb-42a6-9516-762f34046a0d",
      authority: "api.example.com",
      upstreamHost: "192.0.2.1:443",
    });
  });

  it("code 0 with a flag and dashes mean nothing in a line of the access log", () => {
    const line = '[2026-01-31T10:00:00.123Z] "- - HTTP/1.1" 0 DPE 0 0 - - "-" "-" "-" "-" "-"';
    expect(parseAccessLogLine(line)).toMatchObject({
      responseCode: 0,
      responseFlags: "DPE",
      duration: null,
      upstreamServiceTime: null,
      forwardedFor: null,
      userAgent: null,
      requestId: null,
      authority: null,
      upstreamHost: null,
    });
  });

  it("a line of the access log keeps IPv6 addresses whole", () => {
    const line = LINE.replace("192.0.2.1:443", "[2001:db8::1]:443").replace("10.0.0.1", "::1");
    expect(parseAccessLogLine(line)).toMatchObject({
      forwardedFor: "::1",
      upstreamHost: "[2001:db8::1]:443",
    });
  });

  it("a line of the access log is not misled by a user agent that looks like the rest of a line", () => {
    const evil = 'x" "fake-id" "fake" "6.6.6.6:1" [2026] "GET / HTTP/1.1" 500 - 1 1 1 1 "-';
    expect(parseAccessLogLine(LINE.replace("curl/8.5", evil))).toMatchObject({
      responseCode: 200,
      userAgent: evil,
      requestId: "ab4ebd3f-bfbb-42a6-9516-762f34046a0d",
      upstreamHost: "192.0.2.1:443",
    });
  });

  it("a line of the access log takes a quote in a path as part of the path", () => {
    const line = LINE.replace("/v1/messages?beta=true", '/a"b" 200'.replace(" ", "%20"));
    expect(parseAccessLogLine(line)?.path).toBe('/a"b"%20200');
  });

  it("a line of the access log is ignored when a field is missing or the line is cut", () => {
    expect(parseAccessLogLine("")).toBeUndefined();
    expect(parseAccessLogLine("hello")).toBeUndefined();
    expect(parseAccessLogLine(LINE.slice(0, -1))).toBeUndefined();
    expect(parseAccessLogLine(LINE.replace(' "10.0.0.1"', ""))).toBeUndefined();
  });

  it("a user agent that Envoy lets through is returned unchanged", () => {
    // White space around a header's value is not part of it (RFC 9110, section 5.5).
    const text = fc
      .string({ unit: "grapheme-ascii", minLength: 1 })
      .filter((ua) => ua !== "-" && ua.trim() === ua);
    fc.assert(
      fc.property(text, (userAgent) => {
        const line = LINE.replace("curl/8.5", () => userAgent);
        expect(parseAccessLogLine(line)?.userAgent).toBe(userAgent);
      }),
      { numRuns: 5000 },
    );
  });
});

const inodeOf = (file: string) => statSync(file).ino;

describe("log files", () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "gateway-logs-"));
    file = join(directory, "access_llm.log");
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it("log files are read from the end, across blocks", () => {
    const all = Array.from(
      { length: 5000 },
      (_, index) => `line ${index} ${"ü".repeat(index % 90)}`,
    );
    writeFileSync(file, all.join("\n") + "\n");
    const end = endOfLog(file);
    expect(lastLines(file, 3000, () => true, end)).toEqual(all.slice(-3000));
    expect(lastLines(file, 9000, () => true, end)).toEqual(all);
    expect(lastLines(file, 2, (line) => line.startsWith("line 1"), end)).toEqual(
      all.filter((line) => line.startsWith("line 1")).slice(-2),
    );
  });

  it("end after the last whole line, from where they are followed", () => {
    writeFileSync(file, "one\ntwo\nthr");
    const end = endOfLog(file);
    expect(end.offset).toBe(8);
    expect(lastLines(file, 9, () => true, end)).toEqual(["one", "two"]);
    appendFileSync(file, "ee\n");
    expect(endOfLog(file)).toEqual({ ...end, offset: 14 });
    expect(endOfLog(`${file}.none`)).toEqual({ inode: undefined, offset: 0 });
  });

  it("log files have the same last lines when they are rotated between both readings", () => {
    writeFileSync(`${file}.1`, "one\n");
    writeFileSync(file, "two\nthree\n");
    const end = endOfLog(file);
    renameSync(`${file}.1`, `${file}.2`);
    renameSync(file, `${file}.1`);
    writeFileSync(file, "a line that is followed, longer than the file before\n");
    expect(lastLines(file, 9, () => true, end)).toEqual(["one", "two", "three"]);
    expect(lastLines(file, 2, () => true, end)).toEqual(["two", "three"]);
  });

  it("log files that do not exist have no lines", () => {
    expect(lastLines(file, 3, () => true, endOfLog(file))).toEqual([]);
    expect(withRotated(file)).toEqual([]);
    expect(withRotated(join(directory, "none/access_llm.log"))).toEqual([]);
  });

  it("log files are listed with their rotated predecessors, oldest first", () => {
    for (const name of ["", ".1", ".2", ".10", ".gz", ".old"]) writeFileSync(file + name, "");
    const paths = withRotated(file).map(({ path }) => path);
    expect(paths).toEqual([`${file}.10`, `${file}.2`, `${file}.1`, file]);
  });

  it("log files are followed across renaming and emptying, without a line lost or seen twice", async () => {
    const lines: string[] = [];
    const over = new AbortController();
    const add = (line: string) => lines.push(line);
    writeFileSync(file, "old\n");
    const following = followLines(file, endOfLog(file), {
      onLine: add,
      signal: over.signal,
      pollMs: 5,
    });
    appendFileSync(file, "one\ntw");
    await vi.waitFor(() => {
      expect(lines).toEqual(["one"]);
    }, PATIENCE);
    appendFileSync(file, "o\n");
    renameSync(file, `${file}.1`);
    appendFileSync(`${file}.1`, "three\n");
    writeFileSync(file, "four\n");
    await vi.waitFor(() => {
      expect(lines).toEqual(["one", "two", "three", "four"]);
    }, PATIENCE);
    truncateSync(file);
    // Shorter than what was there: as long a file could not be told from the one before.
    appendFileSync(file, "5\n");
    await vi.waitFor(() => {
      expect(lines).toEqual(["one", "two", "three", "four", "5"]);
    }, PATIENCE);
    over.abort();
    await following;
  });

  it("log files are followed over rotations between two reads", async () => {
    const lines: string[] = [];
    const over = new AbortController();
    const add = (line: string) => lines.push(line);
    writeFileSync(file, "one\n");
    const following = followLines(
      file,
      { inode: inodeOf(file), offset: 0 },
      { onLine: add, signal: over.signal, pollMs: 5 },
    );
    await vi.waitFor(() => {
      expect(lines).toEqual(["one"]);
    }, PATIENCE);
    // In one go, so that the follower sees nothing of it before the end.
    for (const line of ["two", "three", "four"]) {
      for (let age = withRotated(file).length; age > 1; age -= 1) {
        renameSync(`${file}.${String(age - 1)}`, `${file}.${String(age)}`);
      }
      renameSync(file, `${file}.1`);
      writeFileSync(file, `${line}\n`);
    }
    await vi.waitFor(() => {
      expect(lines).toEqual(["one", "two", "three", "four"]);
    }, PATIENCE);
    over.abort();
    await following;
  });

  it("log files are followed while their names are being shifted", async () => {
    const lines: string[] = [];
    const over = new AbortController();
    writeFileSync(file, "one\n");
    const following = followLines(file, endOfLog(file), {
      onLine: (line) => lines.push(line),
      signal: over.signal,
      pollMs: 5,
    });
    const shift = (from: string, to: string) => {
      renameSync(file + from, file + to);
    };
    appendFileSync(file, "two\n");
    shift("", ".1");
    writeFileSync(file, "three\n");
    shift(".1", ".2");
    shift("", ".1");
    writeFileSync(file, "four\n");
    // As the next rotation begins: the file that is being read is the third, and no file is the second.
    shift(".2", ".3");
    await vi.waitFor(() => {
      expect(lines).toEqual(["two", "three", "four"]);
    }, PATIENCE);
    over.abort();
    await following;
  });

  it("log files are followed when the one in use is removed, or renamed by another program", async () => {
    const lines: string[] = [];
    const over = new AbortController();
    writeFileSync(file, "");
    const following = followLines(file, endOfLog(file), {
      onLine: (line) => lines.push(line),
      signal: over.signal,
      pollMs: 5,
    });
    rmSync(file);
    writeFileSync(`${file}.1`, "one\n");
    writeFileSync(file, "two\n");
    await vi.waitFor(() => {
      expect(lines).toEqual(["one", "two"]);
    }, PATIENCE);
    renameSync(file, `${file}-20261122`);
    writeFileSync(file, "three\n");
    await vi.waitFor(() => {
      expect(lines).toEqual(["one", "two", "three"]);
    }, PATIENCE);
    over.abort();
    await following;
  });

  it("log files are followed from their first line when they come later", async () => {
    const lines: string[] = [];
    const over = new AbortController();
    const following = followLines(file, endOfLog(file), {
      onLine: (line) => lines.push(line),
      signal: over.signal,
      pollMs: 5,
    });
    appendFileSync(file, "one\n");
    await vi.waitFor(() => {
      expect(lines).toEqual(["one"]);
    }, PATIENCE);
    over.abort();
    await following;
  });
});
