// The values that one turn states for a target's parameters: spans of the trained extractor, read by kind, and what
// deterministic readers find. What is not certain is reported as doubtful, so that it is asked for.
import type { TargetDescription } from "../options.ts";
import type { RunningExtractor } from "../extractor/open-extractor.ts";
import type { Candidate } from "../extractor/spans.ts";
import { overlap, settled } from "../extractor/spans.ts";
import type { Span } from "../text-span.ts";
import { clocksIn } from "./clock.ts";
import { codesIn } from "./codes.ts";
import { currenciesOf } from "./currencies.ts";
import { datesOf, readDate } from "./dates.ts";
import { isFlag, readFlag, readFlagOption } from "./flags.ts";
import { isOnlyOne } from "./only-one.ts";
import { optionsIn } from "./enum-options.ts";
import {
  fromDescription,
  kindOf,
  ownWords,
  type Parameter,
  stem,
  withoutExamples,
} from "./parameter.ts";
import { readValue, wholeSpan } from "./read-value.ts";
import { assignedByRole } from "./roles.ts";
import { languageOf } from "../language/language.ts";
import { words } from "../similarity.ts";

export type Values = Record<string, unknown>;

/** A target as extraction sees it. */
export interface Target {
  name: string;
  description: string;
  parameters: readonly Parameter[];
  /** The literals of its API's path and query. */
  path: string;
  /** Whether its API changes something (POST): a value has to be more certain. */
  acts: boolean;
}

export function asTarget({ parameters, ...described }: TargetDescription): Target {
  return { ...described, parameters: parameters.map(fromDescription) };
}

export interface Stated {
  values: Values;
  /** Names of parameters that the turn seems to state, but not with certainty. */
  doubtful: string[];
  /** The turn without the spans of its values. */
  rest: string;
}

export interface Turn {
  text: string;
  /** Names of the parameters that the question before it asked for. */
  asked: readonly string[];
}

/** Returns the spans of each parameter, the best first. */
export type SpanFinder = (
  target: Target,
  parameters: readonly Parameter[],
  turn: Turn,
) => Promise<readonly (readonly Candidate[])[]>;

/** Returns the spans of the trained extractor. */
export function spanFinder(extractor: RunningExtractor): SpanFinder {
  return async ({ name, description }, parameters, { text, asked }) => {
    const target = { name, description };
    return (await extractor.run({ target, parameters, prompt: text, asked })).candidates;
  };
}

/** Log odds from which a span is taken as it is; below, only if it is the only one of its kind. */
const CERTAIN = 2;
const CERTAIN_TO_ACT = 4;

interface ReadCandidate extends Candidate {
  value: unknown;
}

export async function statedIn(
  target: Target,
  turn: Turn,
  find: SpanFinder | undefined,
  now: Date,
): Promise<Stated> {
  const sought = target.parameters.filter((parameter) => kindOf(parameter) !== "boolean");
  const candidates = (await find?.(target, sought, turn)) ?? sought.map(() => []);
  const values: Values = {};
  const doubtful: string[] = [];
  const fixed = fixedValues(target);
  const read = sought.map((parameter, index) => [
    ...labelled(parameter, turn.text),
    ...readable(parameter, turn.text, candidates[index] ?? [], fixed, now).filter(
      (candidate) =>
        !isRivals(parameter, sought, turn.text, candidate) &&
        !isOfClock(parameter, turn.text, candidate),
    ),
  ]);
  const chosen = withRoles(sought, turn.text, settled(read, 0), now);
  sought.forEach((parameter, index) => {
    const { name } = parameter;
    const found = chosen[index];
    const others = chosen.filter((other) => other !== undefined && other !== found);
    const best = candidates[index]?.find(
      (candidate) => !others.some((other) => other !== undefined && overlap(other, candidate)),
    );
    const certain = target.acts ? CERTAIN_TO_ACT : CERTAIN;
    if (found !== undefined && (found.odds >= certain || isOnlyOne(parameter, turn.text, now)))
      values[name] = found.value;
    else if (best !== undefined && best.odds > 0) doubtful.push(name);
  });
  for (const parameter of target.parameters) {
    if (Object.hasOwn(values, parameter.name)) continue;
    const value = readWithoutSpan(target, parameter, turn.text, now);
    if (value === undefined) continue;
    values[parameter.name] = value;
  }
  const spans = chosen.filter((found) => found !== undefined);
  return {
    values,
    doubtful: doubtful.filter((name) => !Object.hasOwn(values, name)),
    rest: withoutSpans(turn.text, spans),
  };
}

