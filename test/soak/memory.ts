// Requests and responses that want more memory than the filter has, in every size: what becomes of them, of the streams beside them,
// and of the filter's machine. `npm run soak -- memory` is the long form, test/envoy/memory.test.ts the short one.
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Command, Report } from "../providers/scripts/memory-process.ts";

/** What a client gets of a route: its provider answers, refuses and a fallback of its format or of the other one answers. */
export type Route = "plain" | "fallback" | "other-format";
/** `text`: one long string, as an image is. `values`: two bytes for each value, the most memory for each byte. */
export type Shape = "text" | "values";
/**
 * How an event passes. `stripped`: chat, the client has not asked for usage; `asked`: it has; `limited`: read for a rate limit;
 * `translated`: to a messages client.
 */
export type Reading = "stripped" | "asked" | "limited" | "translated";

export type Case =
  | { kind: "requests"; route: Route; shape: Shape; mib: number; count: number }
  | { kind: "event"; reading: Reading; mib: number; count: number }
  | { kind: "response"; route: "plain" | "fallback"; mib: number; count: number };

export interface Row {
  name: string;
  /** How many clients got what: a status, and `cut` or `error` if the response did not end well. */
  outcomes: Record<string, number>;
  /** Streams beside them that did not end with their end event. */
  bystandersCut: number;
  traps: number;
  /** The most resident memory of Envoy meanwhile. */
  rssMb: number;
  /** What was wrong: an answer for another body, a part of an event that is missing. */
  problems: string[];
}

const MIB = 1024 ** 2;
const PATHS = { chat: "/v1/chat/completions", messages: "/v1/messages" } as const;
const PATIENCE_MS = 120_000;
/** Envoy ends a connection that is to be closed when its client reads nothing for a second, as happens on a busy machine. */
const AGENT = new Agent({ keepAlive: true });
/** Bytes of an event's stream that are not its filling. */
const AROUND = 400;
const MODELS: Record<Route, string> = {
  plain: "plain",
  fallback: "sturdy",
  "other-format": "across",
};

export interface MemoryRun {
  run(one: Case): Promise<Row>;
  stop(): Promise<void>;
}

export async function startMemoryRun(sizes: number[]): Promise<MemoryRun> {
  const provider = await startProvider();
  const gateway = await startGateway({
    concurrency: 1,
    config: configuration(provider.port, sizes),
    environment: { KEY: "key" },
  });
  return {
    run: (one) => run(gateway, provider, one),
    async stop() {
      AGENT.destroy();
      await gateway.stop();
      provider.child.disconnect();
    },
  };
}

interface Provider {
  child: ChildProcess;
  port: number;
  last: Report;
  send(command: Command): void;
}

async function startProvider(): Promise<Provider> {
  const child = fork(join(import.meta.dirname, "../providers/scripts/memory-process.ts"), {
    stdio: "inherit",
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    const provider: Provider = {
      child,
      port: 0,
      last: { waiting: 0, slow: 0 },
      send: (command) => child.send(command),
    };
    child.on("message", (report: Report) => {
      provider.last = report;
      if (report.port === undefined) return;
      provider.port = report.port;
      resolve(provider);
    });
  });
}

function configuration(port: number, sizes: number[]): string {
  const at = `http://127.0.0.1:${String(port)}`;
  const each = (does: string): string =>
    sizes
      .map(
        (size) =>
          `  - {name: ${does}-${String(size)}, model: vllm/${does}-${String(size)}, base_url: "${at}/${does}/${String(size)}/v1"}`,
      )
      .join("\n");
  return `
limits: {memory: 16GiB}
listeners:
  egress: {address: 127.0.0.1, port: 12000, timeout: 120s}
llm_providers:
  - {name: slow, model: vllm/slow, base_url: "${at}/slow/v1", default: true}
  - {name: slow-messages, model: anthropic/slow-messages, base_url: "${at}/slow", access_key: $KEY}
  - {name: plain, model: vllm/plain, base_url: "${at}/waiting/v1"}
  - {name: responding, model: vllm/responding, base_url: "${at}/responding/v1"}
  - {name: responding-messages, model: anthropic/responding-messages, base_url: "${at}/responding", access_key: $KEY}
  - {name: sturdy, model: vllm/sturdy, base_url: "${at}/refusing/v1", fallbacks: [responding]}
  - {name: across, model: vllm/across, base_url: "${at}/refusing/v1", fallbacks: [responding-messages]}
${each("event")}
${sizes.map((size) => `  - {name: limited-${String(size)}, model: vllm/limited-${String(size)}, base_url: "${at}/event/${String(size)}/v1"}`).join("\n")}
${each("response")}
${sizes.map((size) => `  - {name: held-${String(size)}, model: vllm/held-${String(size)}, base_url: "${at}/response/${String(size)}/v1", fallbacks: [responding]}`).join("\n")}
ratelimits:
${sizes.map((size) => `  - {model: vllm/limited-${String(size)}, limit: {tokens: 900000000, unit: minute}}`).join("\n")}
`;
}

