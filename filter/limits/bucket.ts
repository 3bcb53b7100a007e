// How much of a limit is used: the generic cell rate algorithm over a small table of budgets, in bytes that workers share.
//
// A budget is one number, the time when it will be whole again: using some of it moves that time on, and what is left is
// told by how far ahead it lies. Nothing has to be filled up or cleaned: a time that is past is a whole budget, and its
// place in the table is free. (ITU-T I.371, annex A; docs/decisions/2026-11-22-rate-limits.md)

/** A budget: fingerprint of what it is for (u64), time when it is whole again (f64, microseconds since the epoch). */
export const BUDGET_BYTES: u32 = 16;

/** When the budget of a fingerprint will be whole again; a past time, or 0, is a whole budget. */
export function wholeAt(table: usize, length: u32, fingerprint: u64): f64 {
  for (let at: u32 = 0; at + BUDGET_BYTES <= length; at += BUDGET_BYTES) {
    if (load<u64>(table + at) == fingerprint) return load<f64>(table + at, 8);
  }
  return 0;
}

/** Sets the time of a fingerprint. Where the table is full, the budget that is nearest to being whole makes room. */
export function setWholeAt(table: usize, length: u32, fingerprint: u64, time: f64): void {
  let place = table;
  for (let at: u32 = 0; at + BUDGET_BYTES <= length; at += BUDGET_BYTES) {
    const budget = table + at;
    if (load<u64>(budget) == fingerprint) {
      place = budget;
      break;
    }
    if (load<f64>(budget, 8) < load<f64>(place, 8)) place = budget;
  }
  if (length < BUDGET_BYTES) return;
  store<u64>(place, fingerprint);
  store<f64>(place, time, 8);
}

/** FNV-1a, 64 bits; never 0, which is a free place. */
export function fingerprintOf(pointer: usize, length: u32): u64 {
  let value: u64 = 0xcbf29ce484222325;
  for (let i: u32 = 0; i < length; i++) value = (value ^ load<u8>(pointer + i)) * 0x100000001b3;
  return value == 0 ? 1 : value;
}
