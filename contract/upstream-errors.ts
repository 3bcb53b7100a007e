// The errors that Envoy reports in place of a response: what the client receives for each of Envoy's reasons, once. The filter
// writes those of requests it has seen (filter/exchange/envoy-errors.ts); Envoy's local-reply mappers write only what bypasses
// the filter (envoy/local-replies.ts). The type of an error follows from its status: `errorType` in dialects.ts. Compiled by
// tsc and asc.

/** A more precise reason within Envoy's details, and what to do about it. */
export class Cause {
  /** A text of Envoy or BoringSSL; the details contain it. Empty: all details do. */
  text: string;
  /** A clause; it may contain `{names}`, `{verifier}` and `{last}`. */
  clause: string;
  /** One sentence. */
  advice: string;

  constructor(text: string, clause: string, advice: string) {
    this.text = text;
    this.clause = clause;
    this.advice = advice;
  }
}

export class UpstreamError {
  /** Envoy's status; 0: any. */
  status: number;
  /** Envoy's reason ("Response Code Details"): the text itself, `text*` for a prefix, `*text*` for a part, `a|b` for either. */
  details: string;
  /** The status that the client receives; 0: Envoy's. */
  clientStatus: number;
  /** What failed and what to do. The words in braces are those of filter/exchange/envoy-errors.ts and envoy/local-replies.ts. */
  message: string;
  /** The first match replaces `{cause}` and `{advice}`. */
  causes: Cause[] = [];
  /** OpenAI's error code; empty for null. */
  code: string = "";
  /** Seconds after which the client may retry; 0: not known. */
  retryAfter: number = 0;

  constructor(status: number, details: string, clientStatus: number, message: string) {
    this.status = status;
    this.details = details;
    this.clientStatus = clientStatus;
    this.message = message;
  }

  because(causes: Cause[]): this {
    this.causes = causes;
    return this;
  }

  coded(code: string): this {
    this.code = code;
    return this;
  }

  after(seconds: number): this {
    this.retryAfter = seconds;
    return this;
  }
}

/** Seconds after which memory or a connection may be free again. */
export const RETRY_SECONDS = 2;

const NOT_HTTP =
  "The request is not valid HTTP, so the gateway could not read it. Check the client and any proxy before the gateway.";
const NO_MEMORY =
  "The gateway has no memory left for this request (limits.memory); try again in 2 seconds.";
const ADDRESS_MESSAGE =
  "No address for {server}: its host name could not be resolved, or it is ejected after repeated failures. Check base_url and DNS, or retry later.";

const NO_CREDENTIAL =
  "The gateway has no valid credential for {provider}, so the request was not sent. `gateway status` on the gateway's machine reports the reason; see docs/credentials.md.";

/** Errors of requests whose head Envoy could not read: they have no path, so no dialect, and no id. */
export const WITHOUT_HEAD: UpstreamError[] = [
  // The codec's details begin with `http1.` or `http2.`.
  new UpstreamError(
    431,
    "http*",
    0,
    "The request's headers are larger than this gateway allows: {request_headers} KiB (limits.request_headers) in at most 100 headers.",
  ),
  new UpstreamError(400, "http*", 0, NOT_HTTP),
  new UpstreamError(
    408,
    "request_header_timeout",
    0,
    "The request's headers did not arrive in time.",
  ),
  // Load shed in the codec: it accepts no more bytes, not even of a body. The filter rewrites the body if it has seen the head.
  new UpstreamError(500, "overload", 503, NO_MEMORY).after(RETRY_SECONDS),
];

/** Errors of requests whose path belongs to no dialect: `OPTIONS *`. */
export const WITHOUT_DIALECT: UpstreamError[] = [
  new UpstreamError(
    404,
    "absolute_path_rejected",
    0,
    "The request's path has to begin with a slash.",
  ),
];

/** Errors of requests whose head Envoy has read, but rejects before its filters see them. */
export const BEFORE_FILTER: UpstreamError[] = [
  new UpstreamError(400, "missing_host_header", 0, "The request has no Host header."),
  // Codex sends plain requests after a 426.
  new UpstreamError(
    403,
    "upgrade_failed",
    426,
    "The gateway does not upgrade connections (WebSocket); send a plain HTTP request.",
  ),
  new UpstreamError(
    503,
    "overload",
    0,
    "The gateway has no memory left for more requests (limits.memory); try again in 2 seconds.",
  ).after(RETRY_SECONDS),
];

/** Errors that bypass the filter after it has seen the request: it has failed, or holds the head of a response. */
export const PAST_FILTER: UpstreamError[] = [
  new UpstreamError(
    503,
    "wasm_fail_stream",
    0,
    "The gateway's filter had to be started again while it had this request; try again in a moment.",
  ),
  new UpstreamError(
    0,
    "upstream_reset_after_response_started*",
    502,
    "The provider closed the connection in the middle of its response ({details}). Retry later.",
  ),
  new UpstreamError(
    504,
    "response_timeout|stream_idle_timeout",
    0,
    "The provider did not finish its response within the listener's timeout.",
  ),
  new UpstreamError(
    500,
    "response_payload_too_large",
    502,
    "The provider's response is larger than the gateway can hold to translate it.",
  ),
];

const ADD_AUTHORITY = "Set SSL_CERT_FILE to a bundle that contains it.";
const CHECK_CLOCK = "Check the certificate and the clock of the gateway's machine.";
const CHECK_ADDRESS = "Check base_url, and that the server is running.";
const CHECK_NETWORK = "Check the network, DNS and proxy settings.";
const CHECK_PROXY = "Check the port and any proxy in between.";
const TLS_VERSIONS = "The gateway uses TLS 1.2 and 1.3.";

