// keys.db: keys and groups of this gateway, or with Redis a copy of those that the gateways share. Each change has a number that only
// grows, so that whoever has all up to a number finds the later ones. Hashes only.
import { closeSync, openSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import type { Budget } from "../../model/budgets.ts";
import type { KeyStatus } from "./key-status.ts";
import type { Change, GroupRecord, KeyRecord } from "./key-records.ts";
import { StoreError } from "./store-error.ts";

/** Name of the file in the state directory. */
export const KEYS_FILE = "keys.db";
/** How long a statement waits for another program that has the file locked. */
const BUSY_MS = 1_000;
const OTHER_VERSION = "it was written by a newer version";

/** By version: what turns the format before it into it. */
const MIGRATIONS = [
  `CREATE TABLE keys (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, owner TEXT NOT NULL, revoked INTEGER NOT NULL,
    expires INTEGER NOT NULL, disabled INTEGER NOT NULL, change INTEGER NOT NULL, record TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX keys_name ON keys (name) WHERE revoked = 0;
  CREATE INDEX keys_hash ON keys (hash);
  CREATE INDEX keys_owner ON keys (owner);
  CREATE INDEX keys_change ON keys (change);
  CREATE TABLE members (name TEXT, id TEXT, PRIMARY KEY (name, id)) WITHOUT ROWID;
  CREATE INDEX members_id ON members (id);
  CREATE TABLE groups (name TEXT PRIMARY KEY, deleted INTEGER NOT NULL, change INTEGER NOT NULL, record TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE pending (id TEXT PRIMARY KEY) WITHOUT ROWID;`,
  // Two gateways may create one name while Redis has lost its data: both keys are kept.
  `DROP INDEX keys_name;
  CREATE INDEX keys_name ON keys (name) WHERE revoked = 0;
  CREATE TABLE removed (hash TEXT PRIMARY KEY, change INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX removed_change ON removed (change);`,
];

const PUT_KEY = `INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name,
  hash = excluded.hash, owner = excluded.owner, revoked = excluded.revoked, expires = excluded.expires,
  disabled = excluded.disabled, change = excluded.change, record = excluded.record`;

/** Conditions of a key's state at the time `@now`. */
const IS_STATUS: Readonly<Record<KeyStatus, string>> = {
  active: "revoked = 0 AND disabled = 0 AND expires > @now",
  disabled: "revoked = 0 AND disabled = 1",
  expired: "revoked = 0 AND disabled = 0 AND expires <= @now",
  revoked: "revoked = 1",
};

export interface KeyQuery {
  limit: number;
  /** The name and id that the last page ended with. */
  after?: { name: string; id: string } | undefined;
  /** Part of the name, the owner or the id. */
  search?: string | undefined;
  group?: string | undefined;
  owner?: string | undefined;
  /** Absent: all that are not revoked. */
  status?: KeyStatus | undefined;
  now: number;
}

const NEVER = Number.MAX_SAFE_INTEGER;

export class KeyFile {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Budgets of keys by the key's id, so that a change does not read all records; undefined until they are asked for. */
  #budgets: Map<string, Budget[]> | undefined;
  #budgetsVersion = 0;

  /** Opens the file, and creates it if it does not exist. Throws SQLite's error, or one for a file of a newer version. */
  constructor(file: string) {
    // Readable for its owner alone; SQLite gives its further files the same mode.
    closeSync(openSync(file, "a", 0o600));
    this.#database = new DatabaseSync(file, { timeout: BUSY_MS });
    try {
      // A key that was shown has to be there after a power failure, too.
      this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
      this.#migrate();
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Makes changes, all or none. Throws a StoreError for a name or hash that another key has. */
  write(changes: readonly Change[]): void {
    refuseDuplicates(changes);
    this.#inTransaction(() => {
      for (const change of changes) this.#check(change);
      this.#put(changes);
    });
  }

  /** Takes records as another store has them, unless those here are as new. @param place where the store's next changes are */
  take(changes: readonly Change[], place?: string): void {
    this.#inTransaction(() => {
      this.#put(
        changes.filter(({ kind, record }) => {
          const found = kind === "key" ? this.key(record.id) : this.group(record.name);
          if (found === undefined || found.version < record.version) return true;
          // Made here and elsewhere at once, without Redis: the revocation counts.
          const isRevocation = "revoked" in record && !("revoked" in found);
          return isRevocation && found.version === record.version;
        }),
      );
      if (place !== undefined) this.setFact("place", place);
    });
  }

  key(id: string): KeyRecord | undefined {
    return keyOf(this.#one("SELECT record FROM keys WHERE id = ?", id));
  }

  /** Returns the key that has the name and is not revoked. */
  keyOfName(name: string): KeyRecord | undefined {
    return keyOf(this.#one("SELECT record FROM keys WHERE name = ? AND revoked = 0", name));
  }

  keyOfHash(hash: string): KeyRecord | undefined {
    return keyOf(this.#one("SELECT record FROM keys WHERE hash = ? AND revoked = 0", hash));
  }

  /** Returns a page of keys, by name. */
  keys({ limit, after, search, group, owner, status, now }: KeyQuery): KeyRecord[] {
    const parts = [status === undefined ? "revoked = 0" : IS_STATUS[status]];
    const values: Record<string, SQLInputValue> = { limit };
    const add = (part: string, more: Record<string, SQLInputValue>) => {
      parts.push(part);
      Object.assign(values, more);
    };
    if (status === "active" || status === "expired") values["now"] = now;
    if (after !== undefined) add("(name, id) > (@name, @id)", { name: after.name, id: after.id });
    if (search !== undefined)
      add("(instr(lower(name), @search) OR instr(lower(owner), @search) OR id = @search)", {
        search: search.toLowerCase(),
      });
    if (group !== undefined)
      add("id IN (SELECT id FROM members WHERE members.name = @group)", { group });
    if (owner !== undefined) add("owner = @owner", { owner });
    const text = `SELECT record FROM keys WHERE ${parts.join(" AND ")} ORDER BY name, id LIMIT @limit`;
    return this.#statement(text)
      .all(values)
      .flatMap((row) => keyOf(row) ?? []);
  }

  /** Returns how many keys a group has, or all that are not revoked. */
  count(group?: string): number {
    const row =
      group === undefined
        ? this.#one("SELECT count(*) AS count FROM keys WHERE revoked = 0")
        : this.#one(
            "SELECT count(*) AS count FROM members JOIN keys USING (id) WHERE members.name = ? AND revoked = 0",
            group,
          );
    return Number(row?.["count"] ?? 0);
  }

  /** Returns how many keys that are not revoked belong to a user. */
  countOfOwner(owner: string): number {
    const row = this.#one(
      "SELECT count(*) AS count FROM keys WHERE owner = ? AND revoked = 0",
      owner,
    );
    return Number(row?.["count"] ?? 0);
  }

  /** Returns the keys that have changed since a change's number, in that order, with the length of their JSON. 0: all. */
  *keysAfter(change: number): Generator<{ record: KeyRecord; length: number }> {
    const rows = this.#database
      .prepare("SELECT record FROM keys WHERE change > ? ORDER BY change")
      .iterate(change);
    for (const row of rows) {
      const text = String(row["record"]);
      yield { record: JSON.parse(text) as KeyRecord, length: text.length };
    }
  }

  /** Returns hashes that keys no longer have since a change's number. */
  removedAfter(change: number): string[] {
    return this.#statement("SELECT hash FROM removed WHERE change > ?")
      .all(change)
      .map(({ hash }) => String(hash));
  }

  /** Returns the budgets of the keys that are not revoked. */
  budgets(): Budget[] {
    this.#budgets ??= this.#readBudgets();
    return [...this.#budgets.values()].flat();
  }

  /** Grows when budgets of keys or groups may have changed. */
  get budgetsVersion(): number {
    return this.#budgetsVersion;
  }

  group(name: string): GroupRecord | undefined {
    return groupOf(this.#one("SELECT record FROM groups WHERE name = ?", name));
  }

  /** Returns the groups that are not deleted. */
  groups(): GroupRecord[] {
    return this.#statement("SELECT record FROM groups WHERE deleted = 0 ORDER BY name")
      .all()
      .flatMap((row) => groupOf(row) ?? []);
  }

  groupsAfter(change: number): GroupRecord[] {
    return this.#statement("SELECT record FROM groups WHERE change > ? ORDER BY change")
      .all(change)
      .flatMap((row) => groupOf(row) ?? []);
  }

  /** The number of the newest change. */
  get change(): number {
    return Number(this.fact("change") ?? 0);
  }

  fact(name: string): string | undefined {
    const row = this.#one("SELECT value FROM facts WHERE name = ?", name);
    return row && String(row["value"]);
  }

  setFact(name: string, value: string): void {
    this.#statement("INSERT OR REPLACE INTO facts VALUES (?, ?)").run(name, value);
  }

  /** Sets several facts to one value, all or none. */
  setFacts(names: readonly string[], value: string): void {
    this.#inTransaction(() => {
      for (const name of names) this.setFact(name, value);
    });
  }

  /** Ids of keys that were revoked here while the shared store could not be used. */
  pending(): string[] {
    return this.#statement("SELECT id FROM pending")
      .all()
      .map(({ id }) => String(id));
  }

  addPending(id: string): void {
    this.#statement("INSERT OR IGNORE INTO pending VALUES (?)").run(id);
  }

  removePending(id: string): void {
    this.#statement("DELETE FROM pending WHERE id = ?").run(id);
  }

  /** Deletes keys that were revoked before a time, and removed hashes: each Envoy gets all keys after this. */
  purge(before: number): void {
    this.#inTransaction(() => {
      this.#statement(
        "DELETE FROM keys WHERE revoked = 1 AND json_extract(record, '$.revoked') < ?",
      ).run(before);
      this.#statement("DELETE FROM members WHERE id NOT IN (SELECT id FROM keys)").run();
      this.#statement("DELETE FROM removed").run();
    });
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #check(change: Change): void {
    const { record } = change;
    const found = change.kind === "key" ? this.key(change.record.id) : this.group(record.name);
    if ((found?.version ?? 0) !== record.version - 1)
      throw new StoreError("changed", `${record.name} has been changed; read it again.`);
    if (change.kind !== "key" || change.record.revoked !== undefined) return;
    const { id, name, hash } = change.record;
    const other = this.keyOfName(name);
    if (other !== undefined && other.id !== id)
      throw new StoreError("conflict", `A key with the name ${name} exists; choose another name.`);
    const twin = this.keyOfHash(hash);
    if (twin !== undefined && twin.id !== id)
      throw new StoreError("conflict", `${name} is the same key as ${twin.name}.`);
  }

  #put(changes: readonly Change[]): void {
    let { change: number } = this;
    const members = this.#statement("INSERT OR IGNORE INTO members VALUES (?, ?)");
    const key = this.#statement(PUT_KEY);
    const group = this.#statement("INSERT OR REPLACE INTO groups VALUES (?, ?, ?, ?)");
    const removed = this.#statement("INSERT OR REPLACE INTO removed VALUES (?, ?)");
    const forget = this.#statement("DELETE FROM members WHERE id = ?");
    for (const change of changes) {
      number += 1;
      const text = JSON.stringify(change.record);
      if (change.kind === "group") {
        const { name, deleted } = change.record;
        this.#budgetsVersion += 1;
        group.run(name, deleted === undefined ? 0 : 1, number, text);
        continue;
      }
      const { id, name, hash, owner = "", revoked, expires = NEVER, isDisabled } = change.record;
      for (const one of missingHashes(this.key(id), change.record)) removed.run(one, number);
      const flags = [revoked === undefined ? 0 : 1, expires, isDisabled === true ? 1 : 0];
      key.run(id, name, hash, owner, ...flags, number, text);
      forget.run(id);
      this.#noteBudgets(change.record);
      for (const one of change.record.groups ?? []) members.run(one, id);
    }
    this.setFact("change", String(number));
  }

  #readBudgets(): Map<string, Budget[]> {
    const rows = this.#database
      .prepare("SELECT record FROM keys WHERE revoked = 0 AND record -> '$.budgets' IS NOT NULL")
      .iterate();
    const records = [...rows].flatMap((row) => keyOf(row) ?? []);
    return new Map(records.map((record) => [record.id, budgetsOf(record)]));
  }

  #noteBudgets(record: KeyRecord): void {
    const before = this.#budgets?.get(record.id) ?? [];
    const after = budgetsOf(record);
    if (isDeepStrictEqual(before, after) && this.#budgets !== undefined) return;
    this.#budgetsVersion += 1;
    if (after.length === 0) this.#budgets?.delete(record.id);
    else this.#budgets?.set(record.id, after);
  }

  #one(text: string, ...values: SQLInputValue[]): Record<string, unknown> | undefined {
    return this.#statement(text).get(...values);
  }

  #statement(text: string): StatementSync {
    const found = this.#statements.get(text) ?? this.#database.prepare(text);
    this.#statements.set(text, found);
    return found;
  }

  #inTransaction(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#budgets = undefined;
      // SQLite ends some failed transactions itself.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #migrate(): void {
    const version = Number(this.#database.prepare("PRAGMA user_version").get()?.["user_version"]);
    if (version > MIGRATIONS.length) throw new Error(OTHER_VERSION);
    if (version === MIGRATIONS.length) return;
    this.#inTransaction(() => {
      for (const migration of MIGRATIONS.slice(version)) this.#database.exec(migration);
      this.#database.exec(`PRAGMA user_version = ${String(MIGRATIONS.length)}`);
    });
  }
}

