// `tracing`: spans of requests, sent to an OpenTelemetry collector.
import type { Tracing } from "../../../model/tracing.ts";
import { readOtlpUrl, URL_EXPECTED } from "../otlp-url.ts";
import { entryProxySchema, readEntryProxy, throughProxy } from "../read-proxy.ts";
import { readHeaders } from "../provider/provider-headers.ts";
import { flag, mapping, named, number, oneOf, text } from "../schema-words.ts";
import { section } from "../section.ts";

const ENDPOINT = "http://localhost:4317";
/** The usual port of OTLP over HTTP; that of gRPC is 4317. */
const HTTP_PORT = 4318;
const TRACES_PATH = "/v1/traces";
const SERVICE_NAME = "gateway";
/** Percent → of 10,000. */
const PER_PERCENT = 100;

const schema = mapping(
  {
    endpoint: text(
      {
        description:
          "Address of the OpenTelemetry collector. For OTLP over HTTP without a path, `/v1/traces` is used.",
        default: ENDPOINT,
        examples: ["http://collector:4318", "https://api.honeycomb.io"],
      },
      URL_EXPECTED,
    ).optional(),
    opentracing_grpc_endpoint: text(
      "Another name for `endpoint`, with `protocol: grpc`.",
      URL_EXPECTED,
    ).optional(),
    protocol: oneOf(["grpc", "http"], {
      description:
        "Protocol of the collector: OTLP over gRPC, or over HTTP. Default: `http` for port 4318, else `grpc`.",
    }).optional(),
    headers: named(
      text("Value of the header."),
      "Headers to send to the collector. References in values stay secret.",
    ).optional(),
    proxy: entryProxySchema("the collector", "endpoint").optional(),
    random_sampling: number(0, 100, {
      description:
        "Percentage of requests that are traced, unless the client's `traceparent` decides.",
      default: 100,
    }).optional(),
    follow_parent: flag({
      description:
        "Whether a request with a `traceparent` is traced if its caller is. With `false`, clients cannot choose what is traced.",
      default: true,
    }).optional(),
    trace_arch_internal: flag({
      description: "Whether each step of a prompt has a span.",
      default: true,
    }).optional(),
    propagate_to_providers: flag({
      description:
        "Whether `traceparent`, `tracestate` and `baggage` are sent to providers. The APIs of prompt targets get the trace context in any case.",
      default: false,
    }).optional(),
    service_name: text({
      description: "Attribute `service.name` of all spans.",
      default: SERVICE_NAME,
    }).optional(),
    resource_attributes: named(
      text("Value of the attribute."),
      "Further attributes of all spans, such as `deployment.environment.name`.",
    ).optional(),
  },
  "Sends a span for each request and each attempt to an OpenTelemetry collector ([more](tracing.md)). If not set, there are none.",
);

export const tracing = section({
  key: "tracing",
  schema,
  read({ reading, model }, written) {
    if (written === undefined) return {};
    const { endpoint, opentracing_grpc_endpoint: other } = written;
    const path = ["tracing"];
    if (endpoint !== undefined && other !== undefined) {
      reading.problem([...path, "opentracing_grpc_endpoint"], "the endpoint is set twice", {
        part: "key",
        hint: "remove it: endpoint is set",
      });
    }
    const key =
      endpoint === undefined && other !== undefined ? "opentracing_grpc_endpoint" : "endpoint";
    const url = readOtlpUrl(reading, [...path, key], endpoint ?? other ?? ENDPOINT, ENDPOINT);
    const headers = readHeaders(reading, [...path, "headers"], written.headers ?? {}, "collector");
    const resource = Object.entries(written.resource_attributes ?? {}).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    if (url === undefined) return {};
    const protocol = written.protocol ?? usualProtocol(url, other);
    if (protocol === "grpc" && url.pathname !== "/") {
      reading.problem([...path, key], "OTLP over gRPC has no path", {
        hint: `write ${url.origin}, or set protocol: http`,
      });
    }
    const place = placeOf(url);
    const result: Tracing = {
      ...place,
      address: throughProxy(
        place.address,
        readEntryProxy(reading, path, written.proxy),
        model.proxy,
      ),
      protocol:
        protocol === "grpc"
          ? { kind: "grpc" }
          : { kind: "http", path: url.pathname === "/" ? TRACES_PATH : url.pathname },
      headers,
      sampled: Math.round((written.random_sampling ?? 100) * PER_PERCENT),
      followsParent: written.follow_parent ?? true,
      serviceName: written.service_name ?? SERVICE_NAME,
      resource: Object.fromEntries(resource),
      hasSteps: written.trace_arch_internal ?? true,
      reachesProviders: written.propagate_to_providers ?? false,
    };
    return { tracing: result };
  },
});

function usualProtocol(url: URL, familyKey: string | undefined): "grpc" | "http" {
  return familyKey === undefined && url.port === String(HTTP_PORT) ? "http" : "grpc";
}

function placeOf(url: URL): Pick<Tracing, "address" | "authority"> {
  const tls = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? (tls ? 443 : 80) : Number(url.port);
  return { address: { kind: "host", host, port, tls, serverName: host }, authority: url.host };
}
