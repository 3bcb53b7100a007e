// Headers that stay on their side of the gateway. The filter removes them; Envoy does where no filter runs (calls of prompts and
// tools). Compiled by tsc and asc.
import { HEADER_CLUSTER, HEADER_STREAM_CLUSTER } from "./words.ts";

/** Beginnings of request headers: of the gateway, of proxies in front and of Envoy. */
export const REQUEST_PREFIXES: string[] = ["x-gateway-", "x-forwarded-", "x-envoy-"];
/**
 * The same of headers that no provider of models may get from a client, because they change what is done with the operator's
 * key: a signature (`x-amz-date`), method, path or host, and the settings of clouds (Bedrock's guardrail, Google's quota
 * project, Azure's version).
 */
export const PROVIDER_PREFIXES: string[] = [
  "x-amz",
  "x-goog-",
  "x-ms-",
  "x-http-",
  "x-original-",
  "x-rewrite-",
];
/**
 * The same: `idempotency-key` could return another client's response of the shared account, `prefer` one that is not
 * charged (docs/decisions/2026-11-23-headers-of-clients.md).
 */
export const PROVIDER_NAMES: string[] = ["x-method-override", "idempotency-key", "prefer"];
/** Headers that choose the account of a key: they pass with the client's own key alone. */
export const ACCOUNT_HEADERS: string[] = ["openai-organization", "openai-project"];
/** The same under different names (RFC 7239, nginx), and hop-by-hop headers (RFC 9110, section 7.6.1). */
export const REQUEST_NAMES: string[] = ["forwarded", "x-real-ip", "te"];
/** Credentials that no provider of the gateway reads. The others: `CREDENTIAL_KINDS`. */
export const OTHER_CREDENTIALS: string[] = [
  "proxy-authorization",
  "cookie",
  "ocp-apim-subscription-key",
];
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
