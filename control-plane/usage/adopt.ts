// The files of versions before usage.db: metrics.json, history.db and spend.db. What a file has is written to usage.db in one
// transaction with a note of its name, and then the file is removed: a crash at any moment takes nothing over twice.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { databaseProblem, putAside, USAGE_FILE, UsageDatabase } from "./usage-database.ts";

export interface Adoption {
  /** Name of the file in the state directory. */
  file: string;
  /** Writes the content of the file. Throws Unreadable if it has none. */
  take: (database: UsageDatabase, path: string) => void;
}

/** Why a file cannot be read. */
export class Unreadable extends Error {}

/** SQLite's result for a file that another program has locked. */
const BUSY = 5;

/** Takes a file over, if it exists and was not taken over before. A damaged file is renamed. */
export function adopt(
  database: UsageDatabase,
  directory: string,
  { file, take }: Adoption,
  report: (line: string, level?: "warning") => void,
): void {
  const path = join(directory, file);
  if (!existsSync(path)) return;
  try {
    database.inTransaction(() => {
      const note = database.statement("INSERT OR IGNORE INTO adopted VALUES (?)").run(file);
      if (Number(note.changes) > 0) take(database, path);
    });
    for (const more of ["", "-wal", "-shm"]) rmSync(path + more, { force: true });
    report(`The content of ${file} is in ${USAGE_FILE} now.`);
  } catch (error) {
    if (!(error instanceof Unreadable) || !putAside(path)) throw error;
    report(
      `${path} cannot be moved to ${USAGE_FILE} (${error.message}); it is renamed to ${file}.damaged, and its content is made from the logs again.`,
      "warning",
    );
  }
}

/** Returns the `take` of an SQLite file: its tables and its places. @param version of its format */
export function takeTables(
  view: string,
  version: number,
  tables: readonly string[],
): Adoption["take"] {
  return (database, path) => {
    const old = readable(() => new UsageDatabase(path, { isReadOnly: true, version }));
    try {
      for (const { log, ...position } of readable(() => old.places()))
        database.putPlace(view, log, position);
      for (const table of tables) {
        for (const row of rowsOf(old, table)) {
          const values = Object.values(row);
          const marks = values.map(() => "?").join(", ");
          database.statement(`INSERT INTO ${table} VALUES (${marks})`).run(...values);
        }
      }
    } finally {
      old.close();
    }
  };
}

function* rowsOf(old: UsageDatabase, table: string) {
  const all = readable(() => old.statement(`SELECT * FROM ${table}`));
  // Sums may be larger than a number is exact.
  all.setReadBigInts(true);
  const rows = all.iterate();
  for (;;) {
    const next = readable(() => rows.next());
    if (next.done === true) return;
    yield next.value;
  }
}

/** Returns what `read` returns. Throws Unreadable if the file is damaged, or of another version. */
export function readable<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    const { errcode = 0 } = error as { errcode?: number };
    throw (errcode & 0xff) === BUSY ? error : new Unreadable(databaseProblem(error));
  }
}
