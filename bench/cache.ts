// `npm run bench -- --cache`: the cache misses of a request, and the memory that it touches, in callgrind's simulation.
//
// Misses are counted over many requests, of the first level and of second levels of two sizes. What one request touches is
// counted with empty caches: the last level is larger than all of Envoy's memory, so that each line misses there once.
import { Agent, request as httpRequest } from "node:http";
import { join } from "node:path";
import { Callgrind } from "./callgrind.ts";
import type { Case } from "./cases.ts";
import { namesByAddress } from "./compiled-code.ts";
import { buildNamedFilter, functionNames } from "./filter-builds.ts";
import {
  type InstructionsBench,
  requestsOf,
  send,
  thousands,
  underCallgrind,
} from "./instructions.ts";
import { requestFor, setProvider } from "./measure.ts";
import { parseProfile, type Profile } from "./profile.ts";
import { type Program, startGateway, startPlain } from "./programs.ts";
import { median } from "./report.ts";

/** Size, associativity, line. The first levels are those of most servers. */
const LINE = 64;
const FIRST_LEVELS = ["--cache-sim=yes", `--I1=32768,8,${LINE}`, `--D1=32768,8,${LINE}`];
const KB = 1024;
const SECOND_LEVELS = [1024 * KB, 512 * KB];
const WHOLE_MEMORY = 64 * KB * KB;

/** Callgrind's events: misses of the first level and of the last one. */
const CODE_FIRST = ["I1mr"];
const DATA_FIRST = ["D1mr", "D1mw"];
const CODE_LAST = ["ILmr"];
const DATA_LAST = ["DLmr", "DLmw"];

/** As many as a small service has, so that their memory competes for the cache. */
const CONNECTIONS = 16;

interface Started {
  program: Program;
  callgrind: Callgrind;
  /** The filter's functions in the order of the module. */
  names: string[];
}

/** Lines that one request touches first in a part of the program. */
interface Part {
  name: string;
  code: number;
  data: number;
}

/** Returns a Markdown table. Adds the programs that it starts to `running`. */
export async function cacheTable(
  bench: InstructionsBench,
  root: string,
  running: Program[],
): Promise<string> {
  const filter = join(bench.directory, "named.wasm");
  buildNamedFilter(root, filter);
  const rows = new Map<string, string[]>();
  for (const isPlain of [true, false]) {
    for (const lastLevel of [...SECOND_LEVELS, WHOLE_MEMORY]) {
      const started = await start(bench, filter, isPlain, lastLevel);
      running.push(started.program);
      for (const one of bench.cases) {
        const key = `${one.name} | ${isPlain ? "plain Envoy" : "gateway"}`;
        const cells = rows.get(key) ?? [];
        rows.set(key, cells);
        if (lastLevel !== WHOLE_MEMORY) cells.push(await missesBeyond(bench, one, started));
        else cells.push(...(await firstLevelAndTouched(bench, one, started)));
        console.error(`${key}: ${cells.join(", ")}`);
      }
      await started.program.stop();
    }
  }
  const head = [
    ...["case", "program", ...SECOND_LEVELS.map((size) => `misses of ${String(size / KB)} KB`)],
    ...["thousand instructions", "first-level misses, code", "data"],
    ...["touched by one request, KB of code", "of data", "by part, code + data"],
  ];
  const lines = [...rows].map(([key, cells]) => `| ${[key, ...cells].join(" | ")} |`);
  const rule = head.map((_, at) => (at < 2 ? "---" : "--:"));
  return [`| ${head.join(" | ")} |`, `| ${rule.join(" | ")} |`, ...lines].join("\n");
}

async function start(
  bench: InstructionsBench,
  filter: string,
  isPlain: boolean,
  lastLevel: number,
): Promise<Started> {
  const name = `${isPlain ? "plain" : "gateway"}-${String(lastLevel)}`;
  const directory = join(bench.directory, name);
  const caches = [...FIRST_LEVELS, `--LL=${String(lastLevel)},16,${LINE}`];
  const envoy = underCallgrind(bench, directory, caches);
  const provider = bench.provider.port;
  const program = isPlain
    ? await startPlain(envoy, directory, provider)
    : await startGateway({ name, envoy, directory, provider, filter });
  const callgrind = new Callgrind(bench.valgrind, program, directory);
  await callgrind.startCounting();
  return { program, callgrind, names: isPlain ? [] : functionNames(filter) };
}

