// Parameters without a language model: only values that are certain; anything else is asked for.
import { coerce } from "./coerce.ts";
import { formatDate } from "./dates.ts";
import {
  currenciesOf,
  datesOf,
  emailsOf,
  idsOf,
  type Mention,
  type NumberMention,
  numbersOf,
  overlaps,
  placesAfter,
  quotationsOf,
  type Span,
  urlsOf,
} from "./mentions.ts";
import { type Kind, kindOf, ownWords, type Parameter, stem } from "./parameter.ts";
import { ownMentions } from "./rivals.ts";

export type Values = Record<string, unknown>;

/** What of a longer text is looked at. Characters. */
const MAX_TEXT = 4000;

export interface Turn {
  text: string;
  /** The parameters that the question before it asked for, so that a bare `Seattle` can answer it. */
  asked: readonly string[];
}

/** The certain values of a dialogue's turns, the oldest first; later turns win. */
export function extractEmbedded(
  parameters: readonly Parameter[],
  turns: readonly Turn[],
  now: Date,
): Values {
  const values: Values = {};
  for (const turn of turns) {
    const text = turn.text.slice(0, MAX_TEXT);
    const found = new Finder(parameters, { ...turn, text }, now).find();
    Object.assign(values, found);
    const open = parameters.filter(
      ({ name }) => turn.asked.includes(name) && !Object.hasOwn(found, name),
    );
    const answered = answeredParameter(open);
    if (answered === undefined) continue;
    const answer = answerTo(answered, text, found);
    if (answer !== undefined) values[answered.name] = answer;
  }
  return values;
}

/** The one that a bare answer can be for: the only one, or the only one that takes words. */
function answeredParameter(open: readonly Parameter[]): Parameter | undefined {
  const taking = open.length === 1 ? open : open.filter((parameter) => takesWords(parameter));
  return taking.length === 1 ? taking[0] : undefined;
}

function takesWords(parameter: Parameter): boolean {
  return ["text", "place"].includes(kindOf(parameter));
}

/** Finds the values of one text. A class for the mentions that its steps share. */
class Finder {
  readonly #parameters: readonly Parameter[];
  readonly #text: string;
  readonly #asked: readonly string[];
  readonly #values: Values = {};
  readonly #taken: Span[] = [];
  readonly #now: Date;

  constructor(parameters: readonly Parameter[], { text, asked }: Turn, now: Date) {
    this.#parameters = parameters;
    this.#text = text;
    this.#asked = asked;
    this.#now = now;
  }

  find(): Values {
    this.#single("email", emailsOf(this.#text));
    this.#single("url", urlsOf(this.#text));
    this.#quotations();
    this.#enums();
    this.#dates();
    this.#currencies();
    this.#ids();
    this.#numbers();
    this.#booleans();
    this.#places();
    return this.#values;
  }

