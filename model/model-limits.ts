// The capabilities of one model (contract/model-capabilities.ts), as the known limits of providers and `limits` in the
// configuration set them.
import type { DialectRow } from "../contract/dialects.ts";
import { CAPABILITIES } from "../contract/model-capabilities.ts";
import type { Declared } from "./declared-types.ts";

type Declaration = (typeof CAPABILITIES)[number]["declaration"];

/** What a model supports. Every key is optional: what is not set is not known, and then nothing is changed. */
export type ModelLimits = Declared<Declaration, { member: string }>;

type LimitName = keyof ModelLimits;
export type Effort = NonNullable<ModelLimits["efforts"]>[number];

/** A row of contract/model-capabilities.ts, its declaration taken apart. */
export interface Capability {
  name: LimitName;
  type: string;
  /** The values of a type that has some. */
  values: readonly string[];
  /** What holds if it is not set; empty if that is not known. */
  fallback: string;
  /** Empty for all. */
  only: readonly DialectRow[];
  onlyValue: string;
  description: string;
}

export const MODEL_CAPABILITIES: readonly Capability[] = CAPABILITIES.map(
  ({ declaration, only, onlyValue, description }) => {
    const [name = "", type = "", fallback = ""] = declaration.split(/\?: | = /);
    const values = type.replace(/^\((.*)\)\[\]$/, "$1").split("|");
    return {
      name: name as LimitName,
      type,
      values,
      fallback,
      only,
      onlyValue,
      description,
    };
  },
);

export function capabilityNamed(name: string): Capability | undefined {
  return MODEL_CAPABILITIES.find((one) => one.name === name);
}

/** Returns the names of some dialects, for messages. */
export function formatsOf(dialects: readonly DialectRow[]): string {
  const names = dialects.map(({ format }) => format);
  const list = new Intl.ListFormat("en").format(names);
  return `the ${list} format${names.length > 1 ? "s" : ""}`;
}

/** From the least to the most. */
export const EFFORTS = (capabilityNamed("efforts")?.values ?? []) as readonly Effort[];

/** Capabilities of the connection: the filter's document has them outside of `limits`. */
const OF_CONNECTION: ReadonlySet<string> = new Set<LimitName>(["stream_usage", "responses_api"]);

/** Returns only what changes something; undefined if nothing does. */
export function effectiveLimits(limits: ModelLimits): ModelLimits | undefined {
  const isSame = String(limits.responses_efforts) === String(limits.efforts);
  const changing = Object.entries(limits).filter(
    ([name, value]) =>
      !OF_CONNECTION.has(name) &&
      !isDefault(name, value) &&
      !(name === "responses_efforts" && isSame),
  );
  return changing.length === 0 ? undefined : Object.fromEntries(changing);
}

function isDefault(name: string, value: ModelLimits[LimitName]): boolean {
  const fallback = capabilityNamed(name)?.fallback ?? "";
  return value === undefined || (fallback !== "" && fallback === String(value));
}
