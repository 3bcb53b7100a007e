// `npm run bench -- --instructions --groups`: where the instructions of a request are.
//
// Envoy's binary has no symbols, so its parts are counted by their absence (`variants.ts`). The filter's own code is told
// function by function (`compiled-code.ts`), in a build that has their names.
import { join } from "node:path";
import { Callgrind } from "./callgrind.ts";
import type { Case } from "./cases.ts";
import { namesByAddress } from "./compiled-code.ts";
import { buildNamedFilter, functionNames, writeEmptyFilter } from "./filter-builds.ts";
import { filterTables, selfByStage } from "./filter-tables.ts";
import {
  type InstructionsBench,
  requestsOf,
  send,
  thousands,
  underCallgrind,
  warmUp,
} from "./instructions.ts";
import { parseProfile } from "./profile.ts";
import { type Program, startGateway, startPlain } from "./programs.ts";
import { LAST_OF_FLOOR, variants } from "./variants.ts";

/** The instructions of one part of the gateway, by case. */
interface Group {
  name: string;
  counts: number[];
}

/** Markdown: a table of the groups, and for each case what the filter does. */
export async function groupTables(bench: InstructionsBench, root: string): Promise<string> {
  const named = join(bench.directory, "named.wasm");
  const empty = join(bench.directory, "empty.wasm");
  buildNamedFilter(root, named);
  writeEmptyFilter(named, empty);
  const tables: string[] = [];
  const stages = new Map<string, number[]>();
  let before = await countFilter(bench, named, tables, stages);
  const groups: Group[] = [];
  const add = (name: string, counts: number[]): void => {
    groups.push({ name, counts: before.map((count, at) => count - (counts[at] ?? 0)) });
    before = counts;
  };
  for (const { absent, hasEmptyFilter, adapt } of variants(bench.provider.port)) {
    const directory = join(bench.directory, absent.replaceAll(" ", "-"));
    const envoy = underCallgrind(bench, directory);
    const filter = hasEmptyFilter ? empty : named;
    const options = { name: absent, envoy, directory, provider: bench.provider.port, filter };
    // It is sent what plain Envoy is sent: nothing chooses a provider or translates.
    const program = { ...(await startGateway({ ...options, adapt })), isPlain: true };
    add(absent, await countPlain(bench, program, directory));
  }
  const place = join(bench.directory, "plain");
  const plain = await startPlain(underCallgrind(bench, place), place, bench.provider.port);
  add("Envoy's settings of the gateway", await countPlain(bench, plain, place));
  groups.push({ name: "plain Envoy", counts: before });
  return [
    groupTable(bench.cases, groups.toReversed()),
    stageTable(bench.cases, stages),
    ...tables,
  ].join("\n\n");
}

/** The whole gateway; `tables` gets what the filter does in each case, `stages` the filter's own instructions by case. */
async function countFilter(
  bench: InstructionsBench,
  filter: string,
  tables: string[],
  stages: Map<string, number[]>,
): Promise<number[]> {
  const directory = join(bench.directory, "named");
  const envoy = underCallgrind(bench, directory);
  const provider = bench.provider.port;
  const program = await startGateway({ name: "gateway", envoy, directory, provider, filter });
  const names = functionNames(filter);
  return countWith(bench, program, directory, async (callgrind) => {
    const counts: number[] = [];
    for (const one of bench.cases) {
      const profile = parseProfile(await profileOf(bench, one, program, callgrind));
      const byAddress = namesByAddress(program.pid, profile.ofNoFile, names);
      tables.push(...filterTables(one, profile, byAddress, requestsOf(one)));
      for (const [stage, instructions] of selfByStage(profile, byAddress)) {
        const byCase = stages.get(stage) ?? [];
        byCase[counts.length] = instructions / requestsOf(one);
        stages.set(stage, byCase);
      }
      counts.push(profile.total / requestsOf(one));
    }
    return counts;
  });
}

async function countPlain(
  bench: InstructionsBench,
  program: Program,
  directory: string,
): Promise<number[]> {
  return countWith(bench, program, directory, async (callgrind) => {
    const counts: number[] = [];
    for (const one of bench.cases) {
      const { total } = parseProfile(await profileOf(bench, one, program, callgrind));
      counts.push(total / requestsOf(one));
    }
    console.error(`without ${program.name}: ${counts.map(thousands).join(", ")}`);
    return counts;
  });
}

/** Stops the program when `count` is through, and when it fails. */
async function countWith(
  bench: InstructionsBench,
  program: Program,
  directory: string,
  count: (callgrind: Callgrind) => Promise<number[]>,
): Promise<number[]> {
  try {
    const callgrind = new Callgrind(bench.valgrind, program, directory);
    await callgrind.startCounting();
    return await count(callgrind);
  } finally {
    await program.stop();
  }
}

async function profileOf(
  bench: InstructionsBench,
  one: Case,
  program: Program,
  callgrind: Callgrind,
): Promise<string> {
  const alone: Case = { ...one, connections: 1 };
  await warmUp(bench, alone, program);
  return callgrind.profile(() => send(bench, alone, program, requestsOf(one)));
}

function stageTable(cases: Case[], stages: Map<string, number[]>): string {
  const rows = [...stages]
    .toSorted(([, one], [, other]) => (other[0] ?? 0) - (one[0] ?? 0))
    .map(([stage, counts]) => {
      const cells = cases.map((_, at) => thousands(counts[at] ?? 0));
      return `| ${[stage, ...cells].join(" | ")} |`;
    });
  return [...headOf("the filter's own code, thousand instructions", cases), ...rows].join("\n");
}

/** @param groups from plain Envoy on */
function groupTable(cases: Case[], groups: Group[]): string {
  const sum = (name: string, of: Group[]): Group => {
    const counts = cases.map((_, at) => of.reduce((all, one) => all + (one.counts[at] ?? 0), 0));
    return { name: `**${name}**`, counts };
  };
  const floor = groups.findIndex(({ name }) => name === LAST_OF_FLOOR) + 1;
  const rows = [
    ...groups.slice(0, floor),
    sum("plain Envoy with the gateway's settings and logs", groups.slice(0, floor)),
    ...groups.slice(floor),
    sum("gateway", groups),
  ].map(({ name, counts }) => `| ${[name, ...counts.map(thousands)].join(" | ")} |`);
  return [...headOf("thousand instructions", cases), ...rows].join("\n");
}

function headOf(title: string, cases: Case[]): string[] {
  const head = [title, ...cases.map(({ name }) => name)];
  const rule = head.map((_, at) => (at === 0 ? "---" : "--:"));
  return [`| ${head.join(" | ")} |`, `| ${rule.join(" | ")} |`];
}
