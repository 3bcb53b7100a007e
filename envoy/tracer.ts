// Traces: a span for each request and one for each attempt, by Envoy's OpenTelemetry tracer. Attributes follow OpenTelemetry's
// conventions for generative AI; their values are filter state of the WASM filter (contract/trace.ts).
// @see https://github.com/open-telemetry/semantic-conventions-genai
import {
  HEADER_SPAN,
  HEADER_STEP,
  TRACE_CACHE_READ,
  TRACE_CACHE_WRITE,
  TRACE_ERROR,
  TRACE_FALLBACKS,
  TRACE_FINISH,
  TRACE_FIRST_CHUNK,
  TRACE_GROUP,
  TRACE_GUARD,
  TRACE_GUARDS,
  TRACE_INPUT,
  TRACE_KEY,
  TRACE_MODEL,
  TRACE_OPERATION,
  TRACE_OUTPUT,
  TRACE_PARTIAL,
  TRACE_PROMPT_TARGET,
  TRACE_PROVIDER,
  TRACE_REASONING,
  TRACE_REQUESTED,
  TRACE_RESPONSE_MODEL,
  TRACE_STREAM,
  TRACE_SUBJECT,
  TRACE_SESSION,
  TRACE_SUBAGENT,
  TRACE_USER,
} from "../contract/trace.ts";
import { TRACE_HEADERS } from "../contract/foreign-headers.ts";
import { LISTENER_INTERNAL_EGRESS } from "../contract/words.ts";
import { takesKeyRows } from "../model/keys.ts";
import type { GatewayModel } from "../model/model.ts";
import type { ProviderHeader } from "../model/address.ts";
import type { Tracing } from "../model/tracing.ts";
import { CLIENT_PATH } from "./access-log.ts";
import { common, negotiated } from "./cluster-settings.ts";
import { endpoint, resolution } from "./cluster-endpoints.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import { tlsOf } from "./tls.ts";
import type { Cluster, Extension, Fields, ListenerName, Typed } from "./envoy-types.ts";
import { duration, extension, typed } from "./envoy-types.ts";

const CLUSTER = "otlp_traces";
/** Of an export. What is not exported in this time is lost; no request waits. */
const TIMEOUT = 5_000;
/** Filter state on the internal listener: the step of the prompt. */
const STEP = "gateway.step";

/** The kinds of values that attributes have besides text. */
type ValueType = "INT" | "DOUBLE" | "BOOL";

/** Returns the tracer of a listener; nothing if there are no traces. */
export function tracingOf(name: ListenerName, model: GatewayModel): Fields {
  const { tracing } = model;
  if (tracing === undefined) return {};
  return {
    request_id_extension: { typed_config: requestIds() },
    tracing: {
      ...tracer(tracing, isOwn(name) ? 0 : tracing.sampled, isOwn(name) || tracing.followsParent),
      operation: `${firstOf(state(TRACE_OPERATION), header(":method"))}${text(TRACE_SUBJECT)}`,
      upstream_operation: `attempt${text(TRACE_SUBJECT)}`,
      custom_tags: requestTags(name, model),
    },
  };
}

/** Returns the tracer of the internal listener: a span for each step of a prompt whose request is traced. */
export function stepTracing({ tracing }: GatewayModel): Fields {
  if (tracing?.hasSteps !== true) return {};
  return {
    request_id_extension: { typed_config: requestIds() },
    tracing: {
      ...tracer(tracing, 0, true),
      operation: `prompt %FILTER_STATE(${STEP}:PLAIN)%`,
      upstream_operation: "attempt %UPSTREAM_CLUSTER%",
    },
  };
}

/** Request ids decide nothing, and stay as they are: a client's need not be a UUID. */
function requestIds(): Typed {
  return typed("extensions.request_id.uuid.v3.UuidRequestIdConfig", {
    pack_trace_reason: false,
    use_request_id_for_trace_sampling: false,
  });
}

/** Returns what the internal listener remembers of a callout for its span. */
export function rememberedStep({ tracing }: GatewayModel): Record<string, string> {
  return tracing?.hasSteps === true ? { [STEP]: `%REQ(${HEADER_STEP})%` } : {};
}

/** Returns the filter that gives the WASM filter the ids of the request's span, for the callouts of a prompt. */
export function spanHeader(name: ListenerName, { tracing, prompt }: GatewayModel): Extension[] {
  if (tracing === undefined || prompt === undefined) return [];
  // A tool call comes from the model server.
  if (isOwn(name) && prompt.mcp !== true) return [];
  return [requestHeaders([{ name: HEADER_SPAN, value: "%TRACE_ID%-%SPAN_ID%" }])];
}

