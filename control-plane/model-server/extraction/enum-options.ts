// Options of an enum as people state them.
import { type Parameter, stem } from "./parameter.ts";

/** Names of units that mean the same. */
export const UNITS: readonly (readonly string[])[] = [
  ["celsius", "c", "°c", "centigrade", "metric"],
  ["fahrenheit", "f", "°f", "imperial"],
  ["kilometers", "kilometres", "kilometer", "km"],
  ["miles", "mile", "mi"],
  ["kilograms", "kilogram", "kg"],
  ["pounds", "pound", "lbs", "lb"],
  ["meters", "metres", "meter", "m"],
  ["feet", "foot", "ft"],
  ["percent", "%"],
];

/** Returns the option that a span means: with any case, spaces or ending, or as a unit of the same name. */
export function readOption({ enum: options = [] }: Parameter, said: string) {
  const wanted = normal(said);
  const group = UNITS.find((names) => names.includes(said.trim().toLowerCase()));
  return (
    options.find((option) => normal(String(option)) === wanted) ??
    options.find((option) => group?.includes(String(option).toLowerCase()) === true)
  );
}

/** Returns the options that a text contains as whole words; of `light rain` and `rain` the longer one. */
export function optionsIn({ enum: options = [] }: Parameter, text: string): (string | number)[] {
  const found = options.flatMap((option) => placesOf(text, option));
  const longest = found.filter(
    (one) => !found.some((other) => other.length > one.length && contains(other, one)),
  );
  return [...new Set(longest.map(({ option }) => option))];
}

interface Place {
  option: string | number;
  start: number;
  length: number;
}

function placesOf(text: string, option: string | number): Place[] {
  const words = String(option)
    .trim()
    .split(/[\s_-]+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = words.join("[\\s_-]+");
  if (pattern === "") return [];
  // No part of a longer word or number: neither `gold` in marigold nor `2` in 2.5.
  const plural = /\p{L}{3}$/u.test(pattern) ? "s?" : "";
  const whole = new RegExp(
    `(?<![\\p{L}\\p{N}_]|\\d[.:/-])${pattern}${plural}(?![\\p{L}\\p{N}_]|[.:/-]\\d)`,
    "giu",
  );
  return [...text.matchAll(whole)].map(({ index, 0: said }) => ({
    option,
    start: index,
    length: said.length,
  }));
}

function contains(outer: Place, inner: Place): boolean {
  return outer.start <= inner.start && inner.start + inner.length <= outer.start + outer.length;
}

function normal(text: string): string {
  return text
    .trim()
    .split(/[\s_-]+/)
    .map(stem)
    .join(" ");
}
