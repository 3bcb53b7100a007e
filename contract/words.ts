// The words that the control plane writes and the filter reads: plain constants that tsc and asc both compile.

/** Version of the filter's configuration document (`control-plane/ir/filter-document/document.ts`); the filter refuses another one. */
export const FILTER_CONFIG_VERSION = 1;

/** Root ids of the two WASM filters of one VM. */
export const ROOT_ROUTE = "route";
export const ROOT_TRANSLATE = "translate";

/** Listeners, as the filter's plugin configuration names them. */
export const LISTENER_INGRESS = "ingress";
export const LISTENER_EGRESS = "egress";
/** Serves what egress serves to the gateway's own model server, over a socket that nobody else can open: without keys. */
export const LISTENER_OWN_EGRESS = "own_egress";

/**
 * Request headers between the filter and Envoy's router: each holds the name of a cluster, and which of the two is
 * there decides the kind of timeout. The filter sets the one and sees to it that a client's other one does not
 * survive; everything under `x-gateway-` is removed before the wire.
 */
export const HEADER_CLUSTER = "x-gateway-cluster";
/** In place of `HEADER_CLUSTER` where the client asked for a stream. */
export const HEADER_STREAM_CLUSTER = "x-gateway-stream-cluster";
/**
 * Header of an answer that came through the internal listener: how it came to be, in Envoy's words ("Response Code
 * Details"). A callout whose answer lacks it got none from there.
 */
export const HEADER_DETAILS = "x-gateway-details";
/** Filter state (`wasm.<name>`) that names the exchange in the VM's memory, for the upstream filter of the same request. */
export const PROPERTY_EXCHANGE = "gateway_exchange";

/** Filter state (`wasm.<name>`) with the client's path and query as its log line shows them: credentials are masked. */
export const PROPERTY_CLIENT_PATH = "gateway_client_path";
/** Request header on the internal listener: the path as the log shows it, where it differs. It never reaches an API. */
export const HEADER_LOGGED_PATH = "x-gateway-logged-path";

/**
 * Filter state by which the filter has Envoy ask its rate limit service. With a limit's number behind it: whose budget a
 * request is for, before (`CHECK`) and, where tokens are to be charged, afterwards (`CHARGE`); and how many (`TOKENS`).
 */
export const PROPERTY_LIMIT_CHECK = "gateway_limit_check_";
export const PROPERTY_LIMIT_CHARGE = "gateway_limit_charge_";
export const PROPERTY_LIMIT_TOKENS = "gateway_limit_tokens";

/** Reply header in front of Envoy's decompressors, which take `content-encoding` out: what the provider had put there. */
export const HEADER_ENCODING = "x-gateway-encoding";

/** Name of Envoy's decompressors of replies, and the trailers in which they tell what they did. */
export const DECOMPRESSOR = "reply";
export const TRAILER_COMPRESSED_BYTES = "x-envoy-decompressor-reply-compressed-bytes";
export const TRAILER_DECOMPRESSED_BYTES = "x-envoy-decompressor-reply-uncompressed-bytes";

/** Client header that overrides model selection (spec.md, section 4, rule 5). */
export const HEADER_HINT = "x-gateway-llm-provider-hint";

/** Response header with the request id of the gateway's access logs; it is on every response, whoever sent it. */
export const HEADER_REQUEST_ID = "x-gateway-request-id";

/** Client header with a key of the gateway's own, where `authorization` and `x-api-key` carry a provider's. */
export const HEADER_API_KEY = "x-gateway-api-key";
/** Longest key of a client, in bytes. */
export const MAX_API_KEY = 256;

/** Filter state (`wasm.<name>`) that names the cluster of the next attempt, where a request may have several. */
export const PROPERTY_NEXT_CLUSTER = "gateway_next_cluster";
/**
 * Reply headers between the filter of an attempt and Envoy's router: another attempt is wanted, and how many seconds
 * later. They never reach a client.
 */
export const HEADER_RETRY = "x-gateway-retry";
export const HEADER_RETRY_AFTER = "x-gateway-retry-after";
/** Cluster, and last part of the address, of what stands in for a provider without an address: it refuses at once. */
export const NO_ADDRESS = "no-address";
