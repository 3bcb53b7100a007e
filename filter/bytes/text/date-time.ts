// Times as texts.
import { ByteBuffer } from "./bytes";

/** Appends a time, seconds since 1970, by RFC 3339 in UTC: `2026-11-22T01:02:03Z`. Days to a date as in Hinnant, "chrono-compatible low-level date algorithms". */
export function writeDateTime(seconds: u64, out: ByteBuffer): void {
  const day = <u32>(seconds / 86400) + 719468;
  const era = day / 146097;
  const dayOfEra = day % 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  // Months from March on, so that the day that a leap year adds is the last.
  const month = (5 * dayOfYear + 2) / 153;
  const isNextYear = month >= 10;
  out.integer(era * 400 + yearOfEra + <u32>isNextYear);
  twoDigits(0x2d, isNextYear ? month - 9 : month + 3, out);
  twoDigits(0x2d, dayOfYear - (153 * month + 2) / 5 + 1, out);
  const second = <u32>(seconds % 86400);
  twoDigits(0x54, second / 3600, out);
  twoDigits(0x3a, (second % 3600) / 60, out);
  twoDigits(0x3a, second % 60, out);
  out.byte(0x5a);
}

function twoDigits(before: u32, number: u32, out: ByteBuffer): void {
  out.byte(before);
  out.byte(0x30 + number / 10);
  out.byte(0x30 + (number % 10));
}
