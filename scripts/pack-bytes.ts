// Packs bytes for filter/memory/packed-data.ts, which has the form and the same model: runs that stood before are matches of
// a distance and a length, and each decision is a bit of a range coder with an adaptive probability.
//
// Written here, with whole numbers alone, because the same sources have to give the same bytes on every machine, with any
// version of Node. The range coder is that of LZMA. https://www.7-zip.org/sdk.html
const MIN_MATCH = 3;
/** A longer run takes several matches. */
const MAX_MATCH = 256;
/** Candidates that are compared at each place. */
const MAX_CANDIDATES = 1024;
/** Shorter parts of a run so long are not tried. */
const LONG = 64;
/** Each time the prices of the time before decide; more change nothing. */
const ROUNDS = 3;

/** The slots of the model (filter/memory/packed-data.ts). */
const IS_MATCH = 0;
const IS_REPEAT = 8;
const LENGTHS = 16;
const NUMBER_SLOTS = 1024;
const DISTANCES = LENGTHS + 2 * NUMBER_SLOTS;
const LITERALS = DISTANCES + 3 * NUMBER_SLOTS;
const LITERAL_SLOTS = 256;
const SLOTS = LITERALS + 32 * LITERAL_SLOTS;
/** What unpacking needs besides. */
export const MODEL_BYTES = 2 * SLOTS;

const HALF = 0x8000;
const MAX_COUNT = 15;

/** Bits, in 1/64, of a decision by its probability of 0..127. */
const PRICES = makePrices();

interface Match {
  length: number;
  distance: number;
}

/** What is counted or written of a decision. */
type Put = (slot: number, bit: number) => void;

/** Returns the packed bytes. */
export function packBytes(bytes: Buffer): Buffer {
  const matches = findMatches(bytes);
  let slots = new Uint16Array(SLOTS).fill(HALF);
  let best: Buffer | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const parts = choose(bytes, matches, slots);
    const encoder = new Encoder();
    putAll(bytes, parts, encoder.put);
    slots = encoder.slots;
    const packed = encoder.end();
    if (best === undefined || packed.length < best.length) best = packed;
  }
  return best ?? Buffer.alloc(0);
}

/** Writes each part: a literal has the length 1. */
function putAll(bytes: Buffer, parts: Match[], put: Put): void {
  let at = 0;
  let last = 0;
  let wasMatch = 0;
  for (const { length, distance } of parts) {
    if (length === 1) {
      put(isMatch(at, wasMatch), 0);
      putLiteral(bytes, at, put);
      wasMatch = 0;
    } else {
      put(isMatch(at, wasMatch), 1);
      putMatch(length, distance, last, put);
      last = distance;
      wasMatch = 1;
    }
    at += length;
  }
}

function isMatch(at: number, wasMatch: number): number {
  return IS_MATCH + wasMatch * 4 + (at & 3);
}

function putLiteral(bytes: Buffer, at: number, put: Put): void {
  const context = LITERALS + literalContext(bytes, at) * LITERAL_SLOTS;
  const byte = bytes[at] ?? 0;
  let prefix = 1;
  for (let place = 7; place >= 0; place--) {
    const bit = (byte >> place) & 1;
    put(context + prefix, bit);
    prefix = prefix * 2 + bit;
  }
}

/** The byte before; in UTF-16 the one before its zero. */
function literalContext(bytes: Buffer, at: number): number {
  const before = bytes[at - 1] ?? 0;
  return before === 0 ? 16 + ((bytes[at - 2] ?? 0) >> 4) : before >> 4;
}

function putMatch(length: number, distance: number, last: number, put: Put): void {
  const isRepeat = distance === last ? 1 : 0;
  put(IS_REPEAT, isRepeat);
  putNumber(LENGTHS + isRepeat * NUMBER_SLOTS, length - MIN_MATCH + 1, put);
  if (isRepeat === 0) putNumber(distanceSlots(length), distance, put);
}

function distanceSlots(length: number): number {
  return DISTANCES + Math.min(length - MIN_MATCH, 2) * NUMBER_SLOTS;
}

/** A number from 1: how many bits follow its first one, and these. */
function putNumber(slots: number, value: number, put: Put): void {
  const more = 31 - Math.clz32(value);
  for (let count = 0; count < more; count++) put(slots + count, 1);
  put(slots + more, 0);
  const own = slots + 32 + more * 32;
  let prefix = 1;
  for (let place = more - 1; place >= 0; place--) {
    const bit = (value >> place) & 1;
    put(own + (prefix < 16 ? prefix : 16 + place), bit);
    prefix = prefix * 2 + bit;
  }
}

class Encoder {
  slots: Uint16Array<ArrayBuffer> = new Uint16Array(SLOTS).fill(HALF);
  private low = 0;
  private range = 0xffffffff;
  private readonly out: number[] = [];

  put = (slot: number, bit: number): void => {
    const state = this.slots[slot] ?? 0;
    const bound = (this.range >>> 12) * (state >>> 4);
    if (bit === 1) this.range = bound;
    else {
      this.low += bound;
      this.range -= bound;
    }
    this.slots[slot] = adapted(state, bit);
    while (this.range < 0x1000000) this.shift();
  };

  end(): Buffer {
    for (let count = 0; count < 4; count++) this.shift();
    return Buffer.from(this.out);
  }

