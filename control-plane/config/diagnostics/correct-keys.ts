// Reads a document with its misspelt keys as they were meant, so that what stands below them is checked in the same run.
import { isRecord } from "../../../model/is-record.ts";
import type { ConfigurationDocument } from "../yaml/yaml-document.ts";
import type { Path } from "../../report/problem.ts";
import { keysAt } from "../json-schema.ts";
import { meantKey } from "./unknown-key.ts";

/** A key that the schema does not know, and the one that was probably meant. */
interface Correction {
  /** Of the key as written. */
  path: Path;
  meant: string;
}

export interface Corrected {
  document: ConfigurationDocument;
  corrections: Correction[];
}

/**
 * Returns the document under the keys of the schema. Paths of the result are the schema's; its places, and `written`, are
 * the file's. A key is left alone where the meant one is there already.
 */
export function correctKeys(document: ConfigurationDocument): Corrected {
  const corrections: Correction[] = [];
  /** By the parent's path and the meant key: the key as written. */
  const writtenKeys = new Map<string, string>();
  const known = new Map<string, readonly string[]>();
  const keysOf = (path: Path): readonly string[] => {
    // Items of one list have the same keys.
    const shape = path.map((part) => (typeof part === "number" ? 0 : part));
    const place = JSON.stringify(shape);
    const keys = known.get(place) ?? keysAt(shape);
    known.set(place, keys);
    return keys;
  };
  const written = (path: Path): Path => {
    if (corrections.length === 0) return path;
    return path.map((part, index) => {
      return writtenKeys.get(JSON.stringify([...path.slice(0, index), part])) ?? part;
    });
  };
  const walk = (value: unknown, path: Path): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (!isRecord(value)) return value;
    const keys = keysOf(path);
    const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
      const meant = keys.length === 0 || keys.includes(key) ? undefined : meantKey(path, key);
      if (meant === undefined || Object.hasOwn(value, meant))
        return [key, walk(item, [...path, key])];
      const place = JSON.stringify([...path, meant]);
      // The first of two slips for one key.
      if (writtenKeys.has(place)) return [key, walk(item, [...path, key])];
      writtenKeys.set(place, key);
      corrections.push({ path: written([...path, meant]), meant });
      return [meant, walk(item, [...path, meant])];
    });
    return Object.fromEntries(entries);
  };
  const value = document.isDamaged ? document.value : walk(document.value, []);
  return {
    corrections,
    document: {
      ...document,
      value,
      written,
      place: (path, part) => document.place(written(path), part),
      placeOf: (path, pattern) => document.placeOf(written(path), pattern),
      isQuoted: (path) => document.isQuoted(written(path)),
    },
  };
}
