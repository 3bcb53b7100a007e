// Whether Envoy's filter accepts the rows of a record (contract/key-format.ts). A change whose rows it rejects is not made.
import { MAX_GROUPS, MAX_ROW_BYTES } from "../../contract/key-format.ts";
import { isRowText, ROW_TEXT_EXPECTED } from "../../model/keys.ts";
import type { Change } from "./key-records.ts";
import type { KeyRow, UseRow } from "./push-keys.ts";
import { keyRows, useRow } from "./rows.ts";
import { type Field, StoreError } from "./store-error.ts";

const TOO_LONG = `expected ${ROW_TEXT_EXPECTED}`;

/** Throws a StoreError with the members for which the filter rejects a row. @param pathOf returns what precedes a member's name */
export function requireRows(
  changes: readonly Change[],
  now: number,
  pathOf: (change: Change) => string = () => "",
): void {
  const fields = changes.flatMap((change) => {
    const path = pathOf(change);
    const found =
      rowsOf(change, now)
        .map(problemsOf)
        .find((one) => one.length > 0) ?? [];
    return found.map(({ field, message }) => ({ field: path + field, message }));
  });
  if (fields.length > 0)
    throw new StoreError("invalid", "A member has an invalid value.", fields.slice(0, 20));
}

function rowsOf(change: Change, now: number): (KeyRow | UseRow)[] {
  if (change.kind === "group") return [useRow(change.record, "all")];
  return keyRows(change.record, now).flatMap(([, row]) => row ?? []);
}

function problemsOf(row: Partial<KeyRow>): Field[] {
  const { owner, models = [], groups = [] } = row;
  const texts: [field: string, text: string][] = [
    ...(owner === undefined ? [] : [["owner", owner] as [string, string]]),
    ...models.map((text, at): [string, string] => [`models[${String(at)}]`, text]),
    ...groups.map((text, at): [string, string] => [`groups[${String(at)}]`, text]),
  ];
  const found = texts.flatMap(([field, text]): Field[] =>
    isRowText(text) ? [] : [{ field, message: TOO_LONG }],
  );
  if (groups.length > MAX_GROUPS)
    found.push({ field: "groups", message: `expected at most ${String(MAX_GROUPS)}` });
  const bytes = jsonBytes(row);
  if (found.length === 0 && bytes > MAX_ROW_BYTES)
    found.push({
      field: "models",
      message: `all members together have ${String(bytes)} bytes of JSON, and Envoy accepts ${String(MAX_ROW_BYTES)}: shorten the list`,
    });
  return found;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
