// The spans of an OTLP export, checked and in a form that tests can compare.

export interface Span {
  traceId: string;
  spanId: string;
  /** Empty for the root of a trace. */
  parentId: string;
  traceState: string;
  name: string;
  kind: "internal" | "server" | "client" | "other";
  startNano: bigint;
  endNano: bigint;
  attributes: Record<string, AttributeValue>;
  status: { code: number; message: string };
  resource: Record<string, AttributeValue>;
}

/** Integers are bigints, so that a test sees whether a number was sent as one. */
export type AttributeValue = string | boolean | bigint | number | AttributeValue[];

interface AnyValue {
  string_value?: string;
  bool_value?: boolean;
  int_value?: string;
  double_value?: number;
  array_value?: { values?: AnyValue[] };
}
export interface KeyValue {
  key: string;
  value?: AnyValue;
}
interface RawSpan {
  trace_id: Buffer;
  span_id: Buffer;
  parent_span_id?: Buffer;
  trace_state?: string;
  name?: string;
  kind?: number;
  start_time_unix_nano: string;
  end_time_unix_nano: string;
  attributes?: KeyValue[];
  status?: { code?: number; message?: string };
}
interface TraceRequest {
  resource_spans?: {
    resource?: { attributes?: KeyValue[] };
    scope_spans?: { spans?: RawSpan[] }[];
  }[];
}

const KINDS: Readonly<Record<number, Span["kind"]>> = { 1: "internal", 2: "server", 3: "client" };

/** Returns the spans of a decoded request. Throws if one is not valid. */
export function readSpans(message: unknown): Span[] {
  const { resource_spans: groups = [] } = message as TraceRequest;
  return groups.flatMap(({ resource, scope_spans: scopes = [] }) => {
    const attributes = readAttributes(resource?.attributes);
    return scopes.flatMap(({ spans = [] }) => spans.map((span) => readSpan(span, attributes)));
  });
}

function readSpan(raw: RawSpan, resource: Span["resource"]): Span {
  const startNano = BigInt(raw.start_time_unix_nano);
  const endNano = BigInt(raw.end_time_unix_nano);
  if (startNano === 0n || endNano < startNano) throw new Error(`times of span ${String(raw.name)}`);
  if (!raw.name) throw new Error("a span without a name");
  return {
    traceId: idOf(raw.trace_id, 16),
    spanId: idOf(raw.span_id, 8),
    parentId: raw.parent_span_id?.length ? idOf(raw.parent_span_id, 8) : "",
    traceState: raw.trace_state ?? "",
    name: raw.name,
    kind: KINDS[raw.kind ?? 0] ?? "other",
    startNano,
    endNano,
    attributes: readAttributes(raw.attributes),
    status: { code: raw.status?.code ?? 0, message: raw.status?.message ?? "" },
    resource,
  };
}

function idOf(bytes: Buffer, length: number): string {
  if (bytes.length !== length || bytes.every((byte) => byte === 0))
    throw new Error(`an id of ${String(bytes.length)} bytes`);
  return bytes.toString("hex");
}

/** Returns the attributes. Throws if one occurs twice, or has no value. */
export function readAttributes(list: KeyValue[] = []): Record<string, AttributeValue> {
  const all = list.map(({ key, value }) => [key, readValue(key, value)] as const);
  const names = all.map(([key]) => key);
  const twice = names.find((key, at) => names.indexOf(key) !== at);
  if (twice !== undefined) throw new Error(`attribute ${twice} occurs twice`);
  return Object.fromEntries(all);
}

function readValue(key: string, value: AnyValue | undefined): AttributeValue {
  if (value?.string_value !== undefined) return value.string_value;
  if (value?.bool_value !== undefined) return value.bool_value;
  if (value?.int_value !== undefined) return BigInt(value.int_value);
  if (value?.double_value !== undefined) return value.double_value;
  if (value?.array_value !== undefined)
    return (value.array_value.values ?? []).map((one) => readValue(key, one));
  throw new Error(`attribute ${key} has no value`);
}
