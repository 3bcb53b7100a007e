// `npm run bench -- --scenarios [NAME …] [--peers NAME,…]`: the scenarios of AIGatewayBench, by our own load generator: plain Envoy, this
// gateway, and the other gateways that are named, in one run whose rounds alternate.
// @see https://github.com/BerriAI/ai-gateway-bench
import { spawn } from "node:child_process";
import { once } from "node:events";
import { table } from "../scripts/docs/markdown.ts";
import { GatewayError } from "../control-plane/report/gateway-error.ts";
import {
  CHAT_MODEL,
  chatAgentBody,
  chatBody,
  DEAD_MODEL,
  MESSAGES_MODEL,
  messagesBody,
} from "./bodies.ts";
import type { Case } from "./cases.ts";
import {
  type Bench,
  load,
  loadWords,
  residentMemory,
  setProvider,
  type Slice,
  tryOnce,
} from "./measure.ts";
import { FLOOD, type Program, QUIET } from "./programs.ts";
import { median } from "./report.ts";

/** USD of an hour of a core, of a cloud's general machines. */
const USD_PER_CORE_HOUR = 0.04;
/** At most, of a program for which a slice is too short; it ends after two requests of each connection. */
const SLOW_SECONDS = 75;
/** The scenarios whose price docs/performance.md shows. */
const PRICED = ["streaming-turn", "tool-loop", "prompt-10k"];
const CHAT = "/v1/chat/completions";
/** Four characters are about a token. */
const CHARACTERS_PER_TOKEN = 4;

interface Scenario {
  one: Case;
  /** What the other clients do at the same time, whose requests are not measured. */
  beside?: Case;
}

const base = { connections: 16, goal: {} };
const chat = (characters: number, more: object = {}) => ({
  path: CHAT,
  body: chatBody(characters, more),
});
const prompt = (name: string, tokens: number, connections: number): Scenario => ({
  one: {
    ...{ ...base, connections, name: `prompt-${name}` },
    what: `a prompt of ${tokens.toLocaleString("en-US")} tokens`,
    request: chat(tokens * CHARACTERS_PER_TOKEN),
  },
});
const small = { path: CHAT, body: chatBody(1000) };

export const SCENARIOS: readonly Scenario[] = [
  {
    one: {
      ...{ ...base, name: "streaming-turn", what: "a turn as a stream of 200 events, 5 ms apart" },
      ...{ request: chat(1000, { stream: true }), events: 200, delay: 5, seconds: 3, warmUp: 1 },
    },
  },
  {
    one: {
      ...{
        ...base,
        name: "messages-turn",
        what: "the same turn of a Messages client at Anthropic",
      },
      request: {
        path: "/v1/messages",
        body: messagesBody(MESSAGES_MODEL, 1000, { stream: true }),
      },
      ...{ events: 200, delay: 5, seconds: 3, warmUp: 1 },
    },
  },
  {
    one: {
      ...{ ...base, name: "tool-loop", what: "a turn of an agent's loop of tool calls, 32 KB" },
      request: { path: CHAT, body: chatAgentBody(32_000) },
    },
  },
  prompt("1k", 1000, 16),
  prompt("10k", 10_000, 8),
  prompt("100k", 100_000, 4),
  {
    one: {
      ...{ ...base, connections: 50, name: "concurrent-agents" },
      what: "50 agents at once, each with a stream of 200 events, 5 ms apart, of a Messages client",
      request: {
        path: "/v1/messages",
        body: messagesBody(CHAT_MODEL, 1000, { stream: true }),
      },
      plainRequest: chat(1000, { stream: true }),
      ...{ events: 200, delay: 5, seconds: 3, warmUp: 1 },
    },
  },
  {
    one: {
      ...{ ...base, connections: 4, perSecond: 50, name: "key-flood" },
      what: "a key with 50 requests a second, while another one floods by 64 connections",
      request: { ...small, headers: [`authorization: ${QUIET}`] },
    },
    beside: {
      ...{ ...base, connections: 64, name: "key-flood-beside", what: "the flood" },
      request: { ...small, headers: [`authorization: ${FLOOD}`] },
    },
  },
  {
    one: {
      ...{ ...base, name: "failover", what: "the model's first provider refuses connections" },
      request: { path: CHAT, body: chatBody(1000, { model: DEAD_MODEL }) },
      plainRequest: small,
    },
  },
  {
    one: {
      ...{ ...base, connections: 4, perSecond: 50, name: "head-of-line" },
      what: "small chats, 50 a second, while others send prompts of 1 MB by 4 connections",
      request: small,
    },
    beside: {
      ...{ ...base, connections: 4, name: "head-of-line-beside", what: "large prompts" },
      request: chat(1_000_000),
    },
  },
];