/** Throws a StoreError if two changes are of one record, or two keys have one name or hash: the later one would replace the other. */
export function refuseDuplicates(changes: readonly Change[]): void {
  const seen = new Set<string>();
  for (const { kind, record } of changes) {
    const places = kind === "key" ? [record.id, record.name, record.hash] : [record.name];
    for (const [at, place] of places.entries()) {
      const text = `${kind} ${String(at)} ${place}`;
      if (seen.has(text))
        throw new StoreError(
          "conflict",
          at === 2
            ? `${record.name} is the same key as another one of this request; send it once.`
            : `Two ${kind}s of this request have the name ${record.name}; choose another name for one.`,
        );
      seen.add(text);
    }
  }
}

function budgetsOf({ name, budgets = [], revoked }: KeyRecord): Budget[] {
  return revoked === undefined ? budgets.map((one) => ({ ...one, subject: { key: name } })) : [];
}

/** Returns hashes that a record had and that its replacement does not name. */
function missingHashes(before: KeyRecord | undefined, after: KeyRecord): string[] {
  if (before === undefined) return [];
  const kept = new Set([after.hash, ...(after.previous ?? []).map(({ hash }) => hash)]);
  const had = [before.hash, ...(before.previous ?? []).map(({ hash }) => hash)];
  return had.filter((hash) => !kept.has(hash));
}

function keyOf(row: Record<string, unknown> | undefined): KeyRecord | undefined {
  return row && (JSON.parse(String(row["record"])) as KeyRecord);
}

function groupOf(row: Record<string, unknown> | undefined): GroupRecord | undefined {
  return row && (JSON.parse(String(row["record"])) as GroupRecord);
}
