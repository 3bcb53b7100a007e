// The model and the machine's own facts → Envoy's whole configuration. No secret can be in it: the model holds names of variables only.
import { LISTENER_EGRESS, LISTENER_INGRESS } from "../contract/words.ts";
import type { GatewayModel } from "../control-plane/ir/model.ts";
import { clusters } from "./clusters.ts";
import { listener, OWNER_ONLY, ownEgress } from "./listeners.ts";
import { internalListener, internalListenerExtension } from "./internal-listener.ts";
import { overloadManager } from "./overload.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Bootstrap, Extension } from "./types.ts";
import { extension } from "./types.ts";

/** Pure: the same model and place give the same bootstrap. */
export function renderBootstrap(model: GatewayModel, runtime: RuntimeEnvironment): Bootstrap {
  return {
    node: { id: "gateway", cluster: "gateway" },
    admin: { address: { pipe: { path: runtime.adminSocketPath, mode: OWNER_ONLY } } },
    typed_dns_resolver_config: resolver(),
    overload_manager: overloadManager(model, runtime),
    // Also without prompt targets: a running gateway can be given some, but no other bootstrap.
    bootstrap_extensions: [internalListenerExtension()],
    static_resources: {
      listeners: [
        listener(LISTENER_INGRESS, model.ingress, model, runtime),
        listener(LISTENER_EGRESS, model.egress, model, runtime),
        ...(model.prompt === undefined
          ? []
          : [ownEgress(model, runtime), internalListener(model, runtime)]),
      ],
      clusters: clusters(model, runtime),
    },
  };
}

/** One resolver for all clusters, which reloads the machine's settings when its servers stop responding: laptops move. */
function resolver(): Extension {
  return extension(
    "envoy.network.dns_resolver.cares",
    "extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig",
    { reinit_channel_on_timeout: true },
  );
}
