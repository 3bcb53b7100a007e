// What OpenTelemetry's conventions for generative AI require of metrics, checked at the gateway's export.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { Observability } from "../../control-plane/observability/observability.ts";
import { Usage } from "../../control-plane/usage/usage-follower.ts";
import { freePort } from "../free-port.ts";
import type { Metric } from "../otlp/messages.ts";
import { startHttpReceiver } from "../otlp/receiver.ts";
import type { SuiteRun } from "./suite.ts";

const SECONDS = { timeout: 60_000, interval: 20 };
/** Of the repository of the conventions, which no package has. */
const COMMIT = "066d4a7";
const SOURCE = "https://github.com/open-telemetry/semantic-conventions-genai";

interface Convention {
  instrument: "histogram" | "sum";
  unit: string;
  /** Beside OF_ALL. */
  required?: string[];
}

/** Attributes that every metric below requires. */
const OF_ALL = ["gen_ai.operation.name", "gen_ai.provider.name"];
const OPTIONAL = [
  "error.type",
  "gen_ai.request.model",
  "gen_ai.response.model",
  "server.address",
  "server.port",
];
const TOKENS: Convention = {
  instrument: "sum",
  unit: "{token}",
  required: ["gen_ai.token.modality"],
};
const TIME: Convention = { instrument: "histogram", unit: "s" };

/** @see model/gen-ai/metrics.yaml and docs/gen-ai/gen-ai-token-metrics.md there */
const CONVENTIONS: Readonly<Record<string, Convention>> = {
  "gen_ai.client.token.usage": {
    instrument: "histogram",
    unit: "{token}",
    required: ["gen_ai.token.type"],
  },
  "gen_ai.server.request.duration": TIME,
  "gen_ai.server.time_to_first_token": TIME,
  "gen_ai.server.time_per_output_token": TIME,
  "gen_ai.client.inference.usage.input_tokens": TOKENS,
  "gen_ai.client.inference.usage.output_tokens": TOKENS,
  "gen_ai.client.inference.usage.cache_read.input_tokens": TOKENS,
  "gen_ai.client.inference.usage.cache_write.input_tokens": TOKENS,
  "gen_ai.client.inference.usage.reasoning.output_tokens": TOKENS,
};

type Rule = (metric: Metric, convention: Convention | undefined) => string | undefined;
const RULES: Readonly<Record<string, Rule>> = {
  "metric name": (_, convention) =>
    convention === undefined ? "the conventions have no such metric" : undefined,
  "instrument and unit": (metric, convention) =>
    convention === undefined ||
    (metric.unit === convention.unit && metric[convention.instrument] !== undefined)
      ? undefined
      : `not a ${convention.instrument} in ${convention.unit}`,
  "required attributes": (metric, convention) => {
    const wanted = [...OF_ALL, ...(convention?.required ?? [])];
    const missing = wanted.filter((name) => attributesOf(metric).some((point) => !point.has(name)));
    return missing.length === 0 ? undefined : `missing: ${missing.join(", ")}`;
  },
  "attribute names": (metric, convention) => {
    const known = new Set([...OF_ALL, ...OPTIONAL, ...(convention?.required ?? [])]);
    const names = new Set(attributesOf(metric).flatMap((point) => [...point]));
    const unknown = [...names].filter((name) => !known.has(name));
    return unknown.length === 0 ? undefined : `not in the conventions: ${unknown.join(", ")}`;
  },
};

function attributesOf({ sum, histogram }: Metric): Set<string>[] {
  const points = sum?.dataPoints ?? histogram?.dataPoints ?? [];
  return points.map(({ attributes }) => new Set(attributes.map(({ key }) => key)));
}

/** Exports the metrics of a usage log as the gateway does. @param requests that the log will have */
export async function exportedMetrics(usageLog: string, requests: number): Promise<Metric[]> {
  await vi.waitFor(() => {
    expect(readFileSync(usageLog, "utf8").split("\n").length).toBeGreaterThan(requests);
  }, SECONDS);
  const receiver = await startHttpReceiver();
  const directory = mkdtempSync(join(tmpdir(), "gateway-metrics-"));
  const text = `llm_providers: [{ model: openai/gpt-4o, access_key: $KEY }]
observability:
  metrics: { port: ${String(await freePort())} }
  otlp: { endpoint: "http://127.0.0.1:${String(receiver.port)}", interval: 1s }`;
  const loaded = loadConfiguration({ file: "gateway.yaml", text }, { KEY: "k".repeat(30) });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const usage = new Usage({ directory, report: () => undefined });
  usage.follow(usageLog);
  const observability = new Observability({
    ...{ directory, usage },
    versions: { gateway: "1", envoy: "2" },
    envoyStats: () => Promise.resolve(""),
    report: () => undefined,
  });
  const last = (): Metric[] =>
    receiver.metrics
      .at(-1)
      ?.resourceMetrics.flatMap(({ scopeMetrics }) =>
        scopeMetrics.flatMap(({ metrics }) => metrics),
      )
      .filter(({ name }) => name.startsWith("gen_ai.")) ?? [];
  try {
    await observability.use({ model: loaded.model, logDirectory: directory, environment: {} });
    await vi.waitFor(() => {
      expect(last()).not.toEqual([]);
    }, SECONDS);
    return last();
  } finally {
    await observability.close();
    await receiver.stop();
    rmSync(directory, { recursive: true });
  }
}

/** A test is a rule at a metric. */
export function metricRun(metrics: readonly Metric[]): SuiteRun {
  const tests = metrics.flatMap((metric) =>
    Object.entries(RULES).map(([rule, check]) => ({
      test: `${rule}: ${metric.name}`,
      reason: check(metric, CONVENTIONS[metric.name]),
    })),
  );
  const failed = tests.flatMap(({ test, reason }) =>
    reason === undefined ? [] : [{ test, reason }],
  );
  return {
    suite: "OpenTelemetry GenAI",
    version: `our own runner of the conventions as of ${COMMIT}`,
    source: SOURCE,
    subject: "metrics",
    passed: tests.length - failed.length,
    failed,
    notOffered: [],
  };
}
