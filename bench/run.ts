// `npm run bench [-- CASE …]`: measures the gateway against plain Envoy on this machine and writes bench/results/.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { requireEnvoy } from "../control-plane/supervisor/envoy-binary.ts";
import { GatewayError } from "../control-plane/report/gateway-error.ts";
import { ensureValgrind } from "../scripts/valgrind.ts";
import { acceptBudgets } from "./budgets.ts";
import { cacheTable } from "./cache.ts";
import { type Case, CASES } from "./cases.ts";
import { growthTables } from "./growth.ts";
import { groupTables } from "./groups.ts";
import { contentionTable } from "./contention.ts";
import { recordCounts } from "./counts.ts";
import { type Counted, countInstructions, isCountable } from "./instructions.ts";
import { exceededBudgets, instructionsTable } from "./instructions-table.ts";
import {
  type Bench,
  type Measured,
  measureMemory,
  measureRound,
  type Slice,
  tryOnce,
} from "./measure.ts";
import { benchModels } from "./models.ts";
import { benchPrompts, writePromptResult } from "./prompt.ts";
import { keysTables } from "./keys.ts";
import { scaleTables } from "./scale.ts";
import { runScenarios } from "./scenarios-run.ts";
import {
  BUDGETED,
  KEYED,
  OBSERVED,
  TRACED,
  pinned,
  type Program,
  startGateway,
  startPlain,
  startProvider,
  startTlsProvider,
  stopProxies,
} from "./programs.ts";
import { caseResult, type CaseResult, table } from "./report.ts";
import { makeTls, TLS_NAMES } from "./tls.ts";
import { buildTools, checkMachine } from "./tools.ts";

const ROOT = join(import.meta.dirname, "..");
const USAGE = `npm run bench [-- CASE … [--rounds N] [--seconds S] [--filter NAME=FILE …] [--no-result]]

  CASE        ${CASES.map(({ name }) => name).join(" ")} (all of them without)
  --rounds    how often each case is measured; every figure is the median (5)
  --seconds   length of one slice (1.5)
  --filter    another compiled filter, measured beside build/filter.wasm under that name
  --observed  the gateway with usage records (\`observability: {}\`), measured beside the one without
  --budgets   the gateway with usage records and three budgets, and with a thousand, measured beside the one without
  --traced    the gateway with tracing of every request, and of none, measured beside the one without
  --tls       TLS on one side, also with --instructions: ${TLS_NAMES.join(", ")}
  --no-result prints the table only

npm run bench -- --instructions [CASE …] [--rounds N] [--filter NAME=FILE …] [--accept]
npm run bench -- --instructions --groups [CASE …]

  instructions of a request instead of times, by callgrind; needs valgrind, and no quiet machine (rounds: 3);
  without CASE all but those of rates, paced streams and memory
  --accept    writes the counts to bench/instruction-budgets.json, which npm test holds

npm run bench -- --cache [CASE …]

  cache misses of a request, and the memory that it touches, in callgrind's simulation

npm run bench -- --growth

  instructions by size of a request, number of messages and events, and size of the configuration
  --groups    where they are: Envoy, V8, access logs …, and the filter by callback, call into Envoy and file

npm run bench -- scale

  the time to start and the memory with 500 models, and 1,000 paced streams at a time

npm run bench -- --scenarios [NAME …] [--peers NAME,…] [--workers] [--rounds N] [--seconds S] [--publish] [--no-result]

  the scenarios of AIGatewayBench: plain Envoy, this gateway, and the gateways that --peers names: portkey, litellm, litellm-rust,
  agentgateway, or all
  --workers   also throughput and latency with one and two workers
  --publish   also writes docs/performance.md

npm run bench -- contention

  how often 2, 4 and 8 workers retry at the rate limits, budgets and keys that they share, by a simulation

npm run bench -- keys

  100,000 keys of run time: time until Envoy has them, memory, a change; instructions of a request with a key and with a token

npm run bench -- models

  the model server by itself: each of its answers, long texts, overload, memory

npm run bench -- prompt [--rounds N] [--prompts N] [--no-result]

  prompt      what the steps of a prompt cost, with the embedded models, and the memory over ten times as many prompts
  --prompts   how many in each slice (500)`;

interface Options {
  cases: Case[];
  rounds: number;
  seconds: number;
  /** Name and file of each filter. */
  filters: [string, string][];
  writesResult: boolean;
  /** Whether instructions are counted, instead of times. */
  instructions: boolean;
  /** Whether the instructions are shown by the parts of the gateway. */
  groups: boolean;
  /** One of TLS_NAMES. */
  tlsName: string | undefined;
  /** Whether cache misses are counted. */
  cache: boolean;
  /** Whether the growth of the counts is measured. */
  growth: boolean;
  /** Whether the counts become the budgets. */
  accept: boolean;
}

