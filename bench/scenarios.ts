// `npm run bench -- --scenarios [NAME …] [--peers NAME,…]`: the scenarios of AIGatewayBench, by our own load generator: plain Envoy, this
// gateway, and the other gateways that are named, in one run whose rounds alternate.
// @see https://github.com/BerriAI/ai-gateway-bench
import { spawn } from "node:child_process";
import { once } from "node:events";
import { table } from "../scripts/docs/markdown.ts";
import { GatewayError } from "../control-plane/report/gateway-error.ts";
import { CHAT_MODEL, chatAgentBody, chatBody, DEAD_MODEL, messagesBody } from "./bodies.ts";
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
const CHAT = "/v1/chat/completions";
/** Four characters are about a token. */
const CHARACTERS_PER_TOKEN = 4;

interface Scenario {
  one: Case;
  /** What the other clients do at the same time, whose requests are not measured. */
  beside?: Case;
  /** Whether other gateways need a configuration of their own for it, which is not here. */
  isOurs?: boolean;
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
    isOurs: true,
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

/** Measures the scenarios and returns a table in Markdown for each. */
export async function scenarioTables(
  bench: Bench,
  programs: Program[],
  names: readonly string[],
): Promise<string> {
  const chosen = SCENARIOS.filter(({ one }) => names.length === 0 || names.includes(one.name));
  if (chosen.length === 0)
    throw new GatewayError(`Scenarios are ${SCENARIOS.map(({ one }) => one.name).join(", ")}.`);
  const tables: string[] = [];
  for (const scenario of chosen) {
    const measured = await measure(bench, programs, scenario);
    tables.push(`### ${scenario.one.name}: ${scenario.one.what}\n\n${tableOf(scenario, measured)}`);
    console.error(tables.at(-1));
  }
  return tables.join("\n\n");
}

async function measure(
  bench: Bench,
  programs: Program[],
  { one, beside, isOurs = false }: Scenario,
): Promise<Measured[]> {
  const all: Measured[] = [];
  const able: Program[] = [];
  for (const program of programs) {
    const isForeign = program.headers !== undefined;
    const leftOut =
      isOurs && isForeign ? "not configured here" : await tryOnce(bench, one, program);
    all.push({ program: program.name, slices: [], memory: 0, ...(leftOut && { leftOut }) });
    if (leftOut === undefined) able.push(program);
  }
  for (let round = 0; round < bench.rounds; round++) {
    for (let step = 0; step < able.length; step++) {
      const program = able[(round + step) % able.length];
      const own = all.find((found) => found.program === program?.name);
      if (program === undefined || own === undefined) continue;
      own.slices.push(await slice(bench, one, beside, program));
      own.memory = residentMemory(program.pid);
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
): Promise<Slice> {
  await setProvider(bench, one);
  const seconds = String(Math.max(bench.seconds, one.seconds ?? 0));
  const timing = ["-t", seconds, "-w", String(one.warmUp ?? 0.3)];
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

function tableOf({ beside }: Scenario, measured: readonly Measured[]): string {
  const head = ["", "CPU µs", "USD per million", "requests/s", "p50 µs", "p99 µs", "p99.9 µs"];
  const rows = measured.map(({ program, slices, memory, leftOut }) => {
    if (leftOut !== undefined)
      return [program, leftOut.replaceAll(/\s+/g, " "), ...Array<string>(7).fill("")];
    const middle = (pick: (one: Slice) => number) => median(slices.map(pick));
    const cpu = middle((one) => one.cpu);
    const failed = slices.reduce((sum, one) => sum + one.failed + one.broken, 0);
    return [
      program,
      // With others beside, the process's time is theirs, too.
      beside === undefined ? cpu.toFixed(1) : "–",
      beside === undefined ? ((cpu / 3600) * USD_PER_CORE_HOUR).toFixed(4) : "–",
      middle((one) => one.perSecond).toFixed(0),
      middle((one) => one.p50).toFixed(0),
      middle((one) => one.p99).toFixed(0),
      middle((one) => one.p999).toFixed(0),
      String(failed),
      memory.toFixed(0),
    ];
  });
  return table([...head, "failed", "MB"], rows);
}
