// The words that the schema is written in: a text, a list, a duration … each with its meaning and its "expected …" phrase.
import { z } from "zod";
import { DURATION_PATTERN, SIZE_PATTERN, parseDuration, parseSize } from "./quantity.ts";

/** What a key means, for editors and the reference page. Text in Markdown. */
export interface About extends Record<string, unknown> {
  description: string;
  default?: string | number | boolean;
  examples?: (string | number)[];
}

// The error text of every schema is the phrase that follows "expected": see shape.ts.
export const text = (about: About | string, expected = "a text") =>
  z.string({ error: expected }).meta(meaning(about));
export const flag = (about: About | string) =>
  z.boolean({ error: "true or false" }).meta(meaning(about));
export const list = <Item extends z.ZodType>(item: Item, about: About | string) =>
  z.array(item, { error: "a list (lines that begin with `- `)" }).meta(meaning(about));
export const mapping = <Shape extends z.ZodRawShape>(shape: Shape, about: About | string) =>
  z.strictObject(shape, { error: "a mapping (`key: value` lines)" }).meta(meaning(about));
export const named = <Value extends z.ZodType>(value: Value, about: About | string) =>
  z
    .record(z.string(), value, { error: "a mapping from names (`name: …` lines)" })
    .meta(meaning(about));
export const oneOf = <const Words extends readonly [string, ...string[]]>(
  words: Words,
  about: About | string,
) => z.enum(words, { error: `one of ${words.join(", ")}` }).meta(meaning(about));

function meaning(about: About | string): About {
  return typeof about === "string" ? { description: about } : about;
}

const MAX_MS = 24 * 3_600_000;
const DURATION = "a duration from 1ms to 24h, such as 30s, 500ms or 2m";

function isDuration(value: string): boolean {
  const milliseconds = parseDuration(value);
  return milliseconds !== undefined && milliseconds >= 1 && milliseconds <= MAX_MS;
}

export const duration = (about: About | string) =>
  z
    .string({ error: DURATION })
    .regex(DURATION_PATTERN, { error: DURATION, abort: true })
    .refine(isDuration, { error: DURATION })
    .meta(meaning(about));

export function size(about: About, smallest: string, largest: string) {
  const expected = `a size from ${smallest} to ${largest}, such as ${about.default}, or a number of bytes`;
  const isWithin = (value: string | number): boolean => {
    const bytes = parseSize(value);
    const [least = 0, most = 0] = [parseSize(smallest), parseSize(largest)];
    return bytes !== undefined && bytes >= least && bytes <= most;
  };
  return (
    z
      .union(
        [
          z.string().regex(SIZE_PATTERN, { error: expected }),
          z.int({ error: expected }).min(0, { error: expected }),
        ],
        { error: expected },
      )
      // The pattern alone may have failed already: one complaint is enough.
      .refine((value) => parseSize(value) === undefined || isWithin(value), { error: expected })
      .meta(about)
  );
}

export function whole(least: number, most: number, about: About | string, what = "whole number") {
  const error = `a ${what} from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error }).meta(meaning(about));
}

export function number(least: number, most: number, about: About | string) {
  const error = `a number from ${least} to ${most}`;
  return z.number({ error }).min(least, { error }).max(most, { error }).meta(meaning(about));
}
