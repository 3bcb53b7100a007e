// SHA-256 (FIPS 180-4, sections 4.1.2 and 6.2): for keys of clients, which the gateway keeps as hashes only. One block of 64
// bytes is enough for a key of at most 55.

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the square roots of the first 8. */
const ROUNDS = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
const START = memory.data<u32>([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);

/** Bytes of a digest, and of a block. */
export const DIGEST_BYTES: u32 = 32;
const BLOCK_BYTES: u32 = 64;
/** Where the length in bits begins in the last block. */
const LENGTH_AT: u32 = 56;

/** The schedule of a block: 64 words. */
const words = memory.data(256, 16);
/** The state: 8 words in the order of the machine. */
const state = memory.data(32, 16);
const lastBlock = memory.data(64, 16);

/** Writes the digest of the bytes to `out`. */
export function sha256(pointer: usize, length: u32, out: usize): void {
  for (let at: u32 = 0; at < DIGEST_BYTES; at += 8) store<u64>(state + at, load<u64>(START + at));
  let rest = length;
  for (; rest >= BLOCK_BYTES; rest -= BLOCK_BYTES, pointer += BLOCK_BYTES) addBlock(pointer);
  clearLastBlock();
  memory.copy(lastBlock, pointer, rest);
  store<u8>(lastBlock + rest, 0x80);
  if (rest >= LENGTH_AT) {
    addBlock(lastBlock);
    clearLastBlock();
  }
  store<u64>(lastBlock + LENGTH_AT, bswap<u64>((<u64>length) << 3));
  addBlock(lastBlock);
  for (let at: u32 = 0; at < DIGEST_BYTES; at += 4)
    store<u32>(out + at, bswap<u32>(load<u32>(state + at)));
}

/** A fill of memory would be a call of V8. */
function clearLastBlock(): void {
  for (let at: u32 = 0; at < BLOCK_BYTES; at += 8) store<u64>(lastBlock + at, 0);
}

function addBlock(block: usize): void {
  for (let at: u32 = 0; at < 64; at += 4) store<u32>(words + at, bswap<u32>(load<u32>(block + at)));
  for (let word = words; word < words + 192; word += 4) {
    const early = load<u32>(word, 4);
    const late = load<u32>(word, 56);
    const first = rotr<u32>(early, 7) ^ rotr<u32>(early, 18) ^ (early >> 3);
    const second = rotr<u32>(late, 17) ^ rotr<u32>(late, 19) ^ (late >> 10);
    store<u32>(word, load<u32>(word) + first + load<u32>(word, 36) + second, 64);
  }
  let a = load<u32>(state);
  let b = load<u32>(state, 4);
  let c = load<u32>(state, 8);
  let d = load<u32>(state, 12);
  let e = load<u32>(state, 16);
  let f = load<u32>(state, 20);
  let g = load<u32>(state, 24);
  let h = load<u32>(state, 28);
  // Four rounds at a time: in place of moving all eight words in each, the words have other places in the next one. The majority of
  // three needs how the first two differ, which the next round uses again.
  let inner = b ^ c;
  for (let at: u32 = 0; at < 256; at += 16) {
    let sum = h + Round.chosen(e, f, g) + Round.input(at);
    d += sum;
    let outer = a ^ b;
    h = sum + Round.spread(a) + ((outer & inner) ^ b);
    sum = g + Round.chosen(d, e, f) + Round.input(at + 4);
    c += sum;
    inner = h ^ a;
    g = sum + Round.spread(h) + ((inner & outer) ^ a);
    sum = f + Round.chosen(c, d, e) + Round.input(at + 8);
    b += sum;
    outer = g ^ h;
    f = sum + Round.spread(g) + ((outer & inner) ^ h);
    sum = e + Round.chosen(b, c, d) + Round.input(at + 12);
    const first = a + sum;
    inner = f ^ g;
    a = sum + Round.spread(f) + ((inner & outer) ^ g);
    e = first;
    sum = b;
    b = f;
    f = sum;
    sum = c;
    c = g;
    g = sum;
    sum = d;
    d = h;
    h = sum;
  }
  addTo(0, a);
  addTo(4, b);
  addTo(8, c);
  addTo(12, d);
  addTo(16, e);
  addTo(20, f);
  addTo(24, g);
  addTo(28, h);
}

/** Steps of a round. */
class Round {
  /** Returns Σ1 of the first word, and which of the two others its bits choose. */
  @inline
  static chosen(e: u32, f: u32, g: u32): u32 {
    return (rotr<u32>(e, 6) ^ rotr<u32>(e, 11) ^ rotr<u32>(e, 25)) + (g ^ (e & (f ^ g)));
  }

  /** Returns Σ0. */
  @inline
  static spread(a: u32): u32 {
    return rotr<u32>(a, 2) ^ rotr<u32>(a, 13) ^ rotr<u32>(a, 22);
  }

  /** Returns the constant and the word of a round. @param at four times its number */
  @inline
  static input(at: u32): u32 {
    return load<u32>(ROUNDS + at) + load<u32>(words + at);
  }
}

function addTo(at: usize, value: u32): void {
  store<u32>(state + at, load<u32>(state + at) + value);
}
