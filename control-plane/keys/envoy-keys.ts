// The keys of one Envoy, from its start to its end: all of them first, then what changes, repeated until Envoy has it.
import { type Group, isRowText } from "../../model/keys.ts";
import { PushRejected, untilDone } from "../spend/push-to-envoy.ts";
import type { KeyFile } from "./key-file.ts";
import {
  type KeysPush,
  type KeysResponse,
  type KeyRow,
  measured,
  partsOf,
  pushKeys,
  type UseRow,
} from "./push-keys.ts";
import { keyRows, useRow } from "./rows.ts";
import { type SubjectKind, subjectOf } from "./subjects.ts";

/** Between two attempts at an Envoy that is starting, and at one that has responded before. */
const START_RETRY_MS = 20;
const RETRY_MS = 500;
/** Names in a report. */
const MAX_NAMES = 5;

export interface EnvoyKeysOptions {
  socket: string;
  /** Returns the file; undefined while it cannot be used. */
  file: () => KeyFile | undefined;
  /** Returns the groups of the configuration, which win over those of the file. */
  groups: () => readonly Group[];
  /** The same of users. */
  users: () => readonly Group[];
  now: () => number;
  report: (line: string, level?: "warning") => void;
}

export class EnvoyKeys {
  readonly #options: EnvoyKeysOptions;
  readonly #abort = new AbortController();
  readonly #first = Promise.withResolvers<undefined>();
  /** The number of the newest change that Envoy has; undefined: it needs all. */
  #sent: number | undefined;
  /** Grows when all has to be sent, which also counts for a push that is on its way. */
  #generation = 0;
  /** Names of rows that Envoy rejected in this push, and what was reported of the last one. */
  #rejected: string[] = [];
  #reported = "";
  #isAwake = false;
  #work: Promise<void> | undefined;

  constructor(options: EnvoyKeysOptions) {
    this.#options = options;
  }

  /** Resolves when Envoy has had all keys once. */
  get first(): Promise<undefined> {
    return this.#first.promise;
  }

  /** Sends what has changed. Resolves when Envoy has it, or this Envoy is no longer used. */
  push(): Promise<void> {
    this.#isAwake = true;
    this.#work ??= this.#run().finally(() => (this.#work = undefined));
    return this.#work;
  }

  /** Sends everything: the groups of the configuration have changed. */
  pushAll(): Promise<void> {
    this.#generation += 1;
    this.#sent = undefined;
    return this.push();
  }

