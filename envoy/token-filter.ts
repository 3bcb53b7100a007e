// Tokens of clients: Envoy verifies them (jwt_authn) before the WASM filter, which reads the payload that Envoy adds and decides. docs/identity.md
import {
  FAILURE,
  PAYLOAD_HEADER_BEGIN,
  PAYLOAD_HEADER_END,
  TOKEN_METADATA,
  TOKEN_SCHEMES,
} from "../contract/token-metadata.ts";
import type { GatewayModel, Listener } from "../model/model.ts";
import { hostPort, proxyName } from "../model/proxy.ts";
import {
  type KeySet,
  remoteKeySets,
  type RemoteKeySet,
  type TokenIssuer,
} from "../model/json-web-tokens.ts";
import { LOGIN_KEYS_PATH } from "../model/login.ts";
import { common, protocols } from "./cluster-settings.ts";
import { endpoint, resolution } from "./cluster-endpoints.ts";
import { LOGIN_CLUSTER } from "./login-routes.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import { tlsOf } from "./tls.ts";
import type { Cluster, Extension, Fields } from "./envoy-types.ts";
import { duration, extension } from "./envoy-types.ts";
import { upstreamFilters } from "./upstream-filters.ts";

/**
 * Envoy does not fetch again for an unknown key, so this is how long a new key of an issuer is unknown at most. While the issuer does
 * not respond, the last keys stay valid.
 */
const KEY_SET_MS = 30_000;
/** The same of the login's keys, which a reload may replace. Each fetch is one request on a unix socket. */
const LOGIN_KEY_SET_MS = 1000;
/** Without the keys, a request waits twice as long: each of the two requirements fetches them. */
const FETCH_TIMEOUT_MS = 3000;
/** Of an issuer whose discovery document has not been read: no server has its keys, so that tokens get 503. */
const NO_SERVER = {
  name: "key-set/unknown",
  type: "STATIC",
  load_assignment: { cluster_name: "key-set/unknown", endpoints: [] },
};
/** Tokens that each worker need not verify again until they expire: about 10 MB. Those above 4 KiB are verified each time. */
const CACHED_TOKENS = 1000;

/** Returns the filter; none if clients of the listener cannot have tokens. */
export function tokenFilter({ tokens = [] }: Listener): Extension[] {
  if (tokens.length === 0) return [];
  const providers = tokens.map((issuer, index) => ({
    name: `p${String(index)}`,
    settings: provider(issuer, index),
  }));
  const requirements = [
    // Envoy's cache of verified tokens is used for requirements that name the provider, and for no others.
    ...providers.map(({ name }) => ({ provider_name: name })),
    // The WASM filter rejects what has failed: it knows API keys and the client's dialect.
    { allow_missing_or_failed: {} },
  ];
  return [
    extension(TOKEN_METADATA, "extensions.filters.http.jwt_authn.v3.JwtAuthentication", {
      providers: Object.fromEntries(providers.map(({ name, settings }) => [name, settings])),
      rules: [{ match: { prefix: "/" }, requires: { requires_any: { requirements } } }],
    }),
  ];
}

function provider({ issuer, audiences, keySet, clockSkew }: TokenIssuer, index: number): Fields {
  const isLogin = keySet === "login";
  return {
    issuer,
    audiences,
    // Otherwise a token without `exp` would be valid for ever.
    require_expiration: true,
    clock_skew_seconds: clockSkew,
    // Otherwise also the query parameter `access_token`, which logs of proxies have.
    from_headers: [
      ...TOKEN_SCHEMES.map((scheme) => ({ name: "authorization", value_prefix: scheme })),
      { name: "x-api-key" },
    ],
    // A valid token is removed: no provider gets it.
    forward: false,
    // As metadata it would take 55 thousand instructions more: Envoy copies each claim, and the filter reads each one by a call.
    forward_payload_header: `${PAYLOAD_HEADER_BEGIN}${String(index)}${PAYLOAD_HEADER_END}`,
    failed_status_in_metadata: `${FAILURE}${String(index)}`,
    // Envoy accepts a token in its cache also after the key has been withdrawn. A new secret of sessions has to end the login's tokens,
    // and HS256 is verified quickly.
    ...(isLogin ? {} : { jwt_cache_config: { jwt_cache_size: CACHED_TOKENS } }),
    remote_jwks: {
      http_uri: {
        uri: urlOf(keySet),
        cluster: clusterOf(keySet),
        timeout: duration(FETCH_TIMEOUT_MS),
      },
      cache_duration: duration(isLogin ? LOGIN_KEY_SET_MS : KEY_SET_MS),
      // The listener opens at once; until the keys are there, requests with a token are 503.
      async_fetch: { fast_listener: true, failed_refetch_duration: duration(1000) },
    },
  };
}

/** Returns the clusters of the issuers' key sets. */
export function keySetClusters(model: GatewayModel, runtime: RuntimeEnvironment): Cluster[] {
  const remote = remoteKeySets([model.ingress, model.egress]);
  const places = new Map(remote.map((keySet) => [remoteCluster(keySet), keySet.address]));
  const isUnknown = [model.ingress, model.egress].some(({ tokens = [] }) =>
    tokens.some(({ keySet }) => keySet === "unknown"),
  );
  const clusters = [...places].map(([name, address]) => ({
    name,
    ...common(name, model),
    ...resolution(address),
    ...tlsOf(address, runtime),
    load_assignment: { cluster_name: name, endpoints: [endpoint(address, runtime)] },
    ...protocols(address, upstreamFilters()),
  }));
  return isUnknown ? [...clusters, NO_SERVER] : clusters;
}

function urlOf(keySet: KeySet): string {
  if (keySet === "login") return `http://${LOGIN_CLUSTER}${LOGIN_KEYS_PATH}`;
  return keySet === "unknown" ? "http://key-set.invalid/" : keySet.url;
}

function clusterOf(keySet: KeySet): string {
  if (keySet === "login") return LOGIN_CLUSTER;
  return keySet === "unknown" ? NO_SERVER.name : remoteCluster(keySet);
}

function remoteCluster({ address }: RemoteKeySet): string {
  const proxy = address.proxy === undefined ? [] : [`via=${proxyName(address.proxy)}`];
  return ["key-set", hostPort(address), address.tls ? "tls" : "plain", ...proxy].join("/");
}
