// The public interface of the host: load the filter once, then run exchanges through it.
import { readFile } from "node:fs/promises";
import { LISTENER_BUDGETS } from "../../contract/budget-format.ts";
import {
  LISTENER_EGRESS,
  LISTENER_INGRESS,
  LISTENER_INTERNAL_EGRESS,
  ROOT_ROUTE,
  ROOT_ATTEMPT,
} from "../../contract/words.ts";
import type { FilterConfig } from "../../model/filter-document/document-types.ts";
import { Exchange } from "./wasm-exchange.ts";
import type { ExchangeInput, ExchangeResult, Wait } from "./wasm-exchange.ts";
import { SharedData } from "./wasm-shared-data.ts";
import { VirtualMachine } from "./virtual-machine.ts";
import type { LogLine } from "./virtual-machine.ts";
import type { LogLevel } from "./wasm-abi.ts";

export interface FilterHostOptions {
  filterConfig: FilterConfig;
  /** The environment of the VM: keys by name. */
  environment?: Record<string, string>;
  logLevel?: LogLevel;
  /** Returns random bytes. Default: the system's. */
  random?: (size: number) => Uint8Array;
  /** Returns the time, in milliseconds since the epoch. Default: the machine's clock. */
  now?: () => number;
  /** Gets the name of each call into the VM, and of each call of the filter out of it. */
  onCall?: (name: string) => void;
  /** For several hosts that act as the workers of one Envoy. Outlives a VM that trapped. */
  sharedData?: SharedData;
}

export class FilterHost {
  readonly #module: WebAssembly.Module;
  readonly #options: FilterHostOptions;
  readonly #sharedData: SharedData;
  #machine: VirtualMachine;

  private constructor(module: WebAssembly.Module, options: FilterHostOptions) {
    this.#module = module;
    this.#options = options;
    this.#sharedData = options.sharedData ?? new SharedData();
    this.#machine = this.#start();
  }

  /** Loads the filter. Throws if Envoy would reject the module or the filter rejects its configuration. */
  static async load(
    wasm: Uint8Array<ArrayBuffer> | WebAssembly.Module,
    options: FilterHostOptions,
  ): Promise<FilterHost> {
    const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
    return new FilterHost(module, options);
  }

  /** Returns the size of the VM's memory in bytes; it never shrinks. */
  get memorySize(): number {
    return this.#machine.memory.size;
  }

  /** Returns every line that the filter logged since it was loaded, its start included. */
  get logs(): readonly LogLine[] {
    return this.#machine.logs;
  }

  get metrics(): Record<string, bigint> {
    return Object.fromEntries(
      [...this.#sharedData.metrics].map(([name, { value }]) => [name, value]),
    );
  }

  /** Runs one exchange from start to end. After a trap the next one gets a new VM, as with FAIL_RELOAD. */
  exchange(input: ExchangeInput): ExchangeResult {
    const [result] = this.interleave([input]);
    if (result === undefined) throw new Error("an exchange has no result");
    return result;
  }

  /** Starts one exchange: each step is one event, such as the head of the response or a chunk of it. */
  start(input: ExchangeInput): Generator<Wait, ExchangeResult> {
    if (this.#machine.trap !== undefined) this.#machine = this.#start();
    return new Exchange(this.#machine, this.#options.filterConfig, input).run();
  }

  /** Runs one exchange whose callouts may be asynchronous. */
  async exchangeAsync(input: ExchangeInput): Promise<ExchangeResult> {
    const run = this.start(input);
    for (;;) {
      const step = run.next();
      if (step.done === true) return step.value;
      await step.value;
    }
  }

  /** Runs several exchanges concurrently in one VM, one event of each in turn. */
  interleave(inputs: readonly ExchangeInput[]): ExchangeResult[] {
    const running = inputs.map((input) => this.start(input));
    const results: ExchangeResult[] = [];
    let open = running.length;
    while (open > 0) {
      for (const [index, run] of running.entries()) {
        if (results[index] !== undefined) continue;
        const step = run.next();
        if (step.done !== true) continue;
        results[index] = step.value;
        open--;
      }
    }
    return results;
  }

  #start(): VirtualMachine {
    const route = (listener: string) => ({
      rootId: ROOT_ROUTE,
      name: listener,
      configuration: JSON.stringify({ listener }),
    });
    const { usage_records: records } = this.#options.filterConfig;
    return VirtualMachine.start(this.#module, {
      vmConfiguration: JSON.stringify(this.#options.filterConfig),
      environment: this.#options.environment ?? {},
      plugins: [
        route(LISTENER_INGRESS),
        route(LISTENER_EGRESS),
        route(LISTENER_INTERNAL_EGRESS),
        ...(records === undefined ? [] : [route(LISTENER_BUDGETS)]),
        { rootId: ROOT_ATTEMPT, name: "upstream", configuration: "" },
      ],
      sharedData: this.#sharedData,
      ...(this.#options.onCall === undefined ? {} : { onCall: this.#options.onCall }),
      ...(this.#options.random === undefined ? {} : { random: this.#options.random }),
      ...(this.#options.now === undefined ? {} : { now: this.#options.now }),
      ...(this.#options.logLevel === undefined ? {} : { logLevel: this.#options.logLevel }),
    });
  }
}

const compiled = new Map<string, Promise<WebAssembly.Module>>();

/** Compiles a file once per process. */
export function compileFilter(file: string): Promise<WebAssembly.Module> {
  let module = compiled.get(file);
  if (module === undefined) {
    module = readFile(file).then((bytes) => WebAssembly.compile(bytes));
    compiled.set(file, module);
  }
  return module;
}
