// Usage records when something beside the requests fails: the gateway's own process is killed or stands still, the disk is full,
// the log is rotated, a line is cut off. Requests are answered, and each line is counted exactly once.
import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Status } from "../../control-plane/cli/commands/status.ts";
import { readUsageLine } from "../../control-plane/usage/usage-line.ts";
import { freePort } from "../free-port.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";
import { emptyDisk, fillDisk, hasSmallDisks, removeDisk, smallDisk } from "./small-disk.ts";

const SECONDS = { timeout: 60_000, interval: 100 };
/** Far longer than a response takes, far shorter than a process that stands still would need. */
const RESPONSE_MS = 20_000;

let provider: FakeProvider;
let desk: Desk;
let ports: Ports;
let metricsPort: number;

beforeEach(async () => {
  provider = await startOpenaiProvider();
  ports = await freePorts();
  metricsPort = await freePort();
  desk = openDesk();
});
afterEach(async () => {
  await desk.clear();
  await provider.stop();
});

const logs = () => desk.logs;

async function up(more = ""): Promise<void> {
  const models = `
llm_providers:
  - model: fake/model
    provider_interface: openai
    base_url: ${provider.url}/v1
    default: true
observability: { metrics: { port: ${String(metricsPort)} } }
`;
  writeFileSync(join(desk.directory, "gateway.yaml"), configurationOn(ports, models) + more);
  const { code, stderr } = await desk.run("up", "--detach", "--concurrency", "1");
  expect(code, stderr).toBe(0);
}

async function gatewayPid(): Promise<number> {
  const { pid } = JSON.parse((await desk.run("status", "--json")).stdout) as Status;
  expect(pid).toBeGreaterThan(1);
  return pid;
}

/** Returns the request's id as soon as the whole response has arrived. */
async function ask(): Promise<string> {
  const id = randomUUID();
  const response = await fetch(`http://127.0.0.1:${String(ports.egress)}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-request-id": id },
    body: JSON.stringify({ model: "none", messages: [{ role: "user", content: "hi" }] }),
    signal: AbortSignal.timeout(RESPONSE_MS),
  });
  expect(response.status).toBe(200);
  await response.text();
  return id;
}

/** The ids of `count` answered requests, eight at a time. */
async function askMany(count: number): Promise<string[]> {
  const ids: string[] = [];
  const left = Array.from({ length: count }).values();
  const worker = async () => {
    for (const _ of left) ids.push(await ask());
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return ids;
}

/** The lines of the log and its rotated files. */
function lines(directory = logs()): string[] {
  return readdirSync(directory)
    .filter((name) => name.startsWith("access_usage.log"))
    .flatMap((name) => readFileSync(join(directory, name), "utf8").split("\n").slice(0, -1));
}

/** Lines of requests to a model. */
const modelLines = () => lines().filter((line) => line.includes('"target"')).length;

/** How often each id has a line. */
function countsOf(ids: readonly string[], directory?: string): number[] {
  const found = lines(directory).map((line) => readUsageLine(line)?.record?.id);
  const counts = Map.groupBy(found, (id) => id);
  return [...new Set(ids.map((id) => counts.get(id)?.length ?? 0))];
}

async function metric(family: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${String(metricsPort)}/metrics`);
  const values = (await response.text()).matchAll(
    new RegExp(`^${family}(?:\\{.*\\})? ([0-9.e+]+)$`, "gm"),
  );
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
}

/** Of requests to a model: without those that ask whether the gateway is ready. */
const COUNTED = "gen_ai_server_request_duration_seconds_count";

async function waitForCounted(requests: number): Promise<void> {
  await vi.waitFor(async () => {
    expect(await metric(COUNTED)).toBe(requests);
  }, SECONDS);
}

