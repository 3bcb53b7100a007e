// The first code that runs: unpacks the program's data, which scripts/pack-bytes.ts has packed.
//
// Most of the data are texts and rows of constants, and pack to a fifth. Each decision (whether a run that stood before comes, its
// distance and length, a byte) is a bit of a range coder, whose probability adapts to what came before. Unpacking takes a few
// milliseconds, once for each VM. The packed bytes and the model lie in the first pages, which the heap uses afterwards.

/** Runs that repeat are never shorter. Bytes. */
const MIN_MATCH: u32 = 3;
/** What stands at the end of the memory: where the data goes, its length, and the length of the packed bytes before these 12. */
const TRAILER: usize = 12;

/** The slots of the model, 2 bytes each: 12 bits of probability that the bit is 1, and how often it was seen, up to 15. */
const IS_REPEAT: usize = 8;
const LENGTHS: usize = 16;
/** Of a number: its size, and its bits by what precedes them. */
const NUMBER_SLOTS: usize = 1024;
const SIZES: usize = 32;
const DISTANCES: usize = LENGTHS + 2 * NUMBER_SLOTS;
const LITERALS: usize = DISTANCES + 3 * NUMBER_SLOTS;
/** A memory of zeros is a model that has seen nothing. */
const HALF: u32 = 0x8000;
const MAX_COUNT: u32 = 15;
const MAX_PROBABILITY: i32 = 4095;
/** The range has at least 25 bits when a bit is read. */
const MIN_RANGE: u32 = 1 << 24;

/** Where the next packed byte is. */
let packed: usize = 0;
let model: usize = 0;
let range: u32 = 0;
let code: u32 = 0;

/**
 * Unpacks the data, before anything else: the data has the objects and the tables of the program. A module that was not packed has
 * zeros at the end of its memory.
 */
function unpackData(): void {
  const memoryEnd = (<usize>memory.size()) << 16;
  const trailer = memoryEnd - TRAILER;
  const begin = load<u32>(trailer);
  if (begin == 0) return;
  const end = begin + load<u32>(trailer, 4);
  packed = trailer - load<u32>(trailer, 8);
  model = end;
  range = u32.MAX_VALUE;
  code = bswap(load<u32>(packed));
  packed += sizeof<u32>();
  let distance: usize = 0;
  let wasMatch: usize = 0;
  for (let to: usize = begin; to < end;) {
    if (readBit(wasMatch * 4 + ((to - begin) & 3)) == 0) {
      wasMatch = 0;
      store<u8>(to, readLiteral(to));
      to++;
      continue;
    }
    wasMatch = 1;
    const isRepeat = readBit(IS_REPEAT);
    const more = readNumber(LENGTHS + isRepeat * NUMBER_SLOTS) - 1;
    if (isRepeat == 0) distance = readNumber(DISTANCES + min<u32>(more, 2) * NUMBER_SLOTS);
    // Byte by byte, because a run may contain what it writes.
    for (const stop = to + more + MIN_MATCH; to < stop; to++)
      store<u8>(to, load<u8>(to - distance));
  }
  memory.fill(end, 0, memoryEnd - end);
}

/** Reads a byte, by the four high bits of the one before; in UTF-16 of the one before its zero. */
function readLiteral(to: usize): u32 {
  const before = <u32>load<u8>(to - 1);
  const context = before == 0 ? 16 + ((<u32>load<u8>(to - 2)) >> 4) : before >> 4;
  let prefix: u32 = 1;
  while (prefix < 256) prefix = prefix * 2 + readBit(LITERALS + context * 256 + prefix);
  return prefix;
}

/** Reads a number from 1: how many bits follow its first one, and these. */
function readNumber(slots: usize): u32 {
  let left: u32 = 0;
  while (readBit(slots + left) != 0) left++;
  const own = slots + SIZES * (left + 1);
  let value: u32 = 1;
  while (left > 0) {
    left--;
    value = value * 2 + readBit(own + (value < 16 ? value : 16 + left));
  }
  return value;
}

/** Reads a bit, and has its slot adapt: the less it has seen, the faster. */
function readBit(slot: usize): u32 {
  const place = model + slot * 2;
  const state = (<u32>load<u16>(place)) ^ HALF;
  const probability = state >> 4;
  const count = state & MAX_COUNT;
  const bound = (range >> 12) * probability;
  const bit: u32 = code < bound ? 1 : 0;
  if (bit != 0) range = bound;
  else {
    code -= bound;
    range -= bound;
  }
  while (range < MIN_RANGE) {
    range <<= 8;
    code = (code << 8) | load<u8>(packed++);
  }
  const missing = <i32>bit * MAX_PROBABILITY - <i32>probability;
  const adapted = max(<i32>probability + (missing * 2) / <i32>(count * 4 + 5), 1);
  store<u16>(place, ((<u32>(adapted << 4)) | min(count + 1, MAX_COUNT)) ^ HALF);
  return bit;
}

unpackData();
