// The rendered file: a bootstrap as YAML, the same bytes for the same bootstrap.
import { stringify } from "yaml";
import type { Bootstrap, Fields } from "./types.ts";

const HEADER =
  "# Made by `gateway render` from the gateway's configuration. Changes here are lost at the next start.\n";

/** Envoy reads YAML 1.1, where `yes` and `12:30` are no strings: so those get quotes, and nothing is an alias. */
export function toYaml(bootstrap: Bootstrap | Fields): string {
  const text = stringify(bootstrap, {
    version: "1.1",
    aliasDuplicateObjects: false,
    lineWidth: 0,
  });
  return HEADER + text;
}
