// The measuring: one slice at a time, the programs in turn, so that whatever else the machine does hits all alike.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Case, Request } from "./cases.ts";
import type { Program } from "./programs.ts";
import type { Tls } from "./tls.ts";
import type { Tools } from "./tools.ts";

/** What the load tool says of one slice. Times in microseconds; `cpu` is the measured program's, per request. */
export interface Slice {
  requests: number;
  failed: number;
  failedStatus: number;
  broken: number;
  perSecond: number;
  cpu: number;
  p50: number;
  p99: number;
  p999: number;
  firstP50: number;
  firstP99: number;
}

/** All slices of one program in one case, in the order of the rounds. */
export interface Measured {
  program: string;
  slices: Slice[];
  /** Resident memory in MB, after each part of a case that counts requests. */
  memory: number[];
}

export interface Bench {
  tools: Tools;
  provider: Program;
  /** Port at which the measured programs reach the provider. */
  upstream: number;
  /** TLS on one side of the measured programs. */
  tls?: Tls | undefined;
  directory: string;
  rounds: number;
  seconds: number;
}

/** What is in the last events of a stream, by its path. */
const ENDINGS: readonly [RegExp, string][] = [
  [/^\/v1\/messages$/, "message_stop"],
  [/^\/v1\/responses$/, "response.completed"],
  [/:streamGenerateContent/, '"finishReason"'],
  [/\/converse-stream$/, '"totalTokens"'],
];

/** Why a program cannot take part in a case, or undefined when its first answer is what it should be. */
export async function tryOnce(
  bench: Bench,
  one: Case,
  program: Program,
): Promise<string | undefined> {
  await setProvider(bench, one);
  const { path, body } = requestFor(one, program);
  const response = await fetch(`http://127.0.0.1:${String(program.port)}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: "Bearer any",
      ...Object.fromEntries(
        headersFor(one, program).map((line) => line.split(": ", 2) as [string, string]),
      ),
    },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  const [, ending] = ENDINGS.find(([pattern]) => pattern.test(path)) ?? [undefined, "[DONE]"];
  const isWhole = "stream" in body ? answer.trimEnd().includes(ending) : answer.includes('"usage"');
  if (response.status === 200 && isWhole) return undefined;
  return `status ${String(response.status)}: ${answer.slice(0, 160)}`;
}

/** One round of a case: a slice for each program. The first of them changes from round to round. */
export async function measureRound(
  bench: Bench,
  one: Case,
  programs: Program[],
  round: number,
): Promise<Slice[]> {
  await setProvider(bench, one);
  const slices: Slice[] = [];
  for (let step = 0; step < programs.length; step++) {
    const at = (round + step) % programs.length;
    const program = programs[at];
    if (program !== undefined) slices[at] = await load(bench, one, program, timing(bench, one));
  }
  return slices;
}

/** A case that counts requests: ten parts, and the memory after each. */
export async function measureMemory(bench: Bench, one: Case, program: Program): Promise<Measured> {
  const parts = 10;
  const count = String((one.requests ?? 0) / parts);
  const measured: Measured = { program: program.name, slices: [], memory: [] };
  await setProvider(bench, one);
  for (let part = 0; part < parts; part++) {
    measured.slices.push(await load(bench, one, program, ["-n", count, "-t", "60"]));
    measured.memory.push(residentMemory(program.pid));
  }
  return measured;
}

function timing(bench: Bench, one: Case): string[] {
  const seconds = Math.max(bench.seconds, one.seconds ?? 0);
  const warmUp = String(one.warmUp ?? 0.3);
  // Paced streams begin one after the other, so that they end so too.
  const spread = one.delay === undefined ? [] : ["-s", warmUp];
  return ["-t", String(seconds), "-w", warmUp, ...spread];
}

/** The requests of a case, by the load tool's own words for how many or how long. */
export async function load(
  bench: Bench,
  one: Case,
  program: Program,
  extra: string[],
): Promise<Slice> {
  const [command = "", ...words] = loadWords(bench, one, program, extra);
  const child = spawn(command, words, { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = await Promise.all([text(child.stdout), once(child, "exit")]);
  if (child.exitCode !== 0) throw new Error(`the load tool failed on ${program.name}`);
  return JSON.parse(said) as Slice;
}

/** Returns the command of the load tool, with its words. */
export function loadWords(bench: Bench, one: Case, program: Program, extra: string[]): string[] {
  const { path, body } = requestFor(one, program);
  const folder = join(bench.directory, "bodies");
  const file = join(folder, `${one.name}-${program.isPlain ? "plain" : "gateway"}.json`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(body));
  return [
    ...["taskset", "-c", "1", bench.tools.load],
    ...["-c", String(one.connections), "-p", String(program.pid), "-f", file],
    ...(one.perSecond === undefined ? [] : ["-r", String(one.perSecond)]),
    ...(one.hasSdkHeaders === true ? ["-k"] : []),
    ...headersFor(one, program).flatMap((header) => ["-H", header]),
    ...extra,
    ...[String(program.port), path],
  ];
}

/** As `name: value`. */
function headersFor(one: Case, program: Program): string[] {
  const { body, headers = [] } = requestFor(one, program);
  const model = "model" in body ? String(body.model) : "";
  return [...(program.headersOf?.(model) ?? []), ...headers];
}

export function requestFor(one: Case, program: Program): Request {
  return program.isPlain ? (one.plainRequest ?? one.request) : one.request;
}

export async function setProvider(bench: Bench, one: Case): Promise<void> {
  const query = `events=${String(one.events ?? 200)}&delay=${String(one.delay ?? 0)}`;
  const url = `http://127.0.0.1:${String(bench.provider.port)}/settings?${query}`;
  // It refuses while streams of the slice before are still on their way, which a slow gateway reads to their ends.
  for (let attempt = 0; attempt < 600; attempt++) {
    if ((await fetch(url)).status === 204) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the fake provider did not take its settings");
}

/** Resident memory of a process in MB. */
export function residentMemory(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

/** Processor time of a process's threads in milliseconds: a busy machine changes it less than the time that passes. */
export function processorTime(pid: number): number {
  const threads = `/proc/${String(pid)}/task`;
  const times = readdirSync(threads).map((id) =>
    Number(readFileSync(join(threads, id, "schedstat"), "utf8").split(" ")[0]),
  );
  return times.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}
