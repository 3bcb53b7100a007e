// Reads many usage records as a running gateway does, in a process without anything else, and prints what it cost.
// Usage: node --expose-gc test/soak/usage-lines.ts <rounds> <lines of a round>
import { appendFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { Observability } from "../../control-plane/observability/observability.ts";
import { freePort } from "../free-port.ts";
import { Usage } from "../../control-plane/usage/usage-follower.ts";

export interface UsageLoad {
  lines: number;
  /** Of this process's processor time, while it read. */
  linesPerCpuSecond: number;
  /** MiB in use after each round, garbage collected. */
  heap: number[];
}

const ROUND_MS = 120_000;
const MODELS = ["openai/gpt-4o", "openai/gpt-4.1", "anthropic/claude-sonnet-4-5"];

/** Lines as different as those of real traffic: ids, unknown names, keys, tokens, errors. */
function chunk(round: number, count: number): string {
  const lines = Array.from({ length: count }, (_, at) => {
    const number = round * count + at;
    const record = {
      id: `${String(number).padStart(8, "0")}-3b1f-4c4e-9a0e-0123456789ab`,
      ...{ listener: "egress", endpoint: "/v1/chat/completions", dialect: "chat" },
      ...{ key: `TEAM_${String(number % 50)}`, requested: `made-up-${String(number)}` },
      ...{ target: MODELS[number % MODELS.length], stream: 1, input: number % 9000 },
      ...{ cache_read: number % 90, output: number % 700, reasoning: number % 70, finish: "stop" },
      owner: "provider",
    };
    const status = number % 20 === 0 ? 503 : 200;
    const start = (1_763_800_000 + number / 5000).toFixed(3);
    return `${start} ${String(status)} - ${String(number % 30_000)} 1 ${String(number % 900_000)} 150 80 900 4000 ${JSON.stringify(record)}\n`;
  });
  return lines.join("");
}

function countOn(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: "/metrics" }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => {
        const values = text.matchAll(/^gateway_requests_total\{.*\} (\d+)$/gm);
        resolve([...values].reduce((sum, [, value]) => sum + Number(value), 0));
      });
    })
      .once("error", reject)
      .end();
  });
}

async function measure(rounds: number, count: number, directory: string): Promise<UsageLoad> {
  const port = await freePort();
  const text = [
    "llm_providers:",
    ...MODELS.map((model) => `  - { model: ${model}, access_key: $KEY }`),
    `observability: { metrics: { port: ${String(port)} } }`,
  ].join("\n");
  const loaded = loadConfiguration({ file: "gateway.yaml", text }, { KEY: "k".repeat(30) });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const usage = new Usage({ directory, report: () => undefined });
  usage.follow(join(directory, "access_usage.log"));
  const observability = new Observability({
    ...{ directory, usage },
    versions: { gateway: "1", envoy: "2" },
    envoyStats: () => Promise.resolve(""),
    report: () => undefined,
  });
  await observability.use({ model: loaded.model, logDirectory: directory, environment: {} });
  const log = join(directory, "access_usage.log");
  const heap: number[] = [];
  let processorMs = 0;
  for (let round = 0; round < rounds; round++) {
    const lines = chunk(round, count);
    const before = process.cpuUsage();
    appendFileSync(log, lines);
    const until = performance.now() + ROUND_MS;
    while ((await countOn(port)) < (round + 1) * count) {
      if (performance.now() > until) throw new Error("the lines are not read");
      await sleep(250);
    }
    const { user, system } = process.cpuUsage(before);
    processorMs += (user + system) / 1000;
    renameSync(log, `${log}.1`);
    globalThis.gc?.();
    heap.push(process.memoryUsage().heapUsed / 2 ** 20);
  }
  await observability.close();
  const lines = rounds * count;
  return { lines, linesPerCpuSecond: Math.round((lines / processorMs) * 1000), heap };
}

const [rounds = 1, count = 1000] = process.argv.slice(2).map(Number);
const directory = mkdtempSync(join(tmpdir(), "gateway-usage-lines-"));
try {
  console.log(JSON.stringify(await measure(rounds, count, directory)));
} finally {
  rmSync(directory, { recursive: true });
}
