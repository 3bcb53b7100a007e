// Throughput and latency with one and two workers: what a second worker costs each of them, at plain Envoy and at the gateway. The load
// generator and the provider have one of the two cores as well, so compare with plain Envoy in the same table.
import { join } from "node:path";
import { table } from "../scripts/docs/markdown.ts";
import { CHAT_MODEL, chatBody, messagesBody } from "./bodies.ts";
import type { Case } from "./cases.ts";
import { type Bench, load, residentMemory, setProvider, type Slice, tryOnce } from "./measure.ts";
import { type EnvoyCommand, type Program, startGateway, startPlain } from "./programs.ts";
import { median } from "./report.ts";

const WORKERS = [1, 2] as const;
const CHAT = "/v1/chat/completions";

const CASES: readonly Case[] = [
  {
    ...{ name: "chat", what: "chat, 1 KB, 32 connections", connections: 32, goal: {} },
    request: { path: CHAT, body: chatBody(1000) },
  },
  {
    ...{ name: "stream", what: "messages → chat stream, 200 events at once, 32 connections" },
    ...{ connections: 32, goal: {}, events: 200 },
    request: { path: "/v1/messages", body: messagesBody(CHAT_MODEL, 1000, { stream: true }) },
    plainRequest: { path: CHAT, body: chatBody(1000, { stream: true }) },
  },
];

/** The program at each number of workers. */
interface Group {
  name: string;
  programs: Program[];
}

/** Starts plain Envoy, the gateway, and the gateway whose requests share budgets, and returns a table for each case. */
export async function workerTables(
  bench: Bench,
  command: (workers: number) => EnvoyCommand,
  filter: string,
  running: Program[],
): Promise<string> {
  const groups: Group[] = [];
  const own = { filter, provider: bench.upstream };
  for (const name of ["plain Envoy", "gateway", "budgets"]) {
    const programs: Program[] = [];
    for (const workers of WORKERS) {
      const directory = join(bench.directory, `${name.replaceAll(" ", "-")}-${String(workers)}`);
      const envoy = command(workers);
      const program =
        name === "plain Envoy"
          ? await startPlain(envoy, directory, bench.upstream)
          : await startGateway({ ...own, name, envoy, directory });
      running.push(program);
      programs.push(program);
    }
    groups.push({ name: name === "budgets" ? "gateway, three budgets of all" : name, programs });
  }
  const tables: string[] = [];
  for (const one of CASES) tables.push(`### ${one.what}\n\n${await measure(bench, one, groups)}`);
  return tables.join("\n\n");
}

async function measure(bench: Bench, one: Case, groups: readonly Group[]): Promise<string> {
  const programs = groups.flatMap((group) => group.programs);
  for (const program of programs) {
    const problem = await tryOnce(bench, one, program);
    if (problem !== undefined) throw new Error(`${program.name}: ${problem}`);
  }
  const slices = new Map<Program, Slice[]>(programs.map((program) => [program, []]));
  for (let round = 0; round < bench.rounds; round++) {
    for (let step = 0; step < programs.length; step++) {
      const program = programs[(round + step) % programs.length];
      if (program === undefined) continue;
      await setProvider(bench, one);
      const timing = ["-t", String(bench.seconds), "-w", "0.3"];
      slices.get(program)?.push(await load(bench, one, program, timing));
    }
  }
  const middle = (program: Program | undefined, pick: (slice: Slice) => number) =>
    program === undefined ? NaN : median((slices.get(program) ?? []).map(pick));
  /** The second worker's figure as a multiple of the first one's. */
  const growth = ({ programs: [first, second] }: Group, pick: (slice: Slice) => number) =>
    middle(second, pick) / middle(first, pick);
  const [plain] = groups;
  const rows = groups.flatMap((group) =>
    group.programs.map((program, at) => {
      const isCompared = at > 0 && group !== plain && plain !== undefined;
      const loss = (pick: (slice: Slice) => number, isMoreBetter: boolean) => {
        if (!isCompared) return "";
        const ratio = growth(group, pick) / growth(plain, pick);
        const percent = (isMoreBetter ? 1 - ratio : ratio - 1) * 100;
        return `${percent < 0 ? "−" : ""}${Math.abs(percent).toFixed(1)} %`;
      };
      return [
        group.name,
        String(WORKERS[at]),
        middle(program, (slice) => slice.perSecond).toFixed(0),
        middle(program, (slice) => slice.cpu).toFixed(1),
        middle(program, (slice) => slice.p50).toFixed(0),
        middle(program, (slice) => slice.p99).toFixed(0),
        residentMemory(program.pid).toFixed(0),
        loss((slice) => slice.perSecond, true),
        loss((slice) => slice.cpu, false),
      ];
    }),
  );
  const head = ["", "workers", "requests/s", "CPU µs", "p50 µs", "p99 µs", "MB"];
  return table([...head, "loss of throughput", "more CPU"], rows);
}
