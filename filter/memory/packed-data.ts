// The first code that runs: unpacks the program's data, which scripts/pack-data.ts has packed in the form of LZ4's blocks.
//
// Two thirds of the data are texts and rows of constants, and pack to less than half. Unpacking takes the time of a few requests, once
// for each VM, and no memory: the packed bytes lie at the end of the first pages, which the heap uses afterwards.
// https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md

/** Of a length in a token, 4 bits: bytes follow that belong to it, up to the first one that is not 255. */
const LONG: u32 = 15;
const MORE: u32 = 255;
/** A match is never shorter. Bytes. */
const MIN_MATCH: u32 = 4;
/** What stands at the end of the memory: where the data goes, and the length of the packed bytes before these 8. */
const TRAILER: usize = 8;

/** Where the next packed byte is. */
let packed: usize = 0;

/**
 * Unpacks the data, before anything else: the data has the objects and the tables of the program. A module that was not packed has
 * zeros at the end of its memory, which are no packed bytes.
 */
function unpackData(): void {
  const end = ((<usize>memory.size()) << 16) - TRAILER;
  const begin = end - load<u32>(end, 4);
  packed = begin;
  let to: usize = load<u32>(end);
  while (packed < end) {
    const token = load<u8>(packed++);
    const literals = readLength(token >> 4);
    to = copy(to, packed, literals);
    packed += literals;
    // The last part has no match.
    if (packed >= end) break;
    const from = to - load<u16>(packed);
    packed += 2;
    to = copy(to, from, readLength(token & LONG) + MIN_MATCH);
  }
  memory.fill(begin, 0, end + TRAILER - begin);
}

function readLength(first: u32): u32 {
  if (first < LONG) return first;
  let length = first;
  let more: u32 = 0;
  do {
    more = load<u8>(packed++);
    length += more;
  } while (more == MORE);
  return length;
}

/** Copies byte by byte, because a match may contain what it writes. Returns where the next one goes. */
function copy(to: usize, from: usize, length: u32): usize {
  for (let i: u32 = 0; i < length; i++) store<u8>(to + i, load<u8>(from + i));
  return to + length;
}

unpackData();
