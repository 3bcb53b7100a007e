// Booleans as people state them: the words of the parameter's name, and whether they are negated.
import { words } from "../similarity.ts";
import { type Parameter, stem } from "./parameter.ts";

/** They introduce what the flag is about. */
const LEADS =
  /^(?:is|has|with|include|including|show|enable|use|only|should|do|flag|get|allow|wants?)$/;
const NEGATION =
  /\b(?:without|no|not|non|don'?t|doesn'?t|never|exclude|excluding|skip|avoid|disable|ohne|nicht|keine?n?|sans|pas|sin)\b[\s-]*(?:\p{L}+[\s-]+){0,5}$/iu;
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
  const named = words(name)
    .split(" ")
    .filter((word) => word.length > 2 && !LEADS.test(word));
  if (named.length === 0 || named.every((word) => own.has(stem(word)))) return undefined;
  const pattern = named.map((word) => `${stem(word)}\\p{L}{0,3}`).join(`.{1,${MAX_GAP}}?`);
  const said = new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, "iu").exec(text);
  if (said === null) return undefined;
  const before = text.slice(0, said.index);
  if (UNDECIDED.test(before)) return undefined;
  const after = text.slice(said.index + said[0].length);
  return !NEGATION.test(before) && !OFF.test(after);
}
