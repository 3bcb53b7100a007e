// Byte edits of a scanned text. Unedited bytes are copied at most once, those behind the last edit not at all.
import { ByteBuffer, scratchBuffer, Span } from "../text/bytes";

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
  private appendedFrom: u32 = 0;

  clear(): void {
    this.records.clear();
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
  }

  /** Inserts a record, sorted by offset. A range that ends before it starts is ignored. */
  private record(start: u32, end: u32, place: usize, length: u32, isAppended: bool): void {
    if (end < start) return;
    const last = this.records.reserve(<u32>RECORD);
    if (last == 0) return;
    let at = last;
    while (at > this.records.pointer && standsBehind(at - RECORD, start, end)) at -= RECORD;
    if (at < last) memory.copy(at + RECORD, at, last - at);
    this.records.length += <u32>RECORD;
    store<u32>(at, start);
    store<u32>(at, end, 4);
    store<u32>(at, <u32>place, 8);
    store<u32>(at, length, 12);
    store<u32>(at, isAppended ? 1 : 0, 16);
  }
}

/** Returns whether the edit in this record comes after one of [start, end). */
function standsBehind(record: usize, start: u32, end: u32): bool {
  const other = load<u32>(record);
  // At one offset an insertion goes first: it does not overlap the replacement.
  return other > start || (other == start && start == end && load<u32>(record, 4) > other);
}