  private shift(): void {
    if (this.low > 0xffffffff) {
      let at = this.out.length - 1;
      while (this.out[at] === 0xff) this.out[at--] = 0;
      this.out[at] = (this.out[at] ?? 0) + 1;
      this.low -= 0x100000000;
    }
    this.out.push(Math.floor(this.low / 0x1000000));
    this.low = (this.low % 0x1000000) * 256;
    this.range = (this.range * 256) >>> 0;
  }
}

/** Of a slot: 12 bits are the probability of a 1, 4 count what has been seen, up to which it adapts faster. */
function adapted(state: number, bit: number): number {
  const probability = state >>> 4;
  const count = state & 15;
  const step = Math.trunc((((bit << 12) - bit - probability) * 2) / (count * 4 + 5));
  return (Math.max(probability + step, 1) << 4) | Math.min(count + 1, MAX_COUNT);
}

/** Chooses the parts by what they take with the model of `slots`. */
function choose(bytes: Buffer, matches: Match[][], slots: Uint16Array): Match[] {
  const end = bytes.length;
  const costs = new Float64Array(end + 1).fill(Infinity);
  const lengths = new Uint32Array(end + 1);
  const distances = new Uint32Array(end + 1);
  /** Distance of the last match of the way to a place. */
  const lasts = new Uint32Array(end + 1);
  let price = 0;
  const add: Put = (slot, bit) => {
    price += priceOf(slots[slot] ?? 0, bit);
  };
  const memory = new Map<number, number>();
  const numberPrice = (own: number, value: number): number => {
    const key = own * 0x100000 + value;
    let known = memory.get(key);
    if (known === undefined) {
      const before = price;
      price = 0;
      putNumber(own, value, add);
      known = price;
      price = before;
      memory.set(key, known);
    }
    return known;
  };
  costs[0] = 0;
  for (let at = 0; at < end; at++) {
    const cost = costs[at] ?? 0;
    const last = lasts[at] ?? 0;
    const wasMatch = (lengths[at] ?? 0) > 1 ? 1 : 0;
    const reach = (length: number, distance: number, total: number) => {
      if (total >= (costs[at + length] ?? 0)) return;
      costs[at + length] = total;
      lengths[at + length] = length;
      distances[at + length] = distance;
      lasts[at + length] = length === 1 ? last : distance;
    };
    price = cost;
    add(isMatch(at, wasMatch), 0);
    putLiteral(bytes, at, add);
    reach(1, 0, price);
    price = cost;
    add(isMatch(at, wasMatch), 1);
    const start = price;
    if (last > 0) {
      const limit = Math.min(MAX_MATCH, end - at);
      let same = 0;
      while (same < limit && bytes[at + same] === bytes[at + same - last]) same++;
      const more = start + priceOf(slots[IS_REPEAT] ?? 0, 1);
      for (let length = same; length >= MIN_MATCH; length--) {
        reach(length, last, more + numberPrice(LENGTHS + NUMBER_SLOTS, length - 1));
        if (same >= LONG) break;
      }
    }
    const more = start + priceOf(slots[IS_REPEAT] ?? 0, 0);
    let shorter = MIN_MATCH - 1;
    for (const { length: longest, distance } of matches[at] ?? []) {
      for (let length = longest; length > shorter; length--) {
        const total = more + numberPrice(LENGTHS, length - 1);
        reach(length, distance, total + numberPrice(distanceSlots(length), distance));
        if (length >= LONG) break;
      }
      shorter = longest;
    }
  }
  const parts: Match[] = [];
  for (let at = end; at > 0; at -= lengths[at] ?? 0)
    parts.push({ length: lengths[at] ?? 0, distance: distances[at] ?? 0 });
  return parts.reverse();
}

function priceOf(state: number, bit: number): number {
  const probability = state >>> 9;
  return PRICES[bit === 1 ? probability : 127 - probability] ?? 0;
}

/** Squares the probability six times: how often it halves meanwhile are its bits, in 1/64. */
function makePrices(): number[] {
  return Array.from({ length: 128 }, (_, row) => {
    let value = row * 512 + 256;
    let bits = 0;
    for (let time = 0; time < 6; time++) {
      value = value * value;
      bits *= 2;
      while (value >= 0x10000) {
        value = Math.floor(value / 2);
        bits++;
      }
    }
    return 16 * 64 - 15 - bits;
  });
}

/** For each place: runs that stood before, longer ones at larger distances. */
function findMatches(bytes: Buffer): Match[][] {
  const places = new Map<number, number[]>();
  return Array.from({ length: bytes.length }, (_, at) => {
    const limit = Math.min(bytes.length - at, MAX_MATCH);
    if (limit < MIN_MATCH) return [];
    const found: Match[] = [];
    const first = bytes.readUIntLE(at, 3);
    const before = places.get(first) ?? [];
    let longest = MIN_MATCH - 1;
    for (let row = before.length - 1; row >= 0 && row >= before.length - MAX_CANDIDATES; row--) {
      const from = before[row] ?? 0;
      if (bytes[from + longest] !== bytes[at + longest]) continue;
      let same = MIN_MATCH;
      while (same < limit && bytes[from + same] === bytes[at + same]) same++;
      if (same <= longest) continue;
      longest = same;
      found.push({ length: same, distance: at - from });
      if (same === limit) break;
    }
    places.set(first, before);
    before.push(at);
    return found;
  });
}
