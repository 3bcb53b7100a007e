// The checksums of preludes: the frames of a stream have few lengths, and frames of the same lengths have the same prelude.
import { crc32, crcBehind, preparedLength } from "./crc32";

/** Of the lengths, whose CRC a prelude has after them. Bytes. */
const LENGTHS: u32 = 8;
const CRC: u32 = 4;

/**
 * One for each low byte of a frame's length. The 8 bytes of the lengths | their CRC | the CRC of the prelude | the length of a run, and
 * what `crcBehind` returns for it. All zeros: none, because no frame has the length 0.
 */
const PRELUDES = memory.data(6144);
const PRELUDE_BYTES: usize = 24;

/** Returns the place of what is known of the prelude of a frame, which has `total` bytes. */
export function preludeOf(frame: usize, total: u32): usize {
  const prelude = PRELUDES + <usize>(total & 0xff) * PRELUDE_BYTES;
  const lengths = load<u64>(frame);
  if (load<u64>(prelude) == lengths && lengths != 0) return prelude;
  const crc = crc32(frame, LENGTHS);
  const written = bswap(crc);
  store<u64>(prelude, lengths);
  store<u32>(prelude, crc, 8);
  // The CRC stands in the frame as well, unless the frame is broken.
  store<u32>(prelude, written, 16);
  store<u32>(prelude, crc32(prelude + 16, CRC, crc), 12);
  store<u32>(prelude, 0, 16);
  return prelude;
}

/** Returns the CRC of the lengths. */
export function crcOfLengths(prelude: usize): u32 {
  return load<u32>(prelude, 8);
}

/** Returns the CRC of the whole prelude, its own CRC included. */
export function crcOfPrelude(prelude: usize): u32 {
  return load<u32>(prelude, 12);
}

/** Returns `crcBehind` of the whole prelude. */
export function crcBehindPrelude(prelude: usize): u32 {
  if (load<u32>(prelude, 16) != preparedLength) {
    store<u32>(prelude, crcBehind(crcOfPrelude(prelude)), 20);
    store<u32>(prelude, preparedLength, 16);
  }
  return load<u32>(prelude, 20);
}
