// Metrics as an OpenTelemetry collector gets them, and what happens when it is slow, away or refuses them.
import { afterEach, describe, expect, it } from "vitest";
import { Families } from "../../../../../control-plane/observability/metric-families.ts";
import { encodeMetrics } from "../../../../../control-plane/observability/otlp/encode.ts";
import {
  exportFailures,
  startMetricsExporter,
} from "../../../../../control-plane/observability/otlp/exporter.ts";
import type { MetricsExporter } from "../../../../../control-plane/observability/otlp/exporter.ts";
import { headersOf, resourceOf } from "../../../../../control-plane/observability/otlp/settings.ts";
import { requestFamilies } from "../../../../../control-plane/observability/request-families.ts";
import { checkJson } from "../../../../otlp/messages.ts";
import {
  type Receiver,
  type ReceiverOptions,
  startHttpReceiver,
} from "../../../../otlp/receiver.ts";

const CONTEXT = {
  resource: { "service.name": "gateway" },
  version: "1.2.3",
  since: 1_700_000_000_000,
  now: 1_700_000_060_000,
};
const START = "1700000000000000000";
const NOW = "1700000060000000000";

interface Metric {
  name: string;
  unit: string;
  sum?: { dataPoints: object[]; isMonotonic: boolean; aggregationTemporality: number };
  histogram?: { dataPoints: object[] };
  gauge?: { dataPoints: object[] };
}

function metricsOf(families: Families): Metric[] {
  const message = checkJson("MetricsRequest", encodeMetrics(families, CONTEXT)) as {
    resourceMetrics: { scopeMetrics: { metrics: Metric[] }[] }[];
  };
  return message.resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) => metrics),
  );
}

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });

describe("the encoding", () => {
  it("a counter is a cumulative sum of integers, with names of the conventions", () => {
    const families = new Families();
    const { usage } = requestFamilies(families);
    usage[1]?.counter.add(["chat", "openai", "fast", "gpt-4o", "gpt-4o"], 12);
    expect(metricsOf(families)).toEqual([
      {
        name: "gen_ai.client.inference.usage.cache_read.input_tokens",
        description: "Input tokens read from a cache of the provider.",
        unit: "{token}",
        sum: {
          aggregationTemporality: 2,
          isMonotonic: true,
          dataPoints: [
            {
              attributes: [
                attribute("gen_ai.operation.name", "chat"),
                attribute("gen_ai.provider.name", "openai"),
                attribute("gen_ai.original.model", "fast"),
                attribute("gen_ai.request.model", "gpt-4o"),
                attribute("gen_ai.response.model", "gpt-4o"),
              ],
              startTimeUnixNano: START,
              timeUnixNano: NOW,
              asInt: "12",
            },
          ],
        },
      },
    ]);
  });

  it("a histogram has buckets that are not cumulative, in seconds, and no empty attribute", () => {
    const families = new Families();
    const { duration } = requestFamilies(families);
    const labels = ["chat", "openai", "fast", "gpt-4o", "gpt-4o", ""];
    for (const micro of [15_000, 15_000, 900_000_000]) duration.record(labels, micro);
    const [metric] = metricsOf(families);
    expect(metric).toMatchObject({ name: "gen_ai.server.request.duration", unit: "s" });
    const [point] = metric?.histogram?.dataPoints as {
      bucketCounts: string[];
      explicitBounds: number[];
      attributes: object[];
    }[];
    expect(point).toMatchObject({ count: "3", sum: 900.03, startTimeUnixNano: START });
    expect(point?.bucketCounts).toHaveLength((point?.explicitBounds.length ?? 0) + 1);
    expect(point?.bucketCounts.slice(0, 3)).toEqual(["0", "2", "0"]);
    expect(point?.bucketCounts.at(-1)).toBe("1");
    expect(point?.explicitBounds.slice(0, 2)).toEqual([0.01, 0.02]);
    expect(JSON.stringify(point?.attributes)).not.toContain("error.type");
  });

  it("money is in dollars, and a gauge has no start", () => {
    const families = new Families();
    const { cost } = requestFamilies(families);
    const gauge = families.gauge({ name: "gateway_ejected_hosts", help: "Hosts.", labels: [] });
    cost.add(["openai", "gpt-4o", "none"], 2_500_000);
    gauge.set([], 3);
    const [money, hosts] = metricsOf(families);
    expect(money).toMatchObject({ name: "gateway.cost", unit: "USD" });
    expect(money?.sum?.dataPoints).toMatchObject([{ asDouble: 0.0025 }]);
    expect(hosts?.gauge?.dataPoints).toEqual([{ timeUnixNano: NOW, asInt: "3" }]);
  });

  it("every family has a name with dots and its unit", () => {
    const families = new Families();
    requestFamilies(families);
    for (const { options } of families.snapshot()) {
      if (options.name === "gateway_folded_series_total") continue;
      const other = new Families();
      other.counter(options).add(options.labels.map(() => "x"));
      const [metric] = metricsOf(other);
      expect(metric?.name).toMatch(/^(?:gen_ai|gateway)\.[a-z_.]+[a-z]$/);
      expect(metric?.name).not.toMatch(/_(?:total|seconds|bytes|usd)$/);
      expect(metric?.unit, options.name).not.toBe("1");
    }
  });
});

