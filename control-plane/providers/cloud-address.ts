// Addresses that are made from keys of an entry: `https://bedrock-runtime.{region}.{aws_domain}`.

/** Keys of an entry from which an address is made. */
export const ADDRESS_KEYS = [
  "resource",
  "api_version",
  "project",
  "location",
  "region",
  "workspace",
  "account",
  "gateway",
] as const;
export type AddressKey = (typeof ADDRESS_KEYS)[number];

/** The values of an entry from which its address is made, and which decide the API. */
export type AddressValues = Partial<Record<AddressKey | "model", string>>;

/** What a template can have besides keys: each is made from one key. */
const DERIVED: Readonly<Record<string, { key: AddressKey; make: (value: string) => string }>> = {
  vertex_host: { key: "location", make: vertexHost },
  aws_domain: { key: "region", make: awsDomain },
  workspace_host: { key: "workspace", make: hostOf },
};

function vertexHost(location: string): string {
  if (location === "global") return "aiplatform.googleapis.com";
  if (location === "us" || location === "eu") return `aiplatform.${location}.rep.googleapis.com`;
  return `${location}-aiplatform.googleapis.com`;
}

function awsDomain(region: string): string {
  if (region.startsWith("cn-")) return "amazonaws.com.cn";
  return region.startsWith("eusc-") ? "amazonaws.eu" : "amazonaws.com";
}

/** Databricks' own variable holds a URL. */
function hostOf(workspace: string): string {
  return workspace.replace(/^https:\/\//, "").replace(/\/$/, "");
}

const PLACEHOLDER = /\{(\w+)\}/g;

/** Returns the keys that a template requires. */
export function keysIn(template: string): AddressKey[] {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
  return ADDRESS_KEYS.filter((key) =>
    names.some((name) => name === key || DERIVED[name]?.key === key),
  );
}

/** Returns a template with its values, each escaped as one segment of a path. A key without a value stays as it is. */
export function fill(template: string, values: AddressValues): string {
  return template.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const derived = DERIVED[name];
    const value = values[derived?.key ?? (name as AddressKey | "model")];
    if (value === undefined) return whole;
    return derived === undefined ? encodeURIComponent(value) : derived.make(value);
  });
}