interface Measured {
  program: string;
  slices: Slice[];
  memory: number;
  leftOut?: string;
}

export interface ScenarioResult {
  name: string;
  what: string;
  /** Whether others send requests at the same time. */
  hasOthers: boolean;
  programs: ProgramResult[];
}

/** Medians of the rounds; undefined if the program was left out. */
interface ProgramResult {
  program: string;
  leftOut?: string;
  figures?: {
    /** Microseconds of a request; undefined with others, whose time the process has, too. */
    cpu?: number;
    usdPerMillion?: number;
    perSecond: number;
    p50: number;
    p99: number;
    p999: number;
    failed: number;
    memory: number;
  };
}

type Figures = NonNullable<ProgramResult["figures"]>;

/** Measures the scenarios with these names; all without. */
export async function measureScenarios(
  bench: Bench,
  programs: Program[],
  names: readonly string[],
): Promise<ScenarioResult[]> {
  const chosen = SCENARIOS.filter(({ one }) => names.length === 0 || names.includes(one.name));
  if (chosen.length === 0)
    throw new GatewayError(`Scenarios are ${SCENARIOS.map(({ one }) => one.name).join(", ")}.`);
  const results: ScenarioResult[] = [];
  for (const scenario of chosen) {
    const hasOthers = scenario.beside !== undefined;
    const measured = await measure(bench, programs, scenario);
    const { name, what } = scenario.one;
    const result = {
      name,
      what,
      hasOthers,
      programs: measured.map((one) => resultOf(one, hasOthers)),
    };
    results.push(result);
    console.error(`${scenarioTable(result)}\n`);
  }
  return results;
}

async function measure(
  bench: Bench,
  programs: Program[],
  { one, beside }: Scenario,
): Promise<Measured[]> {
  const all: Measured[] = [];
  const able: Program[] = [];
  for (const program of programs) {
    const leftOut = await tryOnce(bench, one, program).catch(() => "it does not respond");
    all.push({ program: program.name, slices: [], memory: 0, ...(leftOut && { leftOut }) });
    if (leftOut === undefined) able.push(program);
  }
  for (let round = 0; round < bench.rounds; round++) {
    const taking = [...able];
    for (let step = 0; step < taking.length; step++) {
      const program = taking[(round + step) % taking.length];
      const own = all.find((found) => found.program === program?.name);
      if (program === undefined || own === undefined) continue;
      try {
        const found = await slice(bench, one, beside, program);
        own.slices.push(found);
        if (found.requests < one.connections) {
          // Not even one request of each connection: one long slice is all that it gets.
          const long = await slice(bench, one, beside, program, SLOW_SECONDS);
          own.slices = [long];
          if (long.requests === 0) own.leftOut = `no request ended in ${String(SLOW_SECONDS)} s`;
          able.splice(able.indexOf(program), 1);
        }
        own.memory = residentMemory(program.pid);
      } catch (error) {
        // It has ended: the others are measured all the same.
        own.leftOut = String(error);
        able.splice(able.indexOf(program), 1);
      }
    }
  }
  return all;
}

/** One slice, beside the load of others if there is one. */
async function slice(
  bench: Bench,
  one: Case,
  beside: Case | undefined,
  program: Program,
  slowSeconds?: number,
): Promise<Slice> {
  await setProvider(bench, one);
  const seconds = String(slowSeconds ?? Math.max(bench.seconds, one.seconds ?? 0));
  const most = slowSeconds === undefined ? [] : ["-n", String(2 * one.connections)];
  const warmUp = slowSeconds === undefined ? String(one.warmUp ?? 0.3) : "0";
  const timing = ["-t", seconds, "-w", warmUp, ...most];
  if (beside === undefined) return load(bench, one, program, timing);
  const [command = "", ...words] = loadWords(bench, beside, program, ["-t", "3600"]);
  const others = spawn(command, words, { stdio: "ignore" });
  try {
    return await load(bench, one, program, timing);
  } finally {
    const ended = once(others, "exit");
    others.kill();
    await ended;
  }
}