/** Returns the headers of a trace that a provider must not get. Without tracing the WASM filter removes the client's. */
export function traceHeaders({ tracing }: GatewayModel): string[] {
  return tracing === undefined || tracing.reachesProviders ? [] : TRACE_HEADERS;
}

/** Returns the cluster of the collector. */
export function tracingClusters(model: GatewayModel, runtime: RuntimeEnvironment): Cluster[] {
  const { tracing } = model;
  if (tracing === undefined) return [];
  const { address } = tracing;
  return [
    {
      name: CLUSTER,
      ...common(CLUSTER, model),
      ...resolution(address),
      ...tlsOf(address, runtime),
      load_assignment: { cluster_name: CLUSTER, endpoints: [endpoint(address, runtime)] },
      typed_extension_protocol_options: {
        "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": typed(
          "extensions.upstreams.http.v3.HttpProtocolOptions",
          { ...httpVersion(tracing), http_filters: exportFilters(tracing) },
        ),
      },
    },
  ];
}

function httpVersion({ address, protocol }: Tracing): Fields {
  if (address.tls) return negotiated();
  return {
    explicit_http_config:
      protocol.kind === "grpc" ? { http2_protocol_options: {} } : { http_protocol_options: {} },
  };
}

/** In the cluster, because Envoy fills references to the environment in neither of the two protocols' own headers. */
function exportFilters({ headers }: Tracing): Extension[] {
  const codec = extension(
    "envoy.filters.http.upstream_codec",
    "extensions.filters.http.upstream_codec.v3.UpstreamCodec",
  );
  if (headers.length === 0) return [codec];
  return [
    requestHeaders(headers.map(({ name, parts }) => ({ name, value: format(parts) }))),
    codec,
  ];
}

/** Returns a header's value in Envoy's format. */
function format(parts: ProviderHeader["parts"]): string {
  return parts
    .map((part) =>
      "environment" in part
        ? `%ENVIRONMENT(${part.environment})%`
        : part.text.replaceAll("%", "%%"),
    )
    .join("");
}

function requestHeaders(headers: { name: string; value: string }[]): Extension {
  return extension(
    "envoy.filters.http.header_mutation",
    "extensions.filters.http.header_mutation.v3.HeaderMutation",
    {
      mutations: {
        request_mutations: headers.map(({ name, value }) => ({
          append: { header: { key: name, value }, append_action: "OVERWRITE_IF_EXISTS_OR_ADD" },
        })),
      },
    },
  );
}

/** Whether the clients of a listener are parts of the gateway: they begin no traces, and follow those that there are. */
function isOwn(name: ListenerName): boolean {
  return name === LISTENER_INTERNAL_EGRESS;
}

function tracer(tracing: Tracing, sampled: number, followsParent: boolean): Fields {
  return {
    // Envoy decides by it before it asks the sampler.
    random_sampling: { value: 100 },
    spawn_upstream_span: true,
    // A query can hold credentials, and the path of an API values of a prompt. The attribute `http.url` cannot be left out.
    max_path_tag_length: 0,
    provider: extension("envoy.tracers.opentelemetry", "config.trace.v3.OpenTelemetryConfig", {
      service_name: tracing.serviceName,
      ...exporter(tracing),
      ...resource(tracing),
      sampler: sampler(sampled, followsParent),
    }),
  };
}

function exporter({ address, authority, protocol }: Tracing): Fields {
  if (protocol.kind === "grpc") {
    const envoy_grpc = { cluster_name: CLUSTER, authority };
    return { grpc_service: { envoy_grpc, timeout: duration(TIMEOUT) } };
  }
  const uri = `${address.tls ? "https" : "http"}://${authority}${protocol.path}`;
  return { http_service: { http_uri: { uri, cluster: CLUSTER, timeout: duration(TIMEOUT) } } };
}

function resource({ resource: attributes }: Tracing): Fields {
  if (Object.keys(attributes).length === 0) return {};
  const detector = extension(
    "envoy.tracers.opentelemetry.resource_detectors.static_config",
    "extensions.tracers.opentelemetry.resource_detectors.v3.StaticConfigResourceDetectorConfig",
    { attributes },
  );
  return { resource_detectors: [detector] };
}

function sampler(sampled: number, followsParent: boolean): Extension {
  const messages = "extensions.tracers.opentelemetry.samplers.v3";
  const share = extension(
    "envoy.tracers.opentelemetry.samplers.trace_id_ratio_based",
    `${messages}.TraceIdRatioBasedSamplerConfig`,
    { sampling_percentage: { numerator: sampled, denominator: "TEN_THOUSAND" } },
  );
  if (!followsParent) return share;
  return extension(
    "envoy.tracers.opentelemetry.samplers.parent_based",
    `${messages}.ParentBasedSamplerConfig`,
    { wrapped_sampler: share },
  );
}

