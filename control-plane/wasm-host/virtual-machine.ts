// One VM as an Envoy worker has it: one instance of the module, a root context per plugin, stream contexts by id.
import { ENVOY_IMPORTS, LOG_LEVELS, WASI_IMPORTS } from "./wasm-abi.ts";
import type { GuestExports, LogLevel } from "./wasm-abi.ts";
import type { StreamContext } from "./stream-context.ts";
import { GuestMemory } from "./guest-memory.ts";
import type { HeaderPair } from "./header-map.ts";
import { limitMemory } from "./memory-limit.ts";
import { SharedData } from "./wasm-shared-data.ts";
import { createImports } from "./imports.ts";

/**
 * A plugin: one configured use of the module. The same `rootId` with a different configuration is a separate root
 * context.
 */
export interface PluginDescription {
  rootId: string;
  configuration: string;
  /** The value of the property `plugin_name`. */
  name: string;
}

export interface RootContext extends PluginDescription {
  id: number;
  /** Callouts that have no response yet. */
  calls: Map<number, HttpCall>;
}

/** A `proxy_http_call` of the guest. */
export interface HttpCall {
  token: number;
  cluster: string;
  headers: HeaderPair[];
  body: Uint8Array;
  timeoutMs: number;
}

export interface HttpCallResponse {
  headers: HeaderPair[];
  body: Uint8Array;
}

export interface LogLine {
  level: LogLevel;
  message: string;
}

export interface MachineOptions {
  vmConfiguration: string;
  /** The variables that `host_env_keys` would pass to the VM. */
  environment: Record<string, string>;
  plugins: PluginDescription[];
  /** Lines below it are dropped; `proxy_get_log_level` returns it. Default `trace`. */
  logLevel?: LogLevel;
  /** Returns random bytes. Default: the system's. */
  random?: (size: number) => Uint8Array;
  /** Returns the time, in milliseconds since the epoch. Default: the machine's clock. */
  now?: () => number;
  /** Shared with the other workers; default: not shared. */
  sharedData?: SharedData;
  /** Gets the name of each call into the VM, and of each call of the filter out of it. */
  onCall?: (name: string) => void;
}

/** The guest trapped: unreachable, out of bounds, out of memory, stack overflow. An outage in production. */
export class Trap extends Error {}

export class VirtualMachine {
  readonly options: MachineOptions;
  readonly sharedData: SharedData;
  readonly roots: RootContext[] = [];
  readonly streams = new Map<number, StreamContext>();
  readonly logs: LogLine[] = [];
  /** Mistakes that Envoy would not have reported: the exchange in which they happen reports them. */
  readonly faults: string[] = [];
  guest!: GuestExports;
  memory!: GuestMemory;
  trap: string | undefined;
  effectiveContext = 0;
  /** The response that a root's `proxy_on_http_call_response` can read. */
  callResponse: HttpCallResponse | undefined;
  /** The root context in `proxy_on_configure`; the plugin configuration is readable only there. */
  configuring: RootContext | undefined;
  stopsNextIteration = false;
  #current: StreamContext | RootContext | undefined;
  #depth = 0;
  #afterCall: (() => void)[] = [];
  #nextId = 1;
  #nextToken = 1;

  private constructor(options: MachineOptions) {
    this.options = options;
    this.sharedData = options.sharedData ?? new SharedData();
  }

  static start(module: WebAssembly.Module, options: MachineOptions): VirtualMachine {
    limitMemory();
    const machine = new VirtualMachine(options);
    const instance = new WebAssembly.Instance(
      module,
      createImports(machine, moduleImports(module)),
    );
    machine.guest = guestExports(instance, options.onCall);
    machine.memory = new GuestMemory(machine.guest);
    for (const plugin of options.plugins) machine.#addRoot(plugin);
    return machine;
  }

  root(rootId: string, configuration: string): RootContext {
    const found = this.roots.find(
      (root) => root.rootId === rootId && root.configuration === configuration,
    );
    if (found === undefined) throw new Error(`no plugin with root id ${rootId} is configured`);
    return found;
  }

  nextId(): number {
    return this.#nextId++;
  }

  nextToken(): number {
    return this.#nextToken++;
  }

  /**
   * Returns the context that host functions act on: the effective one if the guest has set it, else the current one.
   */
  get context(): StreamContext | RootContext | undefined {
    return this.streams.get(this.effectiveContext) ?? this.#current;
  }

