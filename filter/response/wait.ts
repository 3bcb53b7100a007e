// A link that waits for a callout. What reaches it meanwhile, the end included, is kept here, in the place before it: the links
// before it go on, and Envoy would give them again what it holds.
import { wasRefused } from "../memory/blocks";
import { forgetCallout } from "../callouts/callouts";
import { Exchange } from "../exchange/exchange";
import { Link } from "../exchange/link";
import { Fault, outOfMemory } from "../hub/faults/fault";
import { CONTINUE, STOP } from "../host/status";
import { ByteBuffer } from "../bytes/text/bytes";
import { dropBytes, prependBytes, takeBytes } from "./body";
import { replaceResponse } from "./replace";

/** More does not arrive while a link waits. Bytes. */
const MAX_KEPT: u32 = 8 << 20;

/**
 * Has a link wait for the callout that it has sent. Its `onCallout` runs with the response, and its `onBytes` after that, with the
 * bytes that it has now and those that have followed: at once if they are the last, else with the next ones.
 * Returns the status for `onBytes`.
 */
export function waitFor(exchange: Exchange, link: Link, size: u32, isEnd: bool): i32 {
  const kept = new KeptBytes(exchange);
  exchange.response.waiting = kept;
  exchange.response.add(kept, link);
  return kept.onBytes(size, isEnd);
}

export class KeptBytes extends Link {
  /** Whether the last bytes are among those that are kept. */
  hasEnd: bool = false;
  private bytes: ByteBuffer = new ByteBuffer();

  constructor(private exchange: Exchange) {
    super();
    this.reads = false;
  }

  onBytes(size: u32, isEnd: bool): i32 {
    const exchange = this.exchange;
    if (exchange.response.waiting === this) return this.keep(size, isEnd);
    prependBytes(this.bytes.pointer, this.bytes.length);
    exchange.response.remove(this);
    return CONTINUE;
  }

  /** The response is over, or there are no more bytes to keep. */
  release(): void {
    this.bytes.release();
    const exchange = this.exchange;
    if (exchange.response.waiting !== this) return;
    exchange.response.waiting = null;
    forgetCallout(exchange);
  }

  private keep(size: u32, isEnd: bool): i32 {
    const kept = this.bytes;
    this.hasEnd = isEnd;
    const bytes = takeBytes(0, size);
    const isTooLong = bytes.length > MAX_KEPT - kept.length;
    if (!isTooLong) kept.bytes(bytes.pointer, bytes.length);
    if (wasRefused()) return replaceResponse(this.exchange, outOfMemory("response"));
    if (isTooLong) return replaceResponse(this.exchange, tooLong());
    dropBytes();
    return STOP;
  }
}

function tooLong(): Fault {
  const what = "More than 8 MiB of the response arrived while the gateway waited for a callout.";
  return new Fault(502, what);
}