function readOptions(words: string[]): Options {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      instructions: { type: "boolean", default: false },
      groups: { type: "boolean", default: false },
      accept: { type: "boolean", default: false },
      cache: { type: "boolean", default: false },
      tls: { type: "string" },
      growth: { type: "boolean", default: false },
      rounds: { type: "string" },
      seconds: { type: "string", default: "1.5" },
      filter: { type: "string", multiple: true, default: [] },
      observed: { type: "boolean", default: false },
      budgets: { type: "boolean", default: false },
      keys: { type: "boolean", default: false },
      traced: { type: "boolean", default: false },
      "no-result": { type: "boolean", default: false },
    },
  });
  const cases = positionals.map((name) => {
    const found = CASES.find((one) => one.name === name);
    if (found === undefined) throw new GatewayError(`There is no case '${name}'.\n${USAGE}`);
    return found;
  });
  const more = values.filter.map((word): [string, string] => {
    const [name = "", file = ""] = word.split("=", 2);
    if (file === "") throw new GatewayError(`--filter wants NAME=FILE.\n${USAGE}`);
    return [name, resolve(file)];
  });
  const filter = join(ROOT, "build/filter.wasm");
  if (values.tls !== undefined && !TLS_NAMES.includes(values.tls))
    throw new GatewayError(`--tls takes ${TLS_NAMES.join(", ")}.\n${USAGE}`);
  const isCounted = values.instructions || values.cache || values.growth;
  const variants = [
    ...(values.observed ? OBSERVED : []),
    ...(values.budgets ? BUDGETED : []),
    ...(values.keys ? KEYED : []),
    ...(values.traced ? TRACED : []),
  ];
  for (const name of variants) more.push([name, filter]);
  return {
    cases: cases.length > 0 ? cases : CASES.filter((one) => !isCounted || isCountable(one)),
    rounds: Number(values.rounds ?? (isCounted ? 3 : 5)),
    seconds: Number(values.seconds),
    filters: [["gateway", filter], ...more],
    writesResult: !values["no-result"],
    instructions: values.instructions,
    groups: values.groups,
    accept: values.accept,
    cache: values.cache,
    tlsName: values.tls,
    growth: values.growth,
  };
}

/** The fake provider, which every case needs. */
async function prepare(options: Options, directory: string, running: Program[]): Promise<Bench> {
  const tools = buildTools(join(ROOT, "build/bench"));
  const provider = await startProvider(tools.provider);
  running.push(provider);
  const { rounds, seconds } = options;
  const tls =
    options.tlsName === undefined ? undefined : makeTls(options.tlsName, join(directory, "tls"));
  const upstream =
    tls?.side === "provider"
      ? await startTlsProvider(directory, provider.port, tls)
      : provider.port;
  return { tools, provider, upstream, tls, directory, rounds, seconds };
}

async function run(options: Options, directory: string, running: Program[]): Promise<CaseResult[]> {
  const bench = await prepare(options, directory, running);
  const { upstream, tls } = bench;
  const envoy = pinned(requireEnvoy(process.env).file);
  running.push(await startPlain(envoy, join(directory, "plain"), upstream, tls));
  for (const [name, filter] of options.filters) {
    const own = { name, filter, envoy, directory: join(directory, name) };
    running.push(await startGateway({ ...own, provider: upstream, tls }));
  }
  const plainByCase = new Map<string, Slice[]>();
  const results: CaseResult[] = [];
  for (const one of options.cases) {
    results.push(await runCase(bench, one, running.slice(1), plainByCase));
  }
  return results;
}

async function runCase(
  bench: Bench,
  one: Case,
  programs: Program[],
  plainByCase: Map<string, Slice[]>,
): Promise<CaseResult> {
  for (const program of programs) {
    const problem = await tryOnce(bench, one, program);
    if (problem === undefined) continue;
    const leftOut = `${program.name} answers ${problem}`.replaceAll(/[|\n]/g, " ");
    console.error(`${one.name}: ${leftOut}`);
    return { name: one.name, what: one.what, programs: [], goal: "", leftOut };
  }
  const measured: Measured[] = [];
  if (one.requests !== undefined) {
    for (const program of programs) measured.push(await measureMemory(bench, one, program));
  } else {
    measured.push(...programs.map(({ name }) => ({ program: name, slices: [], memory: [] })));
    for (let round = 0; round < bench.rounds; round++) {
      const slices = await measureRound(bench, one, programs, round);
      for (const [at, slice] of slices.entries()) measured[at]?.slices.push(slice);
    }
  }
  plainByCase.set(one.name, measured[0]?.slices ?? []);
  const result = caseResult(one, measured, plainByCase);
  console.error(
    `${one.name}: ${result.programs.map(({ program, cpu, ratio }) => `${program} ${cpu.toFixed(1)} µs${ratio === undefined ? "" : ` (${ratio.toFixed(2)} ×)`}`).join(", ")}`,
  );
  return result;
}

