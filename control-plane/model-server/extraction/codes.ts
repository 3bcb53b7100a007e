// Codes that a description explains: "1 for Bangkok, 2 for Chiang Mai".
import type { Parameter } from "./parameter.ts";

const EXPLAINED =
  /(?<![\p{L}\p{N}.-])(\d{1,6})\s+(?:for|is|means)\s+(\p{L}[\p{L} -]{2,40}?)(?=[,.;:)]|\s+(?:and|or)\b|$)/gu;
/** At the end of an explanation: the user may leave it out. */
const GENERIC = /\s+(?:services?|type|level|mode|option)$/i;
const MAX_TEXT = 8000;

/** Returns the codes whose explanation a text contains as whole words. */
export function codesIn({ description }: Parameter, text: string): number[] {
  const said = text.slice(-MAX_TEXT).toLowerCase();
  const found = [...description.matchAll(EXPLAINED)].filter(([, , words = ""]) => {
    const wanted = words.trim().replace(GENERIC, "").toLowerCase();
    return new RegExp(`(?<!\\p{L})${wanted.replaceAll(/[ -]+/g, "[ -]+")}(?!\\p{L})`, "u").test(
      said,
    );
  });
  return [...new Set(found.map(([, code]) => Number(code)))];
}
