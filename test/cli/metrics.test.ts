// The metrics of a running gateway: served beside the requests, exact over reloads, restarts and kills.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Status } from "../../control-plane/cli/commands/status.ts";
import { freePort } from "../free-port.ts";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";

const SECONDS = { timeout: 60_000, interval: 50 };

let desk: Desk;
let ports: Ports;
let metricsPort: number;

beforeEach(async () => {
  ports = await freePorts();
  metricsPort = await freePort();
  desk = openDesk({ "gateway.yaml": configuration() });
});
afterEach(() => desk.clear());

function configuration(more = ""): string {
  const metrics = `observability:\n  metrics: {port: ${String(metricsPort)}${more}}\n`;
  return `${configurationOn(ports)}${metrics}budgets: [{amount: 5 USD, per: month}]
`;
}

async function ask(count: number, more: object = {}): Promise<void> {
  for (let at = 0; at < count; at++) {
    const response = await fetch(`http://127.0.0.1:${String(ports.egress)}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "none", messages: [{ role: "user", content: "hi" }], ...more }),
    });
    await response.text();
  }
}

async function page(headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${String(metricsPort)}/metrics`, { headers });
  return response.text();
}

/** The sum of a family's values over all of its series. */
function sumOf(text: string, family: string): number {
  const values = text.matchAll(new RegExp(`^${family}(?:\\{.*\\})? ([0-9.e+]+)$`, "gm"));
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
}

async function waitForRequests(count: number): Promise<string> {
  let text = "";
  await vi.waitFor(async () => {
    text = await page();
    expect(sumOf(text, "gen_ai_server_request_duration_seconds_count")).toBe(count);
  }, SECONDS);
  return text;
}

const up = () => desk.run("up", "--detach", "--concurrency", "1");

it("metrics continue their sums over a reload, a restart and a kill", async () => {
  expect((await up()).code).toBe(0);
  await ask(3);
  await ask(2, { stream: true });
  const first = await waitForRequests(5);
  expect(sumOf(first, "gen_ai_client_inference_usage_output_tokens_total")).toBeGreaterThan(0);
  expect(first).toMatch(/^gateway_build_info\{version="[^"]+",envoy_version="1\.40\.0"\} 1$/m);
  expect(first).toContain("gateway_envoy_up 1");
  expect(first).toMatch(/^envoy_cluster_upstream_rq_total\{/m);
  // The names and labels are the same on every machine.
  expect(first).toMatch(
    /^envoy_listener_downstream_cx_total\{envoy_listener_address="budgets"\} /m,
  );
  expect(first).not.toMatch(/_sock\b|\.sock|gateway-desk/);

  writeFileSync(
    join(desk.directory, "gateway.yaml"),
    `${configuration()}model_aliases:\n  other: {target: demo/model}\n`.replace(
      "demo/model",
      /model: (\S+)/.exec(configuration())?.[1] ?? "",
    ),
  );
  const reloaded = await desk.run("reload");
  expect(reloaded.code, reloaded.stdout + reloaded.stderr).toBe(0);
  await ask(2, { model: "other" });
  expect(await waitForRequests(7)).toContain('gen_ai_original_model="other"');

  await desk.run("down");
  expect((await up()).code).toBe(0);
  await waitForRequests(7);
  await ask(1);
  await waitForRequests(8);

  const { pid } = JSON.parse((await desk.run("status", "--json")).stdout) as Status;
  expect(pid).toBeGreaterThan(1);
  process.kill(pid, "SIGKILL");
  await vi.waitFor(async () => {
    expect((await up()).code).toBe(0);
  }, SECONDS);
  await ask(1);
  await waitForRequests(9);
});

it("a page of another origin cannot read them, and a token is required where one is set", async () => {
  desk.environment["METRICS_TOKEN"] = "a-long-random-token-0123";
  expect((await up()).code).toBe(0);
  expect(await pageAs("evil.example")).toBe(403);
  expect(await pageAs(`localhost:${String(metricsPort)}`)).toBe(200);
  writeFileSync(join(desk.directory, "gateway.yaml"), configuration(", token: $METRICS_TOKEN"));
  const { code, stdout, stderr } = await desk.run("reload");
  expect(code, stdout + stderr).toBe(0);
  await vi.waitFor(async () => {
    expect(await pageAs("localhost")).toBe(401);
  }, SECONDS);
  expect(await page({ authorization: "Bearer wrong" })).toContain("Send the token");
  expect(await page({ authorization: "Bearer a-long-random-token-0123" })).toContain(
    "gateway_build_info",
  );
});

it("a port in use is reported in place of the URL, and served as soon as it is free", async () => {
  const other = createServer().listen(metricsPort, "127.0.0.1");
  const url = `http://127.0.0.1:${String(metricsPort)}`;
  const problem = `The live page and metrics are not served: ${url} is used by `;
  const { code, stdout } = await up();
  expect(code).toBe(0);
  expect(stdout).toContain(problem);
  expect(stdout).not.toContain(`metrics  ${url}`);
  expect((await desk.run("status")).stdout).toContain(problem);
  await ask(1);
  const log = readFileSync(join(desk.logs, "gateway.log"), "utf8");
  expect(log.split(problem)).toHaveLength(2);
  other.close();
  await waitForRequests(1);
  const status = JSON.parse((await desk.run("status", "--json")).stdout) as Status;
  expect(status).toMatchObject({ page: url, pageProblem: null });
  // The probes of the start are no client's requests.
  expect(status.listeners.map(({ statistics }) => statistics.requests)).toEqual([0, 1]);
  expect(status.listeners.map(({ statistics }) => statistics.succeeded)).toEqual([0, 1]);
});

/** The status for a request with this host header. */
async function pageAs(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port: metricsPort, path: "/metrics", headers: { host } },
      (incoming) => {
        incoming.resume();
        resolve(incoming.statusCode ?? 0);
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}
