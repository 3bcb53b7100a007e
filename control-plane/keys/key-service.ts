// Keys and groups of the running gateway: what can be done with them, and what is not accepted.
import type { Budget } from "../../model/budgets.ts";
import { keyNames } from "../../model/client-keys.ts";
import type { Allowance } from "../../model/keys.ts";
import type { KeyQuery } from "./key-file.ts";
import {
  type Change,
  type GroupRecord,
  hashOf,
  hintOf,
  type KeyRecord,
  newKey,
  newKeyId,
} from "./key-records.ts";
import { type ConfiguredGateway, KeyStore } from "./key-storage.ts";
import { type Field, StoreError } from "./store-error.ts";
import {
  changed,
  type GroupInput,
  requireVersion,
  type SubjectStore,
  Subjects,
  withoutEmpty,
} from "./subjects.ts";
import { unknownModels } from "./unknown-models.ts";

/** Hashes that a key had before and that are kept until Envoy has removed them. */
const MAX_PREVIOUS = 8;

export interface KeysOptions {
  /** The state directory. */
  directory: string;
  report: (line: string, level?: "warning") => void;
  /** Called when `problem` may have changed. */
  onReadiness?: () => void;
  /** Called when budgets of keys or groups may have changed. */
  onBudgets?: () => void;
  /** Receives what was spent with imported keys before. Returns whether it is stored. */
  onSpent?: (spent: readonly Spent[]) => boolean;
  /** Milliseconds since 1970; the machine's clock if not set. */
  now?: () => number;
}

/** Nano-dollars that were spent with a key elsewhere. */
export interface Spent {
  key: string;
  cost: number;
}

/** What a new key is; null: none, also where `keys.defaults` has some. */
export interface NewKey {
  name: string;
  owner?: string | undefined;
  groups?: string[] | undefined;
  models?: string[] | null | undefined;
  rateLimits?: Allowance["rateLimits"] | null;
  budgets?: Allowance["budgets"] | null;
  expires?: number | null | undefined;
  isDisabled?: boolean | undefined;
  metadata?: Record<string, string> | undefined;
  /** Of a key that exists elsewhere: SHA-256, and what shows it. */
  imported?: { hash: string; hint: string };
}

/** What changes; null removes. */
export type KeyUpdate = Partial<Omit<NewKey, "name" | "imported" | "owner" | "metadata">> & {
  owner?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
};

export interface ImportInput {
  keys: NewKey[];
  groups: (GroupInput & { name: string })[];
  spent?: Spent[];
}

export interface Imported {
  /** What was created. */
  keys: KeyRecord[];
  groups: GroupRecord[];
  /** How many keys and groups were there already. */
  unchanged: number;
  /** Whether what was spent with the keys counts; if not, the import has to be made again. */
  isSpentStored: boolean;
}

export class Keys {
  readonly #options: Required<KeysOptions>;
  readonly #store: KeyStore;
  /** What all keys of a group may use together, and all requests of a user. */
  readonly groups: Subjects;
  readonly users: Subjects;