/** Returns the candidates of the parameters after those with the role of another one have been exchanged. */
function withRoles(
  parameters: readonly Parameter[],
  text: string,
  chosen: readonly (ReadCandidate | undefined)[],
  now: Date,
): (ReadCandidate | undefined)[] {
  return assignedByRole(parameters, text, chosen).map((from, index) => {
    const found = from === undefined ? undefined : chosen[from];
    const parameter = parameters[index];
    if (from === index || found === undefined || parameter === undefined) return found;
    const { start, end } = wholeSpan(parameter, text, found);
    const value = readValue(parameter, text.slice(start, end), now);
    return value === undefined ? undefined : { ...found, value };
  });
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  return spans
    .toSorted((one, other) => other.start - one.start)
    .reduce((rest, { start, end }) => `${rest.slice(0, start)} ${rest.slice(end)}`, text);
}

/** Returns the candidates above "not stated" that are whole tokens and values of the parameter. */
function readable(
  parameter: Parameter,
  text: string,
  candidates: readonly Candidate[],
  fixed: ReadonlySet<string>,
  now: Date,
): ReadCandidate[] {
  const read = candidates
    .filter(({ odds }) => odds > 0)
    .map((candidate) => {
      const { start, end } = wholeSpan(parameter, text, candidate);
      return { ...candidate, value: readValue(parameter, text.slice(start, end), now) };
    });
  const isFree = ({ value }: ReadCandidate) =>
    value !== undefined && !(typeof value === "string" && fixed.has(value));
  // Any words can be a name: where the best ones are not the value, others are not either.
  const isStrict = !["text", "place", "id"].includes(kindOf(parameter));
  return isStrict || read.slice(0, 1).every(isFree) ? read.filter(isFree) : [];
}

/** Log odds of a quotation after the parameter's name: surer than any span. */
const LABELLED = 20;

/** Returns the quotation that the parameter's name introduces: `the nickname is 'PG1'`. */
function labelled(parameter: Parameter, text: string): ReadCandidate[] {
  if (!["text", "id"].includes(kindOf(parameter))) return [];
  const name = words(parameter.name).trim().replaceAll(/\s+/g, "[\\s_-]?");
  if (!/^[\p{L}\p{N}[\]\\s?_-]{3,}$/u.test(name)) return [];
  const pattern = new RegExp(
    `(?<!\\p{L})${name}\\s*(?:is|of|as|:|=|called|named|should be|,)?\\s*(['"“‘])([^'"“”‘’\\n]{1,100})['"”’](?!\\p{L})`,
    "giu",
  );
  const found = [...text.matchAll(pattern)];
  const [, , value = ""] = found[0] ?? [];
  if (found.length !== 1 || value.trim() === "") return [];
  const end = (found[0]?.index ?? 0) + (found[0]?.[0].length ?? 0) - 1;
  return [{ start: end - value.length, end, odds: LABELLED, value: value.trim() }];
}

/** Whether a number's unit is what another parameter is called: `2 bathrooms` is no number of bedrooms. */
function isRivals(
  parameter: Parameter,
  all: readonly Parameter[],
  text: string,
  { end }: Candidate,
): boolean {
  if (kindOf(parameter) !== "number") return false;
  const unit = /^[\s-]*(\p{L}{3,})/u.exec(text.slice(end))?.[1];
  if (unit === undefined) return false;
  const isNamed = (other: Parameter) =>
    [...ownWords(other)].some((own) => isAlike(own, stem(unit)));
  return (
    !isNamed(parameter) &&
    all.some((other) => other !== parameter && kindOf(other) === "number" && isNamed(other))
  );
}

