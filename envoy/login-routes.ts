// The login of coding agents, which the control plane serves on a unix socket: its routes of the egress listener, and its cluster.
import { LISTENER_INTERNAL_EGRESS } from "../contract/words.ts";
import { TOKEN_METADATA } from "../contract/token-metadata.ts";
import { LOGIN_CLIENT_HEADER, LOGIN_PATHS } from "../model/login.ts";
import type { GatewayModel, Listener } from "../model/model.ts";
import { common, protocols } from "./cluster-settings.ts";
import { socketEndpoint } from "./cluster-endpoints.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Cluster, Fields, Route } from "./envoy-types.ts";
import { duration, extension, typed } from "./envoy-types.ts";
import { upstreamFilters } from "./upstream-filters.ts";
import { FILTER, WASM } from "./dynamic.ts";

export const LOGIN_CLUSTER = "login";

/** A response waits for the identity provider at most. */
const TIMEOUT_MS = 30_000;

/**
 * Returns the routes; none without a login. Neither the WASM filter, which would answer 404, nor Envoy's check of tokens, which
 * would remove them, runs for these paths: the control plane reads the token itself.
 */
export function loginRoutes({ name }: Pick<Listener, "name">, { login }: GatewayModel): Route[] {
  if (login === undefined || name !== "egress") return [];
  const disabled = typed("config.route.v3.FilterConfig", { disabled: true });
  // A running gateway has the WASM filter by another name, which differs by listener.
  const filters = [
    WASM,
    `${FILTER}${name}`,
    `${FILTER}${LISTENER_INTERNAL_EGRESS}`,
    TOKEN_METADATA,
  ];
  return Object.values(LOGIN_PATHS).map((path) => ({
    match: { path },
    route: { cluster: LOGIN_CLUSTER, timeout: duration(TIMEOUT_MS) },
    typed_per_filter_config: Object.fromEntries(filters.map((filter) => [filter, disabled])),
    request_headers_to_add: [
      {
        // Not the last one of x-forwarded-for, which a client can write.
        header: {
          key: LOGIN_CLIENT_HEADER,
          value: "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%",
        },
        append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
      },
    ],
  }));
}

/** Returns what excludes the requests of the login from a log: they use no model. */
export function exceptLogin({ login }: Pick<GatewayModel, "login">): Fields {
  if (login === undefined) return {};
  const paths = Object.values(LOGIN_PATHS).map((path) => `'${path}'`);
  return {
    filter: {
      extension_filter: extension(
        "envoy.access_loggers.extension_filters.cel",
        "extensions.access_loggers.filters.cel.v3.ExpressionFilter",
        { expression: `!(request.url_path in [${paths.join(", ")}])` },
      ),
    },
  };
}

/** Returns the cluster; none without a login. */
export function loginClusters(model: GatewayModel, runtime: RuntimeEnvironment): Cluster[] {
  if (model.login === undefined) return [];
  return [
    {
      name: LOGIN_CLUSTER,
      ...common(LOGIN_CLUSTER, model),
      type: "STATIC",
      load_assignment: {
        cluster_name: LOGIN_CLUSTER,
        endpoints: [socketEndpoint(runtime.loginSocketPath)],
      },
      ...protocols({ kind: "embedded" }, upstreamFilters()),
    },
  ];
}
