// A table of numbers by 64-bit keys, in bytes of a fixed length. An entry is the key (u64) and the number (f64); zeros are
// free entries.
import { Span } from "./text/bytes";

export const ENTRY_BYTES: u32 = 16;

/** Returns the number of a key that is not 0; 0 if the table has none. */
export function numberOf(table: Span, key: u64): f64 {
  for (let at: u32 = 0; at + ENTRY_BYTES <= table.length; at += ENTRY_BYTES) {
    if (load<u64>(table.pointer + at) == key) return load<f64>(table.pointer + at, 8);
  }
  return 0;
}

/** Sets the number of a key. A new key takes the entry with the smallest number. */
export function setNumber(table: Span, key: u64, value: f64): void {
  if (table.length < ENTRY_BYTES) return;
  let entry = table.pointer;
  for (let at: u32 = 0; at + ENTRY_BYTES <= table.length; at += ENTRY_BYTES) {
    const other = table.pointer + at;
    if (load<u64>(other) == key) {
      entry = other;
      break;
    }
    if (load<f64>(other, 8) < load<f64>(entry, 8)) entry = other;
  }
  store<u64>(entry, key);
  store<f64>(entry, value, 8);
}
