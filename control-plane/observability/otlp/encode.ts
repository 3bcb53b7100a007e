// The families as a request of OTLP over HTTP, in its JSON form: cumulative sums and histograms.
// @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
import type { Families, FamilySnapshot } from "../metric-families.ts";
import { attributeName, metricName } from "./otlp-names.ts";

const CUMULATIVE = 2;
const NANO_PER_MS = 1_000_000n;

export interface ExportContext {
  /** Attributes of the resource. */
  resource: Readonly<Record<string, string>>;
  /** Of the gateway. */
  version: string;
  /** When the counts began, and now: milliseconds since 1970. */
  since: number;
  now: number;
}

interface Attribute {
  key: string;
  value: { stringValue: string };
}

/** Returns the request. 64-bit integers are strings, as the encoding demands. */
export function encodeMetrics(families: Families, context: ExportContext): object {
  const metrics = families
    .snapshot()
    .filter(({ series }) => series.length > 0)
    .map((family) => metricOf(withoutParts(family), context));
  return {
    resourceMetrics: [
      {
        resource: { attributes: attributesOf(Object.entries(context.resource)) },
        scopeMetrics: [{ scope: { name: "gateway", version: context.version }, metrics }],
      },
    ],
  };
}

function metricOf(family: FamilySnapshot, context: ExportContext): object {
  const { options, type } = family;
  const about = { ...metricName(options.name), description: options.help };
  if (type === "gauge") return { ...about, gauge: { dataPoints: numbers(family, context) } };
  if (type === "counter") {
    const dataPoints = numbers(family, context);
    return { ...about, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
  }
  const dataPoints = histograms(family, context);
  return { ...about, histogram: { dataPoints, aggregationTemporality: CUMULATIVE } };
}

/**
 * Returns a family without the token types that are parts of others: the conventions have input and output alone, whose sum is
 * the number of tokens. The parts have counters.
 */
function withoutParts(family: FamilySnapshot): FamilySnapshot {
  if (family.options.name !== TOKEN_USAGE) return family;
  const at = family.options.labels.indexOf("gen_ai_token_type");
  return { ...family, series: family.series.filter(({ labels }) => WHOLE.has(labels[at] ?? "")) };
}

const TOKEN_USAGE = "gen_ai_client_token_usage";
const WHOLE = new Set(["input", "output"]);

function numbers({ options, type, series }: FamilySnapshot, context: ExportContext): object[] {
  const { scale = 1 } = options;
  return series.map(({ labels, values: [value = 0] }) => ({
    ...point(options.labels, labels, context, type !== "gauge"),
    ...(scale === 1 ? { asInt: String(value) } : { asDouble: value / scale }),
  }));
}

function histograms({ options, bounds, series }: FamilySnapshot, context: ExportContext): object[] {
  const { scale = 1 } = options;
  return series.map(({ labels, values }) => {
    const buckets = values.slice(0, -1);
    return {
      ...point(options.labels, labels, context, true),
      count: String(buckets.reduce((sum, count) => sum + count, 0)),
      sum: (values.at(-1) ?? 0) / scale,
      bucketCounts: buckets.map(String),
      explicitBounds: bounds.map((bound) => bound / scale),
    };
  });
}

function point(
  names: readonly string[],
  labels: readonly string[],
  { since, now }: ExportContext,
  isCumulative: boolean,
): object {
  const entries = names.map((name, at) => [attributeName(name), labels[at] ?? ""] as const);
  return {
    // An empty label is an attribute that is absent, such as the error of a request without one.
    attributes: attributesOf(entries.filter(([, value]) => value !== "")),
    ...(isCumulative ? { startTimeUnixNano: nano(since) } : {}),
    timeUnixNano: nano(now),
  };
}

function attributesOf(entries: readonly (readonly [string, string])[]): Attribute[] {
  return entries.map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

function nano(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds)) * NANO_PER_MS);
}
