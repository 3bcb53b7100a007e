// What one JSON value has otherwise than another: a list of paths and values, short enough to read.
import { isDeepStrictEqual } from "node:util";
import type { Value } from "../../../../envoy/envoy-types.ts";

export interface Difference {
  /** Names and indexes: `routes[2].timeout`, `filters[router]`; `[2-4]` are items 2 and 3 of the first value. */
  path: string;
  /** The value there in the second one. */
  is: Value;
}

export const ABSENT = "(absent)";

export function differences(from: Value, to: Value, path = ""): Difference[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (Array.isArray(from) && Array.isArray(to)) return ofArrays(from, to, path);
  if (!isFields(from) || !isFields(to)) return [{ path, is: to }];
  const names = Object.keys(from);
  const added = Object.keys(to).filter((name) => !names.includes(name));
  return [...names, ...added].flatMap((name) => {
    const place = path === "" ? name : `${path}.${name}`;
    const [was, is] = [from[name], to[name]];
    if (is === undefined) return [{ path: place, is: ABSENT }];
    return was === undefined ? [{ path: place, is }] : differences(was, is, place);
  });
}

/** Items that are equal at both ends are left out; those between are compared one by one where they correspond. */
function ofArrays(from: Value[], to: Value[], path: string): Difference[] {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && isDeepStrictEqual(from[start], to[start])) start++;
  let end = 0;
  while (end < shorter - start && isDeepStrictEqual(from.at(-1 - end), to.at(-1 - end))) end++;
  const was = from.slice(start, from.length - end);
  const is = to.slice(start, to.length - end);
  const areNamedAlike = was.every((item, at) => nameOf(item) === nameOf(is[at]));
  if (was.length !== is.length || (was.length > 1 && !areNamedAlike)) {
    const range = `${String(start)}-${String(from.length - end)}`;
    return [{ path: `${path}[${range}]`, is }];
  }
  const names = from.map(nameOf);
  return was.flatMap((item, at) => {
    const name = nameOf(item);
    const isUnique = areNamedAlike && names.filter((other) => other === name).length === 1;
    const key = isUnique && name !== undefined ? name : String(start + at);
    return differences(item, is[at] ?? null, `${path}[${key}]`);
  });
}

/** `wasm` of an item named `envoy.filters.http.wasm`. */
function nameOf(item: Value | undefined): string | undefined {
  if (!isFields(item) || typeof item["name"] !== "string") return undefined;
  return item["name"].replace(/^envoy\..*\./, "");
}

function isFields(value: Value | undefined): value is Record<string, Value> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
