// Responses that Envoy creates before, past or without the filter: for too large a head, a request that is not HTTP, a
// client that is too slow, a provider that breaks the connection. Each becomes JSON in the client's dialect; the
// filter's own responses are left unchanged.
import type { DialectRow } from "../contract/dialects.ts";
import { DIALECTS } from "../contract/dialects.ts";
import { NO_MEMORY_FOR_REQUEST, NOT_HTTP, RETRY_SECONDS } from "../contract/upstream-errors.ts";
import type { GatewayModel } from "../control-plane/ir/model.ts";
import { CLIENT_PATH } from "./access-log.ts";
import { REQUEST_ID, SET_REQUEST_ID } from "./request-id.ts";
import type { Fields } from "./types.ts";
import { extension } from "./types.ts";

interface Reason {
  /** Envoy's status; absent: any. */
  status?: number;
  /**
   * Envoy's reason for the local reply ("Response Code Details"), or a prefix of it. It is empty for the filter's own.
   */
  details: string | { prefix: string };
  /** What is wrong and what to do. */
  message: string;
  /** OpenAI's error code; absent: null. */
  code?: string | null;
  /** The status that the client receives; absent: Envoy's. */
  as?: number;
  /**
   * Whether it occurs after the filter has replaced the client's path by the provider's; the filter state still holds
   * the client's.
   */
  hasClientPath?: boolean;
  /** Seconds after which the client may retry. */
  retryAfter?: number;
}

/** Prefix of the details of errors that the codecs find: `http1.headers_too_large`, `http2.…`. */
const CODEC = { prefix: "http" };

function reasons(model: GatewayModel): Reason[] {
  const kib = String(model.limits.requestHeadersKib);
  return [
    {
      status: 431,
      details: CODEC,
      message: `The request's headers are larger than this gateway allows: ${kib} KiB (limits.request_headers) in at most 100 headers.`,
    },
    {
      status: 400,
      details: CODEC,
      message: NOT_HTTP,
    },
    {
      status: 400,
      details: "missing_host_header",
      message: "The request has no Host header.",
    },
    {
      status: 403,
      details: "upgrade_failed",
      message: "The gateway does not upgrade connections (WebSocket); send a plain HTTP request.",
    },
    {
      status: 404,
      details: "absolute_path_rejected",
      message: "The request's path has to begin with a slash.",
    },
    {
      status: 408,
      details: "request_header_timeout",
      message: "The request's headers did not arrive in time.",
    },
    {
      status: 503,
      details: "overload",
      message: `The gateway has no memory left for more requests (limits.memory); try again in ${String(RETRY_SECONDS)} seconds.`,
      retryAfter: RETRY_SECONDS,
    },
    {
      // Load shed in the codec: it accepts no more bytes, not even of a body.
      status: 500,
      details: "overload",
      as: 503,
      message: NO_MEMORY_FOR_REQUEST,
      retryAfter: RETRY_SECONDS,
    },
    {
      status: 503,
      details: "wasm_fail_stream",
      message:
        "The gateway's filter had to be started again while it had this request; try again in a moment.",
      hasClientPath: true,
    },
    ...(model.rateLimitService === undefined ? [] : ofRateLimitService()),
    ...whileHeld(),
  ];
}

/** Returns the responses of Envoy's rate limit filter; the WASM filter adds the headers. */
function ofRateLimitService(): Reason[] {
  return [
    {
      status: 429,
      details: "request_rate_limited",
      code: "rate_limit_exceeded",
      message: "Rate limit reached. Retry after the seconds in retry-after.",
      hasClientPath: true,
    },
    {
      status: 503,
      details: "rate_limiter_error",
      message: "The rate limit service is unavailable (ratelimit_service.on_failure).",
      hasClientPath: true,
    },
  ];
}

/** Returns the local replies that bypass the filter, because a response that it holds for translation has begun. */
function whileHeld(): Reason[] {
  const tooLate = "The provider did not finish its response within the listener's timeout.";
  return [
    {
      details: { prefix: "upstream_reset_after_response_started" },
      as: 502,
      message:
        "The provider closed the connection in the middle of its response (%RESPONSE_CODE_DETAILS%). Retry later.",
    },
    {
      status: 504,
      details: "response_timeout",
      message: tooLate,
    },
    {
      status: 504,
      details: "stream_idle_timeout",
      message: tooLate,
    },
    {
      status: 500,
      details: "response_payload_too_large",
      as: 502,
      message: "The provider's response is larger than the gateway can hold to translate it.",
    },
  ].map((reason) => ({ ...reason, hasClientPath: true }));
}