/** Returns the misses of the last level per request, with several connections. */
async function missesBeyond(
  bench: InstructionsBench,
  one: Case,
  started: Started,
): Promise<string> {
  const dump = await profileOf(bench, { ...one, connections: CONNECTIONS }, started);
  return perRequest(dump, one, [...CODE_LAST, ...DATA_LAST]).toFixed(0);
}

async function firstLevelAndTouched(
  bench: InstructionsBench,
  one: Case,
  started: Started,
): Promise<string[]> {
  const dump = await profileOf(bench, { ...one, connections: 1 }, started);
  const parts = await touched(bench, one, started);
  const all = (pick: (part: Part) => number) => {
    const lines = parts.reduce((sum, part) => sum + pick(part), 0);
    return kilobytes(lines);
  };
  const named = parts.map(
    ({ name, code, data }) => `${name} ${kilobytes(code)} + ${kilobytes(data)}`,
  );
  return [
    thousands(perRequest(dump, one, ["Ir"])),
    perRequest(dump, one, CODE_FIRST).toFixed(0),
    perRequest(dump, one, DATA_FIRST).toFixed(0),
    all(({ code }) => code),
    all(({ data }) => data),
    started.program.isPlain ? "" : named.join(", "),
  ];
}

async function profileOf(bench: InstructionsBench, one: Case, started: Started): Promise<string> {
  const requests = requestsOf(one);
  await send(bench, one, started.program, Math.ceil(requests / 2));
  return started.callgrind.profile(() => send(bench, one, started.program, requests));
}

function perRequest(dump: string, one: Case, events: string[]): number {
  return parseProfile(dump, events).total / requestsOf(one);
}

/** Returns the lines that one request on an open connection touches: the median of some requests. */
async function touched(bench: InstructionsBench, one: Case, started: Started): Promise<Part[]> {
  const { program, callgrind, names } = started;
  await setProvider(bench, one);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sendOne = () => exchange(program, one, agent);
  for (let at = 0; at < 3; at++) await sendOne();
  const rounds: Part[][] = [];
  for (let round = 0; round < bench.rounds; round++) {
    await callgrind.flush();
    const dump = await callgrind.profile(sendOne);
    const code = parseProfile(dump, CODE_LAST);
    const byAddress = namesByAddress(program.pid, code.ofNoFile, names);
    const [codeBy, dataBy] = [code, parseProfile(dump, DATA_LAST)].map((profile) =>
      byPart(profile, byAddress),
    );
    rounds.push(
      ["Envoy", "calls of the filter", "filter"].map((name, at) => {
        return { name, code: codeBy?.[at] ?? 0, data: dataBy?.[at] ?? 0 };
      }),
    );
  }
  agent.destroy();
  return (rounds[0] ?? []).map(({ name }) => {
    const own = rounds.flatMap((parts) => parts.filter((part) => part.name === name));
    return {
      name,
      code: median(own.map(({ code }) => code)),
      data: median(own.map(({ data }) => data)),
    };
  });
}

/** Returns the costs of Envoy with V8, of the filter's calls into them, and of the filter's own code. */
function byPart(profile: Profile, names: Map<string, string>): number[] {
  let [filter, calls] = [0, 0];
  for (const [name, cost] of profile.self) if (names.has(name)) filter += cost;
  for (const { caller, callee, inclusive } of profile.calls) {
    if (names.has(caller) && !names.has(callee)) calls += inclusive;
  }
  return [profile.total - filter - calls, calls, filter];
}

async function exchange(program: Program, one: Case, agent: Agent): Promise<void> {
  const { path, body } = requestFor(one, program);
  const text = JSON.stringify(body);
  const headers = {
    "content-type": "application/json",
    authorization: "Bearer any",
    "content-length": Buffer.byteLength(text),
  };
  const where = { host: "127.0.0.1", port: program.port, path, method: "POST", headers, agent };
  await new Promise<void>((resolve, reject) => {
    const sent = httpRequest(where, (response) => {
      response.resume().on("end", () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${one.name}: status ${String(response.statusCode)}`));
      });
    });
    sent.on("error", reject).end(text);
  });
}

function kilobytes(lines: number): string {
  return ((lines * LINE) / KB).toFixed(0);
}
