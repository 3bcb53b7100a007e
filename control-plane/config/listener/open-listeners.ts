// Listeners through which anybody on the network can spend the keys of the configuration: a warning, never a refusal,
// because a firewall or a service mesh may stand in front.
import type { Listener } from "../../../model/model.ts";
import { isLoopback } from "../../../model/listener-url.ts";
import { socketText } from "../read-address.ts";
import type { Reading } from "../reading.ts";

export function warnOfOpenListeners(reading: Reading, listeners: readonly Listener[]): void {
  const open = listeners.filter(
    ({ address, apiKeys, acceptsRuntimeKeys, tokens }) =>
      apiKeys === undefined &&
      acceptsRuntimeKeys === undefined &&
      tokens === undefined &&
      !isLoopback(address),
  );
  if (open.length === 0) return;
  const places = open.map(({ name, address, port }) => `${name} (${socketText(address, port)})`);
  const keys = open.length === 1 ? "it has no api_keys" : "they have no api_keys";
  reading.warning(
    ["listeners"],
    `anyone who can reach ${places.join(" or ")} can use your credentials: ${keys}`,
    {
      part: "key",
      hint: "set api_keys (docs/securing.md), or address: 127.0.0.1 if only this machine should reach it",
    },
  );
}
