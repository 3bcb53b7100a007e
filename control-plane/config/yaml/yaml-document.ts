// YAML text → plain data that remembers where in the file each value stands. Syntax errors become problems.
import { isRecord } from "../../../model/is-record.ts";
import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Document, Node } from "yaml";
import { pathText } from "../../report/problem.ts";
import type { Path, Problem } from "../../report/problem.ts";
import { parseYaml } from "./syntax.ts";

/** Counted with every alias expanded, so that a few lines cannot grow into gigabytes. */
const MAX_VALUES = 20_000;
const MAX_DEPTH = 60;

export interface Source {
  /** As the user named it; problems repeat it. */
  file: string;
  text: string;
}

interface Place {
  line: number;
  column: number;
}

export interface ConfigurationDocument {
  file: string;
  /** Objects, arrays, strings, numbers, booleans, null. Undefined when the file is empty. */
  value: unknown;
  problems: Problem[];
  /** Whether the text is not YAML, so that `value` is a guess. */
  isDamaged: boolean;
  /** The path with the keys that the file has, where some were read as others (correct-keys.ts). */
  written(path: Path): Path;
  /** Where a path's key or value stands; for a path that is not in the file, its nearest ancestor. */
  place(path: Path, part?: "key" | "value"): Place;
  /** Where `pattern` first matches inside the value at `path`; else where the value begins. */
  placeOf(path: Path, pattern: RegExp): Place;
  /** Whether the scalar at `path` was written in quotes or as a block. */
  isQuoted(path: Path): boolean;
}

interface Location {
  key?: number;
  value: number;
  end: number;
  quoted: boolean;
}

type Report = (path: Path, offset: number, message: string) => void;

const pathKey = (path: Path): string => JSON.stringify(path);

class TooLarge extends Error {}

export function readDocument({ file, text }: Source): ConfigurationDocument {
  const problems: Problem[] = [];
  const placeAt = placeFinder(text);
  const report: Report = (path, offset, message) => {
    problems.push({ file, ...placeAt(offset), path: pathText(path), message });
  };
  const parsed = parseYaml(text);
  for (const { offset, message } of parsed.faults) report([], offset, message);
  // Of what is only a guess nothing else is worth saying.
  const reportContent: Report = parsed.isDamaged ? () => undefined : report;
  const converter = new Converter(reportContent, (offset) => placeAt(offset).line);
  const value = converter.run(parsed.document);
  const { locations } = converter;
  const nearest = (path: Path): Location | undefined =>
    locations.get(pathKey(path)) ?? (path.length > 0 ? nearest(path.slice(0, -1)) : undefined);
  return {
    file,
    value,
    problems,
    isDamaged: parsed.isDamaged || converter.isTooLarge,
    written: (path) => path,
    place(path, part = "value") {
      const exact = locations.get(pathKey(path));
      const location = exact ?? nearest(path);
      const prefersKey = part === "key" || exact === undefined;
      return placeAt((prefersKey ? location?.key : undefined) ?? location?.value ?? 0);
    },
    placeOf(path, pattern) {
      const { value: start, end } = nearest(path) ?? { value: 0, end: 0 };
      return placeAt(start + (pattern.exec(text.slice(start, end))?.index ?? 0));
    },
    isQuoted: (path) => locations.get(pathKey(path))?.quoted ?? false,
  };
}

/** Not the library's LineCounter: it misses line breaks inside of damaged values. */
function placeFinder(text: string): (offset: number) => Place {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const within = Math.min(Math.max(0, offset), text.length);
    const next = starts.findIndex((start) => start > within);
    const line = next < 0 ? starts.length : next;
    return { line, column: within - (starts[line - 1] ?? 0) + 1 };
  };
}

interface Pair {
  key: Node | null;
  value: Node | null;
}

