// Claude Code's managed settings of a person: those of everybody, with those of the person's groups over them.
import { isRecord } from "../../model/is-record.ts";
import { createHash } from "node:crypto";
import type { AgentSettings, Login } from "../../model/login.ts";
import { isInOneOf } from "../observability/sign-in/person.ts";

/** What Claude Code reads, in the form that its protocol describes. */
export interface ServedSettings {
  uuid: string;
  checksum: string;
  settings: AgentSettings;
}

/** Returns the settings; undefined if the configuration has none for the person. */
export function settingsOf(
  { settings, groupSettings }: Pick<Login, "settings" | "groupSettings">,
  groups: readonly string[],
): ServedSettings | undefined {
  const all = [
    ...(settings === undefined ? [] : [settings]),
    ...groupSettings
      .filter((entry) => isInOneOf(groups, entry.groups))
      .map((entry) => entry.settings),
  ];
  if (all.length === 0) return undefined;
  const joined = all.reduce<AgentSettings>(join, {});
  const digest = createHash("sha256")
    .update(JSON.stringify(sorted(joined)))
    .digest("hex");
  return { uuid: uuidOf(digest), checksum: `sha256:${digest}`, settings: joined };
}

function join(below: AgentSettings, above: AgentSettings): AgentSettings {
  const entries = Object.entries(above).map(([name, value]) => {
    const old = Object.hasOwn(below, name) ? below[name] : undefined;
    return [name, isRecord(old) && isRecord(value) ? join(old, value) : value] as const;
  });
  return Object.fromEntries([...Object.entries(below), ...entries]);
}

/** Returns the value with the names of all mappings in order: the checksum is of this form, without white space. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

function uuidOf(digest: string): string {
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
