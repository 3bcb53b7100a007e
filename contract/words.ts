// The words that the control plane writes and the filter reads: plain constants that both tsc and asc compile.

/**
 * Version of the filter's configuration document (`model/filter-document/write-document.ts`); the filter rejects
 * any other version.
 */
export const FILTER_CONFIG_VERSION = 1;

/** Root ids of the two WASM filters of one VM. */
export const ROOT_ROUTE = "route";
export const ROOT_ATTEMPT = "attempt";

/** Names of the listeners in the filter's plugin configuration. */
export const LISTENER_INGRESS = "ingress";
export const LISTENER_EGRESS = "egress";
/**
 * Serves the same as egress to the gateway's own model server, without API keys, over a socket that only the gateway's
 * user can open.
 */
export const LISTENER_INTERNAL_EGRESS = "internal_egress";

/**
 * Request headers between the filter and Envoy's router: each holds the name of a cluster, and which of the two is
 * present decides the kind of timeout. The filter sets one and removes the other if a client sent it; every
 * `x-gateway-` header is removed before the request is sent.
 */
export const HEADER_CLUSTER = "x-gateway-cluster";
/** Replaces `HEADER_CLUSTER` if the client requested a stream. */
export const HEADER_STREAM_CLUSTER = "x-gateway-stream-cluster";
/**
 * Header of a response that came through the internal listener: its origin in Envoy's terms ("Response Code Details").
 * A callout whose response lacks it got no response from there.
 */
export const HEADER_DETAILS = "x-gateway-details";
/** Filter state (`wasm.<name>`) that names the exchange in the VM's memory, for the upstream filter of the same request. */
export const PROPERTY_EXCHANGE = "gateway_exchange";

/** Filter state (`wasm.<name>`) with the client's path and query as its log line shows them: credentials are masked. */
export const PROPERTY_CLIENT_PATH = "gateway_client_path";
/** Filter state (`wasm.<name>`) with the client's `x-forwarded-for` as its log line shows it, if it has quotes. */
export const PROPERTY_CLIENT_FORWARDED_FOR = "gateway_client_forwarded_for";
/** Request header on the internal listener: the path as the log shows it, if it differs. It never reaches an API. */
export const HEADER_LOGGED_PATH = "x-gateway-logged-path";

/**
 * Filter state by which the filter makes Envoy query its rate limit service. The limit's number is appended to each
 * name: the client whose budget applies, before the request (`CHECK`) and, if tokens are charged, after it (`CHARGE`);
 * and how many tokens (`TOKENS`).
 */
export const PROPERTY_LIMIT_CHECK = "gateway_limit_check_";
export const PROPERTY_LIMIT_CHARGE = "gateway_limit_charge_";
export const PROPERTY_LIMIT_TOKENS = "gateway_limit_tokens";

/** Response header set before Envoy's decompressors, which remove `content-encoding`: the provider's original value. */
export const HEADER_ENCODING = "x-gateway-encoding";

/** Name of Envoy's decompressors of responses, which is in the names of the trailers in which they report their result. */
export const DECOMPRESSOR = "reply";

/** Client header that overrides the model of the request (docs/configuration.md, "Model names"). */
export const HEADER_HINT = "x-gateway-llm-provider-hint";

/** Response header that lists the members of a body which the gateway has estimated. */
export const HEADER_ESTIMATED = "x-gateway-estimated";

/** Response header with the request id of the gateway's access logs; it is on every response, whatever its origin. */
export const HEADER_REQUEST_ID = "x-gateway-request-id";

/**
 * Client header with the gateway's API key, for requests whose `authorization` or `x-api-key` carries a provider's key.
 */
export const HEADER_API_KEY = "x-gateway-api-key";
/** Begins the names of clients with a token, so that no token has the name of a key. */
export const TOKEN_NAME_PREFIX = "jwt:";
/** Maximum length of a client's API key, in bytes. */
export const MAX_API_KEY = 256;

/** Maximum response of a prompt target's API, or of the model server, in bytes. */
export const MAX_API_RESPONSE = 1 << 20;

/** Filter state (`wasm.<name>`) that names the cluster of the next attempt, if a request may have several. */
export const PROPERTY_NEXT_CLUSTER = "gateway_next_cluster";
/**
 * Response headers between the filter of an attempt and Envoy's router: they request a retry, and give the pause in
 * seconds. They never reach a client.
 */
export const HEADER_RETRY = "x-gateway-retry";
export const HEADER_RETRY_AFTER = "x-gateway-retry-after";
/**
 * Cluster, and last part of the address, that replaces a provider without an address: it refuses connections at once.
 */
export const NO_ADDRESS = "no-address";