/** Returns the attributes. One whose value is not known is left out. */
function requestTags(name: ListenerName, model: GatewayModel): Fields[] {
  return [
    tag("gen_ai.operation.name", ofRequest(TRACE_OPERATION)),
    tag("gen_ai.provider.name", text(TRACE_PROVIDER)),
    tag("gen_ai.request.model", text(TRACE_MODEL)),
    tag("gen_ai.response.model", text(TRACE_RESPONSE_MODEL)),
    tag("gen_ai.request.stream", text(TRACE_STREAM), "BOOL"),
    tag("gen_ai.response.time_to_first_chunk", text(TRACE_FIRST_CHUNK), "DOUBLE"),
    tag("gen_ai.response.finish_reasons", text(TRACE_FINISH)),
    tag("gen_ai.usage.input_tokens", text(TRACE_INPUT), "INT"),
    tag("gen_ai.usage.output_tokens", text(TRACE_OUTPUT), "INT"),
    tag("gen_ai.usage.cache_read.input_tokens", text(TRACE_CACHE_READ), "INT"),
    tag("gen_ai.usage.cache_write.input_tokens", text(TRACE_CACHE_WRITE), "INT"),
    tag("gen_ai.usage.reasoning.output_tokens", text(TRACE_REASONING), "INT"),
    tag("gateway.partial_usage", text(TRACE_PARTIAL)),
    tag("error.type", errorType()),
    tag("url.path", `%FILTER_STATE(${CLIENT_PATH}:PLAIN)%`),
    tag("gateway.listener", name),
    tag("gateway.requested_model", text(TRACE_REQUESTED)),
    tag("gen_ai.conversation.id", ofRequest(TRACE_SESSION)),
    tag("gateway.subagent", text(TRACE_SUBAGENT)),
    tag("gateway.client_key", text(TRACE_KEY)),
    ...(takesKeyRows(model)
      ? [
          tag("gateway.client_group", text(TRACE_GROUP)),
          tag("gateway.client_user", text(TRACE_USER)),
        ]
      : []),
    tag("gateway.attempts", "%UPSTREAM_REQUEST_ATTEMPT_COUNT%", "INT"),
    tag("gateway.fallbacks", text(TRACE_FALLBACKS), "INT"),
    tag("gateway.prompt_target", text(TRACE_PROMPT_TARGET)),
    tag("gateway.guard", text(TRACE_GUARD)),
    ...(model.guards === undefined ? [] : [tag("gateway.guards", text(TRACE_GUARDS))]),
    // Prompts are on the listener of clients: here are tool calls.
    ...(name === LISTENER_INTERNAL_EGRESS
      ? [tag("gen_ai.tool.name", text(TRACE_PROMPT_TARGET))]
      : []),
  ];
}

function tag(name: string, value: string, type?: ValueType): Fields {
  return { tag: name, value, ...(type === undefined ? {} : { value_type: type }) };
}

/** Returns a value that attempts do not have: their spans are not spans of inference, as they have no tokens. */
function ofRequest(property: string): string {
  // Known when the request is over, which an attempt comes before.
  return `%CEL(request.duration > duration('0s') ? filter_state['wasm.${property}'] : '')%`;
}

function text(property: string): string {
  return `%FILTER_STATE(wasm.${property}:PLAIN)%`;
}

/** Bits of `response.flags`, and what they mean for the client; the first that is set wins. */
const FLAGS: readonly [bits: number[], type: string][] = [
  // DC
  [[14], "client_disconnected"],
  // UT, SI, DT
  [[2, 16, 22], "timeout"],
  // UR, UC, UPE
  [[4, 6, 23], "upstream_reset"],
];

/** For attempts, whose spans end before the filter has the response. */
const STATUS = "response.code >= 400 ? response.code : ''";

/** Returns the filter's word, else Envoy's: the filter is not called when a response breaks off. */
function errorType(): string {
  const param = FLAGS.reduceRight((otherwise, [bits, type]) => {
    const isSet = bits.map((bit) => `response.flags / ${String(2 ** bit)} % 2 == 1`).join(" || ");
    return `${isSet} ? '${type}' : ${otherwise}`;
  }, STATUS);
  return firstOf(state(TRACE_ERROR), { command: "CEL", param });
}

/** One of Envoy's log commands, in the form that COALESCE accepts. */
interface Operator {
  command: string;
  param: string;
}

function state(property: string): Operator {
  return { command: "FILTER_STATE", param: `wasm.${property}:PLAIN` };
}

function header(name: string): Operator {
  return { command: "REQ", param: name };
}

function firstOf(...operators: Operator[]): string {
  return `%COALESCE(${JSON.stringify({ operators })})%`;
}