function writeResult(options: Options, results: CaseResult[], loadBefore: number[]): string {
  const date = new Date().toISOString().slice(0, 10);
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd: ROOT, encoding: "utf8" }).trim();
  const result = {
    date,
    commit: git("rev-parse", "--short", "HEAD"),
    machine: { cpu: cpus()[0]?.model ?? "", cores: cpus().length, linux: release() },
    loadAverage: { before: loadBefore, after: loadavg() },
    rounds: options.rounds,
    seconds: options.seconds,
    cases: results,
  };
  const folder = join(import.meta.dirname, "results");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${date}.json`), `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(join(folder, `${date}.md`), `${table(results)}\n`);
  return join(folder, `${date}.md`);
}

async function count(options: Options, directory: string, running: Program[]): Promise<void> {
  const valgrind = await ensureValgrind(console.error);
  if ("missing" in valgrind) {
    throw new GatewayError(`Instructions are counted by valgrind: ${valgrind.missing}.`, {
      hint: "Install it (Debian, Ubuntu: apt-get install valgrind) and run this again.",
    });
  }
  const envoy = requireEnvoy(process.env).file;
  const bench = { ...(await prepare(options, directory, running)), ...options, envoy, valgrind };
  if (options.groups) {
    console.log(await groupTables(bench, ROOT));
    return;
  }
  if (options.cache) {
    console.log(await cacheTable(bench, ROOT, running));
    return;
  }
  if (options.growth) {
    console.log(await growthTables(bench, running));
    return;
  }
  const counted = named(await countInstructions(bench, running), options.tlsName);
  console.log(instructionsTable(counted));
  recordCounts(counted);
  for (const line of exceededBudgets(counted)) console.error(line);
  if (options.accept) acceptBudgets(counted);
}

/** Returns the counts with the kind of TLS in the programs' names: their budgets are others. */
function named(counted: Counted[], tls: string | undefined): Counted[] {
  if (tls === undefined) return counted;
  return counted.map((one) => {
    const programs = one.programs.map(({ program, rounds }) => {
      return { program: `${program}, TLS ${tls}`, rounds };
    });
    return { ...one, programs };
  });
}

async function measurePrompts(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      rounds: { type: "string", default: "3" },
      prompts: { type: "string", default: "500" },
      "no-result": { type: "boolean", default: false },
    },
  });
  checkMachine();
  const directory = mkdtempSync(join(tmpdir(), "gateway-bench-"));
  const provider = await startProvider(buildTools(join(ROOT, "build/bench")).provider);
  try {
    const tables = await benchPrompts({
      envoy: requireEnvoy(process.env).file,
      filter: join(ROOT, "build/filter.wasm"),
      provider: provider.port,
      directory,
      prompts: Number(values.prompts),
      rounds: Number(values.rounds),
    });
    console.log(tables);
    if (!values["no-result"])
      console.log(
        `\nWritten to ${writePromptResult(join(import.meta.dirname, "results"), tables)}`,
      );
  } finally {
    await provider.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measureScale(): Promise<void> {
  checkMachine();
  const directory = mkdtempSync(join(tmpdir(), "gateway-bench-"));
  const tools = buildTools(join(ROOT, "build/bench"));
  const provider = await startProvider(tools.provider);
  try {
    const bench = { tools, provider, upstream: provider.port, directory, rounds: 3, seconds: 1 };
    const programs = {
      envoy: requireEnvoy(process.env).file,
      filter: join(ROOT, "build/filter.wasm"),
    };
    console.log(await scaleTables({ ...bench, ...programs }));
  } finally {
    await provider.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const [first, ...rest] = process.argv.slice(2);
  if (process.argv.includes("--scenarios")) {
    await runScenarios(process.argv.slice(2));
    return;
  }
  if (first === "prompt") {
    await measurePrompts(rest);
    return;
  }
  if (first === "scale") {
    await measureScale();
    return;
  }
  if (first === "contention") {
    console.log(await contentionTable());
    return;
  }
  if (first === "keys") {
    console.log(await keysTables());
    return;
  }
  if (first === "models") {
    await benchModels();
    return;
  }
  const options = readOptions(process.argv.slice(2));
  checkMachine();
  const loadBefore = loadavg();
  const directory = mkdtempSync(join(tmpdir(), "gateway-bench-"));
  const running: Program[] = [];
  try {
    if (options.instructions || options.cache || options.growth) {
      await count(options, directory, running);
      return;
    }
    const results = await run(options, directory, running);
    console.log(table(results));
    if (options.writesResult)
      console.log(`\nWritten to ${writeResult(options, results, loadBefore)}`);
  } finally {
    await Promise.all(running.map((program) => program.stop()));
    await stopProxies();
    rmSync(directory, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  const isUsage =
    error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  if (!(error instanceof GatewayError) && !isUsage) throw error;
  console.error(isUsage ? `${error.message}\n${USAGE}` : error.message);
  if (error instanceof GatewayError && error.hint !== undefined) console.error(error.hint);
  process.exitCode = 1;
}
