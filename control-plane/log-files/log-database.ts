// An SQLite file that is made from a log: the place in the log that it reaches changes in the same transaction as what was read
// up to there, so that each line is in the file exactly once.
import { closeSync, openSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import type { KnownPlace } from "./known-place.ts";
import type { LogPosition } from "./log-files.ts";

/** How long a statement waits for another program that has the file locked. */
const BUSY_MS = 50;
/** Results of SQLite that mean a file which is no longer, or never was, a database. */
const DAMAGED = [11, 26];
const OTHER_VERSION = "format";

const PLACES = `CREATE TABLE place (
  log TEXT PRIMARY KEY, inode INTEGER, offset INTEGER NOT NULL
) WITHOUT ROWID;`;

export interface LogDatabaseOptions {
  /** Format of the file. */
  version: number;
  /** Statements that create its tables. */
  schema: string;
  /** Of an existing file, which may be in use by a gateway. */
  isReadOnly?: boolean;
}

export class LogDatabase {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** Opens the file, and creates it if it does not exist. Throws SQLite's error, or one for a file of another version. */
  constructor(file: string, { version, schema, isReadOnly = false }: LogDatabaseOptions) {
    // Readable for its owner alone; SQLite gives its further files the same mode.
    if (!isReadOnly) closeSync(openSync(file, "a", 0o600));
    this.#database = new DatabaseSync(file, { timeout: BUSY_MS, readOnly: isReadOnly });
    try {
      if (!isReadOnly)
        this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
      const found = this.#database.prepare("PRAGMA user_version").get()?.["user_version"];
      if (found === 0 && !isReadOnly) this.#create(version, schema);
      else if (found !== version) throw new Error(OTHER_VERSION);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Returns the places in all logs. */
  places(): KnownPlace[] {
    return this.statement("SELECT log, inode, offset FROM place")
      .all()
      .map(({ log, inode, offset }) => ({
        log: String(log),
        inode: inode === null ? undefined : Number(inode),
        offset: Number(offset),
      }));
  }

  /** Writes a place in a log and what was read up to there: both, or nothing. */
  write(log: string, { inode, offset }: LogPosition, work: () => void): void {
    this.inTransaction(() => {
      const put = this.statement("INSERT OR REPLACE INTO place VALUES (?, ?, ?)");
      put.run(log, inode ?? null, offset);
      work();
    });
  }

  /** Returns the prepared statement of a text. */
  statement(text: string): StatementSync {
    const found = this.#statements.get(text) ?? this.#database.prepare(text);
    this.#statements.set(text, found);
    return found;
  }

  inTransaction(work: () => void, kind: "IMMEDIATE" | "DEFERRED" = "IMMEDIATE"): void {
    this.#database.exec(`BEGIN ${kind}`);
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      // SQLite ends some failed transactions itself.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #create(version: number, schema: string): void {
    this.inTransaction(() => {
      this.#database.exec(`${PLACES} ${schema} PRAGMA user_version = ${String(version)};`);
    });
  }
}

/** Whether the error means that the file is not a database of this version. */
export function isDamage(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  const isNoDatabase = errcode !== undefined && DAMAGED.includes(errcode & 0xff);
  return isNoDatabase || (error as Error).message === OTHER_VERSION;
}

/** Returns why a file cannot be used. */
export function databaseProblem(error: unknown): string {
  const { errstr, code, message } = error as { errstr?: string; code?: string; message: string };
  if (message === OTHER_VERSION) return "it is of another version";
  return errstr ?? code ?? message;
}

/** Renames a damaged file, so that its owner can look at it and a new one can be created. Returns false if that failed. */
export function putAside(file: string): boolean {
  try {
    renameSync(file, `${file}.damaged`);
    for (const more of ["-wal", "-shm"]) rmSync(file + more, { force: true });
    return true;
  } catch {
    return false;
  }
}