export function localReplies(model: GatewayModel): Fields {
  // The first dialect applies to every request without a dialect, so its mappers have no condition and come last.
  const [first, ...rest] = DIALECTS;
  const mappers = reasons(model).flatMap((reason) => [
    ...rest.map((dialect) =>
      mapper(reason, dialect, [...conditions(reason), dialectFilter(reason, dialect)]),
    ),
    ...(first === undefined ? [] : [mapper(reason, first, conditions(reason))]),
  ]);
  return { mappers: [health(), tooManyInFlight(), ...mappers] };
}

/** Keeps /healthz successful when no memory is left for requests: a restart would only lose the in-flight requests. */
function health(): Fields {
  const path = {
    header_filter: { header: { name: ":path", string_match: { exact: "/healthz" } } },
  };
  const filters = [...conditions({ status: 503, details: "overload" }), path];
  return {
    filter: { and_filter: { filters } },
    status_code: 200,
    body_format_override: { json_format: { status: "ok" } },
    headers_to_add: [SET_REQUEST_ID],
  };
}

/** Adds `retry-after` only: the filter, which knows the target, writes the message. */
function tooManyInFlight(): Fields {
  const details = "upstream_reset_before_response_started{overflow}";
  return {
    filter: { and_filter: { filters: conditions({ status: 503, details }) } },
    headers_to_add: [retryAfter(RETRY_SECONDS)],
  };
}

function retryAfter(seconds: number): Fields {
  return { header: { key: "retry-after", value: String(seconds) } };
}

function mapper(reason: Reason, dialect: DialectRow, filters: Fields[]): Fields {
  const { as, retryAfter: seconds } = reason;
  return {
    filter: { and_filter: { filters } },
    ...(as === undefined ? {} : { status_code: as }),
    body_format_override: { json_format: bodyOf(reason, dialect) },
    headers_to_add: [
      // Omitted if the request has no id.
      { header: { key: dialect.requestIdHeader, value: REQUEST_ID } },
      SET_REQUEST_ID,
      ...(seconds === undefined ? [] : [retryAfter(seconds)]),
    ],
  };
}

/** Returns the dialect's error body; its type follows from the client's status. */
function bodyOf(
  { as, status, message, code = null }: Reason,
  { errorBody, errorType }: DialectRow,
): Fields {
  const type = errorType(as ?? status ?? 500);
  const values = { message, type, param: null, code, request_id: REQUEST_ID };
  const text = errorBody
    .replaceAll("$details", "")
    .replaceAll(/\$([a-z_]+)/g, (_, name: keyof typeof values) => JSON.stringify(values[name]));
  return JSON.parse(text) as Fields;
}

function dialectFilter({ hasClientPath }: Reason, { path }: DialectRow): Fields {
  if (hasClientPath === true) return expression(beginsWith(CLIENT_PATH, path));
  return { header_filter: { header: { name: ":path", string_match: { prefix: path } } } };
}

/**
 * Returns a CEL prefix test. Filter state is bytes to CEL, which can be compared but have no `startsWith`: all values
 * with the prefix lie between two bounds.
 */
function beginsWith(state: string, start: string): string {
  const next = start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
  const value = `filter_state['${state}']`;
  return `${value} >= b'${start}' && ${value} < b'${next}'`;
}

/** Returns the conditions, cheap ones first: evaluation stops at the first that does not match. */
function conditions({ status, details }: Pick<Reason, "status" | "details">): Fields[] {
  const how =
    typeof details === "string"
      ? `response.code_details == '${details}'`
      : `response.code_details.startsWith('${details.prefix}')`;
  return [status === undefined ? statusIs("GE", 400) : statusIs("EQ", status), expression(how)];
}

function statusIs(op: string, status: number): Fields {
  const value = { default_value: status, runtime_key: `gateway.status_${String(status)}` };
  return { status_code_filter: { comparison: { op, value } } };
}

function expression(text: string): Fields {
  return {
    extension_filter: extension(
      "envoy.access_loggers.extension_filters.cel",
      "extensions.access_loggers.filters.cel.v3.ExpressionFilter",
      { expression: text },
    ),
  };
}
