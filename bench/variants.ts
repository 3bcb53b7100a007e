// The gateway with less and less in it: what a part costs is the difference that its absence makes.
import type { Bootstrap, Cluster, Route } from "../envoy/envoy-types.ts";

export interface Variant {
  /** The part that is absent here, and present in the variant before. */
  absent: string;
  /** Whether the filter is there, and does nothing. */
  hasEmptyFilter: boolean;
  adapt: (bootstrap: Bootstrap) => Bootstrap;
}

/** Whether a member of an object (by its key) or of an array (by its value) is left out. */
type Rule = (key: string, value: unknown) => boolean;

/** The last part that a plain Envoy could have too: those before it are what makes it a gateway. */
export const LAST_OF_FLOOR = "access logs";

const PARTS: [string, Rule][] = [
  ["V8 entry and exit", filterNamed("envoy.filters.http.wasm")],
  ["remembered request head", filterNamed("envoy.filters.http.set_filter_state")],
  [LAST_OF_FLOOR, (key) => key === "access_log" || key === "upstream_log"],
];

/** Each without what the ones before it are without. All of them lead every request to `provider`, as no filter does it. */
export function variants(provider: number): Variant[] {
  const rules: Rule[] = [];
  const found: Variant[] = [
    {
      absent: "filter",
      hasEmptyFilter: true,
      adapt: (bootstrap) => withOneRoute(bootstrap, provider),
    },
  ];
  for (const [absent, rule] of PARTS) {
    rules.push(rule);
    const own = [...rules];
    const isLeftOut: Rule = (key, value) => own.some((one) => one(key, value));
    found.push({
      absent,
      hasEmptyFilter: false,
      adapt: (bootstrap) => without(withOneRoute(bootstrap, provider), isLeftOut) as Bootstrap,
    });
  }
  return found;
}

function filterNamed(prefix: string): Rule {
  return (_, value) =>
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    String(value.name).startsWith(prefix);
}

function without(value: unknown, isLeftOut: Rule): unknown {
  if (Array.isArray(value)) {
    return value.filter((one) => !isLeftOut("", one)).map((one) => without(one, isLeftOut));
  }
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([key, one]) => !isLeftOut(key, one));
  return Object.fromEntries(members.map(([key, one]) => [key, without(one, isLeftOut)]));
}

/** The route that the filter would choose for a model with one target, for all requests. */
function withOneRoute(bootstrap: Bootstrap, provider: number): Bootstrap {
  const { clusters } = bootstrap.static_resources;
  const cluster = clusters.find((one) => leadsTo(one, provider))?.name ?? "";
  const change = (key: string, value: unknown): unknown => {
    if (key !== "routes" || !Array.isArray(value)) return value;
    const chosen = (value as Route[]).findLast((one) => "headers" in one.match);
    if (chosen === undefined) throw new Error("no route for a model");
    const { cluster_header: _, ...action } = chosen.route as Record<string, unknown>;
    return [{ ...chosen, match: { prefix: "/" }, route: { ...action, cluster } }];
  };
  return JSON.parse(JSON.stringify(bootstrap, change)) as Bootstrap;
}

function leadsTo(cluster: Cluster, port: number): boolean {
  return JSON.stringify(cluster.load_assignment ?? "").includes(`"port_value":${String(port)}`);
}
