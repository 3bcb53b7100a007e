// Cuts a stream of bytes into events, wherever the network split it. A dialect names its framer: server-sent events today.

/** What it says of an event holds after `next` has returned true, until `next`, `push` or `hold` is called. */
export abstract class Framer {
  /** The event's data; a byte behind it may be changed for a while, as a scan does. */
  dataPointer: usize = 0;
  dataLength: u32 = 0;
  /** The event's name, empty if it has none. */
  namePointer: usize = 0;
  nameLength: u32 = 0;
  /** Events with data so far. */
  events: u32 = 0;

  /**
   * Gives the framer the next bytes of the stream, with PADDING bytes behind them. They stay the caller's, and must
   * stay in place until the next `push` or `hold`. Call `next` until it returns false, then `hold`.
   */
  abstract push(pointer: usize, length: u32): void;

  /** Gives the framer the end of the stream, in the place of `push`: its last event may lack its ending. */
  abstract end(): void;

  /** Moves to the next complete event; false if there is none. */
  abstract next(): bool;

  /** Keeps what is left of the bytes of `push` for the next call. */
  abstract hold(): void;

  /** Whether the event only keeps the connection open. */
  abstract isKeepAlive(): bool;

  /** Bytes of the unfinished event. */
  abstract heldLength(): u32;

  abstract release(): void;
}
