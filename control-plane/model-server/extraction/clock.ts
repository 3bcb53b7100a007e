// Times of day as people state them, in seven languages: `half past seven in the evening`, `halb acht`, `19h30`, `las ocho y
// media de la tarde`.
import { plain } from "../language/language.ts";
import { rememberLatest } from "../latest.ts";
import type { Span } from "../text-span.ts";
import { NUMBER_WORDS } from "./number-words.ts";

export interface Clock extends Span {
  /** HH:MM */
  value: string;
}

const MAX_TEXT = 1000;

/** The numbers of a clock, each as one word; those of English decide what `half` means. */
const ENGLISH_HOURS = "one two three four five six seven eight nine ten eleven twelve";
const WORDS = [...NUMBER_WORDS]
  .filter(([, number]) => Number.isInteger(number) && number < 60)
  .map(([word]) => word)
  .concat(["one", "eins", "ein", "una", "uno", "une", "un", "um", "uma", "een"])
  .sort((one, other) => other.length - one.length)
  .join("|");
const DIGITS = `\\d{1,2}(?!\\d|[.,:]\\d)`;
const N = `(?:${DIGITS}|(?:${WORDS})(?:(?:-| y | e | et | )(?:${WORDS}))?(?!\\p{L}))`;
const N0 = `(?:${DIGITS}|(?:${WORDS})(?!\\p{L}))`;

/** When a day has which hour: the half of it that an hour up to 12 belongs to. */
const DAY_PARTS: readonly [string, "am" | "pm" | "night"][] = [
  [
    `a\\.?m\\.?(?!\\p{L})|in the morning|this morning|morgens|vormittags|fruh|am (?:morgen|vormittag)|du matin|de la manana|por la manana|d[ie]l? mattin[ao]|da manha|de manha|'?s (?:ochtends|morgens)`,
    "am",
  ],
  [
    `p\\.?m\\.?(?!\\p{L})|in the (?:afternoon|evening)|this (?:afternoon|evening)|tonight|nachmittags|abends|mittags|(?:heute |am )(?:abend|nachmittag|mittag)|du soir|ce soir|de l.apres-midi|de la tarde|por la tarde|d[ie] (?:sera|pomeriggio)|della sera|del pomeriggio|stasera|da tarde|hoje a tarde|'?s (?:avonds|middags)|vanavond|vanmiddag`,
    "pm",
  ],
  [
    `at night|nachts|in der nacht|de la noche|por la noche|esta noche|de la madrugada|di notte|della notte|da noite|hoje a noite|da madrugada|'?s nachts|vannacht`,
    "night",
  ],
];
const DAY_PART = `(?:${DAY_PARTS.map(([words]) => words).join("|")})`;
const AT = `(?:(?:at|around|by|um|gegen|ab|a las?|las|alle|dalle|às?|as|pelas|om|rond|tegen|vanaf|vers|des|a partir de) |(?:d?all)['’])`;
/** What follows an hour without any mark of a time. */
const ENDS = `(?=\\s*(?:$|[,.;!?)]|(?:on|for|in|with|and|please|the|tomorrow|today|next|this|am|fur|mit|morgen|heute|ein|eine|einen|bitte|para|pour|per|con|com|avec|voor|met|een|una?|uma|demain|domani|amanha|manana|el|le|il|op|en|na|no|do|de|del|di)(?!\\p{L})))`;

type Groups = Readonly<Record<string, string | undefined>>;
interface Form {
  pattern: RegExp;
  /** Returns the minutes since midnight, before the part of the day counts. */
  read: (groups: Groups) => number | undefined;
}

const QUARTER = `(?:quarter|viertel|kwart|(?:le |un |um )?quart|(?:un )?cuarto|(?:un |um )?quarto)`;
/** `eight thirty` */
const SPOKEN = `(?:fifteen|twenty|thirty|forty|forty-five|fifty)`;
const HALF = `(?:demie?|media|mezz[ao]|meia)`;
const HOUR_MARK = `(?:heures?|horas?|ore|uur|h)(?![\\p{L}\\d])`;

/** @param needsMark whether nothing but the place of the words shows that they are a time */
function form(source: string, read: Form["read"]): Form {
  return {
    pattern: new RegExp(
      `(?<![\\p{L}\\d.,:])(?:${source})(?:[\\s,]*(?<part>${DAY_PART})(?!\\p{L}))?`,
      "giu",
    ),
    read,
  };
}

