// What the tests of filter/guards/response call (test/unit/filter/guarded-response.ts).
import { ByteBuffer, constant, PADDING, sameBytes } from "../../../filter/bytes/text/bytes";
import { CLIENT_DIALECTS } from "../../../filter/dialects/dialect-registry";
import { GuardedStream } from "../../../filter/guards/response/guarded-stream";
import { Finder } from "../../../filter/guards/finder";
import { Mask } from "../../../filter/guards/response/mask-values";
import { Restore } from "../../../filter/guards/response/restore";
import { TextRule } from "../../../filter/guards/response/text-rule";
import { IssuedPlaceholders } from "../../../filter/guards/response/issued-placeholders";

class Issued extends IssuedPlaceholders {
  private names: ByteBuffer[] = [];
  private values: ByteBuffer[] = [];

  add(name: usize, nameLength: u32, value: usize, valueLength: u32): void {
    const one = new ByteBuffer();
    one.bytes(name, nameLength);
    this.names.push(one);
    const other = new ByteBuffer();
    other.bytes(value, valueLength);
    this.values.push(other);
  }

  /** Returns the index of the placeholder with which bytes begin, -1 if there is none. */
  match(pointer: usize, length: u32): i32 {
    for (let i = 0; i < this.names.length; i++) {
      const name = this.names[i];
      if (length >= name.length && sameBytes(pointer, name.length, name.pointer, name.length))
        return i;
    }
    return -1;
  }

  /** Returns whether bytes are the beginning of a placeholder. */
  isBeginning(pointer: usize, length: u32): bool {
    for (let i = 0; i < this.names.length; i++) {
      const name = this.names[i];
      if (length < name.length && sameBytes(pointer, length, name.pointer, length)) return true;
    }
    return false;
  }

  lengthOf(index: i32): u32 {
    return this.names[index].length;
  }

  writeValue(index: i32, out: ByteBuffer): void {
    const value = this.values[index];
    out.bytes(value.pointer, value.length);
  }

  release(): void {
    for (let i = 0; i < this.names.length; i++) {
      this.names[i].release();
      this.values[i].release();
    }
    this.names.length = 0;
    this.values.length = 0;
  }
}

const BLOCK: i32 = 0;
const MONITOR: i32 = 2;
const finder = new Finder(u64.MAX_VALUE);

const out = new ByteBuffer();
let issued = new Issued();
let rule: TextRule = new Restore(issued);
let stream = new GuardedStream(CLIENT_DIALECTS[0], rule);

export const padding: u32 = PADDING;

export function allocate(length: u32): usize {
  return heap.alloc(length + PADDING);
}

export function free(pointer: usize): void {
  heap.free(pointer);
}

/** Forgets the placeholders. */
export function forget(): void {
  issued.release();
  issued = new Issued();
}

export function issue(name: usize, nameLength: u32, value: usize, valueLength: u32): void {
  issued.add(name, nameLength, value, valueLength);
}

/** Starts a response of a dialect, by its index. `action`: that of a policy that finds everything, -1 for placeholders. */
export function begin(dialect: i32, action: i32): void {
  stream.release();
  rule =
    action < 0
      ? new Restore(issued)
      : new Mask(constant("all"), finder, action == BLOCK, action == MONITOR, true);
  stream = new GuardedStream(CLIENT_DIALECTS[dialect], rule);
  __collect();
}

/** Reads the next bytes of a stream. `output` has what follows the first bytes of them that stay, of which it returns the number. */
export function push(pointer: usize, length: u32, isLast: bool): u32 {
  out.clear();
  stream.push(pointer, length, isLast, out);
  return stream.unchanged;
}

/** Reads a whole body. Returns how many of its bytes `output` replaces. */
export function whole(pointer: usize, length: u32): u32 {
  out.clear();
  stream.texts.readWhole(pointer, length);
  return stream.texts.writeChanges(pointer, out);
}

export function outputPointer(): usize {
  return out.pointer;
}

export function outputLength(): u32 {
  return out.length;
}
