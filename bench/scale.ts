// `npm run bench -- scale`: a large configuration (time to start, memory), and 1,000 streams at a time (CPU of an event, memory
// of a stream), against plain Envoy.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { chatBody, messagesBody, CHAT_MODEL } from "./bodies.ts";
import { type Case, CHAT, MESSAGES } from "./cases.ts";
import {
  type Bench,
  load,
  processorTime,
  residentMemory,
  setProvider,
  tryOnce,
} from "./measure.ts";
import { pinned, type Program, startGateway, startPlain } from "./programs.ts";
import { median } from "./report.ts";

const STREAMS = 1000;
const EVENTS = 100;
const DELAY = 100;
const SECOND = 1000;
/** A stream's duration, over which the first ones are spread. */
const DURATION = (EVENTS * DELAY) / SECOND;
const MODELS = [0, 50, 500];

const stream = { path: CHAT, body: chatBody(780, { stream: true }) };
const paced = {
  ...{ connections: STREAMS, events: EVENTS, delay: DELAY, goal: {} },
  ...{ what: "1,000 streams", warmUp: DURATION, seconds: DURATION },
};
const CASES: Case[] = [
  { ...paced, name: "chat", request: stream },
  {
    ...paced,
    name: "messages → chat",
    request: { path: MESSAGES, body: messagesBody(CHAT_MODEL, 825, { stream: true }) },
    plainRequest: stream,
  },
];

interface ScaleBench extends Bench {
  envoy: string;
  filter: string;
}

/** Returns Markdown tables. */
export async function scaleTables(bench: ScaleBench): Promise<string> {
  return [await startTable(bench), await streamTable(bench)].join("\n\n");
}

async function startTable(bench: ScaleBench): Promise<string> {
  const rows = [
    "| configuration | starts in, ms | CPU, ms | memory, MB |",
    "| --- | --: | --: | --: |",
    await startRow(bench, "plain Envoy", (directory) =>
      startPlain(pinned(bench.envoy), directory, bench.upstream),
    ),
  ];
  for (const models of MODELS) {
    const name = models === 0 ? "the models of the cases" : `${String(models)} more models`;
    rows.push(await startRow(bench, name, (directory) => startOne(bench, directory, { models })));
  }
  return rows.join("\n");
}

async function startRow(
  bench: ScaleBench,
  name: string,
  start: (directory: string) => Promise<Program>,
): Promise<string> {
  const [times, cpu, memory]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < bench.rounds; round++) {
    const before = performance.now();
    const program = await start(join(bench.directory, `${name} ${String(round)}`));
    times.push(performance.now() - before);
    cpu.push(processorTime(program.pid));
    memory.push(residentMemory(program.pid));
    await program.stop();
  }
  const cells = [times, cpu, memory].map((all) => median(all).toFixed(0));
  return `| ${[name, ...cells].join(" | ")} |`;
}

function startOne(bench: ScaleBench, directory: string, more: { models?: number } = {}) {
  const envoy = pinned(bench.envoy);
  const { filter, upstream: provider } = bench;
  return startGateway({ name: "gateway", envoy, directory, provider, filter, ...more });
}

async function streamTable(bench: ScaleBench): Promise<string> {
  const plain = (one: Case) =>
    startPlain(pinned(bench.envoy), join(bench.directory, `plain ${one.name}`), bench.upstream);
  const gateway = (one: Case) => startOne(bench, join(bench.directory, `gateway ${one.name}`));
  const rows: string[] = [];
  for (const one of CASES) {
    for (const start of [plain, gateway]) {
      const program = await start(one);
      try {
        rows.push(await streamRow(bench, one, program));
      } finally {
        await program.stop();
      }
    }
  }
  return [
    "| case | program | CPU of an event, µs | memory of a stream, KB | in all, MB |",
    "| --- | --- | --: | --: | --: |",
    ...rows,
  ].join("\n");
}

async function streamRow(bench: ScaleBench, one: Case, program: Program): Promise<string> {
  const problem = await tryOnce(bench, { ...one, delay: 0 }, program);
  if (problem !== undefined) throw new Error(`${one.name}: ${program.name} returned ${problem}`);
  const before = residentMemory(program.pid);
  await setProvider(bench, one);
  const words = ["-t", String(DURATION), "-w", String(DURATION), "-s", String(DURATION)];
  const loading = load(bench, one, program, words);
  // In the middle of the measured time all streams are open.
  await pause(1.5 * DURATION * SECOND);
  const during = residentMemory(program.pid);
  const { cpu, failed, broken } = await loading;
  if (failed + broken > 0) throw new Error(`${one.name}: ${String(failed + broken)} failed`);
  const cells = [
    ...[one.name, program.name, (cpu / EVENTS).toFixed(1)],
    (((during - before) * 1024) / STREAMS).toFixed(0),
    during.toFixed(0),
  ];
  console.error(cells.join(", "));
  return `| ${cells.join(" | ")} |`;
}
