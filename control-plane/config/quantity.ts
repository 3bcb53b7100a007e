// Durations (`30s`, `500ms`, `1m30s`) and sizes (`32MiB`, `60KiB`, bytes) as people write them.

const MILLISECONDS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

const BYTES: Record<string, number> = {
  "": 1,
  b: 1,
  kb: 1000,
  mb: 1000 ** 2,
  gb: 1000 ** 3,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

export const DURATION_PATTERN = /^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|s|m|h))+$/;
export const SIZE_PATTERN = /^\d{1,12}(?:\.\d{1,3})? ?(?:[kKmMgG]i?)?[bB]?$/;

/** Whole milliseconds; undefined when the text is no duration. `1m30s` is a sum. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION_PATTERN.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (MILLISECONDS[unit ?? ""] ?? Number.NaN);
  }
  return Math.round(total);
}

const UNITS: Record<string, string> = {
  ms: "ms",
  mil: "ms",
  s: "s",
  sec: "s",
  m: "m",
  min: "m",
  h: "h",
  hr: "h",
  hou: "h",
};

/** Returns how `30 s`, `30 seconds` or `2min` is written here; undefined of other texts. */
export function correctDuration(text: string): string | undefined {
  const [, amount, word = ""] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(text) ?? [];
  const lower = word.toLowerCase().replace(/s$/, (end) => (word.length > 2 ? "" : end));
  const unit = UNITS[lower] ?? UNITS[lower.slice(0, 3)];
  const written = amount === undefined || unit === undefined ? undefined : `${amount}${unit}`;
  return written !== undefined && parseDuration(written) !== undefined ? written : undefined;
}

/** Whole bytes, of `32MiB`, `60 kb` or a plain number; undefined when it is no size. */
export function parseSize(value: string | number): number | undefined {
  if (typeof value === "number")
    return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  if (!SIZE_PATTERN.test(value)) return undefined;
  const parts = /^(\d+(?:\.\d+)?) ?([a-zA-Z]*)$/.exec(value);
  const unit = (parts?.[2] ?? "").toLowerCase();
  const factor = BYTES[unit] ?? BYTES[`${unit}b`];
  return factor === undefined ? undefined : Math.round(Number(parts?.[1]) * factor);
}

/** Returns the bytes of a size, or `otherwise` if none is written. */
export function bytesOf(size: string | number | undefined, otherwise: number): number {
  return (size === undefined ? undefined : parseSize(size)) ?? otherwise;
}
