// How long a key is valid, as people write it: `90d`, `12h`.

const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
/** Ten years. */
const MAX_MS = 3653 * 86_400_000;

/** Follows "expected". */
export const LIFETIME_EXPECTED = "a time from 1m to 3653d in m, h, d or w, such as 90d";

/** Returns milliseconds; undefined if the text is no such time. */
export function parseLifetime(text: string): number | undefined {
  const [, number = "", unit = ""] = /^(\d{1,7})([mhdw])$/.exec(text) ?? [];
  const ms = Number(number) * (UNIT_MS[unit] ?? Number.NaN);
  return ms > 0 && ms <= MAX_MS ? ms : undefined;
}
