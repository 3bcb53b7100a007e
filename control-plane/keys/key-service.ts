// Keys and groups of the running gateway: each change is stored, sent to every Envoy, and with Redis to every gateway.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Budget } from "../../model/budgets.ts";
import { keyNames } from "../../model/client-keys.ts";
import type { Allowance } from "../../model/keys.ts";
import type { GatewayModel } from "../../model/model.ts";
import { requireRows } from "./check-rows.ts";
import { EnvoyKeys } from "./envoy-keys.ts";
import { databaseProblem } from "../usage/usage-database.ts";
import { KeyFile, KEYS_FILE, type KeyQuery } from "./key-file.ts";
import {
  type Change,
  type GroupRecord,
  hashOf,
  hintOf,
  type KeyRecord,
  newKey,
  newKeyId,
} from "./key-records.ts";
import { SharedKeys, type SharedKeysOptions } from "./shared-keys.ts";
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

/** How long a change waits for Envoy before it is confirmed. */
const PUSH_MS = 1_000;
/** How long an Envoy that starts waits for its keys. */
const FIRST_MS = 10_000;
/** How long revoked keys are kept for the list. */
const KEPT_MS = 90 * 86_400_000;
/** Between two attempts to open the file. */
const REOPEN_MS = 5_000;
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

interface CommitOptions {
  /** It is made here even if Redis cannot be used. */
  isRevocation?: boolean;
  /** Returns what precedes the names of a change's members in the request. */
  pathOf?: (change: Change) => string;
}

export type ConfiguredGateway = Pick<SharedKeysOptions, "authorities"> & {
  model: GatewayModel;
  environment: Readonly<Record<string, string | undefined>>;
};

