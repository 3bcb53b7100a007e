// The bootstrap of a running gateway: every part that may change is moved into files, which Envoy reads again when they
// are replaced. The parts that change most (models, prompts, routes) are separate from the listeners, so that no client
// connection has to be closed for them. docs/decisions/2026-11-22-reload.md
import type { Bootstrap, Cluster, Extension, Fields, Listener, Value } from "./envoy-types.ts";
import { typed } from "./envoy-types.ts";

/** One file and the Envoy subscription that reads it. */
export interface DiscoveryFile {
  name: string;
  /** Prefix of the names of the subscription's statistics. */
  statistics: string;
  /** Whether Envoy counts (`config_reload`) when all its threads have the new version. */
  countsReloads: boolean;
  resources: Fields[];
}

export interface DynamicConfiguration {
  bootstrap: Fields;
  /** In the order in which a new version has to be written: a resource comes before those that refer to it. */
  files: DiscoveryFile[];
}

const CLUSTERS = "clusters.json";
const LISTENERS = "listeners.json";
const ROUTES = "routes-";
export const FILTER = "filter-";
const HTTP = "envoy.filters.network.http_connection_manager";
export const WASM = "envoy.filters.http.wasm";

/** Returns the bootstrap and the files that together equal `whole`. Pure. @param directory where the files will be */
export function dynamicConfiguration(whole: Bootstrap, directory: string): DynamicConfiguration {
  const { static_resources: resources, ...rest } = whole;
  const cut = resources.listeners.map((listener) => cutListener(listener, directory));
  const found = new Map(cut.flatMap(({ files }) => files).map((file) => [file.name, file]));
  const byKind = (kind: string) => [...found.values()].filter(({ name }) => name.startsWith(kind));
  return {
    bootstrap: {
      ...(rest as Fields),
      dynamic_resources: {
        cds_config: fileSource(directory, CLUSTERS),
        lds_config: fileSource(directory, LISTENERS),
      },
    },
    files: [
      {
        name: CLUSTERS,
        statistics: "cluster_manager.cds",
        countsReloads: false,
        resources: resources.clusters.map((cluster) =>
          resource("config.cluster.v3.Cluster", cluster),
        ),
      },
      ...byKind(ROUTES),
      ...byKind(FILTER),
      {
        name: LISTENERS,
        statistics: "listener_manager.lds",
        countsReloads: false,
        resources: cut.map(({ listener }) => resource("config.listener.v3.Listener", listener)),
      },
    ],
  };
}

/** Returns the content of a file. @param version as Envoy's statistics will show it */
export function discoveryResponse(version: string, resources: readonly Fields[]): string {
  return JSON.stringify({ version_info: version, resources });
}

/**
 * Returns a file together with the resources that only its old version has: in-flight requests, their retries and the
 * steps of a prompt still refer to clusters by name, and that name selects their routes. The filter is always the new
 * one.
 */
export function withRetiredResources(fresh: DiscoveryFile, old: DiscoveryFile): DiscoveryFile {
  if (fresh.name.startsWith(FILTER)) return fresh;
  if (fresh.name.startsWith(ROUTES)) {
    const resources = fresh.resources.map((table) =>
      withOldRoutes(table, old.resources.flatMap(routesOf)),
    );
    return { ...fresh, resources };
  }
  const names = new Set(fresh.resources.map(({ name }) => name));
  const missing = old.resources.filter(({ name }) => !names.has(name));
  return { ...fresh, resources: [...fresh.resources, ...missing] };
}

/**
 * Returns the table with the old routes added. Old routes that match one cluster come first: the last of the new routes
 * matches every remaining request.
 */
function withOldRoutes(table: Fields, old: Fields[]): Fields {
  const routes = routesOf(table);
  const known = new Set(routes.map(({ match }) => JSON.stringify(match)));
  const missing = old.filter(
    ({ match }) => isForOneCluster(match) && !known.has(JSON.stringify(match)),
  );
  return replaceRoutes(table, [...missing, ...routes]);
}

function isForOneCluster(match: Value | undefined): boolean {
  return list(fields(match)["headers"]).some((header) => header["string_match"] !== undefined);
}

function routesOf(table: Fields): Fields[] {
  return list(table["virtual_hosts"]).flatMap((host) => list(host["routes"]));
}

/** Returns a table with other routes. The gateway's tables have one virtual host. */
function replaceRoutes(table: Fields, routes: Fields[]): Fields {
  const hosts = list(table["virtual_hosts"]).map((host) => ({ ...host, routes }));
  return { ...table, virtual_hosts: hosts };
}

interface Cut {
  listener: Listener;
  files: DiscoveryFile[];
}

function cutListener(listener: Listener, directory: string): Cut {
  const files: DiscoveryFile[] = [];
  const filter_chains = listener.filter_chains.map((chain) => ({
    ...chain,
    filters: chain.filters.map((filter) =>
      filter.name === HTTP ? cutManager(filter, listener.name, directory, files) : filter,
    ),
  }));
  return { listener: { ...listener, filter_chains }, files };
}

/** Removes the routes and the WASM filter from an HTTP connection manager. */
function cutManager(
  manager: Extension,
  listener: string,
  directory: string,
  files: DiscoveryFile[],
): Extension {
  const { route_config, ...rest } = manager.typed_config;
  const routes = fields(route_config);
  const routesFile = `${ROUTES}${listener}.json`;
  files.push({
    name: routesFile,
    statistics: `http.${text(rest["stat_prefix"])}.rds.${text(routes["name"])}`,
    countsReloads: false,
    resources: [resource("config.route.v3.RouteConfiguration", routes)],
  });
  const filters = list(rest["http_filters"]).map((filter) =>
    filter["name"] === WASM ? cutFilter(filter, listener, directory, files) : filter,
  );
  return {
    ...manager,
    typed_config: {
      ...rest,
      "@type": manager.typed_config["@type"],
      rds: {
        route_config_name: text(routes["name"]),
        config_source: fileSource(directory, routesFile),
      },
      http_filters: filters,
    },
  };
}

function cutFilter(
  filter: Fields,
  listener: string,
  directory: string,
  files: DiscoveryFile[],
): Fields {
  const name = `${FILTER}${listener}`;
  const config = fields(filter["typed_config"]);
  files.push({
    name: `${name}.json`,
    statistics: `extension_config_discovery.http_filter.${name}`,
    countsReloads: true,
    resources: [resource("config.core.v3.TypedExtensionConfig", { name, typed_config: config })],
  });
  return {
    name,
    config_discovery: {
      config_source: fileSource(directory, `${name}.json`),
      type_urls: [config["@type"] ?? ""],
    },
  };
}

/** Returns a config source: Envoy reads the file again when a file of this name is moved into the directory. */
function fileSource(directory: string, file: string): Fields {
  return {
    path_config_source: { path: `${directory}/${file}` },
    resource_api_version: "V3",
  };
}

function resource(message: string, content: Fields | Cluster | Listener): Fields {
  return typed(message, content);
}

function fields(value: Value | undefined): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function text(value: Value | undefined): string {
  return typeof value === "string" ? value : "";
}

function list(value: Value | undefined): Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}
