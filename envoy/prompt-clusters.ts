// The clusters of a prompt's flow: the one for the internal listener, the model server, and one for each backend.
import {
  INTERNAL_CLUSTER,
  MODEL_SERVER_CLUSTER,
} from "../model/filter-document/document-prompt.ts";
import { clusterOfEndpoint } from "../model/filter-document/document-prompt.ts";
import type { GatewayModel } from "../model/model.ts";
import type { PromptEndpoint } from "../model/prompts.ts";
import { common, protocols } from "./cluster-settings.ts";
import { endpoint, resolution, socketEndpoint } from "./cluster-endpoints.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import { tlsOf } from "./tls.ts";
import type { Cluster } from "./envoy-types.ts";
import { unreadFilters } from "./upstream-filters.ts";

export function promptClusters(model: GatewayModel, runtime: RuntimeEnvironment): Cluster[] {
  const { prompt } = model;
  if (prompt === undefined) return [];
  return [
    internal(model),
    modelServer(model, runtime),
    ...prompt.endpoints.map((one) => backend(one, model, runtime)),
  ];
}

/** Keeps the header by which the listener routes: it is removed after that, by the upstream filters. */
function internal(model: GatewayModel): Cluster {
  const address = { envoy_internal_address: { server_listener_name: INTERNAL_CLUSTER } };
  return {
    name: INTERNAL_CLUSTER,
    ...common(INTERNAL_CLUSTER, model),
    type: "STATIC",
    load_assignment: {
      cluster_name: INTERNAL_CLUSTER,
      endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }],
    },
  };
}

function modelServer(model: GatewayModel, runtime: RuntimeEnvironment): Cluster {
  return {
    name: MODEL_SERVER_CLUSTER,
    ...common(MODEL_SERVER_CLUSTER, model),
    type: "STATIC",
    load_assignment: {
      cluster_name: MODEL_SERVER_CLUSTER,
      endpoints: [socketEndpoint(runtime.modelServerSocketPath)],
    },
    ...protocols({ kind: "embedded" }, unreadFilters()),
  };
}

function backend(one: PromptEndpoint, model: GatewayModel, runtime: RuntimeEnvironment): Cluster {
  const name = clusterOfEndpoint(one.name);
  const { address } = one;
  return {
    name,
    ...common(name, model, { connectTimeoutMs: one.connectTimeoutMs }),
    ...resolution(address),
    ...tlsOf(address, runtime),
    load_assignment: { cluster_name: name, endpoints: [endpoint(address, runtime)] },
    ...protocols(address, unreadFilters()),
  };
}
