// Byte edits of a scanned text. Unedited bytes are copied at most once, those after the last edit not at all.
import { ByteBuffer, constant, scratchBuffer, Span } from "../text/bytes";

const NOTHING = constant("");

/** Size of an edit record: start, end, the replacement's pointer (or offset in `scratch`), its length, and which of the two. */
const RECORD: usize = 20;

/**
 * A list of edits, in any order. Replacements are spans that must live until `prefix`, or text appended here first.
 * Insertions at one offset keep their order, before a replacement that starts there. An edit that overlaps an earlier
 * one in the text is ignored: that would be a bug of the gateway, and the client's own bytes are better than broken JSON.
 * Only as a module's global: the memory is scratch.
 */
export class Edits {
  private records: ByteBuffer = scratchBuffer();
  private scratch: ByteBuffer = scratchBuffer();
  private moved: ByteBuffer = scratchBuffer();
  private isSorted: bool = true;
  private appendedFrom: u32 = 0;
  /** The path of what the edits leave out, if the client must know; may be empty. */
  dropped: Span = NOTHING;

  clear(): void {
    this.records.clear();
    this.dropped = NOTHING;
    this.isSorted = true;
    this.scratch.clear();
    this.appendedFrom = 0;
  }

  isEmpty(): bool {
    return this.records.length == 0;
  }

  /** Replaces [start, end) by `span`. */
  replace(start: u32, end: u32, span: Span): void {
    this.record(start, end, span.pointer, span.length, false);
  }

  insert(at: u32, span: Span): void {
    this.replace(at, at, span);
  }

  /** Appends to the text that the next `…Appended` call uses. */
  append(span: Span): void {
    this.scratch.span(span);
  }

  replaceAppended(start: u32, end: u32): void {
    this.record(start, end, this.appendedFrom, this.scratch.length - this.appendedFrom, true);
    this.appendedFrom = this.scratch.length;
  }

  insertAppended(at: u32): void {
    this.replaceAppended(at, at);
  }

  /**
   * Appends the edited text up to the end of the last edit. Returns how many bytes of the original, which starts at
   * `base`, it replaces.
   */
  prefix(base: usize, out: ByteBuffer): u32 {
    if (!this.isSorted) this.sort();
    let done: u32 = 0;
    const end = this.records.pointer + this.records.length;
    for (let at = this.records.pointer; at < end; at += RECORD) {
      const start = load<u32>(at);
      if (start < done) continue;
      out.bytes(base + done, start - done);
      const place = <usize>load<u32>(at, 8) + (load<u32>(at, 16) != 0 ? this.scratch.pointer : 0);
      out.bytes(place, load<u32>(at, 12));
      done = load<u32>(at, 4);
    }
    return done;
  }

  release(): void {
    this.records.release();
    this.scratch.release();
    this.moved.release();
  }

  /** Adds a record. A range that ends before it starts is ignored. */
  private record(start: u32, end: u32, place: usize, length: u32, isAppended: bool): void {
    if (end < start) return;
    const at = this.records.reserve(<u32>RECORD);
    if (at == 0) return;
    if (at > this.records.pointer && standsBehind(at - RECORD, start, end)) this.isSorted = false;
    this.records.length += <u32>RECORD;
    store<u32>(at, start);
    store<u32>(at, end, 4);
    store<u32>(at, <u32>place, 8);
    store<u32>(at, length, 12);
    store<u32>(at, isAppended ? 1 : 0, 16);
  }

  /** Sorts the records by offset, in time n log n: a body may have an edit for each of its messages, of several passes. */
  private sort(): void {
    this.isSorted = true;
    const size = <usize>this.records.length;
    const end = this.records.pointer + size;
    for (let width = RECORD; width < size; width *= 2) {
      for (let left = this.records.pointer; end - left > width; left = min(left + 2 * width, end))
        this.merge(left, left + width, min(left + 2 * width, end));
    }
  }

  /** Merges two neighbouring ranges of sorted records. */
  private merge(left: usize, middle: usize, end: usize): void {
    if (!standsBehind(middle - RECORD, load<u32>(middle), load<u32>(middle, 4))) return;
    this.moved.clear();
    this.moved.bytes(left, <u32>(middle - left));
    let one = this.moved.pointer;
    const oneEnd = one + this.moved.length;
    let other = middle;
    for (let to = left; one < oneEnd; to += RECORD) {
      if (other < end && standsBehind(one, load<u32>(other), load<u32>(other, 4))) {
        memory.copy(to, other, RECORD);
        other += RECORD;
      } else {
        memory.copy(to, one, RECORD);
        one += RECORD;
      }
    }
  }
}

/** Returns whether the edit in this record comes after one of [start, end). */
function standsBehind(record: usize, start: u32, end: u32): bool {
  const other = load<u32>(record);
  // At one offset an insertion goes first: it does not overlap the replacement.
  return other > start || (other == start && start == end && load<u32>(record, 4) > other);
}
