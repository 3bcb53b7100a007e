// Mixed traffic against a running gateway while faults happen and the configuration is changed: what is lost, mixed up or grows.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Status } from "../../control-plane/cli/commands/status.ts";
import { random } from "../exchanges/random.ts";
import type { Random } from "../exchanges/random.ts";
import type { Desk, Ports } from "../cli/gateway-command.ts";
import { configurationOn, freePorts, openDesk } from "../cli/gateway-command.ts";
import type { Kind } from "./request.ts";
import { ask } from "./request.ts";

export interface SoakOptions {
  seconds: number;
  perSecond: number;
  reloads: number;
  seed: number;
  /** Called with one line for each part of the run. */
  onProgress?: (line: string) => void;
}

export interface SoakReport {
  requests: number;
  /** What was wrong, one line for each request; empty when all is well. */
  problems: string[];
  /** Of Envoy, at the end of each part: resident memory in MB, and open file descriptors. */
  memory: number[];
  descriptors: number[];
  reloads: number;
  /** Requests that could not be sent at their time, because the machine was too slow for the rate. */
  late: number;
}

/** The run is looked at that often. */
const PARTS = 12;
const RELOADED_WITHIN = 60_000;
/** Above it the rate is more than the machine can do, and requests are left out instead of piling up. */
const MAX_OPEN = 400;

/** Runs a gateway of its own, with one worker, and ends it. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const provider = await startProvider();
  const ports = await freePorts();
  const desk = openDesk({ "gateway.yaml": configuration(ports, provider.port, 0) });
  Object.assign(desk.environment, { SOAK_KEY_A: "key-of-a", SOAK_KEY_B: "key-of-b" });
  try {
    const up = await desk.run("up", "--detach", "--concurrency", "1", "--drain-time", "20s");
    if (up.code !== 0) throw new Error(`the gateway did not start: ${up.stderr}`);
    return await run(options, desk, ports, provider.port);
  } finally {
    await desk.clear();
    provider.stop();
  }
}

async function startProvider(): Promise<{ port: number; stop: () => void }> {
  const file = join(import.meta.dirname, "../providers/scripts/nonce-process.ts");
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { port: Number(line.toString()), stop: () => child.stdin.end() };
}

/** Each generation has an alias of its own, by which a client sees that it rules. */
function configuration(ports: Ports, provider: number, generation: number): string {
  const at = `http://127.0.0.1:${String(provider)}`;
  return configurationOn(
    ports,
    `llm_providers:
  - {model: openai/chat, base_url: ${at}/v1, access_key: $SOAK_KEY_A}
  - {model: anthropic/messages, base_url: ${at}, access_key: $SOAK_KEY_B}
  - {name: healthy-chat, model: vllm/healthy-chat, base_url: ${at}/healthy/v1}
  - {name: healthy-messages, model: anthropic/healthy-messages, base_url: ${at}/healthy, access_key: $SOAK_KEY_B}
model_aliases:
  sturdy: {targets: [{model: openai/chat, weight: 1}], fallbacks: [healthy-chat]}
  sturdy-across: {targets: [{model: openai/chat, weight: 1}], fallbacks: [healthy-messages]}
  generation-${String(generation)}: {target: openai/chat}
`,
  );
}

async function run(
  options: SoakOptions,
  desk: Desk,
  ports: Ports,
  provider: number,
): Promise<SoakReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_OPEN });
  const chance = random(options.seed);
  const report: SoakReport = {
    requests: 0,
    problems: [],
    memory: [],
    descriptors: [],
    reloads: 0,
    late: 0,
  };
  const begin = performance.now();
  const end = begin + options.seconds * 1000;
  const pid = await envoyPid(desk);
  const reloading = reloadNowAndThen(options, desk, ports, provider, report);
  const open = new Set<Promise<void>>();
  let sent = 0;
  for (let part = 1; part <= PARTS; part++) {
    const until = begin + ((end - begin) * part) / PARTS;
    while (performance.now() < until) {
      const due = ((performance.now() - begin) / 1000) * options.perSecond;
      for (; sent < due; sent++) {
        if (open.size >= MAX_OPEN) report.late++;
        else send(agent, ports.egress, kindOf(chance), report, open);
      }
      await pause(2);
    }
    report.memory.push(memoryOf(pid));
    report.descriptors.push(readdirSync(`/proc/${String(pid)}/fd`).length);
    options.onProgress?.(
      `${String(report.requests)} requests, ${String(report.problems.length)} problems, ${String(report.late)} late, ${String(report.reloads)} reloads, ${report.memory.at(-1)?.toFixed(1) ?? ""} MB, ${String(report.descriptors.at(-1))} descriptors`,
    );
  }
  await Promise.all(open);
  await reloading;
  agent.destroy();
  return report;
}

function send(
  agent: Agent,
  port: number,
  kind: Kind,
  report: SoakReport,
  open: Set<Promise<void>>,
): void {
  const asked = ask(agent, port, kind).then((problem) => {
    report.requests++;
    if (problem !== undefined) report.problems.push(problem);
    open.delete(asked);
  });
  open.add(asked);
}

const ROUTES: readonly Pick<Kind, "model" | "hasFallback">[] = [
  { model: "openai/chat", hasFallback: false },
  { model: "anthropic/messages", hasFallback: false },
  { model: "sturdy", hasFallback: true },
  { model: "sturdy-across", hasFallback: true },
];

/** Nine of ten are healthy. */
function kindOf(chance: Random): Kind {
  const isStream = chance.below(2) === 0;
  const route = chance.of(ROUTES);
  // After the first byte no fallback can help, so a break there is asked of those without one.
  const faults = route.hasFallback
    ? (["error", "reset"] as const)
    : (["error", "reset", "cut"] as const);
  const roll = chance.below(100);
  return {
    ...route,
    isMessages: chance.below(2) === 0,
    isStream,
    fault: roll < 6 ? chance.of(faults) : roll < 10 && isStream ? "slow" : undefined,
    leaves: roll >= 97,
    size: chance.below(20) === 0 ? 200_000 : chance.of([100, 1000, 8000]),
  };
}

async function reloadNowAndThen(
  { seconds, reloads }: SoakOptions,
  desk: Desk,
  ports: Ports,
  provider: number,
  report: SoakReport,
): Promise<void> {
  for (let generation = 1; generation <= reloads; generation++) {
    await pause((seconds * 1000) / (reloads + 1));
    writeFileSync(join(desk.directory, "gateway.yaml"), configuration(ports, provider, generation));
    const { code, stderr } = await desk.run("reload");
    const problem = code === 0 ? await seeGeneration(ports, generation) : stderr;
    if (problem === undefined) report.reloads++;
    else report.problems.push(`reload ${String(generation)}: ${problem}`);
  }
}

/** A new connection is served by the newest generation. */
async function seeGeneration(ports: Ports, generation: number): Promise<string | undefined> {
  const kind: Kind = {
    model: `generation-${String(generation)}`,
    isMessages: false,
    isStream: false,
    fault: undefined,
    hasFallback: false,
    leaves: false,
    size: 10,
  };
  const until = performance.now() + RELOADED_WITHIN;
  for (;;) {
    const fresh = new Agent();
    const problem = await ask(fresh, ports.egress, kind);
    fresh.destroy();
    if (problem === undefined || performance.now() > until) return problem;
    await pause(100);
  }
}

async function envoyPid(desk: Desk): Promise<number> {
  const { stdout } = await desk.run("status", "--json");
  const { envoyPid: pid } = JSON.parse(stdout) as Status;
  if (pid === null) throw new Error("Envoy does not run");
  return pid;
}

function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}
