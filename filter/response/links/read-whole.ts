// A response in the client's dialect that is no stream. It is held until it is whole if a limit counts it, its head shows its
// cost, or Envoy has decompressed it: half of one is an error. If another attempt may follow, it is held to its end, or until
// it is too long. Else it passes, and its usage is read.
import { wasRefused } from "../../memory/blocks";
import { Fault } from "../../hub/faults/fault";
import { FirstToken, MAX_HELD_BYTES } from "../../dialects/response-start";
import { UsageObserver } from "../../dialects/usage-observer";
import { Exchange } from "../../exchange/exchange";
import { Link } from "../../exchange/link";
import { CONTENT_TYPE, isEventStream } from "../../exchange/response-head";
import { ALL } from "../../host/host";
import { CONTINUE, STOP } from "../../host/status";
import { scan, scanMessage, SCAN_OK } from "../../bytes/json/scan";
import { scratchTape } from "../../bytes/json/tape";
import { LOOKS_JSON, looksLike } from "../../bytes/sse/looks-like";
import { providerOf } from "../../exchange/envoy-errors";
import { isJson } from "../../exchange/header-names";
import { releaseBytes, takeBytes } from "../body";
import { hasCostHeader, setCostHeader } from "../cost-header";
import { corruptFault } from "../faults";
import { replaceResponse } from "../replace";
import { awaitFirstToken, isDecided, isFollowed } from "./first-token";
import { isCounted, observe } from "./observe";

/** A larger response that only a limit counts passes unread. Bytes. */
const MAX_COUNTED: u32 = 8 << 20;

const tape = scratchTape();

export function readWhole(exchange: Exchange): Link | null {
  const row = exchange.client.endpoint.row;
  if ((row.isInference && exchange.isRewritten()) || isEventStream()) return null;
  // Only JSON shows whether it is complete.
  const isDecompressed =
    exchange.response.isDecompressed && (row.isInference || isJson(CONTENT_TYPE));
  const isRead = isCounted(exchange);
  const isHeld =
    isDecompressed || hasCostHeader(exchange) || (isRead && !exchange.client.isStreaming);
  const observer = observe(exchange);
  const start: FirstToken | null = exchange.client.isStreaming
    ? null
    : awaitFirstToken(exchange, false);
  return isHeld || isRead || observer !== null || start !== null
    ? new ReadWhole(exchange, observer, isHeld, start)
    : null;
}

/** Decides about a JSON body, all of which Envoy holds, or its first MAX_HELD_BYTES and more. */
export function judgeWhole(start: FirstToken, size: u32, isEnd: bool): void {
  const bytes = takeBytes(0, size);
  const isRead = isEnd && bytes.pointer != 0 && bytes.length < MAX_HELD_BYTES;
  start.judge(
    bytes.pointer,
    bytes.length,
    isRead ? scan(tape, bytes.pointer, bytes.length) : SCAN_OK,
  );
  tape.reset();
}

class ReadWhole extends Link {
  /** Whether it is declared JSON. */
  private isJson: bool;

  constructor(
    private exchange: Exchange,
    private observer: UsageObserver | null,
    isHeld: bool,
    private start: FirstToken | null,
  ) {
    super();
    this.holdsHead = isHeld || start !== null;
    this.isJson = start !== null && isJson(CONTENT_TYPE);
    this.passes = !isHeld;
  }

  onBytes(size: u32, isEnd: bool): i32 {
    const isTooLarge = size > MAX_COUNTED && size != ALL && !this.exchange.response.isDecompressed;
    if (isTooLarge) this.passes = true;
    const start = this.start;
    if (start !== null) return this.begin(start, size, isEnd);
    return this.read(size, isEnd);
  }

  private read(size: u32, isEnd: bool): i32 {
    if (this.passes) return this.pass(size, isEnd);
    return isEnd ? this.check(size) : STOP;
  }

  onTrailers(): i32 {
    const observer = this.observer;
    if (observer !== null && this.passes) observer.hasEnded = true;
    return CONTINUE;
  }

  /** Looks at the next bytes while the beginning of the response is held. */
  private begin(start: FirstToken, size: u32, isEnd: bool): i32 {
    const exchange = this.exchange;
    // Nothing of JSON is looked at before its end.
    if (this.isJson && !isEnd && size < MAX_HELD_BYTES) return STOP;
    if (!start.isJson) {
      const bytes = takeBytes(start.seen, size - start.seen);
      // Without memory to read it the response goes on as it is.
      if (wasRefused()) start.release();
      start.begin(bytes.pointer, bytes.length);
    }
    if (start.isPending && start.isJson && isEnd) return this.check(size);
    if (start.isPending && start.isJson && size >= MAX_HELD_BYTES) judgeWhole(start, size, false);
    if (!isDecided(start, isEnd)) return STOP;
    this.start = null;
    if (isFollowed(exchange, start.fault, size, isEnd)) return CONTINUE;
    if (this.observer !== null || isCounted(exchange) || !this.passes)
      return this.read(size, isEnd);
    exchange.response.remove(this);
    return CONTINUE;
  }

  private pass(size: u32, isEnd: bool): i32 {
    const observer = this.observer;
    if (observer === null) return CONTINUE;
    // The end alone is no bytes: `settle` reads what there is.
    if (size > 0) {
      const bytes = takeBytes(0, size);
      if (wasRefused()) observer.giveUp();
      else observer.part(bytes.pointer, bytes.length, isEnd);
    }
    if (observer.hasToken) this.exchange.noteToken();
    if (isEnd) observer.hasEnded = true;
    return CONTINUE;
  }

  /** Reads a response that is complete. */
  private check(size: u32): i32 {
    const exchange = this.exchange;
    exchange.response.remove(this);
    const bytes = takeBytes(0, size);
    const pointer = bytes.pointer;
    const length = bytes.length;
    // Without memory to read it, it passes unread.
    const isRead = !wasRefused();
    const code = pointer == 0 ? SCAN_OK : scan(tape, pointer, length);
    const start = this.start;
    if (start !== null) {
      if (isRead) start.judge(pointer, length, code);
      if (isFollowed(exchange, start.fault, size, true)) {
        tape.reset();
        return CONTINUE;
      }
    }
    const fault = isRead && !this.passes ? wholeFault(exchange, pointer, length, code) : null;
    const observer = this.observer;
    if (observer !== null && fault === null) this.observe(observer, pointer, length, isRead, code);
    tape.reset();
    if (fault === null) return CONTINUE;
    const estimate = exchange.estimate;
    if (estimate !== null) estimate.hasResponse = false;
    releaseBytes();
    return replaceResponse(exchange, fault);
  }

  private observe(
    observer: UsageObserver,
    pointer: usize,
    length: u32,
    isRead: bool,
    code: i32,
  ): void {
    if (this.passes) observer.hasEnded = true;
    if (!isRead) observer.giveUp();
    else if (pointer != 0 && code == SCAN_OK) observer.readWhole(tape);
    else observer.part(pointer, length, true);
    if (isRead && !this.passes) setCostHeader(this.exchange);
  }
}

/** Returns why the bytes are not a complete response, or null. @param code what the scanner returned for them */
function wholeFault(exchange: Exchange, pointer: usize, length: u32, code: i32): Fault | null {
  if (exchange.response.isDecompressed)
    return pointer != 0 && code == SCAN_OK ? null : corruptFault(exchange);
  if (code == SCAN_OK || looksLike(pointer, length) != LOOKS_JSON) return null;
  return new Fault(
    502,
    providerOf(exchange.target) + " sent JSON that is not valid: " + scanMessage(code) + ".",
  );
}
