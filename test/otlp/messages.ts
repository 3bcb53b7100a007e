// The messages of OTLP that the gateway sends, as a protobuf library reads them.
// @see https://opentelemetry.io/docs/specs/otlp/
import protobuf from "protobufjs";

const SCHEMA = `
syntax = "proto3";
message AnyValue {
  oneof value {
    string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
    ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }

message TraceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4;
  string name = 5; int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; Status status = 15;
}
message Status { string message = 2; int32 code = 3; }

message MetricsRequest { repeated ResourceMetrics resource_metrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; string schema_url = 3; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; string schema_url = 3; }
message Metric {
  string name = 1; string description = 2; string unit = 3;
  oneof data { Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; }
}
message Gauge { repeated NumberPoint data_points = 1; }
message Sum { repeated NumberPoint data_points = 1; int32 aggregation_temporality = 2; bool is_monotonic = 3; }
message Histogram { repeated HistogramPoint data_points = 1; int32 aggregation_temporality = 2; }
message NumberPoint {
  repeated KeyValue attributes = 7; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
  oneof value { double as_double = 4; sfixed64 as_int = 6; }
}
message HistogramPoint {
  repeated KeyValue attributes = 9; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
  fixed64 count = 4; optional double sum = 5; repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7;
}
`;

const { root } = protobuf.parse(SCHEMA, { keepCase: true });

/** Returns the decoded message: integers as strings, bytes as Buffers. Throws if it is not valid. */
export function decode(message: "TraceRequest", bytes: Uint8Array): unknown {
  const type = root.lookupType(message);
  return type.toObject(type.decode(bytes), { longs: String, bytes: Buffer, oneofs: false });
}

interface Point {
  attributes: { key: string; value: { stringValue: string } }[];
}

export interface NumberPoint extends Point {
  asInt: string;
  startTimeUnixNano: string;
  timeUnixNano: string;
}

export interface Metric {
  name: string;
  unit: string;
  sum?: { dataPoints: NumberPoint[] };
  histogram?: { dataPoints: Point[] };
}

/** An export of metrics, as far as tests read it. */
export interface MetricsMessage {
  resourceMetrics: {
    resource: { attributes: { key: string; value: { stringValue: string } }[] };
    scopeMetrics: { metrics: Metric[] }[];
  }[];
}

const camelCase = protobuf.parse(SCHEMA).root;

/** Returns a request in JSON as the protocol's encoding has it. Throws if a member is unknown or has a wrong type. */
export function checkJson(message: "MetricsRequest", json: unknown): object {
  const type = camelCase.lookupType(message);
  const read = type.toObject(type.fromObject(json as Record<string, unknown>), { longs: String });
  if (JSON.stringify(sorted(read)) !== JSON.stringify(sorted(json)))
    throw new Error("a member is unknown, or not in its own encoding");
  return read;
}

/** Returns the value with the members of its objects in one order, without empty lists. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const present = Object.entries(value).filter(([, member]) => !isEmptyList(member));
  const entries = present.map(([name, member]) => [name, sorted(member)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