/** They are times wherever they stand. */
const CERTAIN: readonly Form[] = [
  form(
    `(?:${AT})?(?:a )?(?:(?<half>half)|(?<quarter>quarter)|(?<m>${N0})(?: minutes)) (?<way>past|after|to|before|till|of) (?<h>${N0})(?: o'?clock)?`,
    relative,
  ),
  form(`(?:${AT})?(?<m>${N0}) (?<way>past) (?<h>${N0})`, relative),
  form(
    `(?:${AT})(?<m>5|10|20|25|five|ten|twenty|twenty-five) (?<way>after|to|before|till) (?<h>${N0})`,
    relative,
  ),
  form(`(?:${AT})?(?<h>${N0}) (?<m2>${SPOKEN})(?=[\\s,]*${DAY_PART}(?!\\p{L}))`, added),
  form(
    `(?:${AT})?(?:(?<m>${N0}) (?<way>vor|nach|voor|over) )?(?<halb>halb|half) (?<h>${N0})(?: uhr| uur)?`,
    beforeHalf,
  ),
  form(
    `(?:${AT})?(?:(?<quarter>viertel|kwart)|(?<m>${N0}) minuten) (?<way>vor|nach|voor|over) (?<h>${N0})(?: uhr| uur)?`,
    relative,
  ),
  form(`(?:${AT})(?<m>${N0}) (?<way>vor|nach|voor|over) (?<h>${N0})(?: uhr| uur)?`, relative),
  form(`(?:${AT})?dreiviertel (?<h>${N0})`, ({ h }) => hour(h, -15)),
  form(
    `(?:${AT})?(?<h>${N0}) heures? (?:et |e )?(?:(?<half>demie?)|(?<quarter>quart)|(?<minus>moins) (?:(?<quarter2>le quart|un quart)|(?<m>${N0}))|(?<m2>${N0})(?! (?:person|pers\\.|convive|invite)))`,
    added,
  ),
  form(
    `(?:${AT})(?<h>${N0})(?: horas?| ore| heures?)? (?:(?:y|e|et) (?:(?<half>${HALF})|(?<quarter>${QUARTER})|(?<m2>${N0})(?! (?:person|pess|gente|ospiti)))|(?<minus>menos|meno|moins) (?:(?<quarter2>${QUARTER})|(?<m>${N0})))(?: horas?)?`,
    added,
  ),
  form(
    `(?<h>${N0}) (?:(?:y|e|et) (?:(?<half>${HALF})|(?<quarter>${QUARTER}))|(?<minus>menos|meno|moins) (?:(?<quarter2>${QUARTER})|(?<m>${N0})))(?=[\\s,]*${DAY_PART})`,
    added,
  ),
  form(
    `(?:${AT})?(?:(?<quarter>um quarto)|(?<m>${N0})) (?<way>para) (?:as|a|o) (?<h>${N0})`,
    relative,
  ),
  form(
    `(?:${AT})?(?<h>${N}) (?:uhr|o'?clock)(?: (?<m2>${N0})(?! (?:people|personen|minuten)))?`,
    added,
  ),
  form(`(?:${AT})?(?<h>\\d{1,2})[:h](?<m2>\\d{2})(?![\\d:])(?: uhr| uur| horas?| ore| h)?`, added),
  form(`(?:${AT})?(?<h>\\d{1,2})\\.(?<m2>\\d{2})(?![\\d.])(?: uhr| uur| ore)`, added),
  form(`(?:alle|dalle|om) (?<h>\\d{1,2})\\.(?<m2>\\d{2})(?![\\d.])`, added),
  form(`(?:${AT})(?<h>${N}) ?${HOUR_MARK}(?: ?(?<m2>\\d{2})(?!\\d))?`, added),
  form(`(?:${AT})(?<h>\\d{1,2})h`, added),
  form(
    `(?:${AT})?(?:(?:a|al|ao|a la) )?(?:noon|midday|midi|mediodia|mezzogiorno|meio-dia|meio dia)(?: et (?<half>demie?))?`,
    ({ half }) => 720 + (half === undefined ? 0 : 30),
  ),
  form(
    `(?:${AT})?(?:a |a la )?(?:midnight|mitternacht|minuit|medianoche|mezzanotte|meia-noite|middernacht)`,
    () => 0,
  ),
  form(`(?:${AT})?(?<h>${N0})(?: ?${HOUR_MARK}| uhr)?(?=[\\s,]*${DAY_PART}(?!\\p{L}))`, added),
];
/** They are times after a preposition, if no other word follows. */
const AFTER_AT: readonly Form[] = [
  form(`${AT}(?<h>${N0})${ENDS}`, added),
  form(`${AT}(?<h>${N0}) (?<m2>${SPOKEN})${ENDS}`, added),
];
/** They are times if they are all that a text states. */
const ALONE: readonly Form[] = [
  form(`^(?<h>${N})(?: ?${HOUR_MARK})?$`, added),
  form(`^(?<h>${N0}) (?<m2>${SPOKEN})$`, added),
  form(`^(?<h>\\d{2})(?<m2>\\d{2})$`, added),
];

/** `quarter to eight`, `zehn nach acht`, `quinze para as oito` */
function relative({ half, quarter, m, way = "", h }: Groups): number | undefined {
  const minutes = half !== undefined ? 30 : quarter !== undefined ? 15 : numberOf(m);
  const isBefore = /^(?:to|before|till|of|vor|voor|para)$/i.test(way);
  if (minutes === undefined || (isBefore && half !== undefined)) return undefined;
  return hour(h, isBefore ? -minutes : minutes);
}

