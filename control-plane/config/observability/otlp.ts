// `observability.otlp`: where metrics are sent by OTLP over HTTP.
import type { z } from "zod";
import type { MetricsExport } from "../../../model/model.ts";
import type { Path } from "../../report/problem.ts";
import { readOtlpUrl, URL_EXPECTED } from "../otlp-url.ts";
import { readHeaders } from "../provider/provider-headers.ts";
import { parseDuration } from "../quantity.ts";
import type { Reading } from "../reading.ts";
import { duration, mapping, named, text } from "../schema-words.ts";
import type { Draft } from "../section.ts";

const ENDPOINT = "http://localhost:4318";
const METRICS_PATH = "/v1/metrics";
const INTERVAL_MS = 60_000;
const MIN_INTERVAL_MS = 1_000;

export const otlpSchema = mapping(
  {
    endpoint: text(
      {
        description:
          "Address of the OpenTelemetry collector, for OTLP over HTTP. Without a path, `/v1/metrics` is used.",
        default: ENDPOINT,
      },
      URL_EXPECTED,
    ).optional(),
    headers: named(
      text("Value of the header."),
      "Headers to send to the collector. References in values stay secret.",
    ).optional(),
    interval: duration({
      description: "Time between two exports, 1s at least.",
      default: "60s",
    }).optional(),
  },
  "Sends the metrics to an OpenTelemetry collector. If not set, they are only served.",
);

/** Returns what is set; undefined after reporting a problem. */
export function readOtlp(
  reading: Reading,
  path: Path,
  written: Draft<z.output<typeof otlpSchema>>,
): MetricsExport | undefined {
  const url = readOtlpUrl(reading, [...path, "endpoint"], written.endpoint ?? ENDPOINT, ENDPOINT);
  const headers = readHeaders(reading, [...path, "headers"], written.headers ?? {}, "collector");
  const { interval } = written;
  const intervalMs = interval === undefined ? INTERVAL_MS : parseDuration(interval);
  if (intervalMs !== undefined && intervalMs < MIN_INTERVAL_MS) {
    reading.problem([...path, "interval"], "the interval is shorter than 1s", {
      hint: "write 1s or more",
    });
  }
  if (url === undefined) return undefined;
  if (url.pathname === "/") url.pathname = METRICS_PATH;
  return { url: url.href, headers, intervalMs: intervalMs ?? INTERVAL_MS };
}
