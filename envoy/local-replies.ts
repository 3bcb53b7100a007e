// Envoy's local replies that bypass the filter, as JSON in the client's dialect: for a head that Envoy rejects before the
// filter runs, and for what happens while the filter holds the head of a response. The errors are those of
// contract/upstream-errors.ts; all other local replies pass the filter, which writes their body.
import type { DialectRow } from "../contract/dialects.ts";
import { DIALECTS } from "../contract/dialects.ts";
import type { UpstreamError } from "../contract/upstream-errors.ts";
import {
  BEFORE_FILTER,
  PAST_FILTER,
  WITHOUT_DIALECT,
  WITHOUT_HEAD,
} from "../contract/upstream-errors.ts";
import type { GatewayModel } from "../model/model.ts";
import { CLIENT_PATH } from "./access-log.ts";
import { REQUEST_ID, SET_REQUEST_ID } from "./request-id-header.ts";
import type { Fields } from "./envoy-types.ts";
import { extension } from "./envoy-types.ts";

/** The dialects that share the form of their errors. The first format is also that of requests without a dialect. */
type ErrorFormat = [DialectRow, ...DialectRow[]];

export function localReplies(model: GatewayModel): Fields {
  const [first, ...rest] = errorFormats();
  const inFirst = (error: UpstreamError): Fields => withId(mapper(error, first, model), first);
  const inEach = (error: UpstreamError, ofPath: (path: string) => string): Fields[] => [
    ...rest.map((format) => {
      const hasPath = format.flatMap(({ path }) => spellings(path).map(ofPath)).join(" || ");
      return withId(mapper(error, format, model, hasPath), format);
    }),
    inFirst(error),
  ];
  return {
    mappers: [
      health(),
      ...WITHOUT_HEAD.map((error) => mapper(error, first, model)),
      ...WITHOUT_DIALECT.map(inFirst),
      ...BEFORE_FILTER.flatMap((error) => inEach(error, isRequested)),
      // The filter has replaced the client's path by the provider's; the filter state still holds the client's.
      ...PAST_FILTER.flatMap((error) => inEach(error, wasRequested)),
      ...(model.rateLimitService === undefined ? [] : [rateLimited()]),
      ...(model.login === undefined ? [] : [notLoggedIn()]),
    ],
  };
}

function errorFormats(): [ErrorFormat, ...ErrorFormat[]] {
  const [first, ...rest] = DIALECTS.filter(({ hasClients }) => hasClients);
  if (first === undefined) throw new Error("contract/dialects.ts has no dialect for clients");
  const all: [ErrorFormat, ...ErrorFormat[]] = [[first]];
  for (const dialect of rest) {
    const same = all.find(
      ([{ errorBody, errorType, requestIdHeader }]) =>
        errorBody === dialect.errorBody &&
        errorType === dialect.errorType &&
        requestIdHeader === dialect.requestIdHeader,
    );
    if (same === undefined) all.push([dialect]);
    else same.push(dialect);
  }
  return all;
}

/** Keeps /healthz successful when no memory is left for requests: a restart would only lose the in-flight requests. */
function health(): Fields {
  return {
    filter: filter(503, "overload", "request.path == '/healthz'"),
    status_code: 200,
    body_format_override: { json_format: { status: "ok" } },
    headers_to_add: [SET_REQUEST_ID],
  };
}

/** Gives the responses of Envoy's rate limit filter a body: the filter rewrites a body, but cannot add one. */
function rateLimited(): Fields {
  return {
    filter: filter(0, "request_rate_limited|rate_limiter_error"),
    body_format_override: {
      text_format_source: { inline_string: "%RESPONSE_CODE_DETAILS%" },
    },
  };
}

/** Has Claude Code ask for the login at once: without the header it retries for three minutes. */
function notLoggedIn(): Fields {
  const value = { default_value: 401, runtime_key: "gateway.status_401" };
  return {
    filter: { status_code_filter: { comparison: { op: "EQ", value } } },
    headers_to_add: [{ header: { key: "x-should-retry", value: "false" } }],
  };
}

function mapper(
  error: UpstreamError,
  [dialect]: ErrorFormat,
  model: GatewayModel,
  condition?: string,
): Fields {
  const { status, details, clientStatus, retryAfter } = error;
  return {
    filter: filter(status, details, condition),
    ...(clientStatus === 0 ? {} : { status_code: clientStatus }),
    body_format_override: { json_format: bodyOf(error, dialect, model) },
    ...(retryAfter === 0
      ? {}
      : { headers_to_add: [{ header: { key: "retry-after", value: String(retryAfter) } }] }),
  };
}

/** Adds the request id in both headers; Envoy omits them if the request has none. */
function withId({ headers_to_add: headers = [], ...rest }: Fields, [dialect]: ErrorFormat): Fields {
  const id = { header: { key: dialect.requestIdHeader, value: REQUEST_ID } };
  return { ...rest, headers_to_add: [id, SET_REQUEST_ID, ...(headers as Fields[])] };
}

/** Returns the dialect's error body; its type follows from the client's status. */
function bodyOf(error: UpstreamError, dialect: DialectRow, { limits }: GatewayModel): Fields {
  const type = dialect.errorType(error.clientStatus === 0 ? error.status : error.clientStatus);
  const message = error.message
    .replace("{request_headers}", String(limits.requestHeadersKib))
    .replace("{details}", "%RESPONSE_CODE_DETAILS%");
  const code = error.code === "" ? null : error.code;
  const values = { message, type, param: null, code, request_id: REQUEST_ID };
  const text = dialect.errorBody
    .replaceAll("$details", "")
    .replaceAll(/\$([a-z_]+)/g, (_, name: keyof typeof values) => JSON.stringify(values[name]));
  return JSON.parse(text) as Fields;
}

/** Returns the spellings of a path that clients with another base URL send (filter/exchange/path-spelling.ts). */
function spellings(path: string): string[] {
  return [path, path.replace(/^\/v1/, ""), `/${path}`, `/v1${path}`];
}

function isRequested(path: string): string {
  return `request.path.startsWith('${path}')`;
}

/**
 * Filter state is bytes to CEL, which can be compared but have no `startsWith`: all values with the prefix lie between
 * two bounds.
 */
function wasRequested(path: string): string {
  const next = path.slice(0, -1) + String.fromCharCode(path.charCodeAt(path.length - 1) + 1);
  const value = `filter_state['${CLIENT_PATH}']`;
  return `${value} >= b'${path}' && ${value} < b'${next}'`;
}

/** The status comes first because it costs least: evaluation stops at the first test that fails. */
function filter(status: number, details: string, condition?: string): Fields {
  const [op, value] = status === 0 ? ["GE", 400] : ["EQ", status];
  const runtime_key = `gateway.status_${String(value)}`;
  const test = detailsMatch(details);
  return {
    and_filter: {
      filters: [
        {
          status_code_filter: { comparison: { op, value: { default_value: value, runtime_key } } },
        },
        {
          extension_filter: extension(
            "envoy.access_loggers.extension_filters.cel",
            "extensions.access_loggers.filters.cel.v3.ExpressionFilter",
            { expression: condition === undefined ? test : `${test} && (${condition})` },
          ),
        },
      ],
    },
  };
}

/** Returns the test of a pattern of contract/upstream-errors.ts. */
function detailsMatch(pattern: string): string {
  const details = "response.code_details";
  const names = pattern.split("|").map((name) => `'${name}'`);
  if (names.length > 1) return `${details} in [${names.join(", ")}]`;
  return pattern.endsWith("*")
    ? `${details}.startsWith('${pattern.slice(0, -1)}')`
    : `${details} == '${pattern}'`;
}
