// Envoy under callgrind: how many instructions its worker takes for the requests of one call.
//
// Envoy has V8 compile the filter with its optimising compiler alone (`--no-liftoff`), so nothing changes with the number of
// requests once each function has been compiled, which happens at its first call. Only the worker's own thread counts: the
// others (flush of the logs, statistics, V8's compiler) work by the clock, which runs fifty times too fast here.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Valgrind } from "../scripts/valgrind.ts";
import type { Program } from "./programs.ts";

const OUT = "callgrind.out";
const run = promisify(execFile);

/** Returns the command that Envoy is started with: no counting before `startCounting`, so that the start takes seconds. */
export function callgrindCommand(
  valgrind: Valgrind,
  directory: string,
  options: readonly string[] = [],
): string[] {
  return [
    ...valgrind.words,
    "--tool=callgrind",
    "--instr-atstart=no",
    "--separate-threads=yes",
    `--callgrind-out-file=${join(directory, OUT)}`,
    ...options,
  ];
}

export class Callgrind {
  readonly #vgdb: string;
  readonly #program: Pick<Program, "pid">;
  readonly #directory: string;
  #dumps = 0;

  constructor({ vgdb }: Valgrind, program: Pick<Program, "pid">, directory: string) {
    this.#vgdb = vgdb;
    this.#program = program;
    this.#directory = directory;
  }

  /** From here on the program runs slower, and counts. */
  async startCounting(): Promise<void> {
    await this.#command("instrumentation", "on");
  }

  /** Empties the simulated caches. */
  async flush(): Promise<void> {
    await this.#command("instrumentation", "off");
    await this.#command("instrumentation", "on");
  }

  /** Instructions of the worker's thread during `work`. */
  async count(work: () => Promise<unknown>): Promise<number> {
    return totalOf(await this.profile(work));
  }

  /** The dump of the worker's thread for `work`. */
  async profile(work: () => Promise<unknown>): Promise<string> {
    await this.#command("zero");
    await work();
    await this.#command("dump");
    this.#dumps++;
    const prefix = `${OUT}.${String(this.#dumps)}-`;
    const files = readdirSync(this.#directory).filter((name) => name.startsWith(prefix));
    const dumps = files.map((name) => {
      const file = join(this.#directory, name);
      const dump = readFileSync(file, "utf8");
      rmSync(file);
      return dump;
    });
    // The worker is the one that serves, and all the others wait.
    const [worker] = dumps.toSorted((one, other) => totalOf(other) - totalOf(one));
    if (worker !== undefined) return worker;
    throw new Error(`callgrind wrote no counts to ${this.#directory}`);
  }

  async #command(...words: string[]): Promise<void> {
    await run(this.#vgdb, [`--pid=${String(this.#program.pid)}`, ...words]);
  }
}

function totalOf(dump: string): number {
  return Number(/^totals: (\d+)/m.exec(dump)?.[1]);
}