it("references in headers are filled in, and the instance keeps its name", () => {
  const parts = [{ text: "Bearer " }, { environment: "TOKEN" }];
  expect(headersOf([{ name: "authorization", parts }], { TOKEN: "t-1" })).toEqual({
    authorization: "Bearer t-1",
  });
  const tracing = { serviceName: "team", resource: { "deployment.environment.name": "test" } };
  const resource = resourceOf(tracing, "1.0.0", "/state");
  expect(resource).toMatchObject({
    "service.name": "team",
    "service.version": "1.0.0",
    "deployment.environment.name": "test",
  });
  expect(resourceOf(tracing, "1.0.0", "/state")).toEqual(resource);
  expect(resourceOf(tracing, "1.0.0", "/other")).not.toEqual(resource);
});

describe("an export", () => {
  const running: (MetricsExporter | { stop: () => Promise<void> })[] = [];
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
  });

  interface Collector extends Receiver {
    url: string;
    /** What it does with the next requests. */
    options: ReceiverOptions;
  }

  async function collector(): Promise<Collector> {
    const options: ReceiverOptions = { body: "{}" };
    const receiver = await startHttpReceiver(options);
    running.push(receiver);
    return { ...receiver, options, url: `http://127.0.0.1:${String(receiver.port)}/v1/metrics` };
  }

  function start(url: string, timeoutMs = 60_000) {
    const families = new Families();
    const failures = exportFailures(families);
    const lines: string[] = [];
    const exporter = startMetricsExporter({
      url,
      headers: { authorization: "Bearer t-1" },
      intervalMs: 20,
      timeoutMs,
      request: () => Promise.resolve(encodeMetrics(families, CONTEXT)),
      failures,
      report: (line) => lines.push(line),
    });
    running.unshift(exporter);
    return { exporter, failures, lines };
  }

  it("an export comes at each interval, and once more at the end", async () => {
    const to = await collector();
    const { exporter, lines } = start(to.url);
    await expect.poll(() => to.exports.length).toBeGreaterThan(2);
    await exporter.stop();
    running.shift();
    const count = to.exports.length;
    expect(to.exports[0]?.headers).toMatchObject({
      "content-type": "application/json",
      authorization: "Bearer t-1",
    });
    expect(to.violations).toEqual([]);
    expect(lines).toEqual([]);
    expect(to.exports.length).toBe(count);
  });

  it("an export to a collector that fails is counted, and its failure and its end are reported once", async () => {
    const to = await collector();
    to.options.status = 503;
    const { failures, lines } = start(to.url);
    await expect.poll(() => failures.total("reason", "failed")).toBeGreaterThan(3);
    to.options.status = 200;
    await expect.poll(() => lines.length).toBe(2);
    const { host } = new URL(to.url);
    expect(lines).toEqual([
      `Metrics cannot be exported to ${host} (status 503); requests are not affected.`,
      `Metrics are exported to ${host} again.`,
    ]);
  });

  it("an export to a silent collector is one request, and further ones are skipped", async () => {
    const to = await collector();
    to.options.isSilent = true;
    const { failures, lines } = start(to.url);
    await expect.poll(() => failures.total("reason", "skipped")).toBeGreaterThan(5);
    expect(to.exports).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  it("an export to a silent collector ends after its timeout", async () => {
    const to = await collector();
    to.options.isSilent = true;
    const { lines } = start(to.url, 50);
    await expect.poll(() => lines.length).toBe(1);
    expect(lines[0]).toContain("(no response in time)");
  });

  it("an export to a port where nothing listens is counted, and reported once", async () => {
    const { failures, lines } = start("http://127.0.0.1:1/v1/metrics");
    await expect.poll(() => failures.total("reason", "failed")).toBeGreaterThan(3);
    expect(lines).toHaveLength(1);
  });

  it("an export that the collector rejects in part is counted", async () => {
    const to = await collector();
    to.options.body = JSON.stringify({ partialSuccess: { rejectedDataPoints: "7" } });
    const { failures, lines } = start(to.url);
    await expect.poll(() => failures.total("reason", "rejected")).toBeGreaterThan(1);
    expect(lines[0]).toContain("(it rejected 7 data points)");
  });
});
