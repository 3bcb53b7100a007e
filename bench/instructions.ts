// `npm run bench -- --instructions`: instructions of a request, counted by callgrind. The machine's other work does not change them.
import { join } from "node:path";
import type { Valgrind } from "../scripts/valgrind.ts";
import { Callgrind, callgrindCommand } from "./callgrind.ts";
import type { Case } from "./cases.ts";
import { type Bench, load, setProvider, tryOnce } from "./measure.ts";
import { type EnvoyCommand, type Program, startGateway, startPlain } from "./programs.ts";
import { median } from "./report.ts";

/** Requests of one count: enough that opening the connection is under a thousandth. */
const REQUESTS = 200;
/** The same for bodies above LARGE bytes, which take longer than a connection by far. */
const REQUESTS_LARGE = 40;
const LARGE = 100_000;
const READY_WITHIN = 120_000;

/** Instructions per request, of each round. */
export interface Counts {
  program: string;
  rounds: number[];
}

export interface Counted {
  name: string;
  what: string;
  programs: Counts[];
  /** Why the case was not counted. */
  leftOut?: string;
}

/** Not where rate or memory is the point, nor paced streams: how many of their events come at once is the machine's doing. */
export function isCountable({ perSecond, requests, delay }: Case): boolean {
  return perSecond === undefined && requests === undefined && delay === undefined;
}

export interface InstructionsBench extends Bench {
  valgrind: Valgrind;
  envoy: string;
  cases: Case[];
  /** Name and file of each filter. */
  filters: [string, string][];
}

/** Counts every case, for plain Envoy and a gateway with each of the filters. Adds the programs it starts to `running`. */
export async function countInstructions(
  bench: InstructionsBench,
  running: Program[],
): Promise<Counted[]> {
  const { upstream: provider, tls } = bench;
  const counted: [Program, Callgrind][] = [];
  const add = (program: Program, directory: string) => {
    running.push(program);
    counted.push([program, new Callgrind(bench.valgrind, program, directory)]);
  };
  const place = join(bench.directory, "plain");
  add(await startPlain(underCallgrind(bench, place), place, provider, tls), place);
  for (const [name, filter] of bench.filters) {
    const own = join(bench.directory, name);
    const envoy = underCallgrind(bench, own);
    add(await startGateway({ name, envoy, directory: own, provider, filter, tls }), own);
  }
  for (const [, callgrind] of counted) await callgrind.startCounting();
  const results: Counted[] = [];
  for (const one of bench.cases) results.push(await countCase(bench, one, counted));
  return results;
}

async function countCase(
  bench: Bench,
  one: Case,
  counted: [Program, Callgrind][],
): Promise<Counted> {
  const { name, what } = one;
  const programs: Counts[] = [];
  const alone: Case = { ...one, connections: 1 };
  for (const [program, callgrind] of counted) {
    const problem = await tryOnce(bench, one, program);
    if (problem !== undefined) {
      const leftOut = `${program.name} answers ${problem}`.replaceAll(/[|\n]/g, " ");
      console.error(`${name}: ${leftOut}`);
      return { name, what, programs: [], leftOut };
    }
    const requests = requestsOf(one);
    await warmUp(bench, alone, program);
    const rounds: number[] = [];
    for (let round = 0; round < bench.rounds; round++) {
      const all = await callgrind.count(() => send(bench, alone, program, requests));
      rounds.push(all / requests);
    }
    programs.push({ program: program.name, rounds });
  }
  const said = programs.map((each) => `${each.program} ${thousands(median(each.rounds))}`);
  console.error(`${name}: ${said.join(", ")}`);
  return { name, what, programs };
}

/** Has every function of the case compiled, and Envoy's and the filter's memory grown. */
export async function warmUp(bench: Bench, one: Case, program: Program): Promise<void> {
  await send(bench, one, program, Math.ceil(requestsOf(one) / 4));
}

/** How Envoy is started for counting. */
export function underCallgrind(
  bench: InstructionsBench,
  directory: string,
  options: readonly string[] = [],
): EnvoyCommand {
  const words = [...callgrindCommand(bench.valgrind, directory, options), bench.envoy];
  return { words, readyWithin: READY_WITHIN };
}

export function requestsOf(one: Case): number {
  return JSON.stringify(one.request.body).length > LARGE ? REQUESTS_LARGE : REQUESTS;
}

/** Throws when a request failed: what was counted would be something else. */
export async function send(
  bench: Bench,
  one: Case,
  program: Program,
  requests: number,
): Promise<void> {
  await setProvider(bench, one);
  const words = ["-n", String(requests), "-t", "600"];
  const { failed, broken, failedStatus } = await load(bench, one, program, words);
  if (failed + broken === 0) return;
  throw new Error(`${one.name}: ${program.name} failed, last with status ${String(failedStatus)}`);
}

/** Thousands, with one decimal. */
export function thousands(instructions: number): string {
  return (instructions / 1000).toFixed(1);
}
