// Finds where three bytes in a row are such that something may begin there: sixteen places at a time, by the shuffles of
// Hyperscan's Teddy. Each set of triples has one bit of a byte; its bytes are approximated by the sets of their two halves, so that a
// place may be reported which none of the sets has.
import { takeBlock } from "../../memory/blocks";
import { Span } from "./bytes";

// Of the vector code; json/string.ts explains why they are loaded from memory.
const LOW_HALVES = memory.data<u64>([0x0f0f0f0f0f0f0f0f, 0x0f0f0f0f0f0f0f0f]);
/** For each of three places, a table by the low and one by the high half of a byte. */
const TABLE_BYTES: u32 = 16;
const TABLES: u32 = 6;
const HYPHEN: u32 = 0x2d;

/** Made while the configuration is read, and never freed. */
@unmanaged
export class TriggerScan {
  private tables: usize = takeBlock(TABLE_BYTES * TABLES);

  constructor() {
    memory.fill(this.tables, 0, TABLE_BYTES * TABLES);
  }

  /** Adds triples. @param set which of eight sets; the texts list the bytes of each place, `0-9` stands for all digits */
  add(set: u32, first: Span, second: Span, third: Span): void {
    this.addBytes(0, set, first);
    this.addBytes(2, set, second);
    this.addBytes(4, set, third);
  }

  private addBytes(table: u32, set: u32, bytes: Span): void {
    for (let i: u32 = 0; i < bytes.length; i++) {
      const from = <u32>load<u8>(bytes.pointer + i);
      let to = from;
      if (i + 2 < bytes.length && <u32>load<u8>(bytes.pointer + i, 1) == HYPHEN) {
        to = <u32>load<u8>(bytes.pointer + i, 2);
        i += 2;
      }
      for (let byte = from; byte <= to; byte++) {
        const low = this.tables + table * TABLE_BYTES + (byte & 15);
        const high = this.tables + (table + 1) * TABLE_BYTES + (byte >> 4);
        store<u8>(low, <u8>((<u32>load<u8>(low)) | (1 << set)));
        store<u8>(high, <u8>((<u32>load<u8>(high)) | (1 << set)));
      }
    }
  }

  /** Returns the first place from `at` on that has a triple, or `end`. The bytes have PADDING after them. */
  next(at: usize, end: usize): usize {
    const tables = this.tables;
    const low = v128.load(LOW_HALVES);
    const low0 = v128.load(tables);
    const high0 = v128.load(tables, 16);
    const low1 = v128.load(tables, 32);
    const high1 = v128.load(tables, 48);
    const low2 = v128.load(tables, 64);
    const high2 = v128.load(tables, 80);
    for (; at < end; at += 16) {
      const a = v128.load(at);
      const b = v128.load(at, 1);
      const c = v128.load(at, 2);
      const sets = v128.and(
        v128.and(
          v128.and(
            i8x16.swizzle(low0, v128.and(a, low)),
            i8x16.swizzle(high0, v128.and(i16x8.shr_u(a, 4), low)),
          ),
          v128.and(
            i8x16.swizzle(low1, v128.and(b, low)),
            i8x16.swizzle(high1, v128.and(i16x8.shr_u(b, 4), low)),
          ),
        ),
        v128.and(
          i8x16.swizzle(low2, v128.and(c, low)),
          i8x16.swizzle(high2, v128.and(i16x8.shr_u(c, 4), low)),
        ),
      );
      if (!v128.any_true(sets)) continue;
      const places = i8x16.bitmask(i8x16.ne(sets, i8x16.splat(0)));
      return min(at + <usize>ctz(places), end);
    }
    return end;
  }
}