/** `halb acht` and Dutch `half acht` are 7:30, English `half seven` is 7:30 too; `half 8` can be both. */
function beforeHalf({ m, way, halb = "", h = "" }: Groups): number | undefined {
  const isHalb = /^halb$/i.test(halb);
  if (!isHalb && /^\d/.test(h)) return undefined;
  const isEnglish = !isHalb && ENGLISH_HOURS.split(" ").includes(plain(h));
  const minutes = m === undefined ? 0 : numberOf(m);
  if (minutes === undefined || (isEnglish && m !== undefined)) return undefined;
  return hour(h, (isEnglish ? 30 : -30) + (/^voo?r$/i.test(way ?? "") ? -minutes : minutes));
}

/** `sept heures et demie`, `las ocho menos cuarto`, `19 Uhr 30` */
function added({ h, half, quarter, quarter2, minus, m, m2 }: Groups): number | undefined {
  const own = half !== undefined ? 30 : quarter !== undefined || quarter2 !== undefined ? 15 : 0;
  const words = m ?? m2;
  const minutes = words === undefined ? own : numberOf(words);
  if (minutes === undefined) return undefined;
  return hour(h, minus === undefined ? minutes : -minutes);
}

function hour(words: string | undefined, minutes: number): number | undefined {
  const hours = numberOf(words);
  if (hours === undefined || hours > 24 || Math.abs(minutes) > 59) return undefined;
  return (((hours % 24) + 24) * 60 + minutes) % 1440;
}

/** @param words one word, or tens and ones */
function numberOf(words: string | undefined): number | undefined {
  if (words === undefined) return undefined;
  if (/^\d+$/.test(words)) return Number(words);
  const [tens = "", ones, ...more] = plain(words).split(/ (?:y|e|et) |[- ]/);
  const one = (word: string) => NUMBER_WORDS.get(word) ?? (UNITS.has(word) ? 1 : undefined);
  const first = one(tens);
  if (ones === undefined || first === undefined) return first;
  const second = one(ones);
  const isSum = first >= 20 && first % 10 === 0 && second !== undefined && second < 10;
  return isSum && more.length === 0 ? first + second : undefined;
}

const UNITS = new Set("one eins ein una uno une un um uma een".split(" "));

/** Returns the times of day that a text states; with `isAlone` also a bare number that is the whole text. */
export function clocksIn(text: string, isAlone = false): readonly Clock[] {
  return (isAlone ? clocksAlone : clocksWithin)(text.slice(0, MAX_TEXT));
}

const clocksWithin = rememberLatest((text) => searchClocks(text, false));
const clocksAlone = rememberLatest((text) => searchClocks(text, true));

function searchClocks(text: string, isAlone: boolean): Clock[] {
  const searched = plainWithGrave(text);
  const found: Clock[] = [];
  for (const { pattern, read } of [...CERTAIN, ...AFTER_AT, ...(isAlone ? ALONE : [])]) {
    for (const match of searched.matchAll(pattern)) {
      const groups: Groups = match.groups ?? {};
      const minutes = read(groups);
      const start = match.index;
      const end = start + match[0].length;
      if (minutes === undefined) continue;
      const part = partOf(groups["part"] ?? partBefore(searched.slice(0, start)));
      found.push({ start, end, value: clockText(inPart(minutes, part)) });
    }
  }
  // The longest of those that overlap.
  found.sort((one, other) => other.end - other.start - (one.end - one.start));
  const kept: Clock[] = [];
  for (const one of found) {
    if (!kept.some((other) => one.start < other.end && other.start < one.end)) kept.push(one);
  }
  return kept.sort((one, other) => one.start - other.start);
}

/** Returns the text without accents, but for `à`: it is a preposition of times, and `a` is none. */
function plainWithGrave(text: string): string {
  return plain(text)
    .split("")
    .map((letter, index) => (/[àÀ]/.test(text[index] ?? "") ? "à" : letter))
    .join("");
}

/** `'s avonds om half acht`, `tonight at seven` */
function partBefore(text: string): string | undefined {
  return new RegExp(`(?<!\\p{L})(${DAY_PART})[\\s,]*$`, "iu").exec(text)?.[1];
}

function partOf(words: string | undefined): "am" | "pm" | "night" | undefined {
  if (words === undefined) return undefined;
  return DAY_PARTS.find(([pattern]) => new RegExp(`^(?:${pattern})$`, "iu").test(words))?.[1];
}

function inPart(minutes: number, part: "am" | "pm" | "night" | undefined): number {
  const hours = Math.floor(minutes / 60);
  if (part === undefined || hours > 12) return minutes;
  const isTwelve = hours === 12;
  if (part === "am") return isTwelve ? minutes - 720 : minutes;
  if (part === "pm") return isTwelve ? minutes : minutes + 720;
  if (isTwelve) return minutes - 720;
  return hours >= 6 ? minutes + 720 : minutes;
}

function clockText(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`;
}
