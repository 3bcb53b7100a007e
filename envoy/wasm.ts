// The WASM filter as Envoy loads it. Both filters (listener and cluster) get the same virtual machine, so that they
// share memory.
import type { LISTENER_BUDGETS } from "../contract/budget-format.ts";
import { ROOT_ROUTE, ROOT_ATTEMPT } from "../contract/words.ts";
import { filterConfig } from "../model/filter-document/write-document.ts";
import type { GatewayModel } from "../model/model.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Extension, Fields, ListenerName, Typed } from "./envoy-types.ts";
import { extension } from "./envoy-types.ts";

/** Returns the filter of a listener: reads the request, chooses the model, responds to requests that need no provider. */
export function routeFilter(
  name: ListenerName | typeof LISTENER_BUDGETS,
  model: GatewayModel,
  runtime: RuntimeEnvironment,
): Extension {
  return wasm(ROOT_ROUTE, model, runtime, { configuration: json({ listener: name }) });
}

/** Returns the filter of a cluster: one attempt at one of several targets. */
export function translateFilter(model: GatewayModel, runtime: RuntimeEnvironment): Extension {
  return wasm(ROOT_ATTEMPT, model, runtime, {});
}

function wasm(
  root: string,
  model: GatewayModel,
  runtime: RuntimeEnvironment,
  more: Fields,
): Extension {
  return extension("envoy.filters.http.wasm", "extensions.filters.http.wasm.v3.Wasm", {
    config: {
      name: `gateway_${root}`,
      root_id: root,
      // After a trap the next request gets a new virtual machine; the default would return 503 for ever.
      failure_policy: "FAIL_RELOAD",
      // Otherwise a filter that holds the request headers never gets the body.
      allow_on_headers_stop_iteration: true,
      vm_config: virtualMachine(model, runtime),
      ...more,
    },
  });
}

/**
 * Returns the VM configuration. It is equal in every filter, byte for byte: Envoy shares a machine between filters with
 * the same one.
 */
function virtualMachine(model: GatewayModel, runtime: RuntimeEnvironment): Fields {
  const { filterValues = {} } = runtime;
  const fromProcess = model.filterEnvironment.filter((name) => filterValues[name] === undefined);
  const hasValues = fromProcess.length < model.filterEnvironment.length;
  return {
    vm_id: "gateway",
    runtime: "envoy.wasm.runtime.v8",
    code: { local: { filename: runtime.filterPath } },
    configuration: json(filterConfig(model), versionMark(model.valuesVersion)),
    environment_variables: {
      host_env_keys: fromProcess,
      ...(hasValues ? { key_values: { ...filterValues } } : {}),
    },
  };
}

/**
 * Returns white space that differs with the version (hexadecimal digits), for the end of a JSON text. Envoy makes another
 * virtual machine only if `vm_id`, code or configuration differ: changed values alone would go to nobody.
 */
function versionMark(version: string | undefined): string {
  if (version === undefined) return "";
  const bits = BigInt(`0x${version}`).toString(2);
  return bits.replaceAll("0", " ").replaceAll("1", "\t");
}

function json(value: object, after = ""): Typed {
  return {
    "@type": "type.googleapis.com/google.protobuf.StringValue",
    value: JSON.stringify(value) + after,
  };
}
