// The audit log: files of JSON lines, each with the hash of the line before, so that a change of a line shows
// (control-plane/audit/verify.ts). One process writes it (writer-lock.ts). A line that a crash cut off stays, and the next line names it.
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import {
  auditText,
  CUT_ACTION,
  hashOf,
  LOST_ACTION,
  MISSING_ACTION,
  MORE_DENIED_ACTION,
  NO_PREVIOUS,
  readAuditLine,
  REMOVED_ACTION,
} from "./audit-line.ts";
import type { AuditActor, AuditEntry, AuditLine } from "./audit-line.ts";
import { WriterLock } from "./writer-lock.ts";

/** The last line that was written: a file of its own, so that lines missing at the end show. */
export const HEAD_FILE = "head.json";
const FILE = /^audit-(\d{6})\.jsonl$/;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Files that are kept: 1 GiB. */
const MAX_FILES = 64;
/** Denials of callers that are known that are written a minute. */
const MAX_DENIALS = 60;
/**
 * Denials of anybody that are written a minute, the first ones; with the line that counts the rest. Whoever tries passwords can
 * neither fill the disk nor make the log remove its older files: 64 of them are years of such lines.
 */
const MAX_ANONYMOUS = 1;
const MAX_ANONYMOUS_SUBJECT = 100;
const RETRY_MS = 1000;
const MINUTE_MS = 60_000;
const OWNER_ONLY = 0o600;
const NEWLINE = 10;

export interface Head {
  line: number;
  hash: string;
}

/** What writes to the log. */
export interface AuditWriter {
  /** Why lines cannot be written; undefined if they can. */
  readonly problem: string | undefined;
  /** Writes a line, and returns whether it is on the disk. */
  append: (entry: AuditEntry) => boolean;
  /** Records a denial; many of them are counted. */
  denied: (entry: Omit<AuditEntry, "result">) => void;
}

export interface AuditLogOptions {
  directory: string;
  /** Also receives each line, for a collector of logs. */
  copy?: ((line: string) => void) | undefined;
  /** Called with the reason when lines cannot be written, and with undefined when they can again. */
  onProblem?: ((problem: string | undefined) => void) | undefined;
  /** Milliseconds since 1970. */
  now?: () => number;
  maxFileBytes?: number;
  maxFiles?: number;
}

/** Kind of a caller that nobody knows. */
const ANONYMOUS = "anonymous";

/** The actor of lines about the log itself. */
const ITSELF: AuditActor = { kind: "process", name: "gateway" };

const MISSING = { actor: ITSELF, action: MISSING_ACTION, result: "failed" } as const;

