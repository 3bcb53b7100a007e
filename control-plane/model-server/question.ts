// The question for a prompt target's missing parameters, in the user's language: by descriptions, never by parameter
// names. Nothing is stored: the next turn is interpreted by parsing the question.

import { withoutExamples } from "./extraction/parameter.ts";
import { SPOKEN, type Spoken } from "./language/spoken.ts";

export interface Detail {
  name: string;
  description: string;
  /** What the user can choose from. */
  enum?: readonly (string | number)[] | undefined;
}

interface Frame {
  /** Before the list of what is missing, and after it. */
  start: string;
  end: string;
  /** Instead of a question, if the answers did not help: before and after the list. */
  unanswered: readonly [string, string];
}

const START = "I still need ";
const START_OF_CLAUSES = "I still need to know ";
/** In other languages than English descriptions stay as they are, in a list after a colon. */
const SEPARATOR = "; ";
const FRAMES: Readonly<Record<Spoken, Frame>> = {
  en: {
    start: START,
    end: ".",
    unanswered: [
      "I could not find ",
      " in your messages, so nothing was done. Please ask again in one sentence.",
    ],
  },
  de: {
    start: "Ich brauche noch: ",
    end: ".",
    unanswered: [
      "In Ihren Nachrichten fehlt: ",
      ". Es wurde nichts ausgeführt. Bitte fragen Sie noch einmal in einem Satz.",
    ],
  },
  fr: {
    start: "Il me faut encore : ",
    end: ".",
    unanswered: [
      "Il manque dans vos messages : ",
      ". Rien n'a été fait. Veuillez redemander en une phrase.",
    ],
  },
  es: {
    start: "Todavía necesito: ",
    end: ".",
    unanswered: [
      "En sus mensajes falta: ",
      ". No se ha hecho nada. Por favor, pregunte de nuevo en una sola frase.",
    ],
  },
  it: {
    start: "Mi serve ancora: ",
    end: ".",
    unanswered: [
      "Nei suoi messaggi manca: ",
      ". Non è stato fatto nulla. Per favore, chieda di nuovo in una sola frase.",
    ],
  },
  pt: {
    start: "Ainda preciso de: ",
    end: ".",
    unanswered: [
      "Nas suas mensagens falta: ",
      ". Nada foi feito. Por favor, pergunte de novo numa só frase.",
    ],
  },
  nl: {
    start: "Ik heb nog nodig: ",
    end: ".",
    unanswered: [
      "In uw berichten ontbreekt: ",
      ". Er is niets gedaan. Vraag het alstublieft opnieuw in één zin.",
    ],
  },
  pl: {
    start: "Potrzebuję jeszcze: ",
    end: ".",
    unanswered: [
      "W wiadomościach brakuje: ",
      ". Nic nie zostało wykonane. Proszę zapytać ponownie w jednym zdaniu.",
    ],
  },
  ru: {
    start: "Мне ещё нужно: ",
    end: ".",
    unanswered: [
      "В ваших сообщениях не хватает: ",
      ". Ничего не сделано. Пожалуйста, повторите запрос одним предложением.",
    ],
  },
  tr: {
    start: "Şu bilgilere hâlâ ihtiyacım var: ",
    end: ".",
    unanswered: [
      "Mesajlarınızda eksik: ",
      ". Hiçbir işlem yapılmadı. Lütfen tek bir cümleyle yeniden sorun.",
    ],
  },
  ja: {
    start: "次の情報が必要です：",
    end: "。",
    unanswered: [
      "メッセージに次の情報がありません：",
      "。何も実行されていません。もう一度、一つの文でお尋ねください。",
    ],
  },
  zh: {
    start: "我还需要：",
    end: "。",
    unanswered: ["您的消息中缺少：", "。未执行任何操作。请用一句话重新提问。"],
  },
};
/** More options are not listed. */
const MAX_OPTIONS = 5;
/** A longer description is cut. */
const MAX_PHRASE = 200;
/** Has an article, or a word that replaces it. */
const DETERMINED =
  /^(?:the|an?|your|my|their|its|his|her|this|that|these|those|all|any|each|one)\s/i;
const CLAUSE = /^(?:who|whose|what|which|when|where|why|how|whether|if)\b/i;

/**
 * Returns the question for exactly these details.
 * @param all of the target: equal descriptions are made distinct
 */
