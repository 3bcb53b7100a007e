// Limits that several gateways share: Envoy asks its rate limit service before a request, and charges it after the answer.
//
// What to ask comes from the filter, as filter state: it knows the model, the clients' budgets and what was used.
import {
  PROPERTY_LIMIT_CHARGE,
  PROPERTY_LIMIT_CHECK,
  PROPERTY_LIMIT_TOKENS,
} from "../contract/words.ts";
import { rateLimitId } from "../control-plane/ir/filter-document/rate-limits.ts";
import type {
  Address,
  GatewayModel,
  RateLimit,
  RateLimitService,
} from "../control-plane/ir/model.ts";
import { common } from "./cluster-settings.ts";
import { endpoint, resolution } from "./endpoints.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Cluster, Extension, Fields } from "./types.ts";
import { duration, extension, typed } from "./types.ts";

const CLUSTER = "rate_limit_service";
const DOMAIN = "gateway";
/** Keys of a descriptor's entries: which limit, and whose budget. */
const LIMIT_KEY = "limit";
const BUDGET_KEY = "budget";

/** The HTTP filter; behind the WASM filter, which fills the filter state. */
export function rateLimitFilter(model: GatewayModel, service: RateLimitService): Extension {
  const limits = model.rateLimits ?? [];
  return extension(
    "envoy.filters.http.ratelimit",
    "extensions.filters.http.ratelimit.v3.RateLimit",
    {
      domain: DOMAIN,
      timeout: duration(service.timeoutMs),
      failure_mode_deny: service.onFailure === "deny",
      status_on_error: { code: "ServiceUnavailable" },
      // The filter writes the same in the client's dialect.
      enable_x_ratelimit_headers: "DRAFT_VERSION_03",
      rate_limits: limits.flatMap((limit, index) => [
        check(limit, index, model),
        ...(limit.counts === "tokens" ? [charge(limit, index, model)] : []),
      ]),
      rate_limit_service: {
        transport_api_version: "V3",
        grpc_service: { envoy_grpc: { cluster_name: CLUSTER } },
      },
    },
  );
}

/** Tokens are only looked at: nobody knows yet how many it will be. */
function check(limit: RateLimit, index: number, model: GatewayModel): Fields {
  return {
    actions: actions(limit, model, `${PROPERTY_LIMIT_CHECK}${String(index)}`),
    hits_addend: { number: limit.counts === "tokens" ? 0 : 1 },
  };
}

function charge(limit: RateLimit, index: number, model: GatewayModel): Fields {
  return {
    actions: actions(limit, model, `${PROPERTY_LIMIT_CHARGE}${String(index)}`),
    hits_addend: { format: `%FILTER_STATE(wasm.${PROPERTY_LIMIT_TOKENS}:PLAIN)%` },
    apply_on_stream_done: true,
  };
}

/** A limit whose property the filter has not set is left out of what Envoy asks. */
function actions(limit: RateLimit, model: GatewayModel, property: string): Extension[] | Fields[] {
  return [
    {
      generic_key: {
        descriptor_key: LIMIT_KEY,
        descriptor_value: rateLimitId(limit, model.targets),
      },
    },
    {
      extension: extension(
        "envoy.rate_limit_descriptors.expr",
        "extensions.rate_limit_descriptors.expr.v3.Descriptor",
        { descriptor_key: BUDGET_KEY, text: `filter_state['wasm.${property}']` },
      ),
    },
  ];
}

/** The way to the service, over HTTP/2 as gRPC asks. */
export function rateLimitCluster(
  service: RateLimitService,
  model: GatewayModel,
  runtime: RuntimeEnvironment,
): Cluster {
  const address: Address = { kind: "host", ...service.address, tls: false, serverName: "" };
  return {
    name: CLUSTER,
    ...common(CLUSTER, model, { connectTimeoutMs: service.timeoutMs }),
    ...resolution(address),
    load_assignment: { cluster_name: CLUSTER, endpoints: [endpoint(address, runtime)] },
    typed_extension_protocol_options: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": typed(
        "extensions.upstreams.http.v3.HttpProtocolOptions",
        {
          explicit_http_config: {
            // A connection that died unseen is found before requests have to wait for it.
            http2_protocol_options: {
              connection_keepalive: { interval: duration(10_000), timeout: duration(2_000) },
            },
          },
        },
      ),
    },
  };
}

/** The service's own configuration: a limit for each of the gateway's, by the same names. */
export function serviceConfiguration(model: GatewayModel): Fields {
  return {
    domain: DOMAIN,
    descriptors: (model.rateLimits ?? []).map((limit) => ({
      key: LIMIT_KEY,
      value: rateLimitId(limit, model.targets),
      descriptors: [
        {
          key: BUDGET_KEY,
          rate_limit: {
            // By it the filter knows which headers are meant.
            name: limit.counts,
            unit: limit.unit,
            requests_per_unit: limit.amount,
          },
        },
      ],
    })),
  };
}
