// OpenTelemetry's conventions for generative AI: the rules of the conformance suite's policies about spans, with the names of
// the published package, and what the conventions require of metrics (otel-metrics.ts). The suite itself needs Weaver, which no
// package registry has.
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { expect, vi } from "vitest";
import { ask, type DialectName } from "../envoy/ask.ts";
import { startHttpReceiver } from "../otlp/receiver.ts";
import type { Span } from "../otlp/spans.ts";
import { exportAtOnce } from "../otlp/trace-of.ts";
import { exportedMetrics, metricRun } from "./otel-metrics.ts";
import { lockedVersion } from "./locked-version.ts";
import type { SuiteRun } from "./suite.ts";
import { startWithProviders, WIRES } from "./with-providers.ts";

const SECONDS = { timeout: 60_000, interval: 20 };
/** Of the conformance suite. */
const COMMIT = "6421afd";
const PACKAGE = "@opentelemetry/semantic-conventions";
/** Required, or recommended without a condition, for an inference: semantic-conventions, gen-ai-spans.md. */
const EXPECTED = [
  "gen_ai.operation.name",
  "gen_ai.provider.name",
  "gen_ai.request.model",
  "gen_ai.response.finish_reasons",
  "gen_ai.response.model",
  "gen_ai.usage.input_tokens",
  "gen_ai.usage.output_tokens",
];
const INFERENCES = ["chat", "generate_content", "text_completion"];

const values = (start: string): Set<string> =>
  new Set(
    Object.entries(conventions)
      .filter(([name]) => name.startsWith(start))
      .map(([, value]) => String(value)),
  );
const ATTRIBUTES = values("ATTR_GEN_AI_");
const OPERATIONS = values("GEN_AI_OPERATION_NAME_VALUE_");

/** A test is a rule at a span; spans of one request have the client's format and the wire in their test's name. */
type Rule = (span: Span) => string | undefined;
const RULES: Readonly<Record<string, Rule>> = {
  "operation is known": ({ attributes }) => {
    const operation = String(attributes["gen_ai.operation.name"]);
    return OPERATIONS.has(operation) ? undefined : `${operation} is no operation`;
  },
  "span name": ({ name, attributes }) => {
    const wanted = `${String(attributes["gen_ai.operation.name"])} ${String(attributes["gen_ai.request.model"])}`;
    return name === wanted ? undefined : `${name} instead of ${wanted}`;
  },
  "span kind": ({ kind }) => (kind === "client" ? undefined : `${kind} instead of client`),
  "expected attributes": ({ attributes }) => {
    const missing = EXPECTED.filter((name) => !(name in attributes));
    return missing.length === 0 ? undefined : `missing: ${missing.join(", ")}`;
  },
  "attribute names": ({ attributes }) => {
    const own = Object.keys(attributes).filter((name) => name.startsWith("gen_ai."));
    const unknown = own.filter((name) => !ATTRIBUTES.has(name));
    return unknown.length === 0 ? undefined : `not in the package: ${unknown.join(", ")}`;
  },
};

const CLIENTS: readonly [DialectName, string][] = [
  ["chat", "Chat Completions"],
  ["responses", "Responses"],
  ["messages", "Messages"],
];

export async function runOtel(): Promise<SuiteRun[]> {
  const receiver = await startHttpReceiver();
  const all = await startWithProviders({
    config: `observability: {}\ntracing:\n  endpoint: http://127.0.0.1:${String(receiver.port)}\n  protocol: http\n`,
    adaptBootstrap: exportAtOnce,
  });
  try {
    const tests = new Map<string, string>();
    for (const [dialect, client] of CLIENTS)
      for (const { name: model, title } of WIRES)
        for (const stream of [false, true]) {
          const id = `conformance-${crypto.randomUUID()}`;
          const headers = { "x-request-id": id };
          const response = await ask(all.gateway, dialect, { model, stream, headers });
          const text = await response.text();
          if (response.status !== 200) throw new Error(`${client} of ${model}: ${text}`);
          await vi.waitFor(() => {
            expect(spansOf(receiver.spans, id)).not.toEqual([]);
          }, SECONDS);
          const way = `${client} → ${title}${stream ? ", stream" : ""}`;
          for (const span of spansOf(receiver.spans, id))
            for (const [rule, check] of Object.entries(RULES))
              tests.set(`${rule}: ${way}`, check(span) ?? "");
        }
    const requests = CLIENTS.length * WIRES.length * 2;
    const metrics = await exportedMetrics(all.gateway.logFile("usage"), requests);
    return [runOf(tests), metricRun(metrics)];
  } finally {
    await all.stop();
    await receiver.stop();
  }
}

/** The inferences of a request. */
function spansOf(spans: readonly Span[], id: string): Span[] {
  const traces = new Set(
    spans
      .filter(({ attributes }) => attributes["guid:x-request-id"] === id)
      .map(({ traceId }) => traceId),
  );
  return spans.filter(
    ({ traceId, attributes }) =>
      traces.has(traceId) && INFERENCES.includes(String(attributes["gen_ai.operation.name"])),
  );
}

function runOf(tests: ReadonlyMap<string, string>): SuiteRun {
  const failed = [...tests].filter(([, problem]) => problem !== "");
  return {
    suite: "OpenTelemetry GenAI",
    version: `our own runner of the span rules of ${COMMIT}, names of ${PACKAGE} ${lockedVersion(PACKAGE)}`,
    source: "https://github.com/open-telemetry/semantic-conventions-conformance",
    subject: "spans of inferences",
    passed: tests.size - failed.length,
    failed: failed.map(([test, reason]) => ({ test, reason })),
    notOffered: [],
  };
}