export function questionFor(
  missing: readonly Detail[],
  all: readonly Detail[] = missing,
  language: Spoken = "en",
): string {
  const { start, end } = FRAMES[language];
  const phrases = missing.map((detail) => phraseOf(detail, all, language));
  const isClause = language === "en" && phrases.some((phrase) => CLAUSE.test(phrase));
  return `${isClause ? START_OF_CLAUSES : start}${listOf(phrases, language)}${end}`;
}

/** Returns what is said when the answers to a question did not help, and no language model can take over. */
export function unanswered(
  missing: readonly Detail[],
  all: readonly Detail[],
  language: Spoken = "en",
): string {
  const [start, end] = FRAMES[language].unanswered;
  const phrases = missing.map((detail) => phraseOf(detail, all, language));
  return `${start}${listOf(phrases, language)}${end}`;
}

/** Returns the details as a list of lines for a language model. */
export function linesFor(missing: readonly Detail[], all: readonly Detail[]): string {
  return missing.map((detail) => `- ${phraseOf(detail, all, "en")}`).join("\n");
}

function listOf(phrases: readonly string[], language: Spoken): string {
  if (language !== "en") return phrases.join(SEPARATOR);
  const last = phrases.at(-1) ?? "";
  return phrases.length < 2 ? last : `${phrases.slice(0, -1).join(", ")} and ${last}`;
}

/** Whether the gateway wrote the question, and not a language model. */
export function isOurs(question: string): boolean {
  return languageOfQuestion(question) !== undefined;
}

/** Returns the language of a question of the gateway; undefined if it is none. */
export function languageOfQuestion(question: string): Spoken | undefined {
  return SPOKEN.find((language) => {
    const { start, end } = FRAMES[language];
    return question.startsWith(start) && question.endsWith(end);
  });
}

/** Returns the names of those details of a target that a question of the gateway asks for. */
export function askedNames(question: string, all: readonly Detail[]): string[] {
  const language = languageOfQuestion(question);
  if (language === undefined) return [];
  const phrase = (detail: Detail) => phraseOf(detail, all, language);
  // The longest first, each removed when it is found: a short one can be a part of it.
  const byLength = [...all].sort((a, b) => phrase(b).length - phrase(a).length);
  const exact = found(question, language, byLength, phrase, true);
  const asked = all.filter((detail) => exact.has(detail));
  if (questionFor(asked, all, language) === question) return asked.map(({ name }) => name);
  // Some descriptions look like lists of other descriptions: one detail too many is better than one too few.
  const possible = found(question, language, byLength, phrase, false);
  return all.filter((detail) => possible.has(detail)).map(({ name }) => name);
}

function found(
  question: string,
  language: Spoken,
  details: readonly Detail[],
  phraseFor: (detail: Detail) => string,
  takesOut: boolean,
): Set<Detail> {
  const { start, end } = FRAMES[language];
  const isClause = language === "en" && question.startsWith(START_OF_CLAUSES);
  let rest = question.slice((isClause ? START_OF_CLAUSES : start).length);
  const separator = language === "en" ? ", | and " : SEPARATOR;
  const asked = new Set<Detail>();
  for (const detail of details) {
    const phrase = escapeExpression(phraseFor(detail));
    const whole = new RegExp(
      `(?<=^|${separator})${phrase}(?=${separator}|${escapeExpression(end)}$)`,
      "u",
    );
    if (!whole.test(rest)) continue;
    asked.add(detail);
    if (takesOut) rest = rest.replace(whole, "");
  }
  return asked;
}

/** `Number of days.` → `the number of days`. */
function phraseOf(detail: Detail, all: readonly Detail[], language: Spoken): string {
  const phrase = describe(detail, language);
  const isShared = all.some(
    (other) => other.name !== detail.name && describe(other, language) === phrase,
  );
  return isShared ? `${phrase} (${wordsOf(detail.name)})` : phrase;
}

function describe({ name, description, enum: options = [] }: Detail, language: Spoken): string {
  const words = plain(withoutFormats(withoutExamples(description)));
  const phrase = words === "" ? wordsOf(name) : words;
  const isEnglish = language === "en";
  const isDetermined = !isEnglish || DETERMINED.test(phrase) || CLAUSE.test(phrase);
  const determined = isDetermined ? phrase : `the ${phrase}`;
  const isListed = options.length > 1 && options.length <= MAX_OPTIONS;
  return isListed ? `${determined} (${options.join(isEnglish ? " or " : " / ")})` : determined;
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
