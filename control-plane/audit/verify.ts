// Checks an audit log: each line has the number and the hash of the line before, and no line is missing.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  CUT_ACTION,
  hashOf,
  MISSING_ACTION,
  NO_PREVIOUS,
  readAuditLine,
  REMOVED_ACTION,
} from "./audit-line.ts";
import type { AuditLine } from "./audit-line.ts";
import { auditFiles, HEAD_FILE, nameOf, readHead, tailOf } from "./audit-log.ts";
import type { Head } from "./audit-log.ts";

export interface Verification {
  lines: number;
  first: AuditLine | undefined;
  last: AuditLine | undefined;
  head: Head;
  /** Where the log is not what was written, and how; undefined if it is whole. */
  broken: { file: string; row: number; why: string } | undefined;
  /** What is not as usual, and no sign of a change. */
  notes: string[];
}

/** A file's lines as bytes, and what comes after the last one. */
interface Content {
  rows: Buffer[];
  tail: Buffer;
}

/** What the walk has found until now. */
interface Walk {
  head: Head | undefined;
  first: AuditLine | undefined;
  last: AuditLine | undefined;
  lines: number;
  /** Hashes that must be found, by line. */
  expected: Map<number, string>;
  removed: Head[];
  cuts: number;
}

/**
 * Returns what is found, up to the first line that is wrong. Throws the system's error if a file cannot be read.
 * @param expected a line and its hash that were noted elsewhere
 */
export function verifyAudit(directory: string, expected?: Head): Verification {
  // Before the lines: a gateway may be writing.
  const kept = readHead(directory);
  const walk: Walk = {
    head: undefined,
    first: undefined,
    last: undefined,
    lines: 0,
    expected: new Map(),
    removed: [],
    cuts: 0,
  };
  for (const head of [kept, expected])
    if (head !== undefined && head.line > 0) walk.expected.set(head.line, head.hash);
  const notes: string[] = [];
  const files = auditFiles(directory);
  let broken: Verification["broken"];
  for (const [at, { name, number }] of files.entries()) {
    const before = files[at - 1];
    if (before !== undefined && before.number !== number - 1) {
      broken = { file: nameOf(before.number + 1), row: 0, why: "the file is missing" };
      break;
    }
    const content = contentOf(readFileSync(join(directory, name)));
    broken = checkFile(name, content, walk);
    if (broken !== undefined) break;
    if (content.tail.length === 0) continue;
    if (at < files.length - 1) {
      broken = { file: name, row: content.rows.length + 1, why: "the end of the line is missing" };
      break;
    }
    notes.push(`The last line of ${name} is cut off; the gateway names it at its next start.`);
  }
  // With the head removed, lines could be removed from the end.
  if (kept === undefined && walk.lines > 0)
    broken ??= { file: HEAD_FILE, row: 0, why: "the file is missing, so lines at the end may be" };
  broken ??= checkEnds(walk, files.at(-1)?.name ?? nameOf(1), expected);
  if (walk.cuts > 0) notes.push(`${String(walk.cuts)} lines were cut off by a crash.`);
  const { lines, first, last } = walk;
  return { lines, first, last, head: walk.head ?? { line: 0, hash: NO_PREVIOUS }, broken, notes };
}

/** Returns the lines of a log, the oldest first. Lines that cannot be read are left out. */
export function* readAudit(directory: string): Generator<AuditLine, void> {
  for (const { name } of auditFiles(directory)) {
    for (const row of contentOf(readFileSync(join(directory, name))).rows) {
      const line = readAuditLine(row.toString("utf8"));
      if (line !== undefined) yield line;
    }
  }
}

function contentOf(bytes: Buffer): Content {
  const tail = tailOf(bytes);
  const rows: Buffer[] = [];
  for (let start = 0; start < bytes.length - tail.length;) {
    const end = bytes.indexOf("\n", start);
    rows.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return { rows, tail };
}

function checkFile(file: string, { rows }: Content, walk: Walk): Verification["broken"] {
  let cut: string | undefined;
  for (const [at, bytes] of rows.entries()) {
    const wrong = (why: string) => ({ file, row: at + 1, why });
    const line = readAuditLine(bytes.toString("utf8"));
    if (line === undefined) {
      if (cut !== undefined) return wrong("it is not a line of the log");
      cut = hashOf(bytes);
      if (at === rows.length - 1) return wrong("it is not a line of the log");
      continue;
    }
    if (cut !== undefined) {
      const named = line.action === CUT_ACTION ? memberOf(line.after, "sha256") : undefined;
      if (named !== cut) return { file, row: at, why: "it is not a line of the log" };
      cut = undefined;
      walk.cuts += 1;
    }
    const why = checkLine(line, hashOf(bytes), walk);
    if (why !== undefined) return wrong(why);
  }
  return undefined;
}

/** Returns why a line cannot follow the ones before. */
function checkLine(line: AuditLine, hash: string, walk: Walk): string | undefined {
  const { head } = walk;
  if (head !== undefined && line.previous !== head.hash)
    return `line ${String(head.line)} before it, or its own hash of that line, was changed`;
  if (head !== undefined && line.line !== head.line + 1)
    return `line ${String(head.line + 1)} is missing`;
  const wanted = walk.expected.get(line.line);
  if (wanted !== undefined && wanted !== hash) return "it is not the line that was written";
  walk.expected.delete(line.line);
  if (line.action === MISSING_ACTION)
    return line.before === undefined
      ? "head.json was missing when the gateway started, so lines before it may be missing"
      : "lines before it were missing when the gateway started";
  if (line.action === REMOVED_ACTION) {
    const [last, lastHash] = [
      memberOf(line.after, "last_line"),
      memberOf(line.after, "last_sha256"),
    ];
    if (typeof last === "number" && typeof lastHash === "string")
      walk.removed.push({ line: last, hash: lastHash });
  }
  walk.first ??= line;
  walk.last = line;
  walk.head = { line: line.line, hash };
  walk.lines += 1;
  return undefined;
}

/** Returns what is missing before the first line and after the last one. */
function checkEnds(walk: Walk, file: string, expected?: Head): Verification["broken"] {
  const { first, last } = walk;
  if (first !== undefined && first.line > 1) {
    const isSaid = walk.removed.some(
      ({ line, hash }) => line === first.line - 1 && hash === first.previous,
    );
    if (!isSaid)
      return { file, row: 1, why: `lines before line ${String(first.line)} are missing` };
  }
  if (first?.line === 1 && first.previous !== NO_PREVIOUS)
    return { file, row: 1, why: "line 1 follows another line" };
  for (const line of walk.expected.keys()) {
    // Of a file that the log has removed.
    if (first !== undefined && line < first.line && line !== expected?.line) continue;
    const missing = (last?.line ?? 0) + 1;
    const why =
      line < missing
        ? `line ${String(line)} is missing`
        : `lines from ${String(missing)} on are missing`;
    return { file, row: walk.lines + 1, why };
  }
  return undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