it("a response that arrived has its line, and is counted once, if the gateway is killed under load", async () => {
  await up();
  const answered: string[] = [];
  let isOver = false;
  const worker = async () => {
    while (!isOver) {
      const id = await ask().catch(() => undefined);
      if (id !== undefined) answered.push(id);
    }
  };
  const workers = Array.from({ length: 8 }, worker);
  await vi.waitFor(() => {
    expect(answered.length).toBeGreaterThan(200);
  }, SECONDS);
  const pid = await gatewayPid();
  process.kill(pid, "SIGKILL");
  // What arrives from here on comes from an Envoy that is ending, which may write no more line.
  const arrived = [...answered];
  isOver = true;
  await Promise.all(workers);

  await up();
  expect(countsOf(arrived)).toEqual([1]);
  expect(Math.max(...countsOf(answered))).toBe(1);
  await waitForCounted(modelLines());
  expect(await metric("gateway_usage_lines_invalid_total")).toBe(0);
});

it("a gateway process that stands still delays no request, and catches up", async () => {
  await up();
  await askMany(10);
  const pid = await gatewayPid();
  process.kill(pid, "SIGSTOP");
  const ids = await askMany(500).finally(() => {
    process.kill(pid, "SIGCONT");
  });
  await waitForCounted(ids.length + 10);
  expect(countsOf(ids)).toEqual([1]);
});

it("each line is counted once while the log is rotated", async () => {
  await up("access_log: { max_file_size: 64KiB, keep_files: 50 }\n");
  const ids = await askMany(300);
  await vi.waitFor(() => {
    expect(readdirSync(logs())).toContain("access_usage.log.1");
  }, SECONDS);
  // What is read of the renamed file, and of the new one.
  ids.push(...(await askMany(300)));
  await waitForCounted(ids.length);
  expect(countsOf(ids)).toEqual([1]);
});

it("a line that was cut off is counted as invalid, and the line after it is read", async () => {
  await up();
  const before = await askMany(5);
  await waitForCounted(before.length);
  await desk.run("down");
  const [line = ""] = lines();
  appendFileSync(join(logs(), "access_usage.log"), line.slice(0, 90));
  await up();
  const after = await askMany(5);
  await waitForCounted(before.length + after.length);
  expect(await metric("gateway_usage_lines_invalid_total")).toBe(1);
  // Also the one of the line feed that was missing.
  expect(await metric("gateway_requests_total")).toBe(lines().length);
});

describe.skipIf(!hasSmallDisks)("a full disk", () => {
  let directory: string;
  beforeEach(() => {
    directory = smallDisk(2);
    mkdirSync(join(directory, "logs"));
    mkdirSync(join(directory, "state"));
    desk.environment["XDG_STATE_HOME"] = join(directory, "state");
  });
  afterEach(async () => {
    await desk.run("down");
    removeDisk(directory);
  });

  const fill = () => {
    fillDisk(directory);
  };
  const ownLog = () => readFileSync(join(directory, "logs/gateway.log"), "utf8");

  it("a full disk delays no request; lost records are reported and counted, and records go on with room", async () => {
    await up(`access_log: { directory: ${join(directory, "logs")} }\n`);
    const before = await askMany(10);
    await waitForCounted(before.length);
    fill();
    await vi.waitFor(async () => {
      await askMany(20);
      fill();
      expect(await metric("envoy_filesystem_write_failed")).toBeGreaterThan(0);
    }, SECONDS);
    emptyDisk(directory);
    await vi.waitFor(async () => {
      await ask();
      expect(ownLog()).toContain("Access logs are written to");
    }, SECONDS);
    expect(statSync(join(directory, "logs/access_usage.log")).size).toBeGreaterThan(0);
    const counted = await metric(COUNTED);
    const after = await askMany(20);
    await vi.waitFor(async () => {
      expect(await metric(COUNTED)).toBeGreaterThanOrEqual(counted + after.length);
    }, SECONDS);
    expect(countsOf(after, join(directory, "logs"))).toEqual([1]);
    // The state, which could not be saved either, is saved again.
    const total = await metric(COUNTED);
    await desk.run("down");
    await up(`access_log: { directory: ${join(directory, "logs")} }\n`);
    await waitForCounted(total);
  });
});
