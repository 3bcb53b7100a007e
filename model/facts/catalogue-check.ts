// Whether a text is a catalogue: files of users and downloads are checked once, before they are used.
import { isRecord } from "../is-record.ts";
import type { Catalogue, FactRow } from "./catalogue.ts";

const MAX_TOKENS = 1_000_000_000;
const MAX_RATE = 1_000_000;

/** Returns what is wrong with a text; undefined if it is a catalogue. */
export function catalogueProblem(text: string): string | undefined {
  let value: Partial<Catalogue> | null;
  try {
    value = JSON.parse(text) as Partial<Catalogue> | null;
  } catch {
    return "is not JSON";
  }
  if (value?.version !== 1) {
    return 'is no catalogue: it has no "version": 1';
  }
  if (!Array.isArray(value.sources)) return "has no list of sources";
  if (!isRecord(value.models)) return "has no models";
  for (const [provider, rows] of Object.entries(value.models)) {
    if (!isRecord(rows)) return `has no models of ${provider}`;
    for (const [model, row] of Object.entries(rows)) {
      const wrong = wrongMember(row);
      if (wrong !== undefined) return `has a wrong "${wrong}" of ${provider}/${model}`;
    }
  }
  return undefined;
}

const isTokens = (value: unknown): boolean =>
  Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= MAX_TOKENS;
const isText = (value: unknown): boolean => typeof value === "string";
const isRate = (value: unknown): boolean =>
  value === null || (typeof value === "number" && value >= 0 && value <= MAX_RATE);
const isFlag = (value: unknown): boolean => value === 0 || value === 1;
const isTiers = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    (tier) =>
      Array.isArray(tier) && Number.isSafeInteger(tier[0]) && tier[0] >= 0 && tier.every(isRate),
  );

const MEMBERS: Readonly<Record<Exclude<keyof FactRow, "name">, (value: unknown) => boolean>> = {
  c: isTokens,
  i: isTokens,
  o: isTokens,
  n: isTokens,
  a: isText,
  y: isText,
  e: isText,
  m: isText,
  k: isText,
  d: isText,
  q: isText,
  f: isText,
  r: isFlag,
  t: isFlag,
  x: isFlag,
  p: isPrice,
};

function isPrice(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { s, v = {}, a = [], w = 0 } = value;
  if (!isTiers(s) || !isRecord(v) || !Object.values(v).every(isTiers)) return false;
  return Array.isArray(a) && a.every(isRate) && isRate(w);
}

/** Returns the name of a member that is not as it should be. */
function wrongMember(row: unknown): string | undefined {
  if (!isRecord(row)) return "row";
  if (!("f" in row)) return "f";
  return Object.entries(row).find(
    ([name, value]) =>
      Object.hasOwn(MEMBERS, name) && !MEMBERS[name as keyof typeof MEMBERS](value),
  )?.[0];
}
