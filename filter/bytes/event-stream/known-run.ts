// The bytes with which the frames of a stream begin, after the prelude: the headers, and the first bytes of the payload. Where they
// come again, neither their CRC is computed nor the headers are read.
import { ByteBuffer, sameBeginning, samePadded } from "../text/bytes";
import { crc32, prepareCrcBehind, preparedLength } from "./crc32";
import { crcBehindPrelude, crcOfPrelude } from "./preludes";

/** A run has at most so many bytes. */
const MAX_RUN: u32 = 256;
/** So many bytes that two frames have in common may be of their texts. With a length that is a multiple of 16, most runs have the same. */
const TEXT: u32 = 8;
/** A stream may change so often what it repeats. */
const MAX_REMEMBERED: u32 = 4;

export class KnownRun {
  /** The event's name: its offset in the run, and its length. */
  nameOffset: u32 = 0;
  nameLength: u32 = 0;
  /** The beginning of the last frame that was not the run. */
  private bytes: ByteBuffer = new ByteBuffer();
  /** Length and CRC of the run, which `bytes` begin with; 0 if there is none. */
  private length: u32 = 0;
  private crc: u32 = 0;
  private headersLength: u32 = 0;
  private remembered: u32 = 0;

  /** Returns whether a frame with these bytes after its prelude begins with the run. They have PADDING after them. */
  begins(pointer: usize, length: u32, headersLength: u32): bool {
    const run = this.length;
    if (run == 0 || run > length || headersLength != this.headersLength) return false;
    return samePadded(pointer, this.bytes.pointer, run);
  }

  /** Returns the CRC of a frame up to the end of these bytes, which begin with the run. `prelude`: as in preludes.ts. */
  crcOf(pointer: usize, length: u32, prelude: usize): u32 {
    const run = this.length;
    // Another stream may have another run.
    if (run != preparedLength) return crc32(pointer, length, crcOfPrelude(prelude));
    return crc32(pointer + run, length - run, crcBehindPrelude(prelude) ^ this.crc);
  }

  /** Remembers from an event that does not begin with the run what it has in common with the one before it. */
  remember(pointer: usize, length: u32, headersLength: u32, name: usize, nameLength: u32): void {
    if (this.remembered >= MAX_REMEMBERED) return;
    const bytes = this.bytes;
    const common = sameBeginning(bytes.pointer, bytes.length, pointer, length);
    const run = (max(common, TEXT) - TEXT) & ~15;
    this.length = run >= headersLength ? run : 0;
    if (this.length == 0) {
      bytes.clear();
      bytes.bytes(pointer, min(length, MAX_RUN));
      return;
    }
    this.remembered++;
    this.headersLength = headersLength;
    this.nameOffset = <u32>(name - pointer);
    this.nameLength = nameLength;
    this.crc = crc32(pointer, run);
    prepareCrcBehind(run);
  }

  release(): void {
    this.bytes.release();
  }
}
