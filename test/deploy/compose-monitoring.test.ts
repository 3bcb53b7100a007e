// The monitoring of compose.yaml: its files exist, the real Prometheus accepts them, and the gateway its example.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { findConfiguration } from "../../control-plane/cli/find-configuration.ts";
import { readConfiguration } from "../../control-plane/supervisor/configuration-file.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

interface Service {
  image: string;
  environment?: string[];
  profiles?: string[];
  volumes?: string[];
  ports?: string[];
}
const { services, volumes } = parse(read("compose.yaml")) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};

it("compose.yaml mounts files of the repository that exist, and volumes that it declares", () => {
  const sources = Object.values(services)
    .flatMap(({ volumes: mounted = [] }) => mounted)
    .map((mount) => mount.replace(/^\$\{\w+:-([^}]*)\}/, "$1").split(":")[0] ?? "");
  const missing = sources.filter((source) =>
    source.startsWith("./") ? !existsSync(join(ROOT, source)) : !(source in volumes),
  );
  expect(sources.length).toBeGreaterThan(8);
  expect(missing).toEqual([]);
});

it("compose.yaml has no default for the token of administrators, and starts without it", () => {
  const text = read("compose.yaml");
  // Compose substitutes variables in all services, also in those that it does not start.
  expect(text.match(/(?<!\$)\$\{METRICS_TOKEN[^}]*\}/g)).toBeNull();
  expect(services["gateway"]?.environment).toContain("METRICS_TOKEN");
  expect(services["prometheus"]?.environment).toEqual(["METRICS_TOKEN"]);
});

it("compose.yaml keeps the gateway's state in a volume that the image lets its user write to", () => {
  const { environment = [], volumes: mounts = [] } = services["gateway"] ?? {};
  expect(mounts).toContain("state:/var/lib/gateway");
  expect(environment).toContain("XDG_STATE_HOME=/var/lib/gateway");
  expect(read("Dockerfile")).toMatch(/install -d -m 1777 .*\/var\/lib\/gateway/);
});

it("the monitoring of compose.yaml reads ports and services that are there", () => {
  const { scrape_configs: jobs } = parse(read("deploy/compose/prometheus.yml")) as {
    scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
  };
  const scraped = jobs.flatMap(({ dns_sd_configs: rows }) => rows);
  const { model } = readConfiguration(findConfiguration("examples/production/gateway.yaml", ROOT), {
    METRICS_TOKEN: "3c0d".repeat(8),
    GATEWAY_DEFAULT_ADDRESS: "0.0.0.0",
  });
  const metrics = model.observability?.metrics.port;
  expect(scraped).toMatchObject([{ names: ["gateway"], port: metrics }]);
  const published = services["gateway"]?.ports?.map((port) => Number(/\d+$/.exec(port)?.[0]));
  expect(published).toEqual([metrics, model.ingress.port, model.egress.port]);
  const url = /url: (\S+)/.exec(read("deploy/compose/grafana/datasources/prometheus.yaml"))?.[1];
  expect(services).toHaveProperty(new URL(url ?? "").hostname);
});

it("compose.yaml starts only the gateway and its example without a profile", () => {
  const started = Object.entries(services).filter(([, { profiles }]) => profiles === undefined);
  expect(started.map(([name]) => name)).toEqual(["gateway", "example-api"]);
});

it("the example of production is valid, and shares budgets by the Redis of compose.yaml", () => {
  const file = findConfiguration("examples/production/gateway.yaml", ROOT);
  const { model } = readConfiguration(file, {
    METRICS_TOKEN: "3c0d".repeat(8),
    GATEWAY_DEFAULT_ADDRESS: "0.0.0.0",
  });
  expect(model.observability?.metrics).toMatchObject({ address: "0.0.0.0", port: 9464 });
  expect(JSON.stringify(model.redis)).toContain("redis://shared-state:6379");
  expect(Object.keys(services)).toContain("shared-state");
});

describe.skipIf(!inject("canTestMetrics"))("deploy/compose/prometheus.yml", () => {
  it("deploy/compose/prometheus.yml is accepted by promtool, with the alerts and the token's file", () => {
    const found = inject("prometheus");
    if ("missing" in found) throw new Error(found.missing);
    const directory = mkdtempSync(join(tmpdir(), "gateway-compose-"));
    const token = join(directory, "token");
    writeFileSync(token, "3c0d");
    const file = join(directory, "prometheus.yml");
    const text = read("deploy/compose/prometheus.yml")
      .replace("/etc/prometheus/alerts.yaml", join(ROOT, "deploy/prometheus/alerts.yaml"))
      .replace("/tmp/metrics-token", token);
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync(found.promtool, ["check", "config", file], {
      encoding: "utf8",
    });
    rmSync(directory, { recursive: true });
    expect(status, stdout + stderr).toBe(0);
  });
});
