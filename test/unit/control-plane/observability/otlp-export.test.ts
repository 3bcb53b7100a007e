// Metrics of usage lines, from the log to an OpenTelemetry collector, over a restart.
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import { Observability } from "../../../../control-plane/observability/observability.ts";
import { Usage } from "../../../../control-plane/usage/usage-follower.ts";
import { startHttpReceiver } from "../../../otlp/receiver.ts";
import { freePort } from "../../../free-port.ts";

const LINE = `1763800000.123 200 - 12 1 900 100 50 10 20 {"id":"i","listener":"egress","endpoint":"/v1/chat/completions","target":"openai/gpt-4o","requested":"gpt-4o","input":7,"output":3}\n`;
const OUTPUT = "gen_ai.client.inference.usage.output_tokens";

it("the sums go on after a restart, with the same start and instance", async () => {
  const collector = await startHttpReceiver();
  const directory = mkdtempSync(join(tmpdir(), "otlp-export-"));
  const points = () =>
    collector.metrics.flatMap(({ resourceMetrics: [all] }) =>
      (all?.scopeMetrics ?? []).flatMap(({ metrics }) =>
        metrics.flatMap(({ name, sum }) => (name === OUTPUT ? (sum?.dataPoints ?? []) : [])),
      ),
    );
  const run = async (total: string) => {
    const text = `llm_providers: [{ model: openai/gpt-4o, access_key: $KEY }]
observability:
  metrics: { port: ${String(await freePort())} }
  otlp: { endpoint: "http://127.0.0.1:${String(collector.port)}", interval: 1s }`;
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
    appendFileSync(join(directory, "access_usage.log"), LINE);
    await expect.poll(() => points().at(-1)?.asInt).toBe(total);
    await observability.close();
  };
  try {
    await run("3");
    await run("6");
  } finally {
    rmSync(directory, { recursive: true });
    await collector.stop();
  }
  expect(collector.violations).toEqual([]);
  expect(new Set(points().map((point) => point.startTimeUnixNano)).size).toBe(1);
  const instances = collector.metrics.map(({ resourceMetrics: [all] }) =>
    all?.resource.attributes.find(({ key }) => key === "service.instance.id"),
  );
  expect(new Set(instances.map((one) => one?.value.stringValue)).size).toBe(1);
});