  #open(kind: Kind): Parameter[] {
    return this.#parameters.filter(
      (parameter) => kindOf(parameter) === kind && !Object.hasOwn(this.#values, parameter.name),
    );
  }

  #take(parameter: Parameter, value: unknown, span?: Span): void {
    const coerced = coerce(parameter, value);
    if (!coerced.ok) return;
    this.#values[parameter.name] = coerced.value;
    if (span !== undefined) this.#taken.push(span);
  }

  /** One mention for one parameter of the kind; anything else is not certain. */
  #single(kind: Kind, mentions: readonly Mention<string>[]): void {
    const [parameter, another] = this.#open(kind);
    const [mention] = mentions;
    this.#taken.push(...mentions);
    const isOne = new Set(mentions.map(({ value }) => value)).size === 1;
    if (parameter !== undefined && another === undefined && mention !== undefined && isOne) {
      this.#take(parameter, mention.value);
    }
  }

  #quotations(): void {
    const mentions = quotationsOf(this.#text);
    if (mentions.length > 0) this.#single("text", mentions);
  }

  #enums(): void {
    for (const parameter of this.#open("enum")) {
      const found = (parameter.enum ?? []).flatMap((option) => optionIn(this.#text, option));
      // `light rain` is said, not `rain`: the longer one holds the shorter one.
      const longest = found.filter(
        (mention) =>
          !found.some(
            (other) =>
              overlaps(other, [mention]) && other.end - other.start > mention.end - mention.start,
          ),
      );
      this.#takeOnly(parameter, longest);
    }
  }

  /** One value among the mentions that are for the parameter; several are not certain. */
  #takeOnly(parameter: Parameter, mentions: readonly Mention<string | number>[]): void {
    const own = ownMentions(this.#text, parameter, mentions, this.#parameters, this.#asked);
    const [first] = own;
    if (first === undefined || new Set(own.map(({ value }) => value)).size !== 1) return;
    this.#take(parameter, first.value, first);
  }

  #dates(): void {
    const parameters = this.#open("date");
    const mentions = datesOf(this.#text, this.#now).filter(
      (mention) => !overlaps(mention, this.#taken),
    );
    if (parameters.length > 0) this.#taken.push(...mentions);
    const said = mentions.flatMap(({ from, to }) => (to === undefined ? [from] : [from, to]));
    if (said.length !== parameters.length) return;
    // Two dates are a start and an end, in this order in the configuration and in speech.
    parameters.forEach((parameter, index) => {
      const date = said[index];
      if (date !== undefined) this.#take(parameter, formatDate(date, parameter));
    });
  }

  #currencies(): void {
    const mentions = currenciesOf(this.#text);
    for (const parameter of this.#open("currency")) this.#takeOnly(parameter, mentions);
  }

  #ids(): void {
    const parameters = this.#open("id");
    if (parameters.length === 0) return;
    const mentions = idsOf(this.#text).filter((mention) => !overlaps(mention, this.#taken));
    for (const parameter of parameters) {
      const named = mentions.filter(({ start }) => isNamedBefore(this.#text, start, parameter));
      const alone = mentions.filter(({ value }) => /\p{L}.*\d|\d{4}/u.test(value));
      const [only, another] = named.length > 0 ? named : parameters.length === 1 ? alone : [];
      if (only !== undefined && another === undefined) this.#take(parameter, only.value, only);
    }
  }

  #numbers(): void {
    let mentions = numbersOf(this.#text, this.#taken);
    const choose = (parameter: Parameter, suits: (mention: NumberMention) => boolean) => {
      const suiting = mentions.filter(
        (mention) => suits(mention) && coerce(parameter, mention.value).ok,
      );
      const [only, another] = suiting;
      if (only === undefined || another !== undefined) return;
      this.#take(parameter, only.value, only);
      mentions = mentions.filter((mention) => mention !== only);
    };
    for (const parameter of this.#open("number")) {
      const own = ownWords(parameter);
      choose(
        parameter,
        ({ unit }) => unit.length > 2 && !NO_UNITS.test(unit) && own.has(stem(unit)),
      );
    }
    for (const parameter of this.#open("number")) {
      choose(parameter, ({ start }) => isNamedBefore(this.#text, start, parameter));
    }
    const [parameter, another] = this.#open("number");
    if (parameter !== undefined && another === undefined && mentions.length === 1) {
      choose(parameter, ({ unit }) => !UNITS.test(unit));
    }
  }

  #booleans(): void {
    for (const parameter of this.#open("boolean")) {
      const named = [...parameter.name.toLowerCase().matchAll(/\p{L}{4,}/gu)]
        .map(([word]) => word)
        .filter((word) => !/^(?:include|with|show|enable|only)$/.test(word))
        .map(stem);
      const [word] = named;
      if (word === undefined) continue;
      const said = new RegExp(`(\\S+\\s+)?(\\S+)\\s+(?:the |any )?${word}`, "iu").exec(this.#text);
      if (said === null) continue;
      const before = `${said[1] ?? ""}${said[2] ?? ""}`;
      if (/\b(?:without|no|not|exclude|excluding|don't|skip)\b/i.test(before)) {
        this.#take(parameter, false);
      } else if (/\b(?:with|include|including|and|show|enable)\b/i.test(before)) {
        this.#take(parameter, true);
      }
    }
  }

  #places(): void {
    const dates = datesOf(this.#text, this.#now);
    const parameters = this.#open("place");
    for (const parameter of parameters) {
      const mentions = placesAfter(this.#text, prepositionsOf(parameter), [
        ...this.#taken,
        ...dates,
      ]);
      const [first] = mentions;
      const isOne = new Set(mentions.map(({ value }) => value.toLowerCase())).size === 1;
      // Two places without a direction, such as a city and a country, cannot be told apart.
      const isClear = parameters.length === 1 || DIRECTED.test(parameter.name.replaceAll("_", " "));
      // Who wants `City, State` is not given a bare city.
      const isWhole =
        !/\bcity,? (?:and )?(?:state|country)\b|\w, [A-Z]{2}\b/i.test(parameter.description) ||
        first?.value.includes(",") === true;
      if (first !== undefined && isOne && isClear && isWhole) this.#take(parameter, first.value);
    }
  }
}

/** Words that stand in any description. */
const NO_UNITS = /^(?:and|the|for|from|with|are|that|this|per|of|in|is|be|or|to)$/;
/** Units that belong to a parameter of their own: `3 days` is no quantity. */
const UNITS =
  /^(?:%|percent|seconds?|minutes?|hours?|days?|weeks?|months?|years?|km|kilometers?|miles?|meters?|metres?|kg|grams?|pounds?|degrees?|°c?f?|am|pm|o|st|nd|rd|th|people|persons?|guests?|nights?)$/;
const DIRECTED = /\b(?:from|origin|departure|source|start|to|destination|arrival|end|target)\b/i;

function prepositionsOf({ name }: Parameter): string[] {
  const called = name.replaceAll("_", " ");
  if (/\b(?:from|origin|departure|source|start)\b/i.test(called)) return ["from"];
  if (/\b(?:to|destination|arrival|end|target)\b/i.test(called)) return ["to"];
  return ["in", "at", "for", "near", "around", "of", "from", "to"];
}

/** Whether the parameter's name stands directly before the place: `device 42`, `order number: 7`, `limit of 5`. */
function isNamedBefore(text: string, start: number, parameter: Parameter): boolean {
  const before = text.slice(Math.max(0, start - 40), start).toLowerCase();
  const said = before.replace(/(?:\s|=|:|#|\b(?:is|of|to|no|nr|number|id|the)\b\.?)+$/u, "");
  const word = /(\p{L}+)$/u.exec(said)?.[1];
  const ownName = /(\p{L}+)[\s=:#]*$/u.exec(before)?.[1];
  const own = new Set(
    parameter.name
      .toLowerCase()
      .match(/\p{L}+/gu)
      ?.map(stem) ?? [],
  );
  return [word, ownName].some((name) => name !== undefined && own.has(stem(name)));
}

function optionIn(text: string, option: string | number): Mention<string | number>[] {
  const pattern = String(option)
    .trim()
    .split(/[\s_-]+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[\\s_-]+");
  if (pattern === "") return [];
  return [
    ...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, "giu")),
  ].map(({ index, 0: said }) => ({ start: index, end: index + said.length, value: option }));
}

const LEAD =
  /^(?:(?:oh|ok|okay|yes|sure|well|please|sorry|i mean|i meant|it's|it is|it was|that's|that is|i'd like|i want|make it|let's say|what about|how about|in|at|for|to|from|near|(?:the|my) [\p{L} ]{1,30} (?:is|are|would be))[\s,:]+)+/iu;
const MAX_ANSWER = 8;

/** The whole turn, or what is left of it, as the value of the only thing that was asked for and not found. */
function answerTo(parameter: Parameter, text: string, found: Values): unknown {
  const saysMore = Object.keys(found).length > 0;
  const kind = kindOf(parameter);
  const plain = text
    .trim()
    .replace(LEAD, "")
    .replace(/[\s.!?]+$/, "");
  if (plain === "" || plain.includes("\n")) return undefined;
  if (kind === "boolean") {
    if (/^(?:yes|yeah|yep|sure|please do|of course|true)\b/i.test(text.trim())) return true;
    return /^(?:no|nope|not|don't|false)\b/i.test(text.trim()) ? false : undefined;
  }
  const isBare = !saysMore && isShort(plain);
  if (kind === "id" && isBare && !/\s/.test(plain)) return plain.replace(/^#/, "");
  if (kind === "number" && isBare) {
    const [only, another] = numbersOf(plain);
    return only !== undefined && another === undefined && coerce(parameter, only.value).ok
      ? only.value
      : undefined;
  }
  if (kind === "list" && isBare)
    return plain.split(/\s*(?:,|;|\band\b)\s*/).filter((item) => item !== "");
  if (!takesWords(parameter)) return undefined;
  if (isBare) return unquoted(plain);
  // `Seattle, 5 days` and `Seattle for 5 days`: the piece that says nothing else.
  const pieces = plain.split(/\s*[,;]\s*|\s+(?:and|for|over|in|on|from|to|until)\s+/);
  const values = new Set(Object.values(found));
  const rest = pieces.filter(
    (piece) => piece !== "" && !values.has(piece) && !saysSomethingElse(piece),
  );
  return saysMore && rest.length === 1 && isShort(rest[0] ?? "")
    ? unquoted(rest[0] ?? "")
    : undefined;
}

function saysSomethingElse(piece: string): boolean {
  return /\d|@/.test(piece) || numbersOf(piece).length > 0 || currenciesOf(piece).length > 0;
}

function isShort(text: string): boolean {
  return text.split(/\s+/).length <= MAX_ANSWER;
}

function unquoted(text: string): string {
  return text.replace(/^["“«'](.*)["”»']$/u, "$1");
}
