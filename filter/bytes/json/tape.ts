// The tape: what a scanned JSON text is made of, one entry of 16 bytes per value or member name, in document order.
//
// An entry holds (start, end, next, kind): byte offsets of the token, and the index after its whole subtree. Offsets
// of a string stand inside its quotes. A member is two neighbours: its name (a string), then its value. Nothing is
// decoded or copied; a reader takes spans of the text.
import { freeBlock, resizeBlock } from "../../memory/blocks";
import { sameBytes, Span } from "../text/bytes";
import { SCAN_MEMORY, SCAN_OK, SCAN_SIZE } from "./scan-code";
import { unescapedEquals } from "./text";

export const KIND_NULL: u32 = 0;
export const KIND_TRUE: u32 = 1;
export const KIND_FALSE: u32 = 2;
export const KIND_NUMBER: u32 = 3;
export const KIND_STRING: u32 = 4;
export const KIND_ARRAY: u32 = 5;
export const KIND_OBJECT: u32 = 6;
/** What `kind` says of a node that is not there. */
export const KIND_NONE: u32 = 7;
const KIND_MASK: u32 = 7;
/** Set on strings that hold a backslash. */
export const FLAG_ESCAPED: u32 = 8;

/** The node that is not there: every question about it has an answer, so readers need no second check. */
export const NO_NODE: u32 = 0xffffffff;

export const ENTRY_BYTES: u32 = 16;
/** More values than this are refused: a tape is at most eight times its text, and at most 64 MB. */
export const MAX_VALUES: u32 = 4_000_000;
const FIRST_CAPACITY: u32 = 512;
/** Entries: 1 MiB. */
const MAX_KEPT: u32 = 65536;

/** A scanned JSON text. It does not own the text; it owns its entries until `release`. */
export class Tape {
  /** Where the text starts. */
  base: usize = 0;
  length: u32 = 0;
  entries: usize = 0;
  count: u32 = 0;
  capacity: u32 = 0;

  /** `isScratch`: no callback leaves a text in it for another one. */
  constructor(private isScratch: bool = false) {}

  /** For the scanner: the address from which on there is no room for a member's two entries. */
  pairLimit(): usize {
    return this.capacity == 0 ? 0 : this.entries + (this.capacity - 1) * ENTRY_BYTES;
  }

  /** For the scanner, which has filled the entries below `entry`: makes room for more, or says why there is none. */
  grow(entry: usize): i32 {
    this.count = <u32>(entry - this.entries) / ENTRY_BYTES;
    if (this.count >= MAX_VALUES) return SCAN_SIZE;
    const capacity = this.capacity == 0 ? FIRST_CAPACITY : min(this.capacity * 2, MAX_VALUES + 1);
    const entries = resizeBlock(this.entries, capacity * ENTRY_BYTES, this.isScratch);
    if (entries == 0) return SCAN_MEMORY;
    this.entries = entries;
    this.capacity = capacity;
    return SCAN_OK;
  }

  release(): void {
    freeBlock(this.entries, this.isScratch);
    this.entries = 0;
    this.count = 0;
    this.capacity = 0;
  }

  /** Forgets the text but keeps the block for the next one, unless that has grown out of proportion. */
  reset(): void {
    this.count = 0;
    if (this.capacity > MAX_KEPT) this.release();
  }

  /** The outermost value, or NO_NODE before a scan. */
  root(): u32 {
    return this.count > 0 ? 0 : NO_NODE;
  }

  kind(node: u32): u32 {
    return node < this.count
      ? load<u32>(this.entries + node * ENTRY_BYTES, 12) & KIND_MASK
      : KIND_NONE;
  }

  isEscaped(node: u32): bool {
    return (
      node < this.count && (load<u32>(this.entries + node * ENTRY_BYTES, 12) & FLAG_ESCAPED) != 0
    );
  }

  /** Offset of the token's first byte; of a string: behind the opening quote. */
  start(node: u32): u32 {
    return node < this.count ? load<u32>(this.entries + node * ENTRY_BYTES) : 0;
  }

  /** Offset behind the token's last byte; of a string: of the closing quote. */
  end(node: u32): u32 {
    return node < this.count ? load<u32>(this.entries + node * ENTRY_BYTES, 4) : 0;
  }

  /** As `start`, but with the quotes of a string. */
  outerStart(node: u32): u32 {
    return this.kind(node) == KIND_STRING ? this.start(node) - 1 : this.start(node);
  }

  /** As `end`, but with the quotes of a string. */
  outerEnd(node: u32): u32 {
    return this.kind(node) == KIND_STRING ? this.end(node) + 1 : this.end(node);
  }

  /** Address of the token's first byte (`start`). */
  pointer(node: u32): usize {
    return this.base + this.start(node);
  }

  /** Bytes between `start` and `end`. */
  size(node: u32): u32 {
    return this.end(node) - this.start(node);
  }

  /** The index after this node's subtree: its next sibling, or the parent's `next` at the end. */
  next(node: u32): u32 {
    return node < this.count ? load<u32>(this.entries + node * ENTRY_BYTES, 8) : NO_NODE;
  }

  /**
   * Walks the children: `for (let c = t.first(n), e = t.next(n); c < e; c = t.next(c))` over an array;
   * over an object c is a member's name, c + 1 its value, and the step is `c = t.next(c + 1)`.
   */
  first(node: u32): u32 {
    return this.kind(node) >= KIND_ARRAY && node < this.count ? node + 1 : NO_NODE;
  }

  /** The value of a member; of several with one name the last, as every JSON parser in use takes it. NO_NODE if none. */
  member(object: u32, name: Span): u32 {
    if (this.kind(object) != KIND_OBJECT) return NO_NODE;
    let found = NO_NODE;
    const end = this.next(object);
    for (let key = object + 1; key < end; key = this.next(key + 1)) {
      if (this.equals(key, name)) found = key + 1;
    }
    return found;
  }

  /** Whether a string node says exactly this, whichever way it is escaped. False for anything but a string. */
  equals(node: u32, text: Span): bool {
    if (this.kind(node) != KIND_STRING) return false;
    if (!this.isEscaped(node))
      return sameBytes(this.pointer(node), this.size(node), text.pointer, text.length);
    return unescapedEquals(this.pointer(node), this.size(node), text);
  }

  /** Whether the node is there and not null: missing and null are the same when read. */
  isPresent(node: u32): bool {
    const kind = this.kind(node);
    return kind != KIND_NONE && kind != KIND_NULL;
  }

  isTrue(node: u32): bool {
    return this.kind(node) == KIND_TRUE;
  }

  isString(node: u32): bool {
    return this.kind(node) == KIND_STRING;
  }

  isArray(node: u32): bool {
    return this.kind(node) == KIND_ARRAY;
  }

  isObject(node: u32): bool {
    return this.kind(node) == KIND_OBJECT;
  }

  /** Whether an array or object has no children. True for anything else. */
  isEmpty(node: u32): bool {
    return this.kind(node) == KIND_NONE || this.next(node) == node + 1;
  }
}

const scratch: Tape[] = [];

/** Returns a tape of a module, which nobody needs once the callback has returned. Never per request. */
export function scratchTape(): Tape {
  const tape = new Tape(true);
  scratch.push(tape);
  return tape;
}

/** Gives back the large blocks that the tapes of modules have needed. Only between callbacks. */
export function trimTapes(): void {
  for (let i = 0; i < scratch.length; i++) unchecked(scratch[i]).reset();
}