export class Keys {
  readonly #options: Required<KeysOptions>;
  readonly #envoys: EnvoyKeys[] = [];
  readonly #sockets = new Map<string, EnvoyKeys>();
  #model: GatewayModel | undefined;
  #file: KeyFile | undefined;
  #problem: string | undefined;
  /** Of the file, when the budgets were last given to `onBudgets`. */
  #budgetsVersion: number | undefined;
  #reopen: NodeJS.Timeout | undefined;
  #shared: { plan: string; keys: SharedKeys } | undefined;
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
    const store: Omit<SubjectStore, "configured"> = {
      use: (work) => this.#use(work),
      commit: (record) => this.#commit([{ kind: "group", record }]),
      checkModels: (models) => {
        this.#checkModels(models);
      },
      now: this.#options.now,
    };
    this.groups = new Subjects("group", { ...store, configured: () => this.#model?.groups ?? [] });
    this.users = new Subjects("user", { ...store, configured: () => this.#model?.users ?? [] });
  }

  /** Activates a configuration. */
  async use(gateway: ConfiguredGateway): Promise<void> {
    const plan = ({ groups, users }: Partial<GatewayModel>) => JSON.stringify([groups, users]);
    const before = plan(this.#model ?? {});
    this.#model = gateway.model;
    this.#open();
    await this.#share(gateway);
    if (plan(gateway.model) === before) return;
    for (const envoy of this.#envoys) void envoy.pushAll();
  }

  /** Gives a starting Envoy its keys. Resolves when it has them, or it takes too long. */
  async attach(socket: string): Promise<void> {
    this.detach(socket);
    const envoy = new EnvoyKeys({
      socket,
      file: () => this.#file,
      groups: () => this.#model?.groups ?? [],
      users: () => this.#model?.users ?? [],
      now: this.#options.now,
      report: this.#options.report,
    });
    this.#sockets.set(socket, envoy);
    this.#envoys.push(envoy);
    void envoy.push();
    if (this.#file === undefined) return;
    await Promise.race([envoy.first, sleep(FIRST_MS, undefined, { ref: false })]);
  }

  detach(socket: string): void {
    const envoy = this.#sockets.get(socket);
    if (envoy === undefined) return;
    envoy.close();
    this.#sockets.delete(socket);
    this.#envoys.splice(this.#envoys.indexOf(envoy), 1);
  }

  /** Why keys cannot be created or may be out of date, as a sentence; undefined if they can. */
  get problem(): string | undefined {
    return this.#problem ?? this.#shared?.keys.problem;
  }

  /** Returns the budgets of the keys and groups that were created while the gateway runs. */
  budgets(): Budget[] {
    const file = this.#file;
    if (file === undefined) return [];
    return [...file.budgets(), ...this.groups.budgets(file), ...this.users.budgets(file)];
  }

  list(query: Omit<KeyQuery, "now">): KeyRecord[] {
    return this.#use((file) => file.keys({ ...query, now: this.#options.now() }));
  }

  count(): number {
    return this.#use((file) => file.count());
  }

  /** Returns the key with an id, or with a name that is not revoked. Throws a StoreError if there is none. */
  get(idOrName: string): KeyRecord {
    const found = this.#use((file) => file.key(idOrName) ?? file.keyOfName(idOrName));
    if (found === undefined) throw new StoreError("not_found", "There is no such key.");
    return found;
  }

  /** Creates a key. @returns the key itself, which is not kept; absent of an imported one */
  async create(input: NewKey, createdBy: string): Promise<{ record: KeyRecord; key?: string }> {
    const key = input.imported === undefined ? newKey() : undefined;
    this.#requireFuture(input.expires);
    const record = this.#newRecord(input, key, createdBy);
    await this.#commit([{ kind: "key", record }]);
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
    if (changes.length > 0) await this.#commit(changes, { pathOf });
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
    await this.#commit([{ kind: "key", record }]);
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
    await this.#commit([{ kind: "key", record }]);
    return { before, record, key };
  }

  /** Revokes a key for good. It works without Redis, too: then the other gateways learn of it when Redis is back. */
  async revoke(idOrName: string, version?: number): Promise<KeyRecord[]> {
    const before = this.#live(idOrName, version);
    const record = changed(before, this.#options.now(), { revoked: this.#options.now() });
    await this.#commit([{ kind: "key", record }], { isRevocation: true });
    return [before, record];
  }

  async close(): Promise<void> {
    clearTimeout(this.#reopen);
    for (const socket of [...this.#sockets.keys()]) this.detach(socket);
    await this.#shared?.keys.close();
    this.#shared = undefined;
    this.#file?.close();
    this.#file = undefined;
  }

  /** Returns the key that an import has created before. */
  #imported({ name, imported }: NewKey): KeyRecord | undefined {
    const found = this.#use((file) => file.keyOfName(name));
    const hashes = [found?.hash, ...(found?.previous ?? []).map(({ hash }) => hash)];
    return imported !== undefined && hashes.includes(imported.hash) ? found : undefined;
  }

  /** Counts what was spent with imported keys, of each key once. Returns whether it is stored. */
  #storeSpent(records: readonly KeyRecord[], spent: readonly Spent[]): boolean {
    const places = new Map(records.map(({ name, id }) => [name, `spent ${id}`]));
    const isNew = ({ key, cost }: Spent) => {
      const place = places.get(key);
      return cost > 0 && place !== undefined && !this.#use((file) => file.fact(place));
    };
    const counted = spent.filter(isNew);
    if (counted.length === 0) return true;
    if (!this.#options.onSpent(counted)) return false;
    this.#use((file) => {
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
    const { models, rateLimits, budgets, expiresAfterMs } = this.#model?.keys?.defaults ?? {};
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
    const { ingress, egress } = this.#model ?? {};
    const own = keyNames([ingress, egress].flatMap((one) => one ?? []));
    if (own.includes(name))
      throw new StoreError("conflict", `The configuration has a key with the name ${name}.`);
  }

  #checkGroups(groups: readonly string[]): void {
    const known = new Set(this.#model?.groups?.map(({ name }) => name));
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
    if (this.#model === undefined) return;
    const unknown = unknownModels(models, this.#model).map((index) => ({
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

  /** Stores changes and gives them to the Envoys. */
  async #commit(
    changes: readonly Change[],
    { isRevocation = false, pathOf }: CommitOptions = {},
  ): Promise<void> {
    // What ends a key or group is made whatever the rest is.
    const used = changes.filter(({ kind, record }) =>
      kind === "key" ? record.revoked === undefined : record.deleted === undefined,
    );
    requireRows(used, this.#options.now(), pathOf);
    const shared = this.#shared?.keys;
    if (shared === undefined) {
      this.#use((file) => {
        file.write(changes);
      });
    } else await shared.write(changes, isRevocation);
    await this.#push();
  }

  async #push(): Promise<void> {
    const version = this.#file?.budgetsVersion;
    // There may be a hundred thousand of them, and most changes change none.
    if (version !== this.#budgetsVersion) this.#options.onBudgets();
    this.#budgetsVersion = version;
    const pushed = Promise.all(this.#envoys.map((envoy) => envoy.push()));
    // An Envoy that stands still gets the change later.
    await Promise.race([pushed, sleep(PUSH_MS, undefined, { ref: false })]);
  }

  /** Runs work on the file. Throws a StoreError if it cannot be used. */
  #use<Result>(work: (file: KeyFile) => Result): Result {
    if (this.#file === undefined)
      throw new StoreError("unavailable", this.#problem ?? "The keys are not open yet.");
    try {
      return work(this.#file);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw new StoreError(
        "unavailable",
        `${KEYS_FILE} cannot be used (${databaseProblem(error)}); nothing was changed.`,
      );
    }
  }

  #open(): void {
    if (this.#file !== undefined) return;
    clearTimeout(this.#reopen);
    const { directory, report, onReadiness, now } = this.#options;
    try {
      this.#file = new KeyFile(join(directory, KEYS_FILE));
      this.#file.purge(now() - KEPT_MS);
      if (this.#problem !== undefined) {
        report(`${KEYS_FILE} can be used again.`);
        this.#options.onBudgets();
      }
      this.#problem = undefined;
      for (const envoy of this.#envoys) void envoy.push();
    } catch (error) {
      this.#file?.close();
      this.#file = undefined;
      const problem = `Keys that were created while the gateway runs are not available: ${KEYS_FILE} cannot be used (${databaseProblem(error)}). Restore it from a backup, or delete it to start without keys.`;
      if (problem !== this.#problem) report(problem, "warning");
      this.#problem = problem;
      this.#reopen = setTimeout(() => {
        this.#open();
        onReadiness();
      }, REOPEN_MS).unref();
    }
    onReadiness();
  }

  async #share({ model, environment, authorities }: ConfiguredGateway): Promise<void> {
    const settings = model.keys?.store === "redis" ? model.redis : undefined;
    const plan = JSON.stringify([settings, settings && environment]);
    if (this.#shared?.plan === plan) return;
    await this.#shared?.keys.close();
    this.#shared = undefined;
    if (settings === undefined) return;
    const { report, onReadiness } = this.#options;
    const keys = new SharedKeys({
      settings,
      environment,
      authorities,
      file: () => this.#file,
      report,
      onProblem: onReadiness,
      onChange: () => void this.#push(),
    });
    this.#shared = { plan, keys };
    await keys.start();
  }
}
