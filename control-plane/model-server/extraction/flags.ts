// Booleans as people state them: the words of the parameter's name, and whether they are negated.
import { words } from "../similarity.ts";
import { type Parameter, stem } from "./parameter.ts";

/** They introduce what the flag is about. */
const LEADS =
  /^(?:is|has|with|include|including|show|enable|use|only|should|do|flag|get|allow|wants?)$/;
/** They follow it: `insurance_accepted`, `private_visibility`. */
const FOLLOWS =
  /^(?:allowed|accepted|available|options?|services?|visibility|required|enabled|included|good|for)$/;
/** Other words for a word of a name. */
const SAME: Readonly<Record<string, string>> = { kids: "(?:kid|child)", children: "(?:kid|child)" };
const NEGATION =
  /\b(?:without|no|not|non|don'?t|doesn'?t|never|exclude|excluding|skip|avoid|disable|off|ohne|nicht|keine?n?|sans|pas|sin)\b[\s-]*(?:\p{L}+[\s-]+){0,5}$/iu;
const OFF = /^\s*(?:[:=]|is|to|should be)?\s*(?:false|no|off|not\b)/i;
/** `I do not care whether smoking is allowed` */
const UNDECIDED = /\b(?:whether|care|cares|concerned|matters?|mind|optional)\b[^.!?]*$/i;
/** Words between two words of the name. */
const MAX_GAP = 12;

/** Returns whether the text sets the flag; undefined if it does not name it. @param own stems of the target's own words */
export function readFlag(
  { name }: Parameter,
  text: string,
  own: ReadonlySet<string>,
): boolean | undefined {
  const all = words(name)
    .split(" ")
    .filter((word) => word.length > 2 && !LEADS.test(word));
  const subject = all.filter((word) => !FOLLOWS.test(word));
  const named = subject.length === 0 ? all : subject;
  if (named.length === 0 || named.every((word) => own.has(stem(word)))) return undefined;
  const pattern = named
    .map((word) => `${SAME[word] ?? stem(word)}\\p{L}{0,3}`)
    .join(`.{1,${MAX_GAP}}?`);
  const said = new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, "iu").exec(text);
  if (said === null) return undefined;
  const before = text.slice(0, said.index);
  if (UNDECIDED.test(before)) return undefined;
  const after = text.slice(said.index + said[0].length);
  return !NEGATION.test(before) && !OFF.test(after);
}

/** Whether the options are `true` and `false`, perhaps with one for "any". */
export function isFlag({ enum: options = [] }: Parameter): boolean {
  const names = options.map((option) => String(option).toLowerCase());
  return names.includes("true") && names.includes("false") && names.length < 4;
}

/** Returns the option that a text sets, as `readFlag` reads it. */
export function readFlagOption(
  parameter: Parameter,
  text: string,
  own: ReadonlySet<string>,
): string | number | undefined {
  const value = readFlag(parameter, text, own);
  if (value === undefined) return undefined;
  return parameter.enum?.find((option) => String(option).toLowerCase() === String(value));
}
