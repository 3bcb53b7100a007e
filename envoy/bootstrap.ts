// The model and the runtime environment → Envoy's whole configuration. It cannot contain a secret: the model holds only
// names of variables.
import { LISTENER_EGRESS, LISTENER_INGRESS, MAX_API_RESPONSE } from "../contract/words.ts";
import { hasUsageRecords } from "../model/filter-document/document-budgets.ts";
import type { GatewayModel } from "../model/model.ts";
import { budgetsListener } from "./budgets-listener.ts";
import { clusters } from "./clusters.ts";
import { listener, OWNER_ONLY, ownEgress } from "./listeners.ts";
import { internalListener, internalListenerExtension } from "./internal-listener.ts";
import { memoryRelease, overloadManager } from "./overload.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import { tunnelListeners } from "./tunnels.ts";
import type { Bootstrap, Extension, Fields } from "./envoy-types.ts";
import { extension } from "./envoy-types.ts";

/** Envoy's settings that have no other place. */
const RUNTIME: Fields = {
  // Bytes of the response to a callout that Envoy collects before the filter sees it; by default 32 MiB. Up to twice what the
  // filter accepts, its error names the limit.
  "http.async_response_buffer_limit": 2 * MAX_API_RESPONSE,
  // One request of a connection at a time, then its response is written: HTTP/1 closes a connection on which two responses
  // are not yet written when a third request comes. docs/decisions/2026-11-22-pipelined-requests.md
  "http.max_requests_per_io_cycle": 1,
};

/** Returns the bootstrap. Pure: the same model and environment give the same bootstrap. */
export function renderBootstrap(model: GatewayModel, runtime: RuntimeEnvironment): Bootstrap {
  return {
    node: { id: "gateway", cluster: "gateway" },
    admin: { address: { pipe: { path: runtime.adminSocketPath, mode: OWNER_ONLY } } },
    typed_dns_resolver_config: resolver(),
    overload_manager: overloadManager(model, runtime),
    memory_allocator_manager: memoryRelease(),
    layered_runtime: { layers: [{ name: "gateway", static_layer: RUNTIME }] },
    // Also without prompt targets: a reload can add some, but it cannot change the bootstrap.
    bootstrap_extensions: [internalListenerExtension()],
    static_resources: {
      listeners: [
        listener(LISTENER_INGRESS, model.ingress, model, runtime),
        listener(LISTENER_EGRESS, model.egress, model, runtime),
        ...(model.prompt === undefined
          ? []
          : [ownEgress(model, runtime), internalListener(model, runtime)]),
        ...tunnelListeners(model),
        ...(hasUsageRecords(model) || model.login !== undefined
          ? [budgetsListener(model, runtime)]
          : []),
      ],
      clusters: clusters(model, runtime),
    },
  };
}

/**
 * Returns one resolver for all clusters. It reloads the system's settings when its DNS servers stop responding, because
 * laptops change networks.
 */
function resolver(): Extension {
  return extension(
    "envoy.network.dns_resolver.cares",
    "extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig",
    { reinit_channel_on_timeout: true },
  );
}
