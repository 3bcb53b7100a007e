// `npm run bench -- prompt`: what a prompt's own steps cost (guard, choice, extraction, grounding, an API), with the
// embedded models. Every prompt is another one, because the model server remembers texts.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { loadConfiguration } from "../control-plane/config/load.ts";
import { formatProblem } from "../control-plane/report/problem.ts";
import { modelServerInput } from "../control-plane/supervisor/model-server-input.ts";
import {
  modelServerEnvironment,
  type RunningModelServer,
  superviseModelServer,
} from "../control-plane/supervisor/model-server.ts";
import { renderBootstrap } from "../envoy/bootstrap.ts";
import { toYaml } from "../envoy/yaml.ts";
import { CHAT_MODEL } from "./bodies.ts";
import { residentMemory } from "./measure.ts";
import { freePort, pinned, type Program, startEnvoy } from "./programs.ts";

export interface PromptBench {
  envoy: string;
  filter: string;
  /** Port of the fake provider, which is the language model and the API too. */
  provider: number;
  directory: string;
  /** Prompts in each slice, and in all when the memory is looked at. */
  prompts: number;
  rounds: number;
}

interface Running {
  envoy: Program;
  modelServer: RunningModelServer;
  ports: { ingress: number; egress: number };
}

interface Latencies {
  p50: number;
  p99: number;
  perSecond: number;
  /** CPU time of Envoy and of the model server for each prompt: what another load on the machine changes least. */
  envoyCpu: number;
  modelServerCpu: number;
}

/** What is asked: the name in the table, the listener, and the prompt of that number. */
interface Kind {
  name: string;
  listener: "ingress" | "egress";
  prompt: (number: number) => string;
  /** Whether the reply has to tell of a target. */
  hasTarget: boolean;
}

const SYLLABLES = ["ba", "do", "ri", "mo", "sel", "tan", "vi", "lu", "kor", "ne"];

/** A place that nobody has asked for yet. */
function placeOf(number: number): string {
  const name = Array.from(
    String(number).padStart(5, "0"),
    (digit) => SYLLABLES[Number(digit)] ?? "",
  );
  const joined = name.join("");
  return joined.charAt(0).toUpperCase() + joined.slice(1);
}

const weather = (number: number): string =>
  `What will the weather be like in ${placeOf(number)} for ${String((number % 7) + 1)} days?`;

const KINDS: readonly Kind[] = [
  {
    name: "a chat on egress, for comparison",
    listener: "egress",
    prompt: weather,
    hasTarget: false,
  },
  {
    name: "a prompt that no target is for: guard, embeddings, zeroshot",
    listener: "ingress",
    prompt: (number) => `Tell me a story about a dragon called ${placeOf(number)}`,
    hasTarget: false,
  },
  {
    name: "a prompt that a target is for: the same, extraction, grounding, API",
    listener: "ingress",
    prompt: weather,
    hasTarget: true,
  },
];
const MANY = 50;
const PARTS = 10;

/** Prints the tables and answers them as Markdown. */
export async function benchPrompts(bench: PromptBench): Promise<string> {
  const running = await start(bench);
  try {
    const alone = await slices(bench, running, 1);
    const many = await slices(bench, running, MANY);
    const memory = await memoryOver(bench, running);
    return [...latencyTable(alone, many), "", ...memory, "", machine()].join("\n");
  } finally {
    await Promise.all([running.envoy.stop(), running.modelServer.stop()]);
  }
}

