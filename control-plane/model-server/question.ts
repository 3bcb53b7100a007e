// The question for a prompt target's missing parameters, in the user's words: by descriptions, never by parameter
// names. Nothing is stored: the next turn is interpreted by parsing the question.

import { withoutExamples } from "./extraction/parameter.ts";

export interface Detail {
  name: string;
  description: string;
  /** What the user can choose from. */
  enum?: readonly (string | number)[] | undefined;
}

const START = "I still need ";
const START_OF_CLAUSES = "I still need to know ";
/** More options are not listed. */
const MAX_OPTIONS = 5;
/** A longer description is cut. */
const MAX_PHRASE = 200;
/** Has an article, or a word that replaces it. */
const DETERMINED =
  /^(?:the|an?|your|my|their|its|his|her|this|that|these|those|all|any|each|one)\s/i;
const CLAUSE = /^(?:who|whose|what|which|when|where|why|how|whether|if)\b/i;

/** Returns the question for exactly these details. @param all of the target: equal descriptions are made distinct */
export function questionFor(missing: readonly Detail[], all: readonly Detail[] = missing): string {
  const phrases = missing.map((detail) => phraseOf(detail, all));
  const start = phrases.some((phrase) => CLAUSE.test(phrase)) ? START_OF_CLAUSES : START;
  const last = phrases.at(-1) ?? "";
  const list = phrases.length < 2 ? last : `${phrases.slice(0, -1).join(", ")} and ${last}`;
  return `${start}${list}.`;
}

/** Returns what is said when the answers to a question did not help, and no language model can take over. */
export function unanswered(missing: readonly Detail[], all: readonly Detail[]): string {
  const question = questionFor(missing, all).replace(START_OF_CLAUSES, "").replace(START, "");
  return `I could not find ${question.slice(0, -1)} in your messages, so nothing was done. Please ask again in one sentence.`;
}

/** Whether the gateway wrote the question, and not a language model. */
export function isOurs(question: string): boolean {
  return question.startsWith(START) && question.endsWith(".");
}

/** Returns the names of those details of a target that a question of the gateway asks for. */
export function askedNames(question: string, all: readonly Detail[]): string[] {
  if (!isOurs(question)) return [];
  // The longest first, each removed when it is found: a short one can be a part of it.
  const byLength = [...all].sort((a, b) => phraseOf(b, all).length - phraseOf(a, all).length);
  const exact = found(question, byLength, all, true);
  const asked = all.filter((detail) => exact.has(detail));
  if (questionFor(asked, all) === question) return asked.map(({ name }) => name);
  // Some descriptions look like lists of other descriptions: one detail too many is better than one too few.
  const possible = found(question, byLength, all, false);
  return all.filter((detail) => possible.has(detail)).map(({ name }) => name);
}

function found(
  question: string,
  details: readonly Detail[],
  all: readonly Detail[],
  takesOut: boolean,
): Set<Detail> {
  const start = question.startsWith(START_OF_CLAUSES) ? START_OF_CLAUSES : START;
  let rest = question.slice(start.length);
  const asked = new Set<Detail>();
  for (const detail of details) {
    const phrase = escapeExpression(phraseOf(detail, all));
    const whole = new RegExp(`(?<=^|, | and )${phrase}(?=, | and |\\.$)`, "u");
    if (!whole.test(rest)) continue;
    asked.add(detail);
    if (takesOut) rest = rest.replace(whole, "");
  }
  return asked;
}

/** `Number of days.` → `the number of days`. */
function phraseOf(detail: Detail, all: readonly Detail[]): string {
  const phrase = describe(detail);
  const isShared = all.some((other) => other.name !== detail.name && describe(other) === phrase);
  return isShared ? `${phrase} (${wordsOf(detail.name)})` : phrase;
}

function describe({ name, description, enum: options = [] }: Detail): string {
  const words = plain(withoutFormats(withoutExamples(description)));
  const phrase = words === "" ? wordsOf(name) : words;
  const determined = DETERMINED.test(phrase) || CLAUSE.test(phrase) ? phrase : `the ${phrase}`;
  const isListed = options.length > 1 && options.length <= MAX_OPTIONS;
  return isListed ? `${determined} (${options.join(" or ")})` : determined;
}

/** `first day, YYYY-MM-DD` → `first day`, `currency, ISO code` → `currency`: a person can write them in any form. */
function withoutFormats(description: string): string {
  return description
    .replace(
      /[,;]?\s*(?:in|as)?\s*(?:the )?(?:format|form)?\s*\b(?:YYYY|DD|MM|HH)\b[-./:\w]*/gi,
      "",
    )
    .replace(/(?:^|[,;]\s*)(?:as |in )?(?:an? |the )?ISO\b[\w\s-]*$/, "");
}

function wordsOf(name: string): string {
  return name.replaceAll(/[_.-]+/g, " ");
}

/**
 * Returns the description on one line, without the end of a sentence, and without its capital unless it starts a name
 * or abbreviation.
 */
function plain(description: string): string {
  const text = description
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[.?!:;,\s]+$/, "");
  const cut = text.length > MAX_PHRASE ? `${text.slice(0, MAX_PHRASE)}…` : text;
  return /^\p{Lu}[\p{Ll}\s]/u.test(cut) ? cut.charAt(0).toLowerCase() + cut.slice(1) : cut;
}

function escapeExpression(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
