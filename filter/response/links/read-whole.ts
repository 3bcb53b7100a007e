// A response in the client's dialect that is no stream. It is held until it is whole if a limit counts it, its head shows its
// cost, or Envoy has decompressed it: half of one is an error. Else it passes, and its usage is read.
import { wasRefused } from "../../memory/blocks";
import { Fault } from "../../hub/faults/fault";
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
import { isCounted, observe } from "./observe";

/** A larger response that only a limit counts passes unread. Bytes. */
const MAX_COUNTED: u32 = 8 << 20;

const tape = scratchTape();

export function readWhole(exchange: Exchange): Link | null {
  const row = exchange.client.endpoint.row;
  if ((row.isInference && exchange.isTranslated()) || isEventStream()) return null;
  // Only JSON shows whether it is complete.
  const isDecompressed =
    exchange.response.isDecompressed && (row.isInference || isJson(CONTENT_TYPE));
  const isRead = isCounted(exchange);
  const isHeld =
    isDecompressed || hasCostHeader(exchange) || (isRead && !exchange.client.isStreaming);
  const observer = observe(exchange);
  return isHeld || isRead || observer !== null ? new ReadWhole(exchange, observer, isHeld) : null;
}

class ReadWhole extends Link {
  constructor(
    private exchange: Exchange,
    private observer: UsageObserver | null,
    isHeld: bool,
  ) {
    super();
    this.holdsHead = isHeld;
    this.passes = !isHeld;
  }

  onBytes(size: u32, isEnd: bool): i32 {
    const isTooLarge = size > MAX_COUNTED && size != ALL && !this.exchange.response.isDecompressed;
    if (isTooLarge) this.passes = true;
    if (this.passes) return this.pass(size, isEnd);
    return isEnd ? this.check(size) : STOP;
  }

  onTrailers(): i32 {
    const observer = this.observer;
    if (observer !== null && this.passes) observer.hasEnded = true;
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

  private check(size: u32): i32 {
    const exchange = this.exchange;
    exchange.response.remove(this);
    const bytes = takeBytes(0, size);
    const pointer = bytes.pointer;
    let fault = wholeFault(exchange, pointer, bytes.length);
    // Without memory to read it, it passes unread.
    const isRead = !wasRefused();
    if (!isRead) fault = null;
    const estimate = exchange.estimate;
    if (estimate !== null && fault !== null) estimate.hasResponse = false;
    const observer = this.observer;
    if (observer !== null && fault === null) {
      if (isRead) {
        observer.part(pointer, bytes.length, true);
        setCostHeader(exchange);
      } else observer.giveUp();
    }
    if (fault === null) return CONTINUE;
    releaseBytes();
    return replaceResponse(exchange, fault);
  }
}

/** Returns why the bytes are not a complete response, or null. */
function wholeFault(exchange: Exchange, pointer: usize, length: u32): Fault | null {
  const code = pointer == 0 ? SCAN_OK : scan(tape, pointer, length);
  tape.reset();
  if (exchange.response.isDecompressed)
    return pointer != 0 && code == SCAN_OK ? null : corruptFault(exchange);
  if (code == SCAN_OK || looksLike(pointer, length) != LOOKS_JSON) return null;
  return new Fault(
    502,
    providerOf(exchange.target) + " sent JSON that is not valid: " + scanMessage(code) + ".",
  );
}