/** Our own conversion, not the library's: every path gets its place, and aliases cannot explode. */
class Converter {
  readonly locations = new Map<string, Location>();
  isTooLarge = false;
  // The library's alias.resolve() walks the whole document for every alias; this does not.
  readonly #anchors = new Map<string, Node>();
  readonly #report: Report;
  readonly #lineOf: (offset: number) => number;
  #count = 0;

  constructor(report: Report, lineOf: (offset: number) => number) {
    this.#report = report;
    this.#lineOf = lineOf;
  }

  run(document: Document.Parsed | undefined): unknown {
    if (document === undefined || document.contents === null) return undefined;
    try {
      return this.#convert(document.contents, []);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      this.isTooLarge = true;
      this.#report([], 0, error.message);
      return undefined;
    }
  }

  #convert(node: Node | null, path: Path, keyOffset?: number): unknown {
    if (++this.#count > MAX_VALUES) {
      throw new TooLarge(
        `the file has more than ${MAX_VALUES.toLocaleString("en")} values, counted with every alias (*name) expanded: split it, or remove aliases that contain aliases`,
      );
    }
    if (path.length > MAX_DEPTH) throw new TooLarge("the file is nested too deeply");
    const value = node?.range?.[0] ?? keyOffset ?? 0;
    const location: Location = {
      value,
      end: node?.range?.[1] ?? value,
      quoted: isScalar(node) && node.type !== "PLAIN",
      ...(keyOffset === undefined ? {} : { key: keyOffset }),
    };
    const found = isAlias(node)
      ? this.#follow(node.source, path, location)
      : this.#convertContent(node, path);
    // After the content: what an alias stands for has its place where the alias is.
    this.locations.set(pathKey(path), location);
    return found;
  }

  #convertContent(node: Node | null, path: Path): unknown {
    if (isScalar(node)) {
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
      return node.value;
    }
    if (!isMap(node) && !isSeq(node)) return null;
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isMap(node)) return this.#convertMap(node.items as Pair[], path);
    return node.items.map((item, index) => this.#convert(item as Node, [...path, index]));
  }

  #follow(anchor: string, path: Path, { value }: Location): unknown {
    const target = this.#anchors.get(anchor);
    if (target !== undefined) return this.#convert(target, path);
    this.#report(path, value, "this alias (*name) has no anchor (&name) above it");
    return null;
  }

  #convertMap(pairs: Pair[], path: Path): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const merged: { value: unknown; offset: number }[] = [];
    const offsets = new Map<string, number>();
    for (const { key, value } of pairs) {
      const offset = key?.range?.[0] ?? value?.range?.[0] ?? 0;
      if (!isScalar(key) || !isPlainKey(key.value)) {
        this.#report(path, offset, "a key has to be a plain word");
        continue;
      }
      const name = String(key.value);
      const first = offsets.get(name);
      if (first !== undefined) {
        const line = String(this.#lineOf(first));
        this.#report([...path, name], offset, `this key is already set in line ${line}`);
        continue;
      }
      offsets.set(name, offset);
      const converted = this.#convert(value, [...path, name], offset);
      if (name === "<<" && key.type === "PLAIN") merged.push({ value: converted, offset });
      else result[name] = converted;
    }
    for (const source of merged) this.#merge(result, source, path);
    return result;
  }

  /** `<<: *name`: keys of the mapping itself win. */
  #merge(
    result: Record<string, unknown>,
    { value, offset }: { value: unknown; offset: number },
    path: Path,
  ): void {
    for (const source of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (!isRecord(source)) {
        this.#report(path, offset, "<< takes a mapping (an alias such as *name)");
        continue;
      }
      for (const [name, item] of Object.entries(source)) {
        if (Object.hasOwn(result, name)) continue;
        result[name] = item;
        const location = { key: offset, value: offset, end: offset, quoted: false };
        this.locations.set(pathKey([...path, name]), location);
      }
    }
  }
}

function isPlainKey(key: unknown): key is string | number | boolean {
  // A key `__proto__` would set the prototype of plain objects further on.
  return ["string", "number", "boolean"].includes(typeof key) && key !== "__proto__";
}
