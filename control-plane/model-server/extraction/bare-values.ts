// A bare answer to a question for parameters: its pieces, each for one of the parameters, in the order asked.
import { datesOf } from "./dates.ts";
import { kindOf, type Parameter } from "./parameter.ts";
import { readValue } from "./read-value.ts";
import type { Turn, Values } from "./stated.ts";

const LEAD =
  /^(?:(?:oh|ok|okay|yes|sure|well|please|sorry|it's|it is|it was|that's|that is|i'd like|i want|make it|let's say|what about|how about|in|at|for|near|on|(?:the|my) [\p{L} ]{1,30} (?:is|are|would be)|es ist|c'est|es)[\s,:]+)+/iu;
const SEPARATOR = /\s*[,;\n]\s*|\s+(?:and|und|et|y)\s+/;
/** A piece with its direction or its name is labelled: it is not read by its place. */
const LABELLED =
  /(?:^|\s)(?:from|to|into|von|nach|de|à|a|desde|hacia)\s|(?:^|\s)[\p{L}_]+\s*[:=]/iu;
/** Words of a bare answer; a longer one is a sentence, which the trained extractor reads. */
const MAX_WORDS: Readonly<Record<string, number>> = { text: 4, place: 3, id: 3 };
const MOST_WORDS = 4;
const YES = /^(?:yes|yeah|yep|sure|please do|of course|true|ja|oui|s[ií])\b/i;
const NO = /^(?:no|nope|not|don't|false|nein|non)\b/i;

/** Returns the values of an answer that consists of nothing but them; undefined if there is anything else in it. */
export function bareAnswer(
  parameters: readonly Parameter[],
  { text, asked }: Turn,
  now: Date,
): Values | undefined {
  const open = asked.flatMap((name) => parameters.filter((parameter) => parameter.name === name));
  const plain = withoutLead(text);
  if (open.length === 0 || plain === "") return undefined;
  const [only] = open;
  if (only !== undefined && open.length === 1) {
    const value = readBare(only, plain, now);
    if (value !== undefined) return { [only.name]: value };
  }
  const pieces = plain.split(SEPARATOR).filter((piece) => piece !== "");
  if (pieces.some((piece) => LABELLED.test(piece))) return undefined;
  const values: Values = {};
  for (const piece of pieces) {
    const readers = open
      .filter(({ name }) => !Object.hasOwn(values, name))
      .map((parameter) => ({ parameter, value: readBare(parameter, withoutLead(piece), now) }))
      .filter(({ value }) => value !== undefined);
    // Any words can be a text: a piece that is a date or a number is for the parameter that takes one.
    const [reader] = [...readers.filter(({ parameter }) => !takesWords(parameter)), ...readers];
    if (reader === undefined) return undefined;
    values[reader.parameter.name] = reader.value;
  }
  return values;
}

/** Returns what is left of an answer for the only parameter that is still open: `Seattle, 5 days`. */
export function remainingAnswer(
  parameters: readonly Parameter[],
  turn: Turn,
  found: Values,
  now: Date,
): Values {
  const open = parameters.filter(
    ({ name }) => turn.asked.includes(name) && !Object.hasOwn(found, name),
  );
  const [only] = open;
  const pieces = withoutLead(turn.text).split(
    /\s*[,;\n]\s*|\s+(?:and|for|over|in|on|from|to|until|at)\s+/,
  );
  if (only === undefined || open.length > 1 || pieces.length < 2) return {};
  const isUsed = (piece: string) =>
    parameters.some(
      (parameter) =>
        Object.hasOwn(found, parameter.name) &&
        String(readValue(parameter, piece, now)) === String(found[parameter.name]),
    );
  const rest = pieces.filter((piece) => piece !== "" && !isUsed(piece));
  const value = rest.length === 1 ? readBare(only, rest[0] ?? "", now) : undefined;
  return value === undefined ? {} : { [only.name]: value };
}

function readBare(parameter: Parameter, piece: string, now: Date): unknown {
  const kind = kindOf(parameter);
  if (kind === "boolean") return YES.test(piece) ? true : NO.test(piece) ? false : undefined;
  if (kind === "list") return piece.includes("\n") ? undefined : readValue(parameter, piece, now);
  if (piece.split(/\s+/).length > (MAX_WORDS[kind] ?? MOST_WORDS)) return undefined;
  if (takesWords(parameter) && !isQuoted(piece) && !isName(piece, now)) return undefined;
  return readValue(parameter, piece, now);
}

/** `Paris, France`, `Seattle, 5 days`, `from Paris tomorrow` and `over there` are for the trained extractor. */
function isName(piece: string, now: Date): boolean {
  if (/[,;\n@]|^\d|\s\d+\s/.test(piece) || datesOf(piece, now).length > 0) return false;
  return !/\s/.test(piece) || /^\p{Lu}/u.test(piece);
}

function isQuoted(piece: string): boolean {
  return /^["“«'].*["”»']$/u.test(piece);
}

function takesWords(parameter: Parameter): boolean {
  return ["text", "place"].includes(kindOf(parameter));
}

function withoutLead(text: string): string {
  return text
    .trim()
    .replace(LEAD, "")
    .replace(/[\s.!?]+$/, "");
}
