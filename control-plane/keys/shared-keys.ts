// Keys that several gateways share, in Redis: a change is made there first, and every gateway reads the list of changes four times a
// second. What a gateway knows stays in its file while Redis does not respond, and what Redis has lost is restored from the files.
import { setTimeout as sleep } from "node:timers/promises";
import { PolledRedis, type PolledRedisOptions } from "../spend/redis/polled-redis.ts";
import { redisProblem } from "../spend/redis/redis-connection.ts";
import { type KeyFile, refuseDuplicates } from "./key-file.ts";
import type { Change, GroupRecord, KeyRecord } from "./key-records.ts";
import { StoreError } from "./store-error.ts";

/** How long a change whose response did not arrive is looked for, and between two attempts. */
const READ_BACK_MS = 4_000;
const READ_BACK_PAUSE_MS = 100;
/** Changes of a response, which has at most 8 MiB: a record has at most 16 KiB. */
const BATCH = 200;
/** How many changes Redis keeps. A gateway that was away for longer reads all keys. */
const KEPT_CHANGES = 20_000;

/**
 * Makes changes, all or none. KEYS: keys, names, groups, changes, count. ARGV: whether versions are checked, the changes to keep,
 * then for each change its kind, id, name, version, whether the name is taken, and the record.
 */
const WRITE = `
local places = { key = KEYS[1], group = KEYS[3] }
local isChecked = ARGV[1] == "1"
local function versionOf(place, id)
  local found = redis.call("HGET", place, id)
  return found and tonumber(string.match(found, "^(%d+) ")) or 0
end
for at = 3, #ARGV, 6 do
  local kind, id, name, version, isLive = ARGV[at], ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3]), ARGV[at + 4]
  if isChecked and versionOf(places[kind], id) ~= version - 1 then return "changed " .. name end
  if kind == "key" and isLive == "1" then
    local other = redis.call("HGET", KEYS[2], name)
    if isChecked and other and other ~= id then return "conflict " .. name end
  end
end
for at = 3, #ARGV, 6 do
  local kind, id, name, version, isLive = ARGV[at], ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3]), ARGV[at + 4]
  if isChecked or versionOf(places[kind], id) < version then
    redis.call("HSET", places[kind], id, ARGV[at + 3] .. " " .. ARGV[at + 5])
    if kind == "key" then
      if isLive == "1" then redis.call("HSET", KEYS[2], name, id)
      elseif redis.call("HGET", KEYS[2], name) == id then redis.call("HDEL", KEYS[2], name) end
    end
    local number = redis.call("INCR", KEYS[5])
    redis.call("XADD", KEYS[4], "MAXLEN", "~", ARGV[2], "*", "number", number, "kind", kind, "record", ARGV[at + 5])
  end
end
return "done"`;

export interface SharedKeysOptions extends PolledRedisOptions {
  file: () => KeyFile | undefined;
  /** Called when another gateway's changes are in the file. */
  onChange: () => void;
}

export class SharedKeys {
  readonly #options: SharedKeysOptions;
  readonly #redis: PolledRedis;

