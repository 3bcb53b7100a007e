// The places of a value that a pattern of keys names.
import { isRecord } from "../../model/is-record.ts";
import type { Path } from "../report/problem.ts";

/** Returns every place that the pattern names, in which `*` is any key or list index. */
export function placesOf(
  value: unknown,
  pattern: readonly string[],
): { path: Path; found: unknown }[] {
  let places: { path: Path; found: unknown }[] = [{ path: [], found: value }];
  for (const part of pattern) {
    places = places.flatMap(({ path, found }) =>
      childrenOf(found, part).map(([key, child]) => ({ path: [...path, key], found: child })),
    );
  }
  return places;
}

function childrenOf(value: unknown, part: string): [string | number, unknown][] {
  if (Array.isArray(value)) return part === "*" ? [...value.entries()] : [];
  if (!isRecord(value)) return [];
  if (part === "*") return Object.entries(value);
  return Object.hasOwn(value, part) ? [[part, value[part]]] : [];
}