async function start({ envoy, filter, provider, directory }: PromptBench): Promise<Running> {
  const ports = { ingress: await freePort(), egress: await freePort() };
  const environment = { ...process.env, OPENAI_API_KEY: "key-of-openai" };
  const loaded = loadConfiguration(
    { file: "bench.yaml", text: configuration(ports, provider) },
    environment,
  );
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join("\n"));
  const { model } = loaded;
  if (model.prompt === undefined) throw new Error("the configuration has no prompt targets");
  const folder = join(directory, "prompt");
  mkdirSync(folder, { recursive: true });
  const modelServerSocketPath = join(folder, "model-server.sock");
  const modelServer = await superviseModelServer({
    socketPath: modelServerSocketPath,
    input: modelServerInput(model, model.prompt, undefined),
    environment: modelServerEnvironment(environment, []),
    report: (line) => {
      console.error(line);
    },
  });
  const place = {
    filterPath: filter,
    logDirectory: folder,
    adminSocketPath: join(folder, "admin.sock"),
    caFile: "/etc/ssl/certs/ca-certificates.crt",
    ownEgressSocketPath: join(folder, "egress.sock"),
    modelServerSocketPath,
  };
  const yaml = toYaml(renderBootstrap(model, place));
  const program = await startEnvoy(
    "gateway",
    pinned(envoy),
    folder,
    yaml,
    ports.egress,
    "/healthz",
    false,
  );
  return { envoy: program, modelServer, ports };
}

function configuration(ports: Running["ports"], provider: number): string {
  const listener = (port: number) => `{address: 127.0.0.1, port: ${String(port)}}`;
  return `
listeners:
  ingress: ${listener(ports.ingress)}
  egress: ${listener(ports.egress)}
llm_providers:
  - {model: openai/${CHAT_MODEL}, base_url: "http://127.0.0.1:${String(provider)}", access_key: $OPENAI_API_KEY}
prompt_targets:
  - name: weather_forecast
    description: Weather forecast for a city
    examples: [What will the weather be like in Oslo?, Will it rain in London in the next 3 days?]
    parameters:
      - {name: city, description: name of the city, required: true}
      - {name: days, description: how many days, type: int, default: 1}
    endpoint: {name: api, path: /v1/chat/completions, http_method: POST}
  - name: convert_dollars
    description: Convert an amount of US dollars into another currency
    examples: [How much is 20 dollars in EUR?, Convert 5 dollars to CHF]
    parameters:
      - {name: amount, description: amount of US dollars, type: float, required: true}
      - {name: currency, description: currency to convert to, enum: [EUR, GBP, CHF], required: true}
    endpoint: {name: api, path: /v1/chat/completions, http_method: POST}
  - name: list_currencies
    description: List the currencies that can be converted
    endpoint: {name: api, path: /v1/chat/completions, http_method: POST}
endpoints:
  api: {endpoint: "127.0.0.1:${String(provider)}"}
prompt_guards:
  input_guards: {jailbreak: {on_exception: {message: no}}}
`;
}

/** Numbers of prompts go on from slice to slice. */
let nextNumber = 0;

/** Medians over the rounds, of each kind. */
async function slices(bench: PromptBench, running: Running, atOnce: number): Promise<Latencies[]> {
  for (const kind of KINDS) await slice(running, kind, atOnce, atOnce * 2);
  const rounds: Latencies[][] = [];
  for (let round = 0; round < bench.rounds; round++) {
    const found: Latencies[] = [];
    for (const kind of KINDS) found.push(await slice(running, kind, atOnce, bench.prompts));
    rounds.push(found);
  }
  return KINDS.map((_, at) => {
    const of = (name: keyof Latencies) => middle(rounds.map((round) => round[at]?.[name] ?? 0));
    return {
      p50: of("p50"),
      p99: of("p99"),
      perSecond: of("perSecond"),
      envoyCpu: of("envoyCpu"),
      modelServerCpu: of("modelServerCpu"),
    };
  });
}