  constructor(options: SharedKeysOptions) {
    this.#options = options;
    this.#redis = new PolledRedis(options, {
      ...{ place: "keys", what: "Keys" },
      withoutRedis: "the keys are those that this gateway knows",
      run: () => this.#exchange(),
    });
  }

  /** Connects, and reads what there is. Resolves when that is done, or Redis does not respond. */
  start(): Promise<void> {
    return this.#redis.start();
  }

  /** Why changes are not shared, as a sentence; undefined if they are. */
  get problem(): string | undefined {
    return this.#redis.problem;
  }

  /** Reads what other gateways have changed, and sends what was revoked here meanwhile. One at a time. */
  sync(): Promise<void> {
    return this.#redis.sync();
  }

  close(): Promise<void> {
    return this.#redis.close();
  }

  /** Makes changes in Redis, then here. Throws a StoreError if Redis refuses them or does not respond. */
  async write(changes: readonly Change[], isRevocation: boolean): Promise<void> {
    const file = this.#file();
    refuseDuplicates(changes);
    this.#refuseTwins(file, changes);
    const { isConnected } = this.#redis;
    let result: unknown;
    try {
      result = await this.#send(changes, true);
    } catch (error) {
      if (!isRevocation) {
        const isMade = isConnected ? await this.#isMade(changes[0]) : false;
        if (isMade !== true) throw notMade(redisProblem(error), isMade, changes[0]);
        file.take(changes);
        return;
      }
      file.write(changes);
      for (const { kind, record } of changes) if (kind === "key") file.addPending(record.id);
      this.#options.report(
        "A key was revoked while Redis cannot be used: this gateway rejects it now, others as soon as Redis is back.",
        "warning",
      );
      return;
    }
    const [word, name = ""] = String(result).split(" ");
    if (word === "conflict")
      throw new StoreError("conflict", `A key with the name ${name} exists; choose another name.`);
    if (word === "changed")
      throw new StoreError("changed", `${name} has been changed; read it again.`);
    file.take(changes);
  }

  /** Returns whether Redis has a change whose response did not arrive; undefined if that cannot be found out. */
  async #isMade(change: Change | undefined): Promise<boolean | undefined> {
    if (change === undefined) return false;
    const end = performance.now() + READ_BACK_MS;
    const place = this.#redis.name(change.kind === "key" ? "keys" : "groups");
    while (performance.now() < end && !this.#redis.isClosed) {
      try {
        const text = (await this.#redis.ask(["HGET", place, idOf(change)])) as string | null;
        if (text === `${String(change.record.version)} ${JSON.stringify(change.record)}`)
          return true;
        // A later version may follow this change or one of another gateway.
        return Number.parseInt(text ?? "0", 10) > change.record.version ? undefined : false;
      } catch {
        await sleep(READ_BACK_PAUSE_MS);
      }
    }
    return undefined;
  }

  async #exchange(): Promise<void> {
    const file = this.#file();
    const before = file.change;
    await this.#read(file);
    await this.#sendPending(file);
    if (file.change !== before) this.#options.onChange();
  }

  /** Reads the changes after those that the file has; all keys, if Redis does not have the changes in between. */
  async #read(file: KeyFile): Promise<void> {
    const place = file.fact("place");
    for (;;) {
      const [stream = "0-0", number = "0"] = (file.fact("place") ?? "").split(" ").filter(Boolean);
      const count = Number((await this.#redis.ask(["GET", this.#redis.name("count")])) ?? 0);
      // The count alone may be the same in a Redis that has lost its data and got a change since.
      if (place !== undefined && (await this.#newestPlace(count)) === file.fact("place")) return;
      const entries = readEntries(
        await this.#redis.ask([
          "XRANGE",
          this.#redis.name("changes"),
          `(${stream}`,
          "+",
          "COUNT",
          String(BATCH),
        ]),
      );
      const [first] = entries;
      const last = entries.at(-1);
      if (first === undefined || last === undefined || first.number !== Number(number) + 1) {
        await this.#readAll(file, count);
        return;
      }
      file.take(
        this.#stillRevoked(
          file,
          entries.map(({ change }) => change),
        ),
        `${last.id} ${String(last.number)}`,
      );
    }
  }

  /** Returns the id and number of the last change that Redis has; `count` as its number if it keeps none. */
  async #newestPlace(count: number): Promise<string> {
    const [newest] = readEntries(
      await this.#redis.ask(["XREVRANGE", this.#redis.name("changes"), "+", "-", "COUNT", "1"]),
    );
    return newest === undefined ? `0-0 ${String(count)}` : `${newest.id} ${String(newest.number)}`;
  }

  /** Exchanges everything with Redis: the newer version of each record wins. */
  async #readAll(file: KeyFile, count: number): Promise<void> {
    // Changes made meanwhile are read again, which changes nothing.
    const place = await this.#newestPlace(count);
    const versions = new Map<string, number>();
    for (const kind of ["group", "key"] as const) {
      let cursor = "0";
      do {
        const name = this.#redis.name(kind === "key" ? "keys" : "groups");
        const [next, fields] = (await this.#redis.ask([
          "HSCAN",
          name,
          cursor,
          "COUNT",
          String(BATCH),
        ])) as [string, string[]];
        const changes = fields.flatMap((text, at) =>
          at % 2 === 1 ? [changeOf(kind, text.slice(text.indexOf(" ") + 1))] : [],
        );
        for (const { record } of changes)
          versions.set(`${kind} ${idOf({ kind, record } as Change)}`, record.version);
        file.take(this.#stillRevoked(file, changes));
        cursor = next;
      } while (cursor !== "0");
    }
    await this.#restore(file, versions);
    file.setFact("place", place);
  }

  /** Sends what Redis does not have, because it has lost it. */
  async #restore(file: KeyFile, versions: ReadonlyMap<string, number>): Promise<void> {
    const pending = new Set(file.pending());
    const all: Change[] = [
      ...file.groupsAfter(0).map((record): Change => ({ kind: "group", record })),
      ...[...file.keysAfter(0)].map(({ record }): Change => ({ kind: "key", record })),
    ];
    const lost = all.filter((change) => {
      const id = idOf(change);
      return (
        !pending.has(id) && (versions.get(`${change.kind} ${id}`) ?? 0) < change.record.version
      );
    });
    for (let at = 0; at < lost.length; at += BATCH)
      await this.#send(lost.slice(at, at + BATCH), false);
  }

  /** Revokes in Redis what was revoked here while it did not respond. */
  async #sendPending(file: KeyFile): Promise<void> {
    for (const id of file.pending()) {
      const own = file.key(id);
      if (own !== undefined) {
        const text = (await this.#redis.ask(["HGET", this.#redis.name("keys"), id])) as
          string | null;
        const shared =
          text === null ? own : (JSON.parse(text.slice(text.indexOf(" ") + 1)) as KeyRecord);
        const version = text === null ? own.version : shared.version + 1;
        const record = { ...shared, version, revoked: shared.revoked ?? own.revoked ?? Date.now() };
        // Another gateway may change the key at the same time; what Redis has lost has no version to check.
        const result = await this.#send([{ kind: "key", record }], text !== null);
        if (String(result) !== "done") continue;
        file.take([{ kind: "key", record }]);
      }
      file.removePending(id);
    }
  }

  /** A key that was revoked here stays revoked, whatever others have changed or restored meanwhile: they get the revocation again. */
  #stillRevoked(file: KeyFile, changes: readonly Change[]): Change[] {
    const pending = new Set(file.pending());
    return changes.map((change): Change => {
      if (change.kind !== "key" || change.record.revoked !== undefined) return change;
      const { id, version, updated } = change.record;
      const own = file.key(id);
      const isLost = own?.revoked !== undefined && version >= own.version;
      if (!pending.has(id) && !isLost) return change;
      file.addPending(id);
      return { kind: "key", record: { ...change.record, revoked: own?.revoked ?? updated } };
    });
  }

  #refuseTwins(file: KeyFile, changes: readonly Change[]): void {
    for (const { kind, record } of changes) {
      if (kind !== "key" || record.revoked !== undefined) continue;
      const twin = file.keyOfHash(record.hash);
      if (twin !== undefined && twin.id !== record.id)
        throw new StoreError("conflict", `${record.name} is the same key as ${twin.name}.`);
    }
  }

  #send(changes: readonly Change[], isChecked: boolean): Promise<unknown> {
    const names = ["keys", "names", "groups", "changes", "count"].map((name) =>
      this.#redis.name(name),
    );
    const words = changes.flatMap((change) => {
      const { kind, record } = change;
      const isLive = kind === "key" && change.record.revoked === undefined;
      return [
        kind,
        idOf(change),
        record.name,
        String(record.version),
        isLive ? "1" : "0",
        JSON.stringify(record),
      ];
    });
    return this.#redis.ask([
      "EVAL",
      WRITE,
      String(names.length),
      ...names,
      isChecked ? "1" : "0",
      String(KEPT_CHANGES),
      ...words,
    ]);
  }

  #file(): KeyFile {
    const file = this.#options.file();
    if (file === undefined)
      throw new StoreError("unavailable", "The file of the keys cannot be used.");
    return file;
  }
}