  close(): void {
    this.#abort.abort();
    this.#first.resolve(undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const { report } = this.#options;
    const retryMs = () => (this.#sent === undefined ? START_RETRY_MS : RETRY_MS);
    while (this.#isAwake && !signal.aborted) {
      this.#isAwake = false;
      await untilDone(() => this.#send(), { signal, retryMs, what: "keys", report });
      this.#first.resolve(undefined);
    }
  }

  async #send(): Promise<void> {
    const file = this.#options.file();
    // Until the file can be used, Envoy keeps what it has; after a start, keys get 503.
    if (file === undefined) return;
    const { change } = file;
    if (change === this.#sent) return;
    const generation = this.#generation;
    const isWhole = this.#sent === undefined;
    this.#rejected = [];
    let part: KeysPush = isWhole ? { reset: 1 } : {};
    let isFresh = false;
    // The part before the next one is sent when it is known not to be the last.
    for (const next of this.#parts(file, this.#sent ?? 0)) {
      if (part.keys !== undefined || part.groups !== undefined || part.users !== undefined) {
        isFresh = (await this.#push(part)).fresh === 1 || isFresh;
        part = {};
      }
      part = { ...part, ...next };
    }
    const last = await this.#push(isWhole ? { ...part, complete: 1 } : part);
    this.#reportRejected();
    // Envoy has lost all, or has to get all because groups have changed meanwhile: the next push is a whole one.
    const isLost = !isWhole && (isFresh || last.fresh === 1);
    const isOld = generation !== this.#generation;
    this.#sent = isLost || isOld ? undefined : change;
    if (isLost || isOld) this.#isAwake = true;
  }

  /** Sends a part. If Envoy rejects it, all rows but those at fault are sent; a row at fault is replaced by what allows nothing. */
  async #push(part: KeysPush): Promise<KeysResponse> {
    try {
      return await pushKeys(this.#options.socket, part);
    } catch (error) {
      if (!(error instanceof PushRejected)) throw error;
      const halves = halvesOf(part);
      if (halves !== undefined) {
        const first = await this.#push(halves[0]);
        const second = await this.#push(halves[1]);
        return first.fresh === 1 ? { ...second, fresh: 1 } : second;
      }
      const removed = withoutRow(part);
      if (removed === undefined) throw error;
      this.#rejected.push(removed.name);
      return await pushKeys(this.#options.socket, removed.part);
    }
  }

  #reportRejected(): void {
    const names = this.#rejected;
    const more = names.length > MAX_NAMES ? ` and ${String(names.length - MAX_NAMES)} more` : "";
    const text = names.slice(0, MAX_NAMES).join(", ") + more;
    if (text !== "" && text !== this.#reported)
      this.#options.report(
        `Envoy rejects ${text}: shorten their names, models, owner or groups. Until then they allow nothing; what has a name that is too long has no limits.`,
        "warning",
      );
    if (text !== "") this.#reported = text;
  }

  *#parts(file: KeyFile, since: number): Generator<KeysPush> {
    // Groups and users come first: a key must not be usable without the limits of its group.
    const rows = this.#subjects(file, since);
    for (const part of partsOf(rows.group)) yield { groups: part };
    for (const part of partsOf(rows.user)) yield { users: part };
    for (const part of partsOf(this.#keys(file, since))) yield { keys: part };
  }

  *#keys(
    file: KeyFile,
    since: number,
  ): Generator<[hash: string, row: KeyRow | null, bytes: number]> {
    const now = this.#options.now();
    if (since > 0) for (const hash of file.removedAfter(since)) yield [hash, null, 0];
    for (const { record, length } of file.keysAfter(since)) {
      for (const [hash, row] of keyRows(record, now)) {
        // A row has less than its record; of text outside ASCII, more bytes.
        if (since > 0 || row !== null) yield [hash, row, length * 2];
      }
    }
  }

  #subjects(file: KeyFile, since: number) {
    const { groups, users } = this.#options;
    const found = {
      group: new Map<string, UseRow | null>(),
      user: new Map<string, UseRow | null>(),
    };
    for (const stored of file.groupsAfter(since)) {
      const { kind, record } = subjectOf(stored);
      const row = record.deleted === undefined ? rowOf(kind, record) : null;
      if (since > 0 || row !== null) found[kind].set(record.name, row);
    }
    for (const one of groups()) found.group.set(one.name, rowOf("group", one));
    for (const one of users()) found.user.set(one.name, rowOf("user", one));
    return { group: [...found.group].map(measured), user: [...found.user].map(measured) };
  }
}

function rowOf(kind: SubjectKind, one: Group): UseRow {
  return useRow(one, kind === "group" ? { group: one.name } : { user: one.name });
}

/** Returns two pushes with half of the rows each; undefined of one row. */
function halvesOf({
  keys = {},
  groups = {},
  users = {},
  ...flags
}: KeysPush): [KeysPush, KeysPush] | undefined {
  const { reset, complete } = flags;
  const rows = [
    ...Object.entries(groups).map(([name, row]) => ({ kind: "groups" as const, name, row })),
    ...Object.entries(users).map(([name, row]) => ({ kind: "users" as const, name, row })),
    ...Object.entries(keys).map(([name, row]) => ({ kind: "keys" as const, name, row })),
  ];
  if (rows.length < 2) return undefined;
  const middle = Math.ceil(rows.length / 2);
  const cut = (start: number, end: number): KeysPush => {
    const part = Map.groupBy(rows.slice(start, end), ({ kind }) => kind);
    return Object.fromEntries(
      [...part].map(([kind, list]) => [
        kind,
        Object.fromEntries(list.map(({ name, row }) => [name, row])),
      ]),
    );
  };
  return [
    { ...(reset === undefined ? {} : { reset }), ...cut(0, middle) },
    { ...(complete === undefined ? {} : { complete }), ...cut(middle, rows.length) },
  ];
}

/** Returns a push of one row with what allows nothing in its place, and the row's name; undefined if no row can be at fault. */
function withoutRow(part: KeysPush): { part: KeysPush; name: string } | undefined {
  const [group] = Object.entries(part.groups ?? {});
  if (group !== undefined) return withoutSubject(part, "groups", group);
  const [user] = Object.entries(part.users ?? {});
  if (user !== undefined) return withoutSubject(part, "users", user);
  const [key] = Object.entries(part.keys ?? {});
  if (!key?.[1]) return undefined;
  return { part: { ...part, keys: { [key[0]]: null } }, name: `key ${key[1].name}` };
}

/** A group without a row allows nothing; a user without one has no limits. */
const NOTHING = { groups: null, users: { models: [] } };

function withoutSubject(
  { groups: _groups, users: _users, ...flags }: KeysPush,
  kind: "groups" | "users",
  [id, row]: [string, UseRow | null],
): { part: KeysPush; name: string } | undefined {
  const name = `${kind === "groups" ? "group" : "user"} ${id}`;
  // Envoy rejects each row of such a name, null too.
  if (!isRowText(id)) return { part: flags, name };
  return row === null ? undefined : { part: { ...flags, [kind]: { [id]: NOTHING[kind] } }, name };
}
