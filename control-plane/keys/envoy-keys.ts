// The keys of one Envoy, from its start to its end: all of them first, then what changes, repeated until Envoy has it.
import { setTimeout as sleep } from "node:timers/promises";
import type { Group } from "../../model/keys.ts";
import type { KeyFile } from "./key-file.ts";
import { type KeysPush, type KeyRow, pushKeys, type UseRow } from "./push-keys.ts";
import { keyRows, useRow } from "./rows.ts";

/** Between two attempts at an Envoy that is starting, and at one that has responded before. */
const START_RETRY_MS = 20;
const RETRY_MS = 500;
/** From then on, failures are reported. */
const REPORT_MS = 10_000;
/** Rows of a push, and their bytes: a push may have 4 MiB. */
const MAX_ROWS = 5_000;
const MAX_BYTES = 3_000_000;

export interface EnvoyKeysOptions {
  socket: string;
  /** Returns the file; undefined while it cannot be used. */
  file: () => KeyFile | undefined;
  /** Returns the groups of the configuration, which win over those of the file. */
  groups: () => readonly Group[];
  now: () => number;
  report: (line: string, level?: "warning") => void;
}

export class EnvoyKeys {
  readonly #options: EnvoyKeysOptions;
  readonly #abort = new AbortController();
  readonly #first = Promise.withResolvers<undefined>();
  /** The number of the newest change that Envoy has; undefined: it needs all. */
  #sent: number | undefined;
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
    this.#sent = undefined;
    return this.push();
  }

  close(): void {
    this.#abort.abort();
    this.#first.resolve(undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const started = performance.now();
    let isReported = false;
    while (this.#isAwake && !signal.aborted) {
      this.#isAwake = false;
      try {
        await this.#send();
        if (isReported) this.#options.report("Envoy has the keys again.");
        isReported = false;
        this.#first.resolve(undefined);
      } catch (error) {
        if (!isReported && performance.now() - started > REPORT_MS) {
          this.#options.report(`Envoy has no new keys: ${reasonOf(error)}`, "warning");
          isReported = true;
        }
        this.#isAwake = true;
        const pause = this.#sent === undefined ? START_RETRY_MS : RETRY_MS;
        await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  async #send(): Promise<void> {
    const { socket, file: open } = this.#options;
    const file = open();
    // Until the file can be used, Envoy keeps what it has; after a start, keys get 503.
    if (file === undefined) return;
    const { change } = file;
    if (change === this.#sent) return;
    const isWhole = this.#sent === undefined;
    let part: KeysPush = isWhole ? { reset: 1 } : {};
    let isFresh = false;
    // The part before the next one is sent when it is known not to be the last.
    for (const next of this.#parts(file, this.#sent ?? 0)) {
      if (part.keys !== undefined || part.groups !== undefined) {
        isFresh = (await pushKeys(socket, part)).fresh === 1 || isFresh;
        part = {};
      }
      part = { ...part, ...next };
    }
    const last = await pushKeys(socket, isWhole ? { ...part, complete: 1 } : part);
    // Envoy has lost all: the next push is a whole one.
    const isLost = !isWhole && (isFresh || last.fresh === 1);
    this.#sent = isLost ? undefined : change;
    if (isLost) this.#isAwake = true;
  }

  *#parts(file: KeyFile, since: number): Generator<KeysPush> {
    yield { groups: this.#groups(file, since) };
    const now = this.#options.now();
    let rows: Record<string, KeyRow | null> = {};
    let count = 0;
    let bytes = 0;
    for (const { record, length } of file.keysAfter(since)) {
      for (const [hash, row] of keyRows(record, now)) {
        if (since === 0 && row === null) continue;
        rows[hash] = row;
        count += 1;
        // A row has less than its record; of text outside ASCII, more bytes.
        bytes += length * 2;
      }
      if (count < MAX_ROWS && bytes < MAX_BYTES) continue;
      yield { keys: rows };
      rows = {};
      count = 0;
      bytes = 0;
    }
    if (count > 0) yield { keys: rows };
  }

  #groups(file: KeyFile, since: number): Record<string, UseRow | null> {
    const own = this.#options.groups();
    const rows = file
      .groupsAfter(since)
      .map((group): [string, UseRow | null] => [
        group.name,
        group.deleted === undefined ? useRow(group, { group: group.name }) : null,
      ]);
    return Object.fromEntries([
      ...rows.filter(([, row]) => since > 0 || row !== null),
      ...own.map((group): [string, UseRow] => [group.name, useRow(group, { group: group.name })]),
    ]);
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
