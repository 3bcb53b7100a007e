// A real Prometheus scrapes a running gateway: the target is up, the rules are evaluated, and the dashboard shows data.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { freePort } from "../free-port.ts";
import {
  configurationOn,
  type Desk,
  freePorts,
  openDesk,
  type Ports,
} from "../cli/gateway-command.ts";
import { dashboardExpressions, filled } from "./dashboard.ts";

const ALERTS = join(import.meta.dirname, "../../deploy/prometheus/alerts.yaml");
const PATIENCE = { timeout: 120_000, interval: 500 };
/** Panels of what does not happen in this test. */
const EMPTY = [
  "Requests without a known price",
  "Rejected by rate limits",
  "Prompt targets and guard",
  "Dropped members",
];

/** The first model refuses connections, so that the second one answers. */
const MODELS = `
llm_providers:
  - model: gone/model
    provider_interface: openai
    base_url: http://127.0.0.1:1/v1
    access_key: $GONE_KEY
    default: true
    fallbacks: [demo/gateway-demo]
  - model: demo/gateway-demo
pricing:
  demo/gateway-demo: { input: 1, output: 2 }
`;

interface Sample {
  metric: Record<string, string>;
  value: [number, string];
}

describe.skipIf(!inject("canTestMetrics"))("Prometheus", () => {
  let desk: Desk;
  let ports: Ports;
  let metricsPort: number;
  let server: ChildProcess;
  let url: string;
  let directory: string;

  beforeEach(async () => {
    ports = await freePorts();
    metricsPort = await freePort();
    const metrics = `observability: {metrics: {port: ${String(metricsPort)}}}\n`;
    desk = openDesk({ "gateway.yaml": configurationOn(ports, MODELS) + metrics });
    desk.environment["GONE_KEY"] = "sk-gone-0123456789";
    expect((await desk.run("up", "--detach", "--concurrency", "1")).code).toBe(0);
    directory = mkdtempSync(join(tmpdir(), "gateway-prometheus-"));
    const port = await freePort();
    url = `http://127.0.0.1:${String(port)}`;
    server = startServer(port);
  });
  afterEach(async () => {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    if (server.exitCode === null && server.kill("SIGTERM")) await ended;
    rmSync(directory, { recursive: true });
    await desk.clear();
  });

  function startServer(port: number): ChildProcess {
    const found = inject("prometheus");
    if ("missing" in found) throw new Error(found.missing);
    const configuration = {
      global: { scrape_interval: "1s", evaluation_interval: "1s" },
      rule_files: [ALERTS],
      scrape_configs: [
        {
          job_name: "gateway",
          static_configs: [{ targets: [`127.0.0.1:${String(metricsPort)}`] }],
        },
      ],
    };
    const file = join(directory, "prometheus.yml");
    writeFileSync(file, JSON.stringify(configuration));
    return spawn(
      found.server,
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(directory, "data")}`,
        `--web.listen-address=127.0.0.1:${String(port)}`,
      ],
      { cwd: directory, stdio: "ignore" },
    );
  }

  async function get<Answer>(path: string): Promise<Answer> {
    const response = await fetch(`${url}/api/v1/${path}`);
    const { status, data } = (await response.json()) as { status: string; data: Answer };
    expect(status, path).toBe("success");
    return data;
  }

  async function query(expr: string): Promise<Sample[]> {
    const { result } = await get<{ result: Sample[] }>(`query?query=${encodeURIComponent(expr)}`);
    return result;
  }

  async function ask(more: object = {}): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${String(ports.egress)}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "none", messages: [{ role: "user", content: "hi" }], ...more }),
    });
    await response.text();
  }

  it("Prometheus scrapes the page, evaluates the rules, and has data for the dashboard", async () => {
    await vi.waitFor(async () => {
      const { activeTargets } = await get<{
        activeTargets: { health: string; lastError: string }[];
      }>("targets");
      expect(activeTargets).toMatchObject([{ health: "up", lastError: "" }]);
    }, PATIENCE);
    await vi.waitFor(async () => {
      const { groups } = await get<{ groups: { rules: { health: string }[] }[] }>("rules");
      const healths = groups.flatMap(({ rules }) => rules.map(({ health }) => health));
      expect(healths.length).toBeGreaterThan(5);
      expect(new Set(healths)).toEqual(new Set(["ok"]));
    }, PATIENCE);
    await vi.waitFor(async () => {
      // A rate needs a series that grows between two scrapes.
      await ask();
      await ask({ stream: true });
      await ask({ model: "demo/gateway-demo" });
      await ask({ model: "unknown" });
      const shown = new Set(EMPTY);
      for (const { title, expr } of dashboardExpressions()) {
        const samples = await query(filled(expr, "1m"));
        if (samples.some(({ value: [, value] }) => value !== "NaN")) shown.add(title);
      }
      const titles = dashboardExpressions().map(({ title }) => title);
      expect(titles.filter((title) => !shown.has(title))).toEqual([]);
    }, PATIENCE);
    const [cost] = await query('sum(increase(gateway_cost_usd_total{key="none"}[1h]))');
    expect(Number(cost?.value[1])).toBeGreaterThan(0);
    const fallbacks = await query("gateway_fallbacks_total");
    expect(fallbacks[0]?.metric).toMatchObject({ from: "gone/model", to: "demo/gateway-demo" });
  });
});
