// The placeholders that an exchange has written into its request, as its response needs them. All begin with `<`.
import { ByteBuffer } from "../../bytes/text/bytes";

export abstract class IssuedPlaceholders {
  /** Returns the index of the placeholder with which bytes begin, -1 if there is none. */
  abstract match(pointer: usize, length: u32): i32;

  /** Returns whether all of the bytes are the beginning of a placeholder. */
  abstract isBeginning(pointer: usize, length: u32): bool;

  abstract lengthOf(index: i32): u32;

  /** Appends what a placeholder stands for, in UTF-8. */
  abstract writeValue(index: i32, out: ByteBuffer): void;
}
