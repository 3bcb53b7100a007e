// The rendered file: a bootstrap as YAML, the same bytes for the same bootstrap.
import { stringify } from "yaml";
import type { Bootstrap, Fields } from "./types.ts";

const HEADER =
  "# Made by `gateway render` from the gateway's configuration. Changes here are lost at the next start.\n";

export function toYaml(bootstrap: Bootstrap | Fields): string {
  return HEADER + yaml(bootstrap);
}

/** Of the rate limit service. */
export function serviceToYaml(configuration: Fields): string {
  return HEADER.replace("render", "render --ratelimit-config") + yaml(configuration);
}

/** Envoy reads YAML 1.1, where `yes` and `12:30` are no strings: so those get quotes, and nothing is an alias. */
function yaml(value: Bootstrap | Fields): string {
  return stringify(value, { version: "1.1", aliasDuplicateObjects: false, lineWidth: 0 });
}
