// The table of faults (docs/faults.yaml), as the page that is made of it and the test that proves it read it.
import { readFileSync } from "node:fs";
import { parse } from "yaml";

export const KINDS = ["complete", "stream"] as const;
export const SIDES = ["same", "other"] as const;
export type Kind = (typeof KINDS)[number];
/** Whether client and provider speak the same format. */
export type Side = (typeof SIDES)[number];

/** By `same complete`, `other stream` …, by `same` or `other`, or `always`. */
type Outcomes = Record<string, string | undefined>;

export interface FaultRow extends Outcomes {
  fault: string;
  provider: string;
  log?: string;
}

export interface Outcome {
  how: string;
  status: number;
  /** What the client is told, where something of the gateway's own is said. */
  message?: RegExp;
}

function find(outcomes: Outcomes, ...keys: string[]): string | undefined {
  return keys.map((key) => outcomes[key]).find((text) => text !== undefined);
}

export function faultTable(): FaultRow[] {
  return parse(readFileSync(new URL("../docs/faults.yaml", import.meta.url), "utf8")) as FaultRow[];
}

/** What the row says of this case. Throws where it says nothing, or nothing that can be read. */
export function outcomeIn(row: FaultRow, kind: Kind, side: Side, hasFallback = false): Outcome {
  const text = hasFallback
    ? (find(row, `fallback ${side} ${kind}`, `fallback ${side}`, `fallback ${kind}`, "fallback") ??
      "answer")
    : (find(row, `${side} ${kind}`, side, kind, "always") ?? "");
  const [, how, status = "200", message] = /^(\w+)(?: (\d{3}))?(?:: (.*))?$/.exec(text) ?? [];
  if (how === undefined) throw new Error(`faults.yaml: ${row.fault} has no ${side} ${kind}`);
  return {
    how,
    status: Number(status),
    ...(message === undefined ? {} : { message: new RegExp(message) }),
  };
}
