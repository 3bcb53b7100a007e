// The rendered file: a bootstrap as YAML, the same bytes for the same bootstrap.
import { stringify } from "yaml";
import type { Bootstrap, Fields } from "./envoy-types.ts";

const HEADER =
  "# Made by `gateway render` from the gateway's configuration. Changes here are lost at the next start.\n";

export function toYaml(bootstrap: Bootstrap | Fields): string {
  return HEADER + yaml(bootstrap);
}

/** Returns the configuration of the rate limit service as YAML. */
export function serviceToYaml(configuration: Fields): string {
  return HEADER.replace("render", "render --ratelimit-config") + yaml(configuration);
}

/**
 * Returns YAML for Envoy, which reads YAML 1.1, where unquoted `yes` and `12:30` are not strings: those are quoted. No
 * aliases are written.
 */
function yaml(value: Bootstrap | Fields): string {
  return stringify(value, { version: "1.1", aliasDuplicateObjects: false, lineWidth: 0 });
}
