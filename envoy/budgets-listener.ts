// The listener on which the control plane sets the limits of budgets (contract/budget-format.ts): a socket that only the gateway's user
// can open. The filter responds to everything. It has no logs, because its requests are no client's.
import { LISTENER_BUDGETS } from "../contract/budget-format.ts";
import type { GatewayModel } from "../model/model.ts";
import { OWNER_ONLY } from "./listeners.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Listener } from "./envoy-types.ts";
import { duration, extension } from "./envoy-types.ts";
import { routeFilter } from "./wasm.ts";

/** The filter accepts as much in a push. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** For the whole request: a push is small, and its client is on the same machine. */
const TIMEOUT = 15_000;

export function budgetsListener(model: GatewayModel, runtime: RuntimeEnvironment): Listener {
  return {
    name: LISTENER_BUDGETS,
    // Instead of the path of the socket, which differs by machine, in the names of its metrics.
    stat_prefix: LISTENER_BUDGETS,
    address: { pipe: { path: runtime.budgetsSocketPath ?? "", mode: OWNER_ONLY } },
    // Exempt from the connection limit: clients must not keep limits from being set.
    ignore_global_conn_limit: true,
    per_connection_buffer_limit_bytes: MAX_BODY_BYTES,
    filter_chains: [
      {
        filters: [
          extension(
            "envoy.filters.network.http_connection_manager",
            "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
            {
              stat_prefix: LISTENER_BUDGETS,
              codec_type: "HTTP1",
              request_timeout: duration(TIMEOUT),
              // After a reload, the next push must reach the filter of the new configuration.
              common_http_protocol_options: { max_requests_per_connection: 1 },
              route_config: { name: LISTENER_BUDGETS, virtual_hosts: [] },
              http_filters: [
                routeFilter(LISTENER_BUDGETS, model, runtime),
                extension("envoy.filters.http.router", "extensions.filters.http.router.v3.Router"),
              ],
            },
          ),
        ],
      },
    ],
  };
}
