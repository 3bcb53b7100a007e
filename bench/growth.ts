// `npm run bench -- --growth`: how the instructions of a request grow with its size, its messages and events, and with the
// configuration.
import { join } from "node:path";
import { chatAgentBody, chatBody, chatTurnsBody, MESSAGES_MODEL } from "./bodies.ts";
import { Callgrind } from "./callgrind.ts";
import { type Case, CHAT, MESSAGES, shortChat } from "./cases.ts";
import {
  type InstructionsBench,
  requestsOf,
  send,
  thousands,
  underCallgrind,
} from "./instructions.ts";
import { type Program, startGateway, startPlain } from "./programs.ts";

/** The same request in growing sizes. */
export interface Series {
  what: string;
  unit: string;
  steps: [number, Case][];
}

/** A step of a series: instructions per request, of plain Envoy and of the gateway. */
export interface Step {
  series: Series;
  size: number;
  counts: number[];
  /** Instructions per unit beyond the step before, of each. */
  perUnit?: number[];
}

const ALONE = { goal: {}, connections: 1 };
const MB = 1_000_000;

function series(
  what: string,
  unit: string,
  sizes: number[],
  make: (size: number) => Pick<Case, "request" | "plainRequest" | "events">,
): Series {
  const name = what.replaceAll(/\W+/g, "-");
  const steps = sizes.map((size): [number, Case] => [
    size,
    { name: `${name}-${String(size)}-${unit}`, what, ...ALONE, ...make(size) },
  ]);
  return { what, unit, steps };
}

/** Returns the chat request, to a model that needs translation; plain Envoy gets the request itself. */
function translated(body: object, plainPath = CHAT) {
  const request = { path: CHAT, body: { ...body, model: MESSAGES_MODEL } };
  return { request, plainRequest: { path: plainPath, body } };
}

const streamed = chatBody(780, { stream: true });

export const SERIES: readonly Series[] = [
  series("chat, an agent's conversation", "MB", [0.1, 0.4, 1.6], (size) => ({
    request: { path: CHAT, body: chatAgentBody(size * MB) },
  })),
  series("chat → messages, an agent's conversation", "MB", [0.1, 0.4, 1.6], (size) =>
    translated(chatAgentBody(size * MB)),
  ),
  series("chat, messages of 60 bytes", "messages", [20, 200, 2000], (count) => ({
    request: { path: CHAT, body: chatTurnsBody(count) },
  })),
  series("chat → messages, messages of 60 bytes", "messages", [20, 200, 2000], (count) =>
    translated(chatTurnsBody(count)),
  ),
  series("chat stream", "events", [50, 200, 800], (events) => ({
    events,
    request: { path: CHAT, body: streamed },
  })),
  series("chat → messages stream", "events", [50, 200, 800], (events) => ({
    events,
    ...translated(streamed, MESSAGES),
  })),
];

export interface Configuration {
  name: string;
  /** Models and prompt targets besides those of the cases. */
  models?: number;
  targets?: number;
}

const CONFIGURATIONS: readonly Configuration[] = [
  { name: "the models of the cases" },
  { name: "50 more models", models: 50 },
  { name: "500 more models", models: 500 },
  { name: "200 prompt targets", targets: 200 },
];

/**
 * Requests with which a configuration is counted: enough for some collections of the filter's garbage, which are rarer with a
 * large one, and for the worker to do more than the main thread, which has 392 million instructions to do once with 500
 * models and 200 prompt targets (callgrind.ts takes the thread that has done the most).
 */
const REQUESTS = 3000;

/** Returns Markdown tables. Adds the programs that it starts to `running`. */
export async function growthTables(bench: InstructionsBench, running: Program[]): Promise<string> {
  const steps = await growthOfRequests(bench, SERIES, running);
  const rows = steps.map(({ series: { what, unit }, size, counts, perUnit }) => {
    const cells = counts.flatMap((count, at) => [
      thousands(count),
      perUnit === undefined ? "" : thousands(perUnit[at] ?? 0),
    ]);
    return `| ${[what, `${String(size)} ${unit}`, ...cells].join(" | ")} |`;
  });
  const counts = await growthOfConfiguration(bench, CONFIGURATIONS, running);
  const [first = 0] = counts;
  const others = CONFIGURATIONS.map(({ name }, at) => {
    const count = counts[at] ?? 0;
    return `| ${name} | ${thousands(count)} | ${(count / first).toFixed(3)} |`;
  });
  return [
    "| case | size | plain Envoy | for each more | gateway | for each more |",
    "| --- | --: | --: | --: | --: | --: |",
    ...rows,
    "",
    "| configuration | a16 | × the first |",
    "| --- | --: | --: |",
    ...others,
  ].join("\n");
}

export async function growthOfRequests(
  bench: InstructionsBench,
  all: readonly Series[],
  running: Program[],
): Promise<Step[]> {
  const place = join(bench.directory, "plain");
  const envoy = underCallgrind(bench, place);
  const plain = await startPlain(envoy, place, bench.provider.port);
  const gateway = await startConfigured(bench, { name: "gateway" });
  running.push(plain, gateway);
  const counters = [
    await counterOf(bench, plain, place),
    await counterOf(bench, gateway, join(bench.directory, "gateway")),
  ];
  const found: Step[] = [];
  for (const each of all) {
    let before: Step | undefined;
    for (const [size, one] of each.steps) {
      const counts: number[] = [];
      for (const count of counters) counts.push(await count(one, requestsOf(one)));
      before = { series: each, size, counts, ...costOfMore(size, counts, before) };
      found.push(before);
      console.error(`${one.name}: ${counts.map(thousands).join(", ")}`);
    }
  }
  return found;
}

function costOfMore(size: number, counts: number[], before: Step | undefined) {
  if (before === undefined) return {};
  const more = counts.map((count, at) => count - (before.counts[at] ?? 0));
  return { perUnit: more.map((each) => each / (size - before.size)) };
}

/** Returns the instructions of the short chat with each of the configurations. */
export async function growthOfConfiguration(
  bench: InstructionsBench,
  configurations: readonly Configuration[],
  running: Program[],
): Promise<number[]> {
  const counts: number[] = [];
  for (const configuration of configurations) {
    const { name } = configuration;
    const program = await startConfigured(bench, configuration);
    running.push(program);
    const count = await counterOf(bench, program, join(bench.directory, name));
    const counted = await count(
      { name: "a16", what: name, request: shortChat, ...ALONE },
      REQUESTS,
    );
    counts.push(counted);
    console.error(`${name}: ${thousands(counted)}`);
    await program.stop();
  }
  return counts;
}

async function startConfigured(bench: InstructionsBench, configuration: Configuration) {
  const directory = join(bench.directory, configuration.name);
  const envoy = underCallgrind(bench, directory);
  const [[, filter] = ["", ""]] = bench.filters;
  return startGateway({
    ...configuration,
    envoy,
    directory,
    provider: bench.provider.port,
    filter,
  });
}

/** Returns what counts the instructions per request of a case, after half as many requests. */
async function counterOf(bench: InstructionsBench, program: Program, directory: string) {
  const callgrind = new Callgrind(bench.valgrind, program, directory);
  await callgrind.startCounting();
  return async (one: Case, requests: number): Promise<number> => {
    await send(bench, one, program, Math.ceil(requests / 2));
    return (await callgrind.count(() => send(bench, one, program, requests))) / requests;
  };
}
