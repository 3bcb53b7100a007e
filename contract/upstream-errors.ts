// Sentences for Envoy's errors that both the filter (filter/exchange/envoy-errors.ts) and Envoy's local-reply mappers
// (envoy/local-replies.ts) send: which of the two depends on whether the filter has seen the request. The type of an error
// follows from its status: `errorType` in dialects.ts. Compiled by tsc and asc.

/** 400; the codec's details begin with `http1.` or `http2.`. */
export const NOT_HTTP =
  "The request is not valid HTTP, so the gateway could not read it. Check the client and any proxy before the gateway.";

/** Seconds after which a client can retry a request that was rejected for lack of memory or connections. */
export const RETRY_SECONDS = 2;

/** 503; details: `overload`. */
export const NO_MEMORY_FOR_REQUEST =
  "The gateway has no memory left for this request (limits.memory); try again in 2 seconds.";