export class AuditLog implements AuditWriter {
  readonly #options: AuditLogOptions;
  readonly #now: () => number;
  #file: { descriptor: number; number: number; size: number } | undefined;
  #head: Head = { line: 0, hash: NO_PREVIOUS };
  #problem: string | undefined;
  /** Lines that could not be written since `since`. */
  #lost = { count: 0, since: 0 };
  #denials = { minute: 0, written: 0, anonymous: 0, more: 0 };
  #timer: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  readonly #lock: WriterLock;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#lock = new WriterLock(options.directory);
    this.#try(() => {
      this.#open();
    });
  }

  get directory(): string {
    return this.#options.directory;
  }

  /** Why lines cannot be written; undefined if they can. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The last line and its hash. */
  get head(): Head {
    return this.#head;
  }

  /** Writes a line, and returns whether it is on the disk. Never throws: the caller decides what a lost line means. */
  append(entry: AuditEntry): boolean {
    const isWritten = this.#try(() => {
      this.#open();
      this.#writeLost();
      this.#write(entry);
    });
    if (!isWritten) {
      if (this.#lost.count === 0) this.#lost.since = this.#now();
      this.#lost.count += 1;
    }
    return isWritten;
  }

  /**
   * Writes a denial. Beyond a number a minute they are counted, and the count is written when the minute is over. Of callers that
   * nobody knows, the first denial of a minute is written, with the beginning of its subject.
   */
  denied(entry: Omit<AuditEntry, "result">): void {
    const minute = Math.floor(this.#now() / MINUTE_MS);
    if (this.#denials.minute !== minute) {
      this.#writeDenials();
      this.#denials = { minute, written: 0, anonymous: 0, more: 0 };
    }
    const isAnonymous = entry.actor.kind === ANONYMOUS;
    const [counter, most] = isAnonymous
      ? (["anonymous", MAX_ANONYMOUS] as const)
      : (["written", MAX_DENIALS] as const);
    if (this.#denials[counter] < most) {
      this.#denials[counter] += 1;
      const subject = isAnonymous ? beginningOf(entry.subject) : entry.subject;
      this.append({ ...entry, subject, result: "denied" });
      return;
    }
    this.#denials.more += 1;
    this.#timer ??= setTimeout(() => {
      this.#writeDenials();
    }, MINUTE_MS).unref();
  }

  close(): void {
    this.#writeDenials();
    clearTimeout(this.#retry);
    this.#closeFile();
    this.#lock.release();
  }

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file.descriptor);
    this.#file = undefined;
  }

  #writeDenials(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { more } = this.#denials;
    this.#denials.more = 0;
    if (more === 0) return;
    this.append({ actor: ITSELF, action: MORE_DENIED_ACTION, result: "denied", after: { more } });
  }

  /** Reports a change of the problem. @returns whether the work was done */
  #try(work: () => void): boolean {
    let problem: string | undefined;
    try {
      work();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      problem = `The audit log in ${this.#options.directory} cannot be written (${code ?? message}).`;
    }
    clearTimeout(this.#retry);
    // Changes are refused until a line can be written, and a change that is refused writes none.
    if (problem !== undefined)
      this.#retry = setTimeout(() => {
        this.#tryAgain();
      }, RETRY_MS).unref();
    const isNew = problem !== this.#problem;
    this.#problem = problem;
    if (isNew) this.#options.onProblem?.(problem);
    return problem === undefined;
  }

  #tryAgain(): void {
    this.#try(() => {
      this.#open();
      this.#writeLost();
    });
  }

  #open(): void {
    if (this.#file !== undefined) return;
    mkdirSync(this.#options.directory, { recursive: true, mode: 0o700 });
    this.#lock.take();
    try {
      this.#continue();
    } catch (error) {
      this.#closeFile();
      throw error;
    }
  }

  /** Goes on after the last line, and writes what was found there. */
  #continue(): void {
    const { directory } = this.#options;
    const files = auditFiles(directory);
    const last = files.at(-1);
    const number = last?.number ?? 1;
    const bytes = last === undefined ? Buffer.alloc(0) : readFileSync(join(directory, last.name));
    const cut = tailOf(bytes);
    this.#head = lastWhole(directory, files, bytes.subarray(0, bytes.length - cut.length));
    const found = this.#head;
    const kept = readHead(directory);
    this.#file = this.#openFile(number);
    if (cut.length > 0) {
      this.#writeBytes(Buffer.from([NEWLINE]));
      const after = { bytes: cut.length, sha256: hashOf(cut) };
      this.#write({ actor: ITSELF, action: CUT_ACTION, after });
    }
    // What is known of the missing lines would be lost with the next line.
    if (kept !== undefined ? isAhead(kept, found) : found.line > 0)
      this.#write({ ...MISSING, before: kept && asJson(kept), after: asJson(found) });
  }

  #openFile(number: number) {
    const descriptor = openSync(join(this.#options.directory, nameOf(number)), "a", OWNER_ONLY);
    return { descriptor, number, size: fstatSync(descriptor).size };
  }

  #writeLost(): void {
    const { count, since } = this.#lost;
    if (count === 0) return;
    const after = { lines: count, since: new Date(since).toISOString() };
    this.#write({ actor: ITSELF, action: LOST_ACTION, result: "failed", after });
    this.#lost.count = 0;
  }

  #write(entry: AuditEntry): void {
    const { maxFileBytes = MAX_FILE_BYTES } = this.#options;
    const { line, hash } = this.#head;
    const time = new Date(this.#now()).toISOString();
    const text = auditText(entry, { line: line + 1, time, previous: hash });
    const bytes = Buffer.from(`${text}\n`);
    const size = this.#file?.size ?? 0;
    if (size > 0 && size + bytes.length > maxFileBytes) {
      this.#rotate();
      this.#write(entry);
      return;
    }
    this.#writeBytes(bytes);
    this.#head = { line: line + 1, hash: hashOf(text) };
    this.#writeHead();
    this.#options.copy?.(text);
  }

  /** Writes all of the bytes, or nothing as far as that is possible. */
  #writeBytes(bytes: Uint8Array): void {
    const file = this.#file;
    if (file === undefined) return;
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(file.descriptor, bytes, at);
      fdatasyncSync(file.descriptor);
      file.size += bytes.length;
    } catch (error) {
      try {
        ftruncateSync(file.descriptor, file.size);
      } catch {
        // The next open finds the cut line.
        this.#file = undefined;
        closeSync(file.descriptor);
      }
      throw error;
    }
  }

  #writeHead(): void {
    const path = join(this.#options.directory, HEAD_FILE);
    try {
      writeFileSync(`${path}.new`, JSON.stringify(this.#head), { mode: OWNER_ONLY, flush: true });
      renameSync(`${path}.new`, path);
    } catch {
      // It may be older than the lines.
    }
  }

  /** Starts the next file, and removes the oldest one above a number, after a line that names it. */
  #rotate(): void {
    const { directory, maxFiles = MAX_FILES } = this.#options;
    const number = (this.#file?.number ?? 0) + 1;
    const next = this.#openFile(number);
    if (this.#file !== undefined) closeSync(this.#file.descriptor);
    this.#file = next;
    const files = auditFiles(directory);
    for (const { name } of files.slice(0, Math.max(0, files.length - maxFiles))) {
      const last = lastLineOf(readFileSync(join(directory, name)));
      const after = { file: name, last_line: last?.line.line, last_sha256: last?.hash };
      this.#write({ actor: ITSELF, action: REMOVED_ACTION, after });
      unlinkSync(join(directory, name));
    }
  }
}

/** Returns the beginning of what an unknown caller sent. */
function beginningOf(subject = ""): string {
  return Buffer.from(subject).subarray(0, MAX_ANONYMOUS_SUBJECT).toString("utf8");
}

/** Whether the first is of a line that the log does not have. */
function isAhead(kept: Head, found: Head): boolean {
  return kept.line > found.line || (kept.line === found.line && kept.hash !== found.hash);
}

const asJson = ({ line, hash }: Head) => ({ line, sha256: hash });

/** Returns the files of a log, the oldest first. */
export function auditFiles(directory: string): { name: string; number: number }[] {
  return readdirSync(directory)
    .flatMap((name) => {
      const number = FILE.exec(name)?.[1];
      return number === undefined ? [] : [{ name, number: Number(number) }];
    })
    .sort((one, other) => one.number - other.number);
}

export function nameOf(number: number): string {
  return `audit-${String(number).padStart(6, "0")}.jsonl`;
}

/** Returns the head that the file names; undefined if there is none. */
export function readHead(directory: string): Head | undefined {
  try {
    const head = JSON.parse(readFileSync(join(directory, HEAD_FILE), "utf8")) as Partial<Head>;
    const { line, hash } = head;
    return typeof line === "number" && typeof hash === "string" ? { line, hash } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the bytes after the last end of a line. */
export function tailOf(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.lastIndexOf(NEWLINE) + 1);
}

/** Returns the last whole line of the newest file that has one. */
function lastWhole(
  directory: string,
  files: readonly { name: string }[],
  newest: Uint8Array,
): Head {
  for (const [at, { name }] of [...files].reverse().entries()) {
    const bytes = at === 0 ? newest : readFileSync(join(directory, name));
    const last = lastLineOf(Buffer.from(bytes));
    if (last !== undefined) return { line: last.line.line, hash: last.hash };
  }
  return { line: 0, hash: NO_PREVIOUS };
}

function lastLineOf(bytes: Buffer): { line: AuditLine; hash: string } | undefined {
  const texts = bytes.toString("utf8").split("\n");
  for (const text of texts.reverse()) {
    const line = readAuditLine(text);
    if (line !== undefined) return { line, hash: hashOf(text) };
  }
  return undefined;
}
