// The trace of one request, as a collector has it.
import { expect } from "vitest";
import type { Bootstrap } from "../../envoy/envoy-types.ts";
import type { Receiver } from "./receiver.ts";
import type { Span } from "./spans.ts";

/** Has Envoy export spans at once: its interval of 5 s is too long for a test. */
export function exportAtOnce(bootstrap: Bootstrap): void {
  const layer = {
    "tracing.opentelemetry.min_flush_spans": 1,
    "tracing.opentelemetry.flush_interval_ms": 100,
  };
  Object.assign(bootstrap, {
    layered_runtime: { layers: [{ name: "test", static_layer: layer }] },
  });
}

export interface Trace {
  /** Of the request. */
  request: Span;
  /** Its children, in the order in which they began. */
  children: Span[];
  all: Span[];
}

/** Waits for the span of the client's request, and for `count` spans of its trace. */
export async function traceOf(receiver: Receiver, id: string, count: number): Promise<Trace> {
  const isRequest = ({ attributes }: Span) =>
    attributes["guid:x-request-id"] === id && attributes["gateway.listener"] !== undefined;
  const root = () => receiver.spans.find((span) => isRequest(span) && !isOwn(span));
  const all = () => receiver.spans.filter(({ traceId }) => traceId === root()?.traceId);
  await expect.poll(() => all().length).toBe(count);
  const request = root();
  if (request === undefined) throw new Error("no span of the request");
  const children = childrenOf(request, all());
  return { request, children, all: all() };
}

export function childrenOf({ spanId }: Span, spans: Span[]): Span[] {
  return spans
    .filter(({ parentId }) => parentId === spanId)
    .sort((a, b) => Number(a.startNano - b.startNano));
}

function isOwn({ attributes }: Span): boolean {
  return attributes["gateway.listener"] === "internal_egress";
}

/** Returns the attributes whose names begin so. */
export function attributesOf({ attributes }: Span, ...beginnings: string[]): Span["attributes"] {
  const entries = Object.entries(attributes);
  return Object.fromEntries(
    entries.filter(([name]) => beginnings.some((start) => name.startsWith(start))),
  );
}
