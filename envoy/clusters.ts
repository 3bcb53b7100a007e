// The upstream clusters: how each provider, each backend and the model server is reached.
import { NO_ADDRESS } from "../contract/words.ts";
import type { GatewayModel } from "../model/model.ts";
import { generationOf, inGeneration } from "../model/filter-document/write-document.ts";
import type { Upstream } from "../model/upstreams.ts";
import { attemptCluster, attemptedUpstreams, upstreams } from "../model/upstreams.ts";
import { common, protocolAskedFor, protocols } from "./cluster-settings.ts";
import { credentialFilters } from "./credential-filters.ts";
import { endpoint, resolution } from "./cluster-endpoints.ts";
import { outlierDetection } from "./outlier-detection.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import { loginClusters } from "./login-routes.ts";
import { promptClusters } from "./prompt-clusters.ts";
import { keySetClusters } from "./token-filter.ts";
import { proxyClusters } from "./tunnels.ts";
import { rateLimitCluster } from "./rate-limit-service.ts";
import { tlsOf } from "./tls.ts";
import { traceHeaders, tracingClusters } from "./tracer.ts";
import type { Cluster, Extension } from "./envoy-types.ts";
import { extension } from "./envoy-types.ts";
import { upstreamFilters } from "./upstream-filters.ts";
import { translateFilter } from "./wasm.ts";

export function clusters(model: GatewayModel, runtime: RuntimeEnvironment): Cluster[] {
  return [
    ...upstreams(model).map((upstream) => single(upstream, model, runtime)),
    ...attempts(model, runtime),
    noAddress(model),
    ...promptClusters(model, runtime),
    ...proxyClusters(model, runtime),
    ...keySetClusters(model, runtime),
    ...loginClusters(model, runtime),
    ...tracingClusters(model, runtime),
    ...(model.rateLimitService === undefined
      ? []
      : [rateLimitCluster(model.rateLimitService, model, runtime)]),
  ];
}

function attempts(model: GatewayModel, runtime: RuntimeEnvironment): Cluster[] {
  const names = attemptedUpstreams(model);
  const retried = upstreams(model).filter(({ cluster }) => names.includes(cluster));
  if (retried.length === 0) return [];
  const translate = translateFilter(model, runtime);
  const generation = generationOf(model);
  const filtersOf = ({ credential }: Upstream) =>
    upstreamFilters({
      traceHeaders: traceHeaders(model),
      translate,
      credential: credentialFilters(credential, runtime),
    });
  return retried.map((one) => attempt(one, generation, model, filtersOf(one)));
}

function single(upstream: Upstream, model: GatewayModel, runtime: RuntimeEnvironment): Cluster {
  const { address, cluster, credential } = upstream;
  const filters = upstreamFilters({
    traceHeaders: traceHeaders(model),
    credential: credentialFilters(credential, runtime),
  });
  return {
    name: cluster,
    ...common(cluster, model, { ...model.upstream, atOnce: model.limits.concurrentRequests }),
    ...outlierDetection(cluster, model),
    ...resolution(address),
    ...protocolAskedFor(address),
    ...tlsOf(address, runtime),
    load_assignment: { cluster_name: cluster, endpoints: [endpoint(address, runtime)] },
    ...protocols(address, filters, model.upstream),
  };
}

/**
 * Returns the cluster for one attempt at an upstream, of a request that may have several attempts: it has its own
 * connections, and the filters rewrite the request for each attempt. An upstream without an address (its name does not
 * resolve) is replaced by one that refuses connections at once, so that the next attempt follows; otherwise Envoy would
 * send a local reply.
 */
function attempt(
  { cluster, address }: Upstream,
  generation: string,
  model: GatewayModel,
  filters: Extension[],
): Cluster {
  const name = attemptCluster(cluster);
  return {
    name: inGeneration(name, generation),
    ...common(name, model, model.upstream),
    ...protocolAskedFor(address),
    lb_policy: "CLUSTER_PROVIDED",
    cluster_type: extension(
      "envoy.clusters.aggregate",
      "extensions.clusters.aggregate.v3.ClusterConfig",
      {
        clusters: [cluster, NO_ADDRESS],
      },
    ),
    ...protocols({ kind: "embedded" }, filters),
  };
}

/** Returns a cluster that refuses every connection: a socket's path cannot continue below a file. */
function noAddress(model: GatewayModel): Cluster {
  const address = { pipe: { path: `/dev/null/${NO_ADDRESS}` } };
  return {
    name: NO_ADDRESS,
    ...common(NO_ADDRESS, model),
    type: "STATIC",
    load_assignment: {
      cluster_name: NO_ADDRESS,
      endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }],
    },
    ...protocols({ kind: "embedded" }, []),
  };
}
