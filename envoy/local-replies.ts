// What Envoy answers itself before, past or without the filter: too large a head, a request that is no HTTP, a client
// that is too slow, a provider that breaks off. Each becomes JSON in the client's dialect; what the filter answers is left alone.
import type { GatewayModel } from "../control-plane/ir/model.ts";
import { CLIENT_PATH } from "./access-log.ts";
import { REQUEST_ID, SET_REQUEST_ID } from "./request-id.ts";
import type { Fields } from "./types.ts";
import { extension } from "./types.ts";

interface Reason {
  /** Envoy's status; absent: any. */
  status?: number;
  /** Envoy's words for how the reply came to be ("Response Code Details"), or how they begin. The filter's own are empty. */
  details: string | { prefix: string };
  /** Anthropic's type of the error. */
  type: string;
  /** What is wrong and what to do. */
  message: string;
  /** OpenAI's code of the error; absent: null. */
  code?: string | null;
  /** The client's status; absent: Envoy's. */
  as?: number;
  /** Whether it comes when the filter has written the provider's path over the client's, which the filter state holds. */
  hasClientPath?: boolean;
  /** Seconds after which the client may try again. */
  retryAfter?: number;
}

/** Seconds until another try of a request that was turned away. */
const SOON = 2;
const ANTHROPIC_PATH = "/v1/messages";
/** How the details of what the codecs find begin: `http1.headers_too_large`, `http2.…`. */
const CODEC = { prefix: "http" };

function reasons(model: GatewayModel): Reason[] {
  const invalid = "invalid_request_error";
  const kib = String(model.limits.requestHeadersKib);
  return [
    {
      status: 431,
      details: CODEC,
      type: invalid,
      message: `The request's headers are larger than this gateway allows: ${kib} KiB (limits.request_headers) in at most 100 headers.`,
    },
    {
      status: 400,
      details: CODEC,
      type: invalid,
      message:
        "The request is not valid HTTP, so the gateway could not read it. Check the client and any proxy before the gateway.",
    },
    {
      status: 400,
      details: "missing_host_header",
      type: invalid,
      message: "The request has no Host header.",
    },
    {
      status: 403,
      details: "upgrade_failed",
      type: "permission_error",
      message: "The gateway does not upgrade connections (WebSocket); send a plain HTTP request.",
    },
    {
      status: 404,
      details: "absolute_path_rejected",
      type: "not_found_error",
      message: "The request's path has to begin with a slash.",
    },
    {
      status: 408,
      details: "request_header_timeout",
      type: "timeout_error",
      message: "The request's headers did not arrive in time.",
    },
    {
      status: 503,
      details: "overload",
      type: "overloaded_error",
      message: `The gateway has no memory left for more requests (limits.memory); try again in ${String(SOON)} seconds.`,
      retryAfter: SOON,
    },
    {
      // The codec takes nothing more, of bodies neither.
      status: 500,
      details: "overload",
      as: 503,
      type: "overloaded_error",
      message: `The gateway has no memory left for this request (limits.memory); try again in ${String(SOON)} seconds.`,
      retryAfter: SOON,
    },
    {
      status: 503,
      details: "wasm_fail_stream",
      type: "overloaded_error",
      message:
        "The gateway's filter had to be started again while it had this request; try again in a moment.",
      hasClientPath: true,
    },
    ...(model.rateLimitService === undefined ? [] : ofRateLimitService()),
    ...whileHeld(),
  ];
}

/** What Envoy's rate limit filter answers; the WASM filter adds the headers. */
function ofRateLimitService(): Reason[] {
  return [
    {
      status: 429,
      details: "request_rate_limited",
      type: "rate_limit_error",
      code: "rate_limit_exceeded",
      message: "A rate limit for this request is used up; retry-after says when to try again.",
      hasClientPath: true,
    },
    {
      status: 503,
      details: "rate_limiter_error",
      type: "overloaded_error",
      message: "The rate limit service does not answer (ratelimit_service.on_failure).",
      hasClientPath: true,
    },
  ];
}

