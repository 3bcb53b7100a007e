// A rendered bootstrap split by concern, for goldens that a person can review. What several places share stands once.
import type { Bootstrap, Value } from "../../../../envoy/envoy-types.ts";
import { differences } from "./differences.ts";

export const FILTER_DOCUMENT = "filter document";
const LOCAL_REPLIES = "local replies";
/** A retry's cluster is named for the targets of its set: `@7d94700e`. */
const SET = /@[0-9a-f]{8}$/;

/**
 * Returns the parts by name; `(local replies)` and `(filter document)` stand for these two where they are used.
 * Throws if one of them differs between two places of the bootstrap.
 */
export function partsOf(bootstrap: Bootstrap): Map<string, Value> {
  const parts = new Map<string, Value>();
  function takeOut(name: string, value: Value): string {
    const other = parts.get(name);
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(value))
      throw new Error(`the ${name} differ between two places`);
    parts.set(name, value);
    return `(${name})`;
  }
  function rest(value: Value): Value {
    if (Array.isArray(value)) return value.map(rest);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (name === "local_reply_config") return [name, takeOut(LOCAL_REPLIES, member)];
        if (typeof member === "string" && member.startsWith('{"version"'))
          return [name, takeOut(FILTER_DOCUMENT, JSON.parse(member) as Value)];
        return [name, rest(member)];
      }),
    );
  }
  function add(name: string, part: unknown): void {
    if (parts.has(name)) throw new Error(`two parts are named ${name}`);
    parts.set(name, rest(JSON.parse(JSON.stringify(part)) as Value));
  }

  const { static_resources: resources, ...others } = bootstrap;
  add("bootstrap", others);
  for (const listener of resources.listeners) add(`listener ${listener.name}`, listener);
  for (const cluster of resources.clusters)
    add(`cluster ${cluster.name.replace(SET, "")}`, cluster);
  return parts;
}

/** Returns for each part of a model the part that it is compared with, and how it differs from that. */
export function variants(
  parts: Map<string, Value>,
  templates: Map<string, Value>,
): Record<string, Value> {
  const compared = [...parts].filter(([name]) => name !== FILTER_DOCUMENT);
  return Object.fromEntries(
    compared.map(([name, part]) => {
      const own = OWN_TEMPLATES[name];
      const other = own ?? templateOf(name, [...templates.keys()]);
      const changes = differences((own === undefined ? templates : parts).get(other) ?? null, part);
      const byPath = Object.fromEntries(changes.map(({ path, is }) => [path, is]));
      const as = own === undefined ? `as templates/${fileOf(other)}` : `as the ${own} above`;
      return [name, changes.length === 0 ? as : { [`${as}, but`]: byPath }];
    }),
  );
}

/** Listeners that are compared with another one of the same model. */
const OWN_TEMPLATES: Record<string, string> = {
  "listener egress": "listener ingress",
  "listener internal_egress": "listener egress",
};

/** The template of that name, or else the one whose name begins alike for longest. */
function templateOf(name: string, templates: string[]): string {
  const alike = templates.map((template) => {
    let length = 0;
    while (length < name.length && template[length] === name[length]) length++;
    return { template, length };
  });
  const most = Math.max(...alike.map(({ length }) => length));
  return alike.find(({ length }) => length === most)?.template ?? name;
}

/** Name of a template's file. */
export function fileOf(part: string): string {
  return `${part.replaceAll(/[^\w.]+/g, "-")}.yaml`;
}
