// The run of `npm run bench -- --scenarios`: starts the programs, and writes bench/results/ and with `--publish` docs/performance.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { requireEnvoy } from "../control-plane/supervisor/envoy-binary.ts";
import { GatewayError } from "../control-plane/report/gateway-error.ts";
import { writePage } from "../scripts/docs/write-page.ts";
import type { Bench } from "./measure.ts";
import { PEERS, startPeer } from "./peers.ts";
import {
  pinned,
  type Program,
  SCENARIOS_GATEWAY,
  startGateway,
  startPlain,
  startProvider,
} from "./programs.ts";
import { measureScenarios, type ScenarioResult, scenarioTable, summary } from "./scenarios.ts";
import { buildTools, checkMachine } from "./tools.ts";
import { workerTables } from "./workers.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGE = "docs/performance.md";
/** Around what `--publish` writes. */
const [BEGIN, END] = ["<!-- scenarios -->", "<!-- end of scenarios -->"];
const WORKERS_TEXT =
  "One and two workers on both cores. The last columns compare with what the second worker does to plain Envoy. The load generator and the provider are on one of the two cores, so that the second worker has no core for itself, and a program that needs more CPU gains less throughput: CPU of a request is the measure.";
/** Above it, other programs have used the cores. The run itself keeps both busy. */
const QUIET_LOAD = 1;

interface Figures {
  /** What is beside the figures: the machine, the versions, what is missing. */
  about: string[];
  results: ScenarioResult[];
  workers: string;
}

export async function runScenarios(words: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      scenarios: { type: "boolean" },
      peers: { type: "string", default: "" },
      workers: { type: "boolean", default: false },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "2" },
      publish: { type: "boolean", default: false },
      "no-result": { type: "boolean", default: false },
    },
  });
  checkMachine();
  const [before = 0] = loadavg();
  const names = values.peers === "all" ? PEERS.map(({ name }) => name) : values.peers.split(",");
  const peers = names.filter((one) => one !== "");
  const directory = mkdtempSync(join(tmpdir(), "gateway-bench-"));
  const tools = buildTools(join(ROOT, "build/bench"));
  const running: Program[] = [];
  try {
    const provider = await startProvider(tools.provider);
    running.push(provider);
    const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
    const bench = { tools, provider, upstream: provider.port, directory, rounds, seconds };
    const missing: string[] = [];
    const measured = await startAll(bench, peers, running, missing);
    const results = await measureScenarios(bench, measured, positionals);
    // Two Envoys more, of which one has both cores: the others end first.
    await Promise.all(running.splice(1).map((program) => program.stop()));
    const envoy = requireEnvoy(process.env).file;
    const filter = join(ROOT, "build/filter.wasm");
    const command = (workers: number) => ({ ...pinned(envoy, "0,1"), workers });
    const workers = values.workers ? await workerTables(bench, command, filter, running) : "";
    console.log(workers);
    if (values["no-result"]) return;
    const about = [machineText(before), `${String(rounds)} rounds of ${String(seconds)} s.`];
    await write({ about: [...about, ...missing], results, workers }, values.publish);
  } finally {
    await Promise.all(running.map((program) => program.stop()));
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Starts plain Envoy, the gateway, and the peers. A peer that cannot start is left out, and why is added to `missing`. */
async function startAll(
  bench: Bench,
  peers: readonly string[],
  running: Program[],
  missing: string[],
): Promise<Program[]> {
  const { directory, upstream: provider } = bench;
  const envoy = pinned(requireEnvoy(process.env).file);
  running.push(await startPlain(envoy, join(directory, "plain"), provider));
  const name = SCENARIOS_GATEWAY;
  const filter = join(ROOT, "build/filter.wasm");
  const own = { name, envoy, provider, filter, directory: join(directory, name) };
  running.push({ ...(await startGateway(own)), name: "gateway" });
  for (const peer of peers) {
    try {
      running.push(await startPeer(peer, { provider, directory, loopback: bench.tools.loopback }));
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      console.error(error.message);
      missing.push(`Left out: ${error.message.split("\n")[0] ?? peer}`);
    }
  }
  return running.slice(1);
}

function machineText(before: number): string {
  const busy = before > QUIET_LOAD ? "; **other programs used the machine**" : "";
  return `${String(cpus().length)} processors, load average before the run ${before.toFixed(1)}${busy}.`;
}

async function write({ about, results, workers }: Figures, isPublished: boolean): Promise<void> {
  const date = new Date().toISOString().slice(0, 10);
  const file = `bench/results/scenarios-${date}.md`;
  const tables = results.map(scenarioTable).join("\n\n");
  const ofWorkers = workers === "" ? "" : `\n\n## Workers\n\n${workers}`;
  const head = `# Scenarios, ${date}\n\n${about.join(" ")}`;
  await writePage(file, `${head}\n\n${tables}${ofWorkers}\n`);
  console.log(`Written to ${file}`);
  if (!isPublished) return;
  const page = readFileSync(join(ROOT, PAGE), "utf8");
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start < 0 || end < start) throw new GatewayError(`${PAGE} lacks ${BEGIN} and ${END}.`);
  const shown = `${date}: ${about.join(" ")} [All figures](../${file}).\n\n${summary(results)}${ofWorkers.replace("## Workers", WORKERS_TEXT).replaceAll("### ", "")}`;
  await writePage(PAGE, `${page.slice(0, start)}${BEGIN}\n\n${shown}\n\n${page.slice(end)}`);
  writeFileSync(
    join(ROOT, `bench/results/scenarios-${date}.json`),
    `${JSON.stringify({ date, about, results }, null, 2)}\n`,
  );
}