/** What goes past the filter because a reply that it holds for translation has begun. */
function whileHeld(): Reason[] {
  const tooLate = "The provider did not finish its answer within the listener's timeout.";
  return [
    {
      details: { prefix: "upstream_reset_after_response_started" },
      as: 502,
      type: "api_error",
      message:
        "The provider broke off its answer in the middle (%RESPONSE_CODE_DETAILS%); try again in a moment.",
    },
    {
      status: 504,
      details: "response_timeout",
      type: "timeout_error",
      message: tooLate,
    },
    {
      status: 504,
      details: "stream_idle_timeout",
      type: "timeout_error",
      message: tooLate,
    },
    {
      status: 500,
      details: "response_payload_too_large",
      as: 502,
      type: "api_error",
      message: "The provider's answer is larger than this gateway can hold to translate it.",
    },
  ].map((reason) => ({ ...reason, hasClientPath: true }));
}

export function localReplies(model: GatewayModel): Fields {
  const mappers = reasons(model).flatMap((reason) => [
    mapper(reason, [...conditions(reason), ofAnthropicClient(reason)], {
      body: anthropicBody(reason),
      idHeader: "request-id",
    }),
    mapper(reason, conditions(reason), { body: openaiBody(reason), idHeader: "x-request-id" }),
  ]);
  return { mappers: [health(), tooManyAtOnce(), ...mappers] };
}

/** Without memory for requests the gateway is still alive: a restart would only lose the in-flight requests. */
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

/** The filter words it, and knows the target; it only has to be said when to try again. */
function tooManyAtOnce(): Fields {
  const details = "upstream_reset_before_response_started{overflow}";
  return {
    filter: { and_filter: { filters: conditions({ status: 503, details }) } },
    headers_to_add: [retryAfter(SOON)],
  };
}

function retryAfter(seconds: number): Fields {
  return { header: { key: "retry-after", value: String(seconds) } };
}

interface Spoken {
  body: Fields;
  /** Where the dialect's SDK looks for the id of a failed request; left out when there is no id yet. */
  idHeader: string;
}

function mapper(
  { as, retryAfter: seconds }: Reason,
  filters: Fields[],
  { body, idHeader }: Spoken,
): Fields {
  return {
    filter: { and_filter: { filters } },
    ...(as === undefined ? {} : { status_code: as }),
    body_format_override: { json_format: body },
    headers_to_add: [
      { header: { key: idHeader, value: REQUEST_ID } },
      SET_REQUEST_ID,
      ...(seconds === undefined ? [] : [retryAfter(seconds)]),
    ],
  };
}

function ofAnthropicClient({ hasClientPath }: Reason): Fields {
  if (hasClientPath === true) return expression(beginsWith(CLIENT_PATH, ANTHROPIC_PATH));
  return { header_filter: { header: { name: ":path", string_match: { prefix: ANTHROPIC_PATH } } } };
}

/** Filter state is bytes to CEL, which have an order but no `startsWith`: all that begins so stands between two others. */
function beginsWith(state: string, start: string): string {
  const next = start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
  const value = `filter_state['${state}']`;
  return `${value} >= b'${start}' && ${value} < b'${next}'`;
}

/** Cheap ones first: a filter behind one that does not fit is not asked. */
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

/** What OpenAI calls otherwise. */
const OPENAI_TYPES: Record<string, string> = {
  not_found_error: "invalid_request_error",
  api_error: "server_error",
};

/** @see https://platform.openai.com/docs/guides/error-codes */
function openaiBody({ type, message, code = null }: Reason): Fields {
  return { error: { message, type: OPENAI_TYPES[type] ?? type, param: null, code } };
}

/** @see https://docs.anthropic.com/en/api/errors */
function anthropicBody({ type, message }: Reason): Fields {
  return { type: "error", error: { type, message }, request_id: REQUEST_ID };
}
