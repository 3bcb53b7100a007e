// Where the keys and groups of the running gateway are: its file, every Envoy, and with Redis every gateway.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { GatewayModel } from "../../model/model.ts";
import { databaseProblem } from "../usage/usage-database.ts";
import { requireRows } from "./check-rows.ts";
import { EnvoyKeys } from "./envoy-keys.ts";
import { KeyFile, KEYS_FILE } from "./key-file.ts";
import type { Change } from "./key-records.ts";
import { SharedKeys, type SharedKeysOptions } from "./shared-keys.ts";
import { StoreError } from "./store-error.ts";

/** How long a change waits for Envoy before it is confirmed. */
const PUSH_MS = 1_000;
/** How long an Envoy that starts waits for its keys. */
const FIRST_MS = 10_000;
/** How long revoked keys are kept for the list. */
const KEPT_MS = 90 * 86_400_000;
/** Between two attempts to open the file. */
const REOPEN_MS = 5_000;
export interface KeyStoreOptions {
  /** The state directory. */
  directory: string;
  report: (line: string, level?: "warning") => void;
  /** Called when `problem` may have changed. */
  onReadiness: () => void;
  /** Called when budgets of keys or groups may have changed. */
  onBudgets: () => void;
  /** Milliseconds since 1970. */
  now: () => number;
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

export class KeyStore {
  readonly #options: KeyStoreOptions;
  readonly #envoys: EnvoyKeys[] = [];
  readonly #sockets = new Map<string, EnvoyKeys>();
  #model: GatewayModel | undefined;
  #file: KeyFile | undefined;
  #problem: string | undefined;
  /** Of the file, when the budgets were last given to `onBudgets`. */
  #budgetsVersion: number | undefined;
  #reopen: NodeJS.Timeout | undefined;
  #shared: { plan: string; keys: SharedKeys } | undefined;

  constructor(options: KeyStoreOptions) {
    this.#options = options;
  }

  /** The model of the active configuration; undefined before the first. */
  get model(): GatewayModel | undefined {
    return this.#model;
  }

  /** Undefined while it cannot be used. */
  get file(): KeyFile | undefined {
    return this.#file;
  }

  /** Activates a configuration. */
  async activate(gateway: ConfiguredGateway): Promise<void> {
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

  async close(): Promise<void> {
    clearTimeout(this.#reopen);
    for (const socket of [...this.#sockets.keys()]) this.detach(socket);
    await this.#shared?.keys.close();
    this.#shared = undefined;
    this.#file?.close();
    this.#file = undefined;
  }

  /** Stores changes and gives them to the Envoys. */
  async commit(
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
      this.use((file) => {
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
  use<Result>(work: (file: KeyFile) => Result): Result {
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
