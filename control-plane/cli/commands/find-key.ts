// The API key that a command is given by its name.
import { GatewayError } from "../../report/gateway-error.ts";
import { suggest, suggestion } from "../../report/suggest.ts";
import { keyNames } from "../../../model/client-keys.ts";
import type { ClientKey } from "../../../model/client-keys.ts";
import type { GatewayModel, Listener } from "../../../model/model.ts";

/** Returns the key, and a listener that has it: `preferred`, if both do. Throws if no listener has it. */
export function findKey(
  model: GatewayModel,
  name: string,
  preferred: Listener["name"] = "egress",
): { key: ClientKey; listener: Listener["name"] } {
  const listeners = [model.egress, model.ingress];
  if (preferred === "ingress") listeners.reverse();
  for (const { name: listener, apiKeys = [] } of listeners) {
    const key = apiKeys.find((one) => one.name === name);
    if (key !== undefined) return { key, listener };
  }
  const known = keyNames(listeners);
  const all = known.length === 0 ? "no listener has api_keys" : `the keys are ${known.join(", ")}`;
  throw new GatewayError(`No API key has the name ${name}.`, {
    hint: suggestion(suggest(name, known)) ?? `In the configuration ${all}.`,
    exitCode: 2,
  });
}
