// The table of faults (docs/faults.yaml), as the page that is made of it and the test that proves it read it.
import { readFileSync } from "node:fs";
import { parse } from "yaml";

export const KINDS = ["complete", "stream"] as const;
export const SIDES = ["same", "other"] as const;
export type Kind = (typeof KINDS)[number];
/** Whether client and provider speak the same format. */
export type Side = (typeof SIDES)[number];

export interface FaultRow {
  fault: string;
  provider: string;
  log?: string;
  [key: string]: string | undefined;
}

export interface Outcome {
  how: string;
  status: number;
  /** What the client is told, where something of the gateway's own is said. */
  message?: RegExp;
}

export function faultTable(): FaultRow[] {
  return parse(readFileSync(new URL("../docs/faults.yaml", import.meta.url), "utf8")) as FaultRow[];
}

/** What the row says of this case. Throws where it says nothing, or nothing that can be read. */
export function outcomeIn(row: FaultRow, kind: Kind, side: Side): Outcome {
  const text = row[`${side} ${kind}`] ?? row[side] ?? row["always"] ?? "";
  const [, how, status = "200", message] = /^(\w+)(?: (\d{3}))?(?:: (.*))?$/.exec(text) ?? [];
  if (how === undefined) throw new Error(`faults.yaml: ${row.fault} has no ${side} ${kind}`);
  return {
    how,
    status: Number(status),
    ...(message === undefined ? {} : { message: new RegExp(message) }),
  };
}
