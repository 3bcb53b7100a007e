// A link of the chain through which a provider's response passes (response/chain.ts).
import { CONTINUE } from "../host/status";

/** Reads or changes the bytes of one response, and holds them where nothing may leave yet. */
export abstract class Link {
  /** The link that gets the bytes next. */
  next: Link | null = null;
  /** Whether the head is held, because the body decides about it. */
  holdsHead: bool = false;
  /** Whether the link reads bytes of the response's dialect, so that they are counted. */
  reads: bool = true;
  /** Whether bytes pass while they are read. */
  passes: bool = false;

  /** Whether this link or one that follows holds the head. */
  get isHeadHeld(): bool {
    const next = this.next;
    return this.holdsHead || (next !== null && next.isHeadHeld);
  }

  /** Envoy holds `size` bytes, ALL after trailers; `isEnd`: they are the last. Returns the status for Envoy. */
  abstract onBytes(size: u32, isEnd: bool): i32;

  /** The response ends in trailers, and Envoy holds nothing of it. Returns the status for Envoy. */
  onTrailers(): i32 {
    return CONTINUE;
  }

  /** Nothing leaves now: Envoy keeps `size` bytes, which come again with those that follow. */
  onHeld(_size: u32): void {}

  /** The callout for which this link waits is over (callouts/callouts.ts has its response); it gets its bytes again later. */
  onCallout(): void {}

  /** Frees what is not on the collected heap. */
  release(): void {}
}
