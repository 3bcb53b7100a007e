// Groups of keys, and users: what all requests of one may use together. Those of the configuration win over those that the admin API
// has created. Both are kept as groups: the name of a user's record has a blank, which the name of no group has.
import { isDeepStrictEqual } from "node:util";
import type { Budget } from "../../model/budgets.ts";
import type { Allowance, Group } from "../../model/keys.ts";
import type { KeyFile } from "./key-file.ts";
import type { GroupRecord, KeyRecord } from "./key-records.ts";
import { StoreError } from "./store-error.ts";

export type SubjectKind = "group" | "user";

const USER = "user ";

export interface GroupInput extends Omit<Allowance, "models"> {
  models?: string[];
  metadata?: Record<string, string>;
}

/** What changes; null removes. */
export type GroupChanges = {
  [Member in keyof GroupInput]?: GroupInput[Member] | null | undefined;
};

export interface SubjectStore {
  /** Returns those of the configuration. */
  configured: () => readonly Group[];
  /** Runs work on the file. Throws a StoreError if it cannot be used. */
  use: <Result>(work: (file: KeyFile) => Result) => Result;
  commit: (record: GroupRecord) => Promise<void>;
  /** Throws a StoreError if a model is not configured. */
  checkModels: (models: readonly string[]) => void;
  now: () => number;
}

export class Subjects {
  readonly #kind: SubjectKind;
  readonly #store: SubjectStore;

  constructor(kind: SubjectKind, store: SubjectStore) {
    this.#kind = kind;
    this.#store = store;
  }

  list(): (GroupRecord | Group)[] {
    const created = this.#store.use((file) => this.#created(file));
    const all = [...this.#store.configured(), ...created];
    return all.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  get(name: string): GroupRecord | Group {
    const found = this.#configured(name) ?? this.#live(name);
    if (found === undefined) throw new StoreError("not_found", `There is no such ${this.#kind}.`);
    return found;
  }

  /** Whether the API has created it and not deleted it. */
  hasCreated(name: string): boolean {
    return this.#live(name) !== undefined;
  }

  /** Whether the API has created one with the same members. */
  hasSame({ name, models, rateLimits, budgets, metadata }: GroupInput & { name: string }): boolean {
    const found = this.#live(name);
    return (
      found !== undefined &&
      isDeepStrictEqual(
        withoutEmpty({ models, rateLimits, budgets, metadata }),
        withoutEmpty({
          ...{ models: found.models, rateLimits: found.rateLimits },
          ...{ budgets: found.budgets, metadata: found.metadata },
        }),
      )
    );
  }

  /** Returns how many keys have it: those of a group, or whose owner is the user. */
  countOf(name: string): number {
    return this.#store.use((file) =>
      this.#kind === "group" ? file.count(name) : file.countOfOwner(name),
    );
  }

  /** Returns the budgets of those that the API has created. */
  budgets(file: KeyFile): Budget[] {
    return this.#created(file).flatMap(({ name, budgets = [] }) =>
      budgets.map((one): Budget => {
        const subject = this.#kind === "group" ? { group: name } : { user: name };
        return { ...one, subject };
      }),
    );
  }

  async create(name: string, input: GroupInput): Promise<GroupRecord> {
    const record = this.newRecord(name, input);
    this.#store.checkModels(input.models ?? []);
    await this.#commit(record);
    return record;
  }

  async update(name: string, changes: GroupChanges, version?: number): Promise<GroupRecord[]> {
    const before = this.#own(name, version);
    this.#store.checkModels(changes.models ?? []);
    const record = changed(before, this.#store.now(), changes);
    await this.#commit(record);
    return [before, record];
  }

  async delete(name: string, version?: number): Promise<GroupRecord[]> {
    const before = this.#own(name, version);
    // Without the group, its keys would allow nothing.
    const members = this.#kind === "group" ? this.countOf(name) : 0;
    if (members > 0)
      throw new StoreError(
        "conflict",
        `${String(members)} keys are in the group ${name}; change or revoke them first.`,
      );
    const now = this.#store.now();
    const record = changed(before, now, { deleted: now });
    await this.#commit(record);
    return [before, record];
  }

  /** Returns a new record. Throws a StoreError if the name is used. */
  newRecord(name: string, input: GroupInput): GroupRecord {
    if (this.#configured(name) !== undefined)
      throw new StoreError("conflict", `The configuration has a ${this.#kind} ${name}.`);
    const found = this.#found(name);
    if (found !== undefined && found.deleted === undefined)
      throw new StoreError("conflict", `A ${this.#kind} with the name ${name} exists.`);
    const now = this.#store.now();
    const { models, rateLimits, budgets, metadata } = input;
    return {
      name,
      ...withoutEmpty({ models, rateLimits, budgets, metadata }),
      ...{ created: now, updated: now, version: (found?.version ?? 0) + 1 },
    };
  }

  #commit(record: GroupRecord): Promise<void> {
    return this.#store.commit({ ...record, name: storedName(this.#kind, record.name) });
  }

  #created(file: KeyFile): GroupRecord[] {
    const own = new Set(this.#store.configured().map(({ name }) => name));
    return file
      .groups()
      .map(subjectOf)
      .flatMap(({ kind, record }) =>
        kind === this.#kind && !own.has(record.name) ? [record] : [],
      );
  }

  #configured(name: string): Group | undefined {
    return this.#store.configured().find((one) => one.name === name);
  }

  #found(name: string): GroupRecord | undefined {
    const found = this.#store.use((file) => file.group(storedName(this.#kind, name)));
    if (found === undefined) return undefined;
    const { kind, record } = subjectOf(found);
    // A group's name from a request may be the stored name of a user.
    return kind === this.#kind ? record : undefined;
  }

  #live(name: string): GroupRecord | undefined {
    const found = this.#found(name);
    return found?.deleted === undefined ? found : undefined;
  }

  /** Returns one that can be changed. */
  #own(name: string, version: number | undefined): GroupRecord {
    const found = this.get(name);
    if (!("version" in found))
      throw new StoreError(
        "conflict",
        `${name} is a ${this.#kind} of the configuration; change it there.`,
      );
    requireVersion(found, version);
    return found;
  }
}

/** Returns what a stored record is of, and the record by its own name. */
export function subjectOf(record: GroupRecord): { kind: SubjectKind; record: GroupRecord } {
  return record.name.startsWith(USER)
    ? { kind: "user", record: { ...record, name: record.name.slice(USER.length) } }
    : { kind: "group", record };
}

function storedName(kind: SubjectKind, name: string): string {
  return kind === "user" ? USER + name : name;
}

/** Returns the record with the changes; null removes a member. @param now milliseconds since 1970 */
export function changed<Kind extends KeyRecord | GroupRecord>(
  before: Kind,
  now: number,
  changes: object,
): Kind {
  const set = Object.entries(changes).filter(([, value]) => value !== undefined);
  const all = { ...before, ...Object.fromEntries(set) };
  const kept = Object.entries(all).filter(([, value]) => value !== null);
  const record = Object.fromEntries(kept) as unknown as Kind;
  return { ...record, updated: now, version: before.version + 1 };
}

export function requireVersion(
  record: { name: string; version: number },
  version: number | undefined,
): void {
  if (version === undefined || version === record.version) return;
  throw new StoreError(
    "changed",
    `${record.name} has version ${String(record.version)} now; read it again.`,
  );
}

/** Returns the members that have a value. */
export function withoutEmpty<Members extends object>(
  members: Members,
): {
  [Name in keyof Members]?: NonNullable<Members[Name]>;
} {
  const set = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(set) as { [Name in keyof Members]?: NonNullable<Members[Name]> };
}
