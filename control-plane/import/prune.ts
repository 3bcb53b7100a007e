// Takes out of an imported configuration what the loader rejects: each part becomes a comment with the loader's reason, until the
// loader accepts the rest.
import { isCollection, isMap, isPair, isScalar, isSeq, Scalar, visit } from "yaml";
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from "yaml";
import { loadConfiguration } from "../config/load.ts";
import type { Problem } from "../report/problem.ts";
import { parseReferences } from "../config/reference.ts";
import { leftOut, referToKeys, withoutKeys } from "./masked.ts";

type Key = string | number;

/** Keys without which the mapping around them means nothing. */
const REQUIRED = new Set(["model", "target", "name", "limit", "provider_interface", "path"]);
const MAX_ROUNDS = 30;

export interface Pruned {
  text: string;
  /** How many parts were taken out. */
  count: number;
  /** What is still wrong; empty if the loader accepts the text. */
  problems: Problem[];
}

/** By the name of a key: why it has no equivalent, in place of the loader's message. */
export type Reasons = Readonly<Record<string, string>>;

/** Changes the document until the loader accepts it, as far as that is possible. */
export function prune(document: Document, file: string, reasons: Reasons): Pruned {
  referToKeys(document);
  let count = 0;
  for (let round = 0; ; round++) {
    const text = textOf(document);
    const result = loadConfiguration({ file, text }, anyEnvironment(document));
    if (result.ok) return { text, count, problems: [] };
    const taken = round < MAX_ROUNDS ? takeOut(document, result.problems, reasons) : 0;
    if (taken === 0) return { text, count, problems: result.problems };
    count += taken;
  }
}

function textOf(document: Document): string {
  const lines = document.toString({ lineWidth: 0, indentSeq: true }).split("\n");
  return lines.map((line) => (/^\s*#/.test(line) ? withoutKeys(line) : line)).join("\n");
}

/** Returns values for all variables that a configuration refers to: whether they are set is not a question of the import. */
function anyEnvironment(document: Document): Record<string, string> {
  const values: [name: string, value: string][] = [];
  visit(document, {
    Scalar(_, { value }, path) {
      if (typeof value !== "string") return;
      const pair = path.findLast((node) => isPair(node));
      const key = isScalar(pair?.key) ? String(pair.key.value) : "";
      for (const name of parseReferences(value).names) values.push([name, likelyValue(name, key)]);
    },
  });
  return Object.fromEntries(values);
}

/** Values that the loader accepts, by the key at which a variable is. */
const LIKELY: Readonly<Record<string, string>> = {
  base_url: "https://imported.example",
  endpoint: "imported.example:443",
  project: "imported-project",
  location: "us-central1",
  region: "us-east-1",
  resource: "imported",
  api_version: "2024-10-21",
  port: "8080",
};

function likelyValue(name: string, key: string): string {
  return (Object.hasOwn(LIKELY, key) ? LIKELY[key] : undefined) ?? `value-of-${name.toLowerCase()}`;
}

/** Returns how many parts were taken out. Later ones come first, so that the indices of the others stay. */
function takeOut(document: Document, problems: readonly Problem[], reasons: Reasons): number {
  const found = new Map<string, { path: Key[]; reason: string }>();
  for (const { path: shown, message, hint } of problems) {
    const path = partOf(keysOf(shown));
    const isList = hint === undefined || /^the (?:only )?keys? here/.test(hint);
    const problem = isList ? message : `${message}; ${hint}`;
    const own = reasons[String(path.at(-1))];
    const reason = own ?? (problem === "unknown key" ? "the gateway has no such key" : problem);
    if (path.length > 0) found.set(JSON.stringify(path), { path, reason });
  }
  const places = [...found.values()].sort((one, other) => compare(other.path, one.path));
  const done: Key[][] = [];
  for (const { path, reason } of places) {
    if (done.some((other) => other.every((key, index) => path[index] === key))) continue;
    if (takeOutAt(document, path, reason)) done.push(path);
  }
  return done.length;
}

/** Returns the path of what has to go with a value: an entry that lacks what it requires is none. */
function partOf(path: Key[]): Key[] {
  const last = path.at(-1);
  return path.length > 2 && typeof last === "string" && REQUIRED.has(last)
    ? path.slice(0, -1)
    : path;
}

/** `llm_providers[0].headers["x-a"]` → its keys. */
function keysOf(path: string): Key[] {
  const parts = path.matchAll(/([A-Za-z_][\w-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g);
  return [...parts].map(([, word, index, quoted]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? (word ?? "") : (JSON.parse(quoted) as string);
  });
}

function compare(one: readonly Key[], other: readonly Key[]): number {
  for (let at = 0; at < Math.min(one.length, other.length); at++) {
    const [left, right] = [one[at], other[at]];
    if (left === right) continue;
    if (typeof left === "number" && typeof right === "number") return left - right;
    return String(left) < String(right) ? -1 : 1;
  }
  return one.length - other.length;
}

/** Replaces a part by a comment. Returns false if it is not there. */
export function takeOutAt(document: Document, path: readonly Key[], reason: string): boolean {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const key = path.at(-1);
  // The key that the loader looks for is missing: what lacks it goes.
  if (!isMap(parent) && !isSeq(parent)) return false;
  const index = indexOf(parent, key);
  const item = parent.items[index];
  if (item === undefined) {
    return path.length > 1 && takeOutAt(document, path.slice(0, -1), reason);
  }
  removeAt(parent, index, leftOut(reason, isPair(item) ? pairValue(item) : plain(item)));
  const above = path.slice(0, -1);
  const outer = above.length <= 1 ? document.contents : document.getIn(above.slice(0, -1), true);
  const isEmpty = parent.items.length === 0 && above.length > 0;
  if (isEmpty && (isMap(outer) || isSeq(outer)))
    removeAt(outer, indexOf(outer, above.at(-1)), parent.comment ?? "");
  return true;
}

/** Removes an item, and leaves a comment behind those that were above it. */
function removeAt(parent: YAMLMap | YAMLSeq, index: number, comment: string): void {
  const item = parent.items[index];
  const node = (isPair(item) ? item.key : item) as Node | undefined;
  parent.items.splice(index, 1);
  addComment(parent, index, joined(node?.commentBefore, comment));
}

function indexOf(parent: YAMLMap | YAMLSeq, key: Key | undefined): number {
  if (isSeq(parent)) return typeof key === "number" ? key : -1;
  return parent.items.findIndex(
    (pair) => (isScalar(pair.key) ? String(pair.key.value) : "") === String(key),
  );
}

function pairValue(pair: Pair): unknown {
  return { [String(plain(pair.key))]: plain(pair.value) };
}

function plain(node: unknown): unknown {
  if (isScalar(node)) return node.value;
  return isCollection(node) ? node.toJSON() : node;
}

/** Puts a comment before what is now at an index, or after the last item. */
function addComment(parent: YAMLMap | YAMLSeq, index: number, comment: string): void {
  const next = parent.items[index];
  // A key that was set here is a text as yet.
  if (isPair(next) && typeof next.key === "string") next.key = new Scalar(next.key);
  const node = (isPair(next) ? next.key : next) as Node | undefined;
  // A comment inside of { … } would need another form.
  parent.flow = false;
  if (node === undefined) {
    parent.comment = joined(parent.comment, comment);
  } else {
    node.commentBefore = joined(comment, node.commentBefore);
  }
}

function joined(...comments: (string | null | undefined)[]): string {
  return comments.filter((one) => one !== undefined && one !== null && one !== "").join("\n");
}
