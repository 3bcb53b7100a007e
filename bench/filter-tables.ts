// What the filter does in a request: by callback of Envoy's, by call into Envoy, and by source file.
import type { Case } from "./cases.ts";
import type { Profile } from "./profile.ts";

const MAX_FILES = 15;
const CALLBACK = /(?:^|\/)(proxy_on_\w+)$/;

interface Row {
  name: string;
  calls: number;
  instructions: number;
}

/** Markdown tables of one case. `names` has the filter's functions by callgrind's name for them, `requests` how many were sent. */
export function filterTables(
  one: Case,
  profile: Profile,
  names: Map<string, string>,
  requests: number,
): string[] {
  if (names.size === 0) {
    return [`${one.name}: the filter's functions cannot be told apart in this Envoy's memory.`];
  }
  const per = (rows: Iterable<Row>): Row[] =>
    [...rows]
      .map(({ name, calls, instructions }) => {
        return { name, calls: calls / requests, instructions: instructions / requests };
      })
      .toSorted((a, b) => b.instructions - a.instructions);
  const files = per(selfByFile(profile, names));
  const own = files.reduce((sum, { instructions }) => sum + instructions, 0);
  return [
    `### ${one.name}: ${one.what}`,
    table("callback of Envoy's, with its calls into Envoy", per(callbacks(profile, names))),
    table("calls into Envoy, by the function that makes them", per(hostCalls(profile, names))),
    table(
      `the filter's own code, ${own.toFixed(0)} instructions, by file`,
      files.slice(0, MAX_FILES),
    ),
  ];
}

function callbacks({ calls }: Profile, names: Map<string, string>): Iterable<Row> {
  const rows = new Map<string, Row>();
  for (const { caller, callee, count, inclusive } of calls) {
    const name = CALLBACK.exec(names.get(callee) ?? "")?.[1];
    if (name !== undefined && !names.has(caller)) add(rows, name, count, inclusive);
  }
  return rows.values();
}

/** From the filter's code to V8's code for a call out of it, which has no file either. Others go to V8's copying of memory. */
function hostCalls({ calls, ofNoFile }: Profile, names: Map<string, string>): Iterable<Row> {
  const rows = new Map<string, Row>();
  for (const { caller, callee, count, inclusive } of calls) {
    const name = names.get(caller);
    if (name === undefined || names.has(callee) || !ofNoFile.has(callee)) continue;
    add(rows, name, count, inclusive);
  }
  return rows.values();
}

function selfByFile({ self }: Profile, names: Map<string, string>): Iterable<Row> {
  const rows = new Map<string, Row>();
  for (const [address, instructions] of self) {
    const name = names.get(address);
    if (name !== undefined) add(rows, fileOf(name), 0, instructions);
  }
  return rows.values();
}

/** Returns the filter's own instructions in all requests, by stage: the folder of the source, or the runtime. */
export function selfByStage(profile: Profile, names: Map<string, string>): Map<string, number> {
  const stages = new Map<string, number>();
  for (const { name, instructions } of selfByFile(profile, names)) {
    const stage = /^filter\/(\w+)/.exec(name)?.[1] ?? "AssemblyScript's runtime";
    stages.set(stage, (stages.get(stage) ?? 0) + instructions);
  }
  return stages;
}

/** `filter/bytes/json/tape/Tape#member` → `filter/bytes/json/tape`: what stands before the first name that is no folder or file. */
function fileOf(name: string): string {
  const end = name.search(/[<#]/);
  const path = end < 0 ? name : name.slice(0, end);
  return path.slice(0, path.lastIndexOf("/"));
}

function add(rows: Map<string, Row>, name: string, calls: number, instructions: number): void {
  const row = rows.get(name) ?? { name, calls: 0, instructions: 0 };
  row.calls += calls;
  row.instructions += instructions;
  rows.set(name, row);
}

function table(title: string, rows: Row[]): string {
  const hasCalls = rows.some(({ calls }) => calls > 0);
  const head = [title, ...(hasCalls ? ["calls"] : []), "instructions"];
  const rule = head.map((_, at) => (at === 0 ? "---" : "--:"));
  const lines = rows.map(({ name, calls, instructions }) => [
    `\`${name}\``,
    ...(hasCalls ? [calls.toFixed(2)] : []),
    instructions.toFixed(0),
  ]);
  return [head, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
