// Tables on the manual heap: records and node numbers that would otherwise be thousands of small objects for the collector.
import { resizeBlock, takeBlock } from "../memory/blocks";
import { NO_NODE } from "./json/tape";
import { ByteBuffer, PADDING, scratchBuffer } from "./text/bytes";

/** A list that keeps a larger block only while it needs it. Bytes. */
const MAX_KEPT: u32 = 1 << 20;

/** A growable list of records of one unmanaged class, for one callback. */
export class Records<T> {
  count: u32 = 0;
  private bytes: ByteBuffer = scratchBuffer();

  clear(): void {
    this.count = 0;
    if (this.bytes.length > MAX_KEPT) this.bytes.release();
    this.bytes.clear();
  }

  /** Appends a record, all zero. Returns the last one again, cleared, if there is no memory for another. */
  add(): T {
    const size = <u32>offsetof<T>();
    let address = this.bytes.reserve(size);
    if (address == 0) {
      address = changetype<usize>(this.at(this.count));
    } else {
      this.bytes.length += size;
      this.count++;
    }
    // Up to 15 bytes too many: `memory.fill` is a call out of the program.
    const zero = i8x16.splat(0);
    for (let at = address, end = address + size; at < end; at += 16) v128.store(at, zero);
    return changetype<T>(address);
  }

  /** Returns a record, the last one for an index that is too large. Only if there is one; valid until the next `add`. */
  at(index: u32): T {
    const last = this.count - 1;
    const size = <u32>offsetof<T>();
    return changetype<T>(this.bytes.pointer + (index < last ? index : last) * size);
  }
}

/** A list of unmanaged objects that is only appended to, at module start. */
@unmanaged
export class ObjectList<T> {
  count: i32 = 0;
  private items: usize = 0;

  push(item: T): void {
    const bytes = <usize>++this.count * sizeof<usize>();
    this.items = resizeBlock(this.items, bytes);
    store<usize>(this.items + bytes - sizeof<usize>(), changetype<usize>(item));
  }

  /** Returns an item by its index, which must be below `count`. */
  // @ts-ignore: decorator
  @inline
  at(index: i32): T {
    return changetype<T>(load<usize>(this.items + <usize>index * sizeof<usize>()));
  }
}

/** A node of a tape for each index below `count`; NO_NODE where none is set. Never freed. */
@unmanaged
export class NodeTable {
  private nodes: usize;

  constructor(public count: i32) {
    this.nodes = takeBlock(<usize>count * 4 + PADDING);
    this.clear();
  }

  clear(): void {
    const none = i32x4.splat(NO_NODE);
    for (let at = this.nodes, end = at + <usize>this.count * 4; at < end; at += 16)
      v128.store(at, none);
  }

  set(index: i32, node: u32): void {
    if (<u32>index < <u32>this.count) store<u32>(this.nodes + <usize>index * 4, node);
  }

  /** Returns NO_NODE also for an index outside of the table. */
  get(index: i32): u32 {
    return <u32>index < <u32>this.count ? load<u32>(this.nodes + <usize>index * 4) : NO_NODE;
  }
}
