// Headers that stay on their side of the gateway. The filter removes them; Envoy does where no filter runs (calls of prompts and
// tools). Compiled by tsc and asc.
import { HEADER_CLUSTER, HEADER_STREAM_CLUSTER } from "./words.ts";

/** Beginnings of request headers: of the gateway, of proxies in front and of Envoy. */
export const REQUEST_PREFIXES: string[] = ["x-gateway-", "x-forwarded-", "x-envoy-"];
/** Of AWS signatures (`x-amz-date` …), for providers of models only. Headers of Bedrock's API begin with `x-amzn-`. */
export const SIGNATURE_PREFIXES: string[] = ["x-amz-"];
/** The same under different names (RFC 7239, nginx), and hop-by-hop headers (RFC 9110, section 7.6.1). */
export const REQUEST_NAMES: string[] = ["forwarded", "x-real-ip", "te"];
/** Credentials that no provider of the gateway reads. The others: `CREDENTIAL_KINDS`. */
export const OTHER_CREDENTIALS: string[] = ["proxy-authorization", "cookie"];
/** Headers that link a request to a trace. */
export const TRACE_HEADERS: string[] = ["traceparent", "tracestate", "baggage"];

/** Request headers that Envoy needs to choose the route, which removes them; it chooses none without the last one. */
export const ROUTING_HEADERS: string[] = [
  HEADER_CLUSTER,
  HEADER_STREAM_CLUSTER,
  "x-forwarded-proto",
];

/**
 * Beginnings of response headers: of Envoy and the gateway, which would be trusted as their own, and those that a client would
 * apply to the gateway.
 */
export const RESPONSE_PREFIXES: string[] = ["x-envoy-", "x-gateway-", "access-control-"];
/**
 * Headers that apply to the provider's connection, host name or pages; a client would apply them to the gateway. The last two
 * redirect a client.
 */
export const RESPONSE_NAMES: string[] = [
  "alt-svc",
  "strict-transport-security",
  "set-cookie",
  "trailer",
  "location",
  "refresh",
];
/** The end of headers that request a credential from a client: the provider's client is the gateway. */
export const CHALLENGES = "-authenticate";

/** Of these, what many providers send and Envoy finds without a search: the routes remove them, and save the filter's calls. */
export const USUAL_RESPONSE_HEADERS: string[] = [
  "x-envoy-upstream-service-time",
  "access-control-expose-headers",
];
