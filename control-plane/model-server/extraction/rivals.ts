// Which of several parameters a value is for, when each of them could take it: `5 USD to EUR` with a source and a target.
import { coerce } from "./coerce.ts";
import { currencyCode, type Mention } from "./mentions.ts";
import { kindOf, type Parameter, stem } from "./parameter.ts";

/** Where a value comes from or goes to, by the words that stand before it, or that a parameter is called by. */
type Direction = "from" | "to";

const FROM = /\b(?:from|source|base|origin|departure|start)\b/i;
const TO = /\b(?:to|target|quote|into|destination|arrival|end)\b/i;

/**
 * The mentions that are this parameter's: all of them where no other parameter could take the value, else those that
 * stand beside its name, those that its direction fits, or those that answer a question for it alone.
 * @param asked names of the parameters that the question before the text asked for
 */
export function ownMentions<T>(
  text: string,
  parameter: Parameter,
  mentions: readonly Mention<T>[],
  all: readonly Parameter[],
  asked: readonly string[],
): readonly Mention<T>[] {
  const rivals = all.filter(
    (other) => other !== parameter && mentions.some(({ value }) => couldTake(other, value)),
  );
  if (rivals.length === 0) return mentions;
  const named = mentions.filter((mention) => isBesideName(text, mention, parameter));
  if (named.length > 0) return named;
  const wanted = directionOf(parameter);
  const isAskedAlone =
    asked.includes(parameter.name) && !rivals.some(({ name }) => asked.includes(name));
  const directed = mentions.filter(({ start }) => directionBefore(text, start) === wanted);
  if (wanted !== undefined && directed.length > 0) return directed;
  const bare = mentions.filter(({ start }) => directionBefore(text, start) === undefined);
  if (isAskedAlone) return bare;
  // `5 USD to EUR`: what has no direction is where it comes from, unless something else was asked for.
  const isAskedElsewhere = rivals.some(({ name }) => asked.includes(name));
  return wanted === "from" && !(isAskedElsewhere && !asked.includes(parameter.name)) ? bare : [];
}

function couldTake(parameter: Parameter, value: unknown): boolean {
  const kind = kindOf(parameter);
  if (kind === "currency") return currencyCode(String(value)) !== undefined;
  return kind === "enum" && coerce(parameter, value).ok;
}

function directionOf({ name }: Parameter): Direction | undefined {
  const called = name.replaceAll("_", " ");
  if (FROM.test(called)) return "from";
  return TO.test(called) ? "to" : undefined;
}

function directionBefore(text: string, start: number): Direction | undefined {
  const before = text.slice(0, start);
  if (/\b(?:to|in|into|as)\s+(?:the\s+)?$/i.test(before)) return "to";
  return /\bfrom\s+(?:the\s+)?$/i.test(before) ? "from" : undefined;
}

/** `high priority`, `priority: high`. */
function isBesideName(
  text: string,
  { start, end }: Mention<unknown>,
  { name }: Parameter,
): boolean {
  const own = new Set(
    name
      .toLowerCase()
      .match(/\p{L}{3,}/gu)
      ?.map(stem) ?? [],
  );
  const before = /(\p{L}+)(?:\s|=|:|\bis\b|\bof\b)*$/iu.exec(
    text.slice(Math.max(0, start - 40), start),
  );
  const after = /^\s+(\p{L}+)/u.exec(text.slice(end, end + 40));
  return [before?.[1], after?.[1]].some((word) => word !== undefined && own.has(stem(word)));
}