  constructor(options: KeysOptions) {
    this.#options = {
      now: Date.now,
      onReadiness: () => undefined,
      onBudgets: () => undefined,
      onSpent: () => true,
      ...options,
    };
    this.#store = new KeyStore(this.#options);
    const store: Omit<SubjectStore, "configured"> = {
      use: (work) => this.#store.use(work),
      commit: (record) => this.#store.commit([{ kind: "group", record }]),
      checkModels: (models) => {
        this.#checkModels(models);
      },
      now: this.#options.now,
    };
    this.groups = new Subjects("group", {
      ...store,
      configured: () => this.#store.model?.groups ?? [],
    });
    this.users = new Subjects("user", {
      ...store,
      configured: () => this.#store.model?.users ?? [],
    });
  }

  /** Activates a configuration. */
  use(gateway: ConfiguredGateway): Promise<void> {
    return this.#store.activate(gateway);
  }

  /** Gives a starting Envoy its keys. Resolves when it has them, or it takes too long. */
  attach(socket: string): Promise<void> {
    return this.#store.attach(socket);
  }

  detach(socket: string): void {
    this.#store.detach(socket);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** Why keys cannot be created or may be out of date, as a sentence; undefined if they can. */
  get problem(): string | undefined {
    return this.#store.problem;
  }

  /** Returns the budgets of the keys and groups that were created while the gateway runs. */
  budgets(): Budget[] {
    const file = this.#store.file;
    if (file === undefined) return [];
    return [...file.budgets(), ...this.groups.budgets(file), ...this.users.budgets(file)];
  }

  list(query: Omit<KeyQuery, "now">): KeyRecord[] {
    return this.#store.use((file) => file.keys({ ...query, now: this.#options.now() }));
  }

  count(): number {
    return this.#store.use((file) => file.count());
  }

  /** Returns the key with an id, or with a name that is not revoked. Throws a StoreError if there is none. */
  get(idOrName: string): KeyRecord {
    const found = this.#store.use((file) => file.key(idOrName) ?? file.keyOfName(idOrName));
    if (found === undefined) throw new StoreError("not_found", "There is no such key.");
    return found;
  }

  /** Creates a key. @returns the key itself, which is not kept; absent of an imported one */
  async create(input: NewKey, createdBy: string): Promise<{ record: KeyRecord; key?: string }> {
    const key = input.imported === undefined ? newKey() : undefined;
    this.#requireFuture(input.expires);
    const record = this.#newRecord(input, key, createdBy);
    await this.#store.commit([{ kind: "key", record }]);
    return key === undefined ? { record } : { record, key };
  }

  /**
   * Creates keys and groups that exist elsewhere, all or none. Those that were imported before are left as they are, so that an
   * import that ended in the middle can be made again.
   */
  async import({ keys, groups, spent = [] }: ImportInput, createdBy: string): Promise<Imported> {
    const names = new Set(groups.map(({ name }) => name));
    const newGroups = groups
      .filter((one) => !this.groups.hasSame(one))
      .map((one) => this.groups.newRecord(one.name, one));
    const there = keys.flatMap((one) => this.#imported(one) ?? []);
    const namesThere = new Set(there.map(({ name }) => name));
    const records = keys
      .filter(({ name }) => !namesThere.has(name))
      .map((one) => this.#newRecord(one, undefined, createdBy, names));
    const ofGroups = newGroups.map((record): Change => ({ kind: "group", record }));
    const ofKeys = records.map((record): Change => ({ kind: "key", record }));
    const changes = [...ofGroups, ...ofKeys];
    const pathOf = ({ kind, record: { name } }: Change) => {
      const list: readonly { name: string }[] = kind === "key" ? keys : groups;
      return `${kind}s[${String(list.findIndex((one) => one.name === name))}].`;
    };
    if (changes.length > 0) await this.#store.commit(changes, { pathOf });
    return {
      ...{ keys: records, groups: newGroups },
      unchanged: keys.length + groups.length - changes.length,
      isSpentStored: this.#storeSpent([...there, ...records], spent),
    };
  }

  /** @param version of the record that the change is for; absent: whatever it is */
  async update(idOrName: string, changes: KeyUpdate, version?: number): Promise<KeyRecord[]> {
    const before = this.#live(idOrName, version);
    this.#checkGroups(changes.groups ?? []);
    this.#checkModels(changes.models ?? []);
    this.#requireFuture(changes.expires);
    const { isDisabled, ...others } = changes;
    const record = changed(before, this.#options.now(), {
      ...others,
      ...(isDisabled === undefined ? {} : { isDisabled: isDisabled ? true : null }),
    });
    await this.#store.commit([{ kind: "key", record }]);
    return [before, record];
  }

  /** Replaces the key. The old one stays valid for the grace period; one that was replaced before does not. */
  async rotate(
    idOrName: string,
    { graceMs, version }: { graceMs: number; version?: number | undefined },
  ): Promise<{ before: KeyRecord; record: KeyRecord; key: string }> {
    const before = this.#live(idOrName, version);
    const now = this.#options.now();
    const key = newKey();
    const older = (before.previous ?? []).map(({ hash, until }) => ({
      hash,
      until: Math.min(until, now),
    }));
    const previous = [...older, { hash: before.hash, until: now + graceMs }].slice(-MAX_PREVIOUS);
    const record = changed(before, now, { hash: hashOf(key), hint: hintOf(key), previous });
    await this.#store.commit([{ kind: "key", record }]);
    return { before, record, key };
  }

  /** Revokes a key for good. It works without Redis, too: then the other gateways learn of it when Redis is back. */
  async revoke(idOrName: string, version?: number): Promise<KeyRecord[]> {
    const before = this.#live(idOrName, version);
    const record = changed(before, this.#options.now(), { revoked: this.#options.now() });
    await this.#store.commit([{ kind: "key", record }], { isRevocation: true });
    return [before, record];
  }

  /** Returns the key that an import has created before. */
  #imported({ name, imported }: NewKey): KeyRecord | undefined {
    const found = this.#store.use((file) => file.keyOfName(name));
    const hashes = [found?.hash, ...(found?.previous ?? []).map(({ hash }) => hash)];
    return imported !== undefined && hashes.includes(imported.hash) ? found : undefined;
  }

  /** Counts what was spent with imported keys, of each key once. Returns whether it is stored. */
  #storeSpent(records: readonly KeyRecord[], spent: readonly Spent[]): boolean {
    const places = new Map(records.map(({ name, id }) => [name, `spent ${id}`]));
    const isNew = ({ key, cost }: Spent) => {
      const place = places.get(key);
      return cost > 0 && place !== undefined && !this.#store.use((file) => file.fact(place));
    };
    const counted = spent.filter(isNew);
    if (counted.length === 0) return true;
    if (!this.#options.onSpent(counted)) return false;
    this.#store.use((file) => {
      file.setFacts(
        counted.map(({ key }) => places.get(key) ?? ""),
        "1",
      );
    });
    return true;
  }

  #newRecord(
    input: NewKey,
    key: string | undefined,
    createdBy: string,
    newGroups: ReadonlySet<string> = new Set(),
  ): KeyRecord {
    const { name, owner, groups = [], metadata, imported } = input;
    this.#checkName(name);
    this.#checkGroups(groups.filter((group) => !newGroups.has(group)));
    // What an import names may be configured later.
    if (imported === undefined) this.#checkModels(input.models ?? []);
    const now = this.#options.now();
    const { hash, hint } = imported ?? { hash: hashOf(key ?? ""), hint: hintOf(key ?? "") };
    const { models, rateLimits, budgets, expires } = this.#withDefaults(input, now);
    return {
      ...{ id: newKeyId(), name, hash, hint },
      ...(owner === undefined ? {} : { owner }),
      ...(groups.length === 0 ? {} : { groups: [...new Set(groups)] }),
      ...withoutEmpty({ models, rateLimits, budgets, expires, metadata }),
      ...(input.isDisabled === true ? { isDisabled: true as const } : {}),
      ...{ created: now, createdBy, updated: now, version: 1 },
    };
  }

  /** Sets what the creator did not. An imported key has what it had. */
  #withDefaults(input: NewKey, now: number) {
    const { models, rateLimits, budgets, expiresAfterMs } = this.#store.model?.keys?.defaults ?? {};
    const isNew = input.imported === undefined;
    const or = <Value>(own: Value | null | undefined, otherwise: Value | undefined) =>
      own === undefined && isNew ? otherwise : (own ?? undefined);
    return {
      models: or(input.models, (input.groups ?? []).length === 0 ? models : undefined),
      rateLimits: or(input.rateLimits, rateLimits),
      budgets: or(input.budgets, budgets),
      expires: or(input.expires, expiresAfterMs === undefined ? undefined : now + expiresAfterMs),
    };
  }

  /** Returns a key that can be changed. */
  #live(idOrName: string, version: number | undefined): KeyRecord {
    const found = this.get(idOrName);
    if (found.revoked !== undefined)
      throw new StoreError("conflict", `${found.name} is revoked; create a new key.`);
    requireVersion(found, version);
    return found;
  }

  /** An imported key may have expired already. */
  #requireFuture(expires: number | null | undefined): void {
    if (expires === undefined || expires === null || expires > this.#options.now()) return;
    throw new StoreError("invalid", "A member has an invalid value.", [
      { field: "expires", message: "expected a time in the future; to end a key now, revoke it" },
    ]);
  }

  #checkName(name: string): void {
    const { ingress, egress } = this.#store.model ?? {};
    const own = keyNames([ingress, egress].flatMap((one) => one ?? []));
    if (own.includes(name))
      throw new StoreError("conflict", `The configuration has a key with the name ${name}.`);
  }

  #checkGroups(groups: readonly string[]): void {
    const known = new Set(this.#store.model?.groups?.map(({ name }) => name));
    const isKnown = (name: string) => known.has(name) || this.groups.hasCreated(name);
    const unknown = groups.flatMap((name, index): Field[] =>
      isKnown(name)
        ? []
        : [{ field: `groups[${String(index)}]`, message: `there is no group ${name}` }],
    );
    if (unknown.length > 0)
      throw new StoreError("invalid", "A group does not exist; create it first.", unknown);
  }

  #checkModels(models: readonly string[]): void {
    if (this.#store.model === undefined) return;
    const unknown = unknownModels(models, this.#store.model).map((index) => ({
      field: `models[${String(index)}]`,
      message: `no configured model or alias is called ${String(models[index])}`,
    }));
    if (unknown.length > 0)
      throw new StoreError(
        "invalid",
        "A model is not configured; gateway models lists them.",
        unknown,
      );
  }
}
