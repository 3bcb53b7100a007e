// usage.db: an SQLite file that is made from access_usage.log. The places in the log that it reaches change in the same
// transaction as what was read up to there, so that each line is in the file exactly once.
import { closeSync, openSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import type { KnownPlace } from "../log-files/known-place.ts";
import type { LogPosition } from "../log-files/log-files.ts";

/** Name of the file in the state directory. */
export const USAGE_FILE = "usage.db";
/** Format of the file. */
const VERSION = 1;
/** How long a statement waits for another program that has the file locked. */
const BUSY_MS = 50;
/** Results of SQLite that mean a file which is no longer, or never was, a database. */
const DAMAGED = [11, 26];
/** After how many pages of 4 KiB the write-ahead log is moved into the file; by SQLite's default it takes 4 MB of disk. */
const CHECKPOINT_PAGES = 100;
const OTHER_VERSION = "format";

/** What was read of each log, by view; and the files of older versions whose content is here. */
const SCHEMA = `
  CREATE TABLE place (
    view TEXT NOT NULL, log TEXT NOT NULL, inode INTEGER, offset INTEGER NOT NULL, PRIMARY KEY (view, log)
  ) WITHOUT ROWID;
  CREATE TABLE adopted (file TEXT PRIMARY KEY) WITHOUT ROWID;
`;

export interface UsageDatabaseOptions {
  /** Whether the file exists and is only read; a gateway may be using it. */
  isReadOnly?: boolean;
  /** Of a file of an older version. */
  version?: number;
}

export class UsageDatabase {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** Opens the file, and creates it if it does not exist. Throws SQLite's error, or one for a file of another version. */
  constructor(file: string, { isReadOnly = false, version = VERSION }: UsageDatabaseOptions = {}) {
    // Readable for its owner alone; SQLite gives its further files the same mode.
    if (!isReadOnly) closeSync(openSync(file, "a", 0o600));
    this.#database = new DatabaseSync(file, { timeout: BUSY_MS, readOnly: isReadOnly });
    try {
      if (!isReadOnly)
        this.#database.exec(
          `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${String(CHECKPOINT_PAGES)}`,
        );
      const found = this.#database.prepare("PRAGMA user_version").get()?.["user_version"];
      if (found === 0 && !isReadOnly) this.#create();
      else if (found !== version) throw new Error(OTHER_VERSION);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Creates the tables of a view. @param schema statements that change nothing where the tables exist */
  addTables(schema: string): void {
    this.#database.exec(schema);
  }

  /** Returns the places in all logs, those of a view. @param view undefined for a file of an older version, which is one view */
  places(view?: string): KnownPlace[] {
    const all = "SELECT log, inode, offset FROM place";
    return (
      view === undefined
        ? this.statement(all).all()
        : this.statement(`${all} WHERE view = ?`).all(view)
    ).map(({ log, inode, offset }) => ({
      log: String(log),
      inode: inode === null ? undefined : Number(inode),
      offset: Number(offset),
    }));
  }

  putPlace(view: string, log: string, { inode, offset }: LogPosition): void {
    const put = this.statement("INSERT OR REPLACE INTO place VALUES (?, ?, ?, ?)");
    put.run(view, log, inode ?? null, offset);
  }

  /** Returns the prepared statement of a text. */
  statement(text: string): StatementSync {
    const found = this.#statements.get(text) ?? this.#database.prepare(text);
    this.#statements.set(text, found);
    return found;
  }

  /** Does all of the work, or nothing of it. */
  inTransaction<Result>(work: () => Result, kind: "IMMEDIATE" | "DEFERRED" = "IMMEDIATE"): Result {
    this.#database.exec(`BEGIN ${kind}`);
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
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

  #create(): void {
    this.inTransaction(() => {
      this.#database.exec(`${SCHEMA} PRAGMA user_version = ${String(VERSION)};`);
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
