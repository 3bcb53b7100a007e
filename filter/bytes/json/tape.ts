// The tape: the values and member names of a scanned JSON text, one entry of 16 bytes each, in document order.
//
// An entry is (start, end, next, kind): byte offsets of the token, and the index after its whole subtree. The offsets of
// a string are those of its content, without the quotes. A member is two entries: its name (a string), then its value.
// Nothing is decoded or copied; readers take spans of the text.
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
/** The kind of NO_NODE. */
const KIND_NONE: u32 = 7;
const KIND_MASK: u32 = 7;
/** Set on strings that contain a backslash. */
export const FLAG_ESCAPED: u32 = 8;

/** A missing node: every method accepts it, so readers need no second check. */
export const NO_NODE: u32 = 0xffffffff;

export const ENTRY_BYTES: u32 = 16;
/** A text with more values is rejected: a tape is at most eight times its text, and at most 64 MB. */
const MAX_VALUES: u32 = 4_000_000;
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

  /** `isScratch`: the tape is not used after the callback has returned. */
  constructor(private isScratch: bool = false) {}

  /** Returns the address from which there is no room for a member's two entries. For the scanner. */
  pairLimit(): usize {
    return this.entries + (this.capacity - 1) * ENTRY_BYTES;
  }

  /** Makes room for a member's two entries after `count`. Returns SCAN_OK or why not. For the scanner. */
  makeRoom(): i32 {
    if (this.count + 2 <= this.capacity) return SCAN_OK;
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

  /** Holds a text that is not JSON: it has no values. */
  hold(pointer: usize, length: u32): void {
    this.reset();
    this.base = pointer;
    this.length = length;
  }

  /** Clears the tape and keeps its block for the next text, unless that has grown large. */
  reset(): void {
    this.count = 0;
    if (this.capacity > MAX_KEPT) this.release();
  }

  /** Returns the outermost value, NO_NODE before a scan. */
  // @ts-ignore: decorator
  @inline
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

  /** Returns the offset of the token's first byte; of a string after the opening quote. */
  start(node: u32): u32 {
    return node < this.count ? load<u32>(this.entries + node * ENTRY_BYTES) : 0;
  }

  /** Returns the offset after the token's last byte; of a string the offset of the closing quote. */
  end(node: u32): u32 {
    return node < this.count ? load<u32>(this.entries + node * ENTRY_BYTES, 4) : 0;
  }

  // For loops over the children of a node, which are all on the tape: the same without a check, inlined.

  // @ts-ignore: decorator
  @inline
  startOf(child: u32): u32 {
    return load<u32>(this.entries + child * ENTRY_BYTES);
  }

  // @ts-ignore: decorator
  @inline
  sizeOf(child: u32): u32 {
    const entry = this.entries + child * ENTRY_BYTES;
    return load<u32>(entry, 4) - load<u32>(entry);
  }

  // @ts-ignore: decorator
  @inline
  nextOf(child: u32): u32 {
    return load<u32>(this.entries + child * ENTRY_BYTES, 8);
  }

  /** Returns the kind, with FLAG_ESCAPED. */
  // @ts-ignore: decorator
  @inline
  flaggedKindOf(child: u32): u32 {
    return load<u32>(this.entries + child * ENTRY_BYTES, 12);
  }

  /** Returns `start`, or the opening quote of a string. */
  outerStart(node: u32): u32 {
    return this.kind(node) == KIND_STRING ? this.start(node) - 1 : this.start(node);
  }

  /** Returns `end`, or the offset after the closing quote of a string. */
  outerEnd(node: u32): u32 {
    return this.kind(node) == KIND_STRING ? this.end(node) + 1 : this.end(node);
  }

  /** Returns the address of the token's first byte (`start`). */
  // @ts-ignore: decorator
  @inline
  pointer(node: u32): usize {
    return this.base + this.start(node);
  }

  /** Returns the bytes between `start` and `end`. */
  size(node: u32): u32 {
    return this.end(node) - this.start(node);
  }

  /** Returns the index after this node's subtree: its next sibling, or the parent's `next` at the end. */
  next(node: u32): u32 {
    return node < this.count ? load<u32>(this.entries + node * ENTRY_BYTES, 8) : NO_NODE;
  }

  /**
   * Returns the first child. Walk an array by `for (let c = t.first(n), e = t.next(n); c < e; c = t.next(c))`. In an
   * object c is a member's name, c + 1 its value, and the step is `c = t.next(c + 1)`.
   */
  first(node: u32): u32 {
    return this.kind(node) >= KIND_ARRAY && node < this.count ? node + 1 : NO_NODE;
  }

  /** Returns a member's value, NO_NODE if it is missing. Of duplicate names the last counts, as in every common JSON parser. */
  member(object: u32, name: Span): u32 {
    if (object >= this.count || this.flaggedKindOf(object) != KIND_OBJECT) return NO_NODE;
    // By offsets, without a check of each node: all that stand in front of the object's `next` are on the tape.
    const entries = this.entries;
    const base = this.base;
    const length = name.length;
    const end = this.nextOf(object);
    let found = NO_NODE;
    for (let key = object + 1; key < end;) {
      const entry = entries + key * ENTRY_BYTES;
      const start = load<u32>(entry);
      const size = load<u32>(entry, 4) - start;
      const isEqual =
        load<u32>(entry, 12) == KIND_STRING
          ? size == length && sameBytes(base + start, size, name.pointer, length)
          : unescapedEquals(base + start, size, name);
      if (isEqual) found = key + 1;
      key = load<u32>(entry, ENTRY_BYTES + 8);
    }
    return found;
  }

  /** Returns whether a string node equals the text, however it is escaped. False for anything but a string. */
  equals(node: u32, text: Span): bool {
    if (node >= this.count) return false;
    const kind = this.flaggedKindOf(node);
    const size = this.sizeOf(node);
    const start = this.base + this.startOf(node);
    // Most texts that a node is compared with have another length.
    if (kind == KIND_STRING)
      return size == text.length && sameBytes(start, size, text.pointer, size);
    return kind == (KIND_STRING | FLAG_ESCAPED) && unescapedEquals(start, size, text);
  }

  /** Returns the index of the text that a string node equals; -1 if it equals none. */
  indexIn(node: u32, texts: Span[]): i32 {
    for (let i = 0; i < texts.length; i++) {
      if (this.equals(node, unchecked(texts[i]))) return i;
    }
    return -1;
  }

  /** Returns whether the node exists and is not null: missing and null are equal when read. */
  // @ts-ignore: decorator
  @inline
  isPresent(node: u32): bool {
    const kind = this.kind(node);
    return kind != KIND_NONE && kind != KIND_NULL;
  }

  // @ts-ignore: decorator
  @inline
  isTrue(node: u32): bool {
    return this.kind(node) == KIND_TRUE;
  }

  // @ts-ignore: decorator
  @inline
  isString(node: u32): bool {
    return this.kind(node) == KIND_STRING;
  }

  // @ts-ignore: decorator
  @inline
  isArray(node: u32): bool {
    return this.kind(node) == KIND_ARRAY;
  }

  // @ts-ignore: decorator
  @inline
  isObject(node: u32): bool {
    return this.kind(node) == KIND_OBJECT;
  }

  /**
   * Returns whether any value begins with one of two texts' first three bytes (`firstBytes`). Nearly every text has none, so
   * its callers look closer only then.
   */
  hasBeginning(one: u32, other: u32): bool {
    const end = this.entries + this.count * ENTRY_BYTES;
    for (let entry = this.entries; entry < end; entry += ENTRY_BYTES) {
      // A shorter string has its quote there, or the text's padding.
      const bytes = load<u32>(this.base + load<u32>(entry)) & 0xffffff;
      if (bytes == one || bytes == other) return true;
    }
    return false;
  }

  /** Returns whether the node is a list with something in it. */
  hasItems(node: u32): bool {
    return this.isArray(node) && !this.isEmpty(node);
  }

  /** Returns whether an array or object has no children. True for anything else. */
  isEmpty(node: u32): bool {
    return this.kind(node) == KIND_NONE || this.next(node) == node + 1;
  }
}

const scratch: Tape[] = [];

/** Returns a tape that is not used after the callback has returned. Only at module start. */
export function scratchTape(): Tape {
  const tape = new Tape(true);
  scratch.push(tape);
  return tape;
}

/** Frees the scratch tapes that have grown large. Only between callbacks. */
export function trimTapes(): void {
  for (let i = 0; i < scratch.length; i++) unchecked(scratch[i]).reset();
}