  get stream(): StreamContext | undefined {
    const context = this.context;
    return context !== undefined && "side" in context ? context : undefined;
  }

  /** Defers an effect until the guest has returned: a local reply, continuing a stream. */
  afterCall(action: () => void): void {
    this.#afterCall.push(action);
  }

  /** Calls the guest. A trap disables the machine permanently and is thrown as `Trap`. */
  call<T>(context: StreamContext | RootContext, body: () => T): T {
    if (this.trap !== undefined) throw new Trap(this.trap);
    const before = this.#current;
    const effectiveBefore = this.effectiveContext;
    this.#current = context;
    this.effectiveContext = 0;
    this.#depth++;
    try {
      return body();
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
        this.trap = `TRAP: ${error.message}`;
        throw new Trap(this.trap);
      }
      throw error;
    } finally {
      this.#depth--;
      this.#current = before;
      this.effectiveContext = effectiveBefore;
    }
  }

  /** Runs the deferred effects. Called after the outermost callback's status has been read. */
  runAfterCall(): void {
    if (this.#depth > 0) return;
    this.stopsNextIteration = false;
    while (this.#afterCall.length > 0) {
      const actions = this.#afterCall;
      this.#afterCall = [];
      for (const action of actions) action();
    }
  }

  log(level: number, message: string): void {
    const name = LOG_LEVELS[level];
    if (name === undefined) this.faults.push(`log level ${level} would abort Envoy`);
    else if (level >= LOG_LEVELS.indexOf(this.options.logLevel ?? "trace"))
      this.logs.push({ level: name, message });
  }

  #addRoot(plugin: PluginDescription): void {
    const root: RootContext = { ...plugin, id: this.nextId(), calls: new Map() };
    this.roots.push(root);
    const refused = (callback: string): Error =>
      new Error(`${callback} refused the configuration: ${this.logs.at(-1)?.message ?? ""}`);
    this.call(root, () => this.guest.proxy_on_context_create?.(root.id, 0));
    const size = Buffer.byteLength(this.options.vmConfiguration);
    const started = this.call(root, () => this.guest.proxy_on_vm_start?.(root.id, size) ?? 1);
    if (started === 0) throw refused("proxy_on_vm_start");
    this.configuring = root;
    const configured = this.call(
      root,
      () => this.guest.proxy_on_configure?.(root.id, Buffer.byteLength(root.configuration)) ?? 1,
    );
    this.configuring = undefined;
    if (configured === 0) throw refused("proxy_on_configure");
    this.runAfterCall();
  }
}

/** Returns the module's imports. Rejects a module as Envoy does if it has an unsupported import. */
function moduleImports(module: WebAssembly.Module): string[] {
  const unknown: string[] = [];
  const names: string[] = [];
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    const known = from === "env" ? ENVOY_IMPORTS : WASI_IMPORTS;
    const isKnownModule = from === "env" || from === "wasi_snapshot_preview1";
    if (kind !== "function" || !isKnownModule || !known.has(name)) unknown.push(`${from}.${name}`);
    names.push(name);
  }
  if (unknown.length > 0) throw new Error(`Envoy does not know the imports ${unknown.join(", ")}`);
  return names;
}

function guestExports(
  instance: WebAssembly.Instance,
  onCall: MachineOptions["onCall"],
): GuestExports {
  const { exports } = instance;
  const allocate = exports["proxy_on_memory_allocate"] ?? exports["malloc"];
  if (!(exports["memory"] instanceof WebAssembly.Memory)) throw new Error("no memory is exported");
  if (typeof allocate !== "function") throw new Error("no proxy_on_memory_allocate is exported");
  if (typeof exports["proxy_abi_version_0_2_1"] !== "function")
    throw new Error("proxy_abi_version_0_2_1 is not exported");
  const start = exports["_initialize"] ?? exports["_start"];
  if (typeof start === "function") (start as () => void)();
  const guest = { ...exports, proxy_on_memory_allocate: allocate };
  return (onCall === undefined ? guest : reported(guest, onCall)) as GuestExports;
}

/** Returns the exports with functions that report their calls. */
function reported(exports: object, onCall: (name: string) => void): object {
  const entries = Object.entries(exports).map(([name, value]: [string, unknown]) => {
    if (typeof value !== "function") return [name, value];
    const call = (...values: number[]): unknown => {
      onCall(name);
      return (value as (...values: number[]) => unknown)(...values);
    };
    return [name, call];
  });
  return Object.fromEntries(entries) as object;
}