/** @param isMade undefined: that is not known */
function notMade(problem: string, isMade: boolean | undefined, change: Change | undefined) {
  return new StoreError(
    "unavailable",
    isMade === false
      ? `Redis cannot be used (${problem}), so the change is not made: try again later. Revoking works without Redis.`
      : `Redis does not respond (${problem}), so it is not known whether the change is made. When Redis is back, read ${change?.record.name ?? "the record"}: if it lacks the change, make it again; a new key whose text was not shown has to be rotated.`,
  );
}

function idOf(change: Change): string {
  return change.kind === "key" ? change.record.id : change.record.name;
}

function changeOf(kind: string, text: string): Change {
  return kind === "key"
    ? { kind, record: JSON.parse(text) as KeyRecord }
    : { kind: "group", record: JSON.parse(text) as GroupRecord };
}

/** Returns the entries of a stream's range. */
function readEntries(response: unknown): { id: string; number: number; change: Change }[] {
  return (response as [string, string[] | Record<string, string>][]).map(([id, fields]) => {
    const pairs = Array.isArray(fields)
      ? fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] ?? ""] as const] : []))
      : Object.entries(fields);
    const members = new Map(pairs);
    return {
      id,
      number: Number(members.get("number")),
      change: changeOf(members.get("kind") ?? "", members.get("record") ?? "{}"),
    };
  });
}
