// The HTTP filters of a listener: THE ordered list, with the reason for each position. Requests pass down the list,
// responses up.
import { DECOMPRESSOR, LISTENER_INTERNAL_EGRESS } from "../contract/words.ts";
import { type GatewayModel, hasDecompression } from "../model/model.ts";
import { CLIENT_AUTHORITY, CLIENT_FORWARDED_FOR, CLIENT_PATH, llmLogs } from "./access-log.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Extension, Fields, ListenerName } from "./envoy-types.ts";
import { rateLimitFilter } from "./rate-limit-service.ts";
import { extension } from "./envoy-types.ts";
import { tokenFilter } from "./token-filter.ts";
import { spanHeader } from "./tracer.ts";
import { routeFilter } from "./wasm.ts";

export function httpFilters(
  name: ListenerName,
  model: GatewayModel,
  runtime: RuntimeEnvironment,
): Extension[] {
  return [
    // First, because every later filter may rewrite the headers that the client's log line shows.
    recordClientHeaders(),
    // Before the WASM filter, which reads what it has verified.
    ...(name === LISTENER_INTERNAL_EGRESS ? [] : tokenFilter(model[name])),
    // Before the WASM filter, which reads it.
    ...spanHeader(name, model),
    // Before the router, which needs the cluster that it chooses; outside of the decompressors, so that it reads
    // uncompressed responses.
    routeFilter(name, model, runtime),
    // After the WASM filter, which sets what the service counts, and before the router, which forwards the request.
    ...(model.rateLimitService === undefined
      ? []
      : [rateLimitFilter(model, model.rateLimitService)]),
    // Between filter and router. Envoy builds the chain before the filter chooses a provider, and does not accept them in
    // the chain of a cluster: they are here if one provider needs them (7,000 instructions of a small request).
    ...(hasDecompression(model) ? decompressors() : []),
    // Always last.
    router(name, model, runtime),
  ];
}

/** Records the path without its query, which can hold credentials: the WASM filter adds the query with those masked. */
function recordClientHeaders(): Extension {
  return remember({
    [CLIENT_PATH]: "%PATH(NQ:PATH)%",
    [CLIENT_AUTHORITY]: "%REQ(:authority)%",
    [CLIENT_FORWARDED_FOR]: "%REQ(x-forwarded-for)%",
  });
}

/**
 * Returns a filter that stores values of the request head as filter state, by name, for the log line.
 * @param values Envoy's formats
 */
export function remember(values: Record<string, string>): Extension {
  return extension(
    "envoy.filters.http.set_filter_state",
    "extensions.filters.http.set_filter_state.v3.Config",
    {
      on_request_headers: Object.entries(values).map(([key, format]) => ({
        object_key: key,
        factory_key: "envoy.string",
        format_string: {
          text_format_source: { inline_string: format },
          omit_empty_values: true,
        },
        skip_if_empty: true,
      })),
    },
  );
}

/** Returns decompressors for responses that are compressed although the request did not allow it. */
export function decompressors(): Extension[] {
  return [
    decompressor("gzip", "extensions.compression.gzip.decompressor.v3.Gzip", { window_bits: 15 }),
    decompressor("brotli", "extensions.compression.brotli.decompressor.v3.Brotli"),
  ];
}

/**
 * Returns a decompressor for responses only, never advertised: the routes set the request's
 * `accept-encoding`.
 */
function decompressor(algorithm: string, message: string, fields: Fields = {}): Extension {
  return extension(
    `envoy.filters.http.decompressor.${algorithm}`,
    "extensions.filters.http.decompressor.v3.Decompressor",
    {
      // All of them share one name, which their trailers and statistics use.
      decompressor_library: extension(DECOMPRESSOR, message, fields),
      response_direction_config: {
        // `cache-control: no-transform` forbids decompression; but the provider was asked not to compress.
        common_config: { ignore_no_transform_header: true },
      },
      request_direction_config: {
        advertise_accept_encoding: false,
        common_config: { enabled: { default_value: false, runtime_key: "gateway.never" } },
      },
    },
  );
}

function router(name: ListenerName, model: GatewayModel, runtime: RuntimeEnvironment): Extension {
  return extension("envoy.filters.http.router", "extensions.filters.http.router.v3.Router", {
    // Neither the provider nor the client receives an x-envoy header.
    suppress_envoy_headers: true,
    // Counters by status and a histogram per cluster, which nothing reads yet: 3 % of a small request.
    dynamic_stats: false,
    upstream_log: llmLogs(name, model, runtime),
  });
}