/** Whether a number is a part of a time of day: `neuf heures du matin` is no duration. */
function isOfClock(parameter: Parameter, text: string, candidate: Candidate): boolean {
  return (
    kindOf(parameter) === "number" && clocksIn(text).some((clock) => overlap(clock, candidate))
  );
}

/** `bed` and `bedroom` */
function isAlike(one: string, other: string): boolean {
  return (
    one === other ||
    (Math.min(one.length, other.length) > 2 && (one.startsWith(other) || other.startsWith(one)))
  );
}

/** What certain forms show without a trained model. */
function readWithoutSpan(target: Target, parameter: Parameter, text: string, now: Date): unknown {
  const kind = kindOf(parameter);
  const rivals = target.parameters.filter((other) => kindOf(other) === kind);
  switch (kind) {
    case "boolean":
      return readFlag(parameter, text, nameWords(target));
    case "enum":
      if (isFlag(parameter)) return readFlagOption(parameter, text, nameWords(target));
      return onlyOption(parameter, rivals, text) ?? codeOf(parameter, text);
    case "number":
      return codeOf(parameter, text);
    case "time":
      return rivals.length > 1 ? undefined : onlyOf(clocksIn(text).map(({ value }) => value));
    case "date": {
      // The extractor knows English best: in other languages the only day of a text is taken as well.
      const days = languageOf(text) === undefined ? [] : datesOf(text, now);
      const [day] = days;
      if (rivals.length > 1 || day === undefined || days.length > 1) return undefined;
      return readDate(parameter, day.said, now);
    }
    case "email":
      return rivals.length > 1 ? undefined : onlyOf(text.match(EMAILS) ?? []);
    case "url":
      return rivals.length > 1
        ? undefined
        : onlyOf((text.match(URLS) ?? []).map((url) => url.replace(/[.,;:!?)]+$/, "")));
    default:
      return undefined;
  }
}

/** The stems of a target's name: "send" of `send_report` is no flag. */
function nameWords({ name }: Target): Set<string> {
  return ownWords({ name, description: "" });
}

const EMAILS = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}/g;
const URLS = /https?:\/\/[^\s<>"']{3,2000}/gi;

function onlyOf<Value>(values: readonly Value[]): Value | undefined {
  const different = new Set(values);
  return different.size === 1 ? values[0] : undefined;
}

/** Returns the code that the text explains, if there is only one, and it is an option of an enum. */
function codeOf(parameter: Parameter, text: string): unknown {
  const code = onlyOf(codesIn(parameter, text));
  if (code === undefined || parameter.enum === undefined) return code;
  return parameter.enum.find((option) => String(option) === String(code));
}

/** `list all servers` is no request for the option "all". */
const ORDINARY = new Set(["all", "any", "none", "other", "default"]);

/** Returns the only option that a text contains, if it is no other parameter's too. */
function onlyOption(parameter: Parameter, rivals: readonly Parameter[], text: string) {
  const options = optionsIn(parameter, text);
  const found = onlyOf(options.filter((option) => !ORDINARY.has(String(option).toLowerCase())));
  if (found === undefined) return undefined;
  const isShared = rivals.some((other) => other !== parameter && other.enum?.includes(found));
  return isShared ? undefined : found;
}

/**
 * Returns values that the target's own texts fix: the USD of "convert US dollars into another currency" or of
 * `/convert/USD/{currency}`. Two of them are a choice, and fix nothing.
 */
function fixedValues({ description, path, parameters }: Target): ReadonlySet<string> {
  const texts = [
    withoutExamples(description),
    path.replaceAll(/\{[^}]*\}/g, " "),
    ...parameters.map((parameter) => withoutExamples(parameter.description)),
  ];
  const named = new Set(texts.flatMap(currenciesOf));
  return named.size === 1 ? named : new Set();
}
