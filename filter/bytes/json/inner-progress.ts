// Detects when JSON that arrives in fragments inside JSON strings (arguments of a tool call) is complete.
//
// Fragments stay escaped. An escape of the outer string is never split between fragments, since each is a whole JSON
// string; an escape of the inner text may be.
import { hexValue } from "../text/at";

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
/** Stands for every character beyond ASCII, which never is part of JSON's structure. */
const OTHER: u32 = 0xff;

export class InnerProgress {
  /** Whether an outermost object or array has been closed. Of other values the end is never known. */
  isComplete: bool = false;
  /** Whether that object or array is empty. */
  isEmpty: bool = true;
  private depth: u32 = 0;
  private isInString: bool = false;
  private isAfterBackslash: bool = false;

  clear(): void {
    this.isComplete = false;
    this.isEmpty = true;
    this.depth = 0;
    this.isInString = false;
    this.isAfterBackslash = false;
  }

  /** Reads the raw bytes of a string. Returns how many belong to the inner value; the rest follows its end. */
  feed(pointer: usize, length: u32): u32 {
    const start = pointer;
    const end = pointer + length;
    while (pointer < end && !this.isComplete) {
      let c = <u32>load<u8>(pointer++);
      if (c == BACKSLASH && pointer < end) {
        c = <u32>load<u8>(pointer++);
        if (c == 0x75) {
          c = unit(pointer, end);
          pointer += 4;
        } else if (c != QUOTE && c != BACKSLASH && c != 0x2f) {
          c = 0x20;
        }
      }
      this.step(c);
    }
    return <u32>(min(pointer, end) - start);
  }

  private step(c: u32): void {
    if (this.isInString) {
      if (this.isAfterBackslash) this.isAfterBackslash = false;
      else if (c == BACKSLASH) this.isAfterBackslash = true;
      else if (c == QUOTE) this.isInString = false;
      return;
    }
    if (c == QUOTE) {
      this.isInString = true;
      this.isEmpty = false;
    } else if (c == 0x7b || c == 0x5b) {
      if (this.depth++ > 0) this.isEmpty = false;
    } else if (c == 0x7d || c == 0x5d) {
      if (this.depth > 0 && --this.depth == 0) this.isComplete = true;
    } else if (c > 0x20) {
      this.isEmpty = false;
    }
  }
}

/** Returns whether the raw bytes of a string are only white space. */
export function isBlank(pointer: usize, length: u32): bool {
  const end = pointer + length;
  while (pointer < end) {
    const c = <u32>load<u8>(pointer++);
    if (c == 0x20) continue;
    if (c != BACKSLASH || pointer == end) return false;
    const letter = <u32>load<u8>(pointer++);
    if (letter != 0x6e && letter != 0x72 && letter != 0x74) return false;
  }
  return true;
}

/** Returns the character of a \u escape, OTHER if it is not ASCII. */
function unit(pointer: usize, end: usize): u32 {
  if (pointer + 4 > end) return OTHER;
  if (load<u8>(pointer) != 0x30 || load<u8>(pointer + 1) != 0x30) return OTHER;
  const low = hexValue(load<u8>(pointer + 3));
  const value = (hexValue(load<u8>(pointer + 2)) << 4) | low;
  return low < 16 && value < 0x80 ? value : OTHER;
}