interface Got {
  status: number;
  /** Bytes of the body, and its last ones as text. */
  length: number;
  tail: string;
  isCut: boolean;
}

function ask(gateway: Gateway, path: string, body: Buffer): Promise<Got> {
  return new Promise((resolve) => {
    const got: Got = { status: 0, length: 0, tail: "", isCut: true };
    const sent = request(
      {
        host: "127.0.0.1",
        port: gateway.ports.egress,
        method: "POST",
        path,
        agent: AGENT,
        headers: { "content-type": "application/json", "content-length": body.length },
      },
      (response) => {
        got.status = response.statusCode ?? 0;
        response.on("data", (chunk: Buffer) => {
          got.length += chunk.length;
          got.tail = (got.tail + chunk.subarray(-1000).toString("latin1")).slice(-1000);
        });
        response.on("error", () => undefined);
        response.on("end", () => (got.isCut = !response.complete));
        response.on("close", () => {
          resolve(got);
        });
      },
    );
    sent.on("error", () => {
      resolve(got);
    });
    sent.setTimeout(PATIENCE_MS, () => sent.destroy());
    sent.end(body);
  });
}

function requestBody(model: string, shape: Shape, mib: number): Buffer {
  const start = `{"model":"${model}","max_tokens":9,"messages":[{"role":"user","content":"`;
  const text = shape === "text" ? Buffer.alloc(mib * MIB, 0x61) : Buffer.from("hi");
  const values =
    shape === "text"
      ? Buffer.alloc(0)
      : Buffer.concat([
          Buffer.from(',"x":['),
          Buffer.alloc(2 * Math.floor((mib * MIB) / 2), "0,"),
          Buffer.from("0]"),
        ]);
  return Buffer.concat([Buffer.from(start), text, Buffer.from('"}]'), values, Buffer.from("}")]);
}