function resultOf(
  { program, slices, memory, leftOut }: Measured,
  hasOthers: boolean,
): ProgramResult {
  if (leftOut !== undefined) return { program, leftOut: leftOut.replaceAll(/\s+/g, " ") };
  const middle = (pick: (one: Slice) => number) => median(slices.map(pick));
  const cpu = middle((one) => one.cpu);
  const figures = {
    ...(hasOthers ? {} : { cpu, usdPerMillion: (cpu / 3600) * USD_PER_CORE_HOUR }),
    perSecond: middle((one) => one.perSecond),
    p50: middle((one) => one.p50),
    p99: middle((one) => one.p99),
    p999: middle((one) => one.p999),
    failed: slices.reduce((sum, one) => sum + one.failed + one.broken, 0),
    memory,
  };
  return { program, figures };
}

/** Returns a table in Markdown, with its heading. */
export function scenarioTable({ name, what, programs }: ScenarioResult): string {
  const head = ["", "CPU µs", "USD per million", "requests/s", "p50 µs", "p99 µs", "p99.9 µs"];
  const rows = programs.map(({ program, leftOut = "", figures }) => {
    if (figures === undefined)
      return [program, `left out: ${leftOut}`, ...Array<string>(7).fill("")];
    return [
      program,
      figures.cpu?.toFixed(1) ?? "–",
      figures.usdPerMillion?.toFixed(4) ?? "–",
      figures.perSecond.toFixed(0),
      figures.p50.toFixed(0),
      figures.p99.toFixed(0),
      figures.p999.toFixed(0),
      String(figures.failed),
      figures.memory.toFixed(0),
    ];
  });
  return `### ${name}: ${what}\n\n${table([...head, "failed", "MB"], rows)}`;
}

/** Returns the tables of docs/performance.md: a row for each scenario, a column for each program. */
export function summary(results: readonly ScenarioResult[]): string {
  const names = results[0]?.programs.map(({ program }) => program) ?? [];
  const rows = (cell: (figures: Figures, plain: Figures | undefined) => string) =>
    results.map(({ name, programs }) => {
      const plain = programs[0]?.figures;
      return [
        name,
        ...programs.map(({ figures }) => (figures === undefined ? "–" : cell(figures, plain))),
      ];
    });
  const milliseconds = (microseconds: number) => (microseconds / 1000).toPrecision(3);
  const cpu = rows((own, plain) => {
    if (own.cpu === undefined) return "–";
    const ratio = plain?.cpu === undefined ? "" : ` (${(own.cpu / plain.cpu).toPrecision(3)} ×)`;
    return `${own.cpu.toFixed(0)}${ratio}`;
  }).filter((row) => row.some((cell, at) => at > 0 && cell !== "–"));
  const times = rows((own) => {
    const failed = own.failed > 0 ? `, ${String(own.failed)} failed` : "";
    return `${[own.p50, own.p99, own.p999].map(milliseconds).join(" / ")}${failed}`;
  });
  const memory = rows((own) => own.memory.toFixed(0)).slice(-1);
  const price = rows((own) => own.usdPerMillion?.toFixed(3) ?? "–").filter(([name]) =>
    PRICED.includes(name ?? ""),
  );
  return [
    `CPU time of a request in µs, and as a multiple of plain Envoy's:\n\n${table(["", ...names], cpu)}`,
    `p50 / p99 / p99.9 in ms:\n\n${table(["", ...names], times)}`,
    `Memory in MB after all of them, and USD of CPU per million requests (${String(USD_PER_CORE_HOUR)} USD for an hour of a core):\n\n${table(["", ...names], [...memory.map(([, ...cells]) => ["memory", ...cells]), ...price])}`,
  ].join("\n\n");
}