async function slice(
  { ports, envoy, modelServer }: Running,
  kind: Kind,
  atOnce: number,
  count: number,
): Promise<Latencies> {
  const agent = new Agent({ connections: atOnce, pipelining: 1 });
  const url = `http://127.0.0.1:${String(ports[kind.listener])}/v1/chat/completions`;
  const times: number[] = [];
  let left = count;
  const cpu = () => [envoy.pid, modelServer.pid() ?? 0].map(cpuTime);
  const cpuBefore = cpu();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
        const content = kind.prompt(nextNumber++);
        const started = performance.now();
        const { statusCode, body } = await request(url, {
          method: "POST",
          dispatcher: agent,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ model: "none", messages: [{ role: "user", content }] }),
        });
        const text = await body.text();
        times.push(performance.now() - started);
        if (statusCode !== 200 || text.includes('"prompt_target"') !== kind.hasTarget) {
          throw new Error(`"${content}" was answered ${String(statusCode)}: ${text.slice(0, 300)}`);
        }
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  await agent.close();
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  const [envoyCpu = 0, modelServerCpu = 0] = cpu().map(
    (after, index) => (after - (cpuBefore[index] ?? 0)) / times.length,
  );
  return {
    p50: at(0.5),
    p99: at(0.99),
    perSecond: times.length / seconds,
    envoyCpu,
    modelServerCpu,
  };
}

/** CPU time of all threads of a process in milliseconds. */
function cpuTime(pid: number): number {
  const folder = `/proc/${String(pid)}/task`;
  const nanoseconds = readdirSync(folder).map((task) =>
    Number(readFileSync(join(folder, task, "schedstat"), "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1_000_000;
}

function middle(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)] ?? 0;
}

async function memoryOver(bench: PromptBench, running: Running): Promise<string[]> {
  const kind = KINDS.at(-1);
  if (kind === undefined) return [];
  const rows: string[] = [];
  for (let part = 1; part <= PARTS; part++) {
    await slice(running, kind, MANY, bench.prompts);
    const [envoy, server] = [running.envoy.pid, running.modelServer.pid() ?? 0].map((pid) =>
      residentMemory(pid).toFixed(0),
    );
    rows.push(`| ${String(part * bench.prompts)} | ${envoy ?? ""} | ${server ?? ""} |`);
  }
  return ["| more prompts | Envoy MB | model server MB |", "| --: | --: | --: |", ...rows];
}

function latencyTable(alone: Latencies[], many: Latencies[]): string[] {
  const floor = alone[0];
  const added = (pick: (found: Latencies) => number, found: Latencies, at: number) => {
    const value = pick(found).toFixed(1);
    return at === 0 || floor === undefined
      ? value
      : `${value} (+${(pick(found) - pick(floor)).toFixed(1)})`;
  };
  const rows = KINDS.map(({ name }, at) => {
    const [one, all] = [alone[at], many[at]];
    if (one === undefined || all === undefined) return "";
    const cells = [
      ...[added(({ p50 }) => p50, one, at), added(({ p99 }) => p99, one, at)],
      ...[all.p50.toFixed(0), all.p99.toFixed(0), all.perSecond.toFixed(0)],
      ...[one.envoyCpu.toFixed(2), one.modelServerCpu.toFixed(2)],
    ];
    return `| ${name} | ${cells.join(" | ")} |`;
  });
  const head = ["one at a time: p50 ms", "p99 ms", `${String(MANY)} at once: p50 ms`, "p99 ms"];
  const more = ["a second", "CPU ms: Envoy", "model server"];
  const cells = ["", ...head, ...more];
  const rule = cells.map((_, at) => (at === 0 ? "---" : "--:"));
  return [...[cells, rule].map((one) => `| ${one.join(" | ")} |`), ...rows];
}

function machine(): string {
  const load = loadavg()[0]?.toFixed(1) ?? "";
  return `${String(cpus().length)} × ${cpus()[0]?.model ?? ""}, load average ${load}.`;
}

/** Writes the tables beside the other results. */
export function writePromptResult(folder: string, tables: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${new Date().toISOString().slice(0, 10)}-prompt.md`);
  writeFileSync(file, `${tables}\n`);
  return file;
}
