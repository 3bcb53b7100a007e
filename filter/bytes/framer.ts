// Cuts a stream of bytes into events, wherever the network split it. A dialect names its framer: server-sent events, or the
// binary event stream of AWS.
import { looksLike } from "./sse/looks-like";
import { constant, sameBytes, Span } from "./text/bytes";

/** The fields describe the current event: valid after `next` has returned true, until the next call of `next`, `push` or `hold`. */
export abstract class Framer {
  /** The event's data; the byte after it may be overwritten temporarily, as the scanner does. */
  dataPointer: usize = 0;
  dataLength: u32 = 0;
  /** The event's name, empty if it has none. */
  namePointer: usize = 0;
  nameLength: u32 = 0;
  /** Events with data so far. */
  events: u32 = 0;

  /**
   * Adds the next bytes of the stream, with PADDING bytes after them. The caller keeps ownership, and must not move or
   * free them before the next `push` or `hold`. Call `next` until it returns false, then `hold`.
   */
  abstract push(pointer: usize, length: u32): void;

  /** Marks the end of the stream, instead of `push`: the last event may lack its terminator. */
  abstract end(): void;

  /** Moves to the next complete event. Returns false if there is none yet. */
  abstract next(): bool;

  /** Copies the unread rest of the pushed bytes, for the next call. */
  abstract hold(): void;

  /** Returns the address of an event of which no byte has been read; 0 if there is none, or the framing is binary. */
  unread(): usize {
    return 0;
  }

  /** Returns where the pushed bytes end. */
  bytesEnd(): usize {
    return 0;
  }

  /** Passes over everything from `unread` to the end of an event. @param events how many events with data that is */
  skipTo(_end: usize, _events: u32): void {}

  /** Returns the bytes by which a repeated event is recognised: the event as received if its framing is text, else its data. */
  get textPointer(): usize {
    return this.dataPointer;
  }

  /** 0: the event cannot be recognised. */
  get textLength(): u32 {
    return this.dataLength;
  }

  /** Returns what the beginning of a response is, LOOKS_: a JSON body, or a stream of this framing. */
  kindOf(pointer: usize, length: u32): i32 {
    return looksLike(pointer, length);
  }

  /** Returns whether the event has this name. */
  isNamed(name: Span): bool {
    return sameBytes(this.namePointer, this.nameLength, name.pointer, name.length);
  }

  /** Returns whether the event reports an error, by its name or by its frame. */
  isError(): bool {
    return this.isNamed(constant("error"));
  }

  /** Returns whether the event only keeps the connection open. */
  abstract isKeepAlive(): bool;

  /** Returns the size of the unfinished event in bytes. */
  abstract heldLength(): u32;

  abstract release(): void;
}