/** Why a certificate is rejected. */
const CERTIFICATE: Cause[] = [
  new Cause("SAN_matcher", "it is for another name{names}", "Check base_url and http_host."),
  new Cause(
    "self_signed_certificate_in_certificate_chain",
    "its root certificate is not trusted",
    ADD_AUTHORITY,
  ),
  new Cause("self_signed_certificate", "it is self-signed", ADD_AUTHORITY),
  new Cause("issuer_certificate", "its authority is not trusted", ADD_AUTHORITY),
  new Cause("signature_failure", "its authority is not trusted", ADD_AUTHORITY),
  new Cause("has_expired", "it has expired", CHECK_CLOCK),
  new Cause("not_yet_valid", "it is not valid yet", CHECK_CLOCK),
  new Cause("", "{verifier}", ADD_AUTHORITY),
];

/** Why a handshake fails. */
const HANDSHAKE: Cause[] = [
  new Cause(
    "WRONG_VERSION_NUMBER",
    "the server does not use TLS",
    "Write http:// if that is right, else check the port.",
  ),
  new Cause("HTTP_REQUEST", "the server does not use TLS", "Write http:// or check the port."),
  new Cause("HANDSHAKE_FAILURE", "no common TLS version or cipher", TLS_VERSIONS),
  new Cause("PROTOCOL_VERSION", "no common TLS version or cipher", TLS_VERSIONS),
  new Cause("UNSUPPORTED_PROTOCOL", "no common TLS version or cipher", TLS_VERSIONS),
  new Cause(
    "Connection_reset_by_peer",
    "the server closed the connection during the handshake",
    CHECK_PROXY,
  ),
  new Cause("", "{last}", CHECK_NETWORK),
];

/** Why there is no connection. */
const CONNECTION: Cause[] = [
  new Cause("Connection_refused", "connection refused", CHECK_ADDRESS),
  new Cause("connection_timeout", "no connection within connect_timeout", CHECK_NETWORK),
  new Cause("remote_connection_failure", "the server closed the connection", CHECK_PROXY),
  new Cause("unreachable", "the network is unreachable", CHECK_NETWORK),
  new Cause("No_route_to_host", "there is no route to it", CHECK_NETWORK),
  new Cause("", "{last}", CHECK_NETWORK),
];

const NO_CONNECTION = "Cannot connect to {server}: {cause}. {advice}";

/** Errors that the filter writes, for it knows the provider; the first match counts. */
export const SEEN_BY_FILTER: UpstreamError[] = [
  new UpstreamError(
    413,
    "**",
    0,
    "The request body is larger than this gateway allows (limits.request_body).",
  ),
  new UpstreamError(0, "http*", 0, NOT_HTTP),
  new UpstreamError(
    429,
    "request_rate_limited",
    0,
    "Rate limit reached. Retry after the seconds in retry-after.",
  ).coded("rate_limit_exceeded"),
  new UpstreamError(
    503,
    "rate_limiter_error",
    0,
    "The rate limit service is unavailable (ratelimit_service.on_failure).",
  ),
  // A cloud provider's request without signature or token (envoy/credential-filters.ts); the provider has not received it.
  new UpstreamError(401, "failed_to_inject_credential", 503, NO_CREDENTIAL),
  new UpstreamError(0, "*no_healthy_upstream*", 503, ADDRESS_MESSAGE),
  // The path of the route for attempts that have no address (words.ts).
  new UpstreamError(0, "*no-address*", 503, ADDRESS_MESSAGE),
  new UpstreamError(
    0,
    "*cluster_not_found*",
    503,
    "{Provider} is not known to this gateway yet. Retry later.",
  ),
  new UpstreamError(0, "*overload*", 503, NO_MEMORY).after(RETRY_SECONDS),
  new UpstreamError(
    0,
    "*overflow*",
    503,
    "Too many requests are in flight to {provider} (limits.concurrent_requests, upstream.circuit_breakers). Retry later.",
  ).after(RETRY_SECONDS),
  new UpstreamError(
    0,
    "*CERTIFICATE_VERIFY_FAILED*",
    0,
    "Cannot verify the certificate of {server}: {cause}. {advice}",
  ).because(CERTIFICATE),
  new UpstreamError(
    0,
    "*TLS_error*",
    0,
    "No TLS connection to {server}: {cause}. {advice}",
  ).because(HANDSHAKE),
  new UpstreamError(0, "*connection_failure*", 0, NO_CONNECTION).because(CONNECTION),
  new UpstreamError(0, "*connection_timeout*", 0, NO_CONNECTION).because(CONNECTION),
  new UpstreamError(408, "*timeout*", 0, "The request did not arrive in time."),
  new UpstreamError(
    0,
    "*per_try*",
    504,
    "{Provider} did not start its response in time (retry.per_try_timeout, retry.first_byte_timeout, the listener's timeout).",
  ),
  new UpstreamError(
    0,
    "*timeout*",
    504,
    "{Provider} did not respond within the listener's timeout.",
  ),
  new UpstreamError(
    0,
    "upstream_reset*",
    0,
    "{Provider} closed the connection before it responded: {last}. Retry later.",
  ),
  new UpstreamError(0, "**", 0, "The gateway could not complete the request: {details}."),
];
