// Limits that several gateways share: Envoy queries its rate limit service before a request, and charges it after the
// response.
//
// The WASM filter supplies the descriptors as filter state: it knows the model, the clients' budgets and the tokens
// used.
import {
  PROPERTY_LIMIT_CHARGE,
  PROPERTY_LIMIT_CHECK,
  PROPERTY_LIMIT_TOKENS,
} from "../contract/words.ts";
import { rateLimitId } from "../model/filter-document/rate-limits.ts";
import type { Address, GatewayModel, RateLimit, RateLimitService } from "../model/model.ts";
import { common } from "./cluster-settings.ts";
import { endpoint, resolution } from "./cluster-endpoints.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Cluster, Extension, Fields } from "./envoy-types.ts";
import { duration, extension, typed } from "./envoy-types.ts";

const CLUSTER = "rate_limit_service";
const DOMAIN = "gateway";
/** Keys of a descriptor's entries: the limit, and the client whose budget it is. */
const LIMIT_KEY = "limit";
const BUDGET_KEY = "budget";

/** Returns the HTTP filter; it comes after the WASM filter, which fills the filter state. */
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
      // The WASM filter writes the same headers in the client's dialect.
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

/** Returns the check before a request. A token budget is only read: the number of tokens is not known yet. */
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

/** Returns the actions of a limit. If the filter has not set its property, Envoy omits the limit from the query. */
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

/** Returns the cluster of the service, with HTTP/2 as gRPC requires. */
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
            // Detects a dead connection before requests have to wait for it.
            http2_protocol_options: {
              connection_keepalive: { interval: duration(10_000), timeout: duration(2_000) },
            },
          },
        },
      ),
    },
  };
}

/** Returns the service's own configuration: one limit for each limit of the gateway, with the same name. */
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
            // By this name the filter recognises the headers of the limit.
            name: limit.counts,
            unit: limit.unit,
            requests_per_unit: limit.amount,
          },
        },
      ],
    })),
  };
}