/** Streams of every way through the filter, which go on until the provider ends them. */
const BYSTANDERS = [
  { path: PATHS.chat, model: "slow", end: /\[DONE\]\s*$/ },
  { path: PATHS.messages, model: "slow", end: /message_stop"\}\s*$/ },
  { path: PATHS.chat, model: "slow-messages", end: /\[DONE\]\s*$/ },
  { path: PATHS.messages, model: "slow-messages", end: /message_stop"\}\s*$/ },
];

async function run(gateway: Gateway, provider: Provider, one: Case): Promise<Row> {
  const row: Row = {
    name: nameOf(one),
    outcomes: {},
    bystandersCut: 0,
    traps: 0,
    rssMb: 0,
    problems: [],
  };
  const logged = gateway.envoyLog().length;
  const timer = setInterval(() => (row.rssMb = Math.max(row.rssMb, residentMb(gateway.pid))), 20);
  const bystanders = BYSTANDERS.map(({ path, model, end }) => {
    const body = {
      model,
      stream: true,
      max_tokens: 9,
      messages: [{ role: "user", content: "hi" }],
    };
    return ask(gateway, path, Buffer.from(JSON.stringify(body))).then(
      ({ tail, isCut }) => !isCut && end.test(tail),
    );
  });
  await until(() => provider.last.slow === BYSTANDERS.length, "the slow streams begin");
  const all =
    one.kind === "requests"
      ? await runRequests(gateway, provider, one, row)
      : await runResponses(gateway, one, row);
  for (const outcome of all) row.outcomes[outcome] = (row.outcomes[outcome] ?? 0) + 1;
  provider.send("end");
  row.bystandersCut = (await Promise.all(bystanders)).filter((isWhole) => !isWhole).length;
  provider.last = { waiting: 0, slow: 0 };
  clearInterval(timer);
  row.traps =
    gateway
      .envoyLog()
      .slice(logged)
      .match(/\[wasm\].*failed/g)?.length ?? 0;
  return row;
}

async function runRequests(
  gateway: Gateway,
  provider: Provider,
  one: Extract<Case, { kind: "requests" }>,
  row: Row,
): Promise<string[]> {
  const body = requestBody(MODELS[one.route], one.shape, one.mib);
  // As the provider that answers has to get it.
  const wanted = requestBody(one.route === "plain" ? "plain" : "responding", one.shape, one.mib);
  const whole = `${String(wanted.length)} ${String(crc32(wanted))}`;
  let open = one.count;
  const asked = Array.from({ length: one.count }, () =>
    ask(gateway, PATHS.chat, body).finally(() => open--),
  );
  await until(() => provider.last.waiting >= open, "all that were let in wait for the provider");
  provider.send("release");
  provider.last = { ...provider.last, waiting: 0 };
  return (await Promise.all(asked)).map((got) => {
    if (got.status === 200 && one.route !== "other-format" && !got.tail.includes(`"${whole}"`))
      row.problems.push(`not the body of the client: ${got.tail}`);
    return outcomeOf(got);
  });
}

async function runResponses(
  gateway: Gateway,
  one: Exclude<Case, { kind: "requests" }>,
  row: Row,
): Promise<string[]> {
  const reading = one.kind === "event" ? one.reading : "translated";
  const name = modelOf(one);
  const body = {
    model: `${name}-${String(one.mib)}`,
    stream: one.kind === "event",
    max_tokens: 9,
    messages: [{ role: "user", content: "hi" }],
    ...(reading === "asked" || reading === "limited"
      ? { stream_options: { include_usage: true } }
      : {}),
  };
  const path = reading === "translated" ? PATHS.messages : PATHS.chat;
  const bytes = Buffer.from(JSON.stringify(body));
  const all = await Promise.all(Array.from({ length: one.count }, () => ask(gateway, path, bytes)));
  return all.map((got) => {
    const missing = one.mib * MIB - got.length;
    if (reading !== "translated" && (missing > 0 || missing < -AROUND))
      row.problems.push(`${String(got.length)} bytes of the event`);
    return outcomeOf(got);
  });
}

function modelOf(one: Exclude<Case, { kind: "requests" }>): string {
  if (one.kind === "response") return one.route === "plain" ? "response" : "held";
  return one.reading === "limited" ? "limited" : "event";
}

function outcomeOf({ status, tail, isCut }: Got): string {
  if (isCut) return `${String(status)} cut`;
  return status === 200 && /^event: error$/m.test(tail) ? "200 error" : String(status);
}

export function nameOf(one: Case): string {
  const size = `${String(one.count)} × ${String(one.mib)} MiB`;
  if (one.kind === "requests") return `${size} of ${one.shape}, ${one.route}`;
  return one.kind === "event"
    ? `${size} in one event, ${one.reading}`
    : `${size} in one response, translated, ${one.route}`;
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`not within two minutes: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
}

/** The whole matrix: body size × requests that wait × route × shape; events up to 1 GiB × reading; responses. */
export function largeCases(): Case[] {
  const requests = [0.5, 1, 4, 7.6, 16, 28].flatMap((mib) =>
    [16, 60].flatMap((count) =>
      (["plain", "fallback", "other-format"] as const).flatMap((route) =>
        (["text", "values"] as const)
          // The filter refuses more than four million values.
          .filter((shape) => shape === "text" || mib < 8)
          .map((shape): Case => ({ kind: "requests", route, shape, mib, count })),
      ),
    ),
  );
  const events = [1, 10, 30, 100, 1024].flatMap((mib) =>
    (mib < 100 ? [4, 40] : [1, 4]).flatMap((count) =>
      (["stripped", "asked", "limited", "translated"] as const).map((reading): Case => ({
        kind: "event",
        reading,
        mib,
        count,
      })),
    ),
  );
  const responses = [1, 10, 30].flatMap((mib) =>
    [4, 40].flatMap((count) =>
      (["plain", "fallback"] as const).map((route): Case => ({
        kind: "response",
        route,
        mib,
        count,
      })),
    ),
  );
  return [...requests, ...events, ...responses];
}

export const TABLE_HEAD = `| case | clients got | traps | others cut | RSS, MB |
| --- | --- | --: | --: | --: |`;

export function tableRow({ name, outcomes, traps, bystandersCut, rssMb }: Row): string {
  const got = Object.entries(outcomes).map(([outcome, count]) => `${String(count)} × ${outcome}`);
  const cells = [name, got.join(", "), traps, bystandersCut, rssMb];
  return `| ${cells.map(String).join(" | ")} |`;
}
