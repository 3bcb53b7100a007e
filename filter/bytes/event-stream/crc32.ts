// CRC-32 (IEEE 802.3), eight bytes at a time: each has a table for its distance to the end of the eight.

const POLYNOMIAL: u32 = 0xedb88320;
/** Entries of 4 bytes. */
const TABLE_BYTES: usize = 1024;
/** Table n has the CRC of each byte with n zero bytes after it. */
const TABLES = memory.data(8192);

for (let byte: u32 = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (POLYNOMIAL & (0 - (crc & 1)));
  store<u32>(TABLES + ((<usize>byte) << 2), crc);
}
for (let at = TABLES; at < TABLES + 7 * TABLE_BYTES; at += 4) {
  const crc = load<u32>(at);
  store<u32>(at + TABLE_BYTES, (crc >>> 8) ^ entry(0, crc));
}

/** Returns the entry of the lowest byte of `value`. */
function entry(table: usize, value: u32): u32 {
  return load<u32>(TABLES + table * TABLE_BYTES + ((<usize>(value & 0xff)) << 2));
}

/** What an offset in a table has of a shifted value. */
const OFFSET: u32 = 0x3fc;

/** Returns the CRC of the bytes. `before`: the CRC of the bytes that precede them. */
export function crc32(pointer: usize, length: u32, before: u32 = 0): u32 {
  let crc = ~before;
  const end = pointer + length;
  // The tables' places are constants, and a shift makes the offset of an entry at once: four instructions for each byte.
  for (; pointer + 8 <= end; pointer += 8) {
    const low = load<u32>(pointer) ^ crc;
    const high = load<u32>(pointer, 4);
    crc =
      load<u32>((low << 2) & OFFSET, TABLES + 7 * TABLE_BYTES) ^
      load<u32>((low >>> 6) & OFFSET, TABLES + 6 * TABLE_BYTES) ^
      load<u32>((low >>> 14) & OFFSET, TABLES + 5 * TABLE_BYTES) ^
      load<u32>((low >>> 22) & OFFSET, TABLES + 4 * TABLE_BYTES) ^
      load<u32>((high << 2) & OFFSET, TABLES + 3 * TABLE_BYTES) ^
      load<u32>((high >>> 6) & OFFSET, TABLES + 2 * TABLE_BYTES) ^
      load<u32>((high >>> 14) & OFFSET, TABLES + TABLE_BYTES) ^
      load<u32>((high >>> 22) & OFFSET, TABLES);
  }
  if (pointer + 4 <= end) {
    const low = load<u32>(pointer) ^ crc;
    crc =
      load<u32>((low << 2) & OFFSET, TABLES + 3 * TABLE_BYTES) ^
      load<u32>((low >>> 6) & OFFSET, TABLES + 2 * TABLE_BYTES) ^
      load<u32>((low >>> 14) & OFFSET, TABLES + TABLE_BYTES) ^
      load<u32>((low >>> 22) & OFFSET, TABLES);
    pointer += 4;
  }
  for (; pointer < end; pointer++)
    crc = (crc >>> 8) ^ load<u32>(((crc ^ load<u8>(pointer)) << 2) & OFFSET, TABLES);
  return ~crc;
}

/** For each of the 8 half bytes of a CRC: what its 16 values become after `preparedLength` bytes of zeros. Entries of 4 bytes. */
const BEHIND = memory.data(512);
const HALF_BYTE: usize = 64;

/** The length of the runs that `crcBehind` passes over. */
export let preparedLength: u32 = 0;

/** Prepares `crcBehind` for runs of this length: about 200 instructions for each byte, unless it is the length of the last call. */
export function prepareCrcBehind(length: u32): void {
  if (length == preparedLength) return;
  preparedLength = length;
  for (let bit: u32 = 0; bit < 32; bit++) {
    let crc: u32 = 1 << bit;
    for (let i: u32 = 0; i < length; i++) crc = (crc >>> 8) ^ entry(0, crc);
    const table = BEHIND + (bit >>> 2) * HALF_BYTE;
    const own: usize = 1 << (bit & 3);
    // The map is linear: a value is the sum of its bits.
    for (let value = own; value < 2 * own; value++)
      store<u32>(table + value * 4, load<u32>(table + (value - own) * 4) ^ crc);
  }
}

/**
 * Returns what the CRC of some bytes adds to that of all, if a run of `preparedLength` bytes follows them: the sum (`^`) with the CRC of
 * the run is the CRC of both.
 */
export function crcBehind(crc: u32): u32 {
  let sum: u32 = 0;
  for (let table = BEHIND; table < BEHIND + 8 * HALF_BYTE; table += HALF_BYTE, crc >>>= 4)
    sum ^= load<u32>(table + ((<usize>(crc & 15)) << 2));
  return sum;
}
