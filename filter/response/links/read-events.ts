// A stream in the client's dialect, which is read while it passes: its usage is counted, the usage chunk that only the gateway
// asked for is removed, and the end of a stream that Envoy decompresses is checked.
import { ResponseOptions, ResponseTranslator } from "../../dialects/translate-response";
import { StreamUsageFilter } from "../../dialects/stream-usage";
import { UsageObserver } from "../../dialects/usage-observer";
import { respondWithFault } from "../../exchange/respond";
import { Exchange } from "../../exchange/exchange";
import { Link } from "../../exchange/link";
import { isEventStream } from "../../exchange/response-head";
import { ALL, removeHeader, RESPONSE_HEADERS } from "../../host/host";
import { CONTINUE, STOP } from "../../host/status";
import { scratchBuffer } from "../../bytes/text/bytes";
import { CONTENT_LENGTH } from "../../exchange/header-names";
import { prependBytes, replaceBytesBehind, takeBytes } from "../body";
import { corruptFault } from "../faults";
import { isCounted, observe } from "./observe";

const out = scratchBuffer();
const unsent = scratchBuffer();

export function readEvents(exchange: Exchange): Link | null {
  const isInference = exchange.client.endpoint.row.isInference;
  if ((isInference && exchange.isTranslated()) || !isEventStream()) return null;
  const observer = observe(exchange);
  const watch = exchange.response.isDecompressed && isInference ? newWatch(exchange) : null;
  if (observer === null && watch === null && !isCounted(exchange)) return null;
  return new ReadEvents(exchange, observer, watch);
}

function newWatch(exchange: Exchange): ResponseTranslator {
  const options = new ResponseOptions();
  options.from = exchange.providerDialect();
  options.to = exchange.client.dialect;
  options.isStreaming = true;
  return new ResponseTranslator(options);
}

class ReadEvents extends Link {
  /** Gives the observer the events. */
  private filter: StreamUsageFilter | null = null;

  constructor(
    private exchange: Exchange,
    private observer: UsageObserver | null,
    /** Shows whether the stream comes to its end. */
    private watch: ResponseTranslator | null,
  ) {
    super();
    this.passes = true;
    if (observer !== null) {
      const strips = exchange.response.asksUsage;
      if (strips) removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
      this.filter = new StreamUsageFilter(exchange.client.dialect, strips, observer);
    }
  }

  onBytes(size: u32, isEnd: bool): i32 {
    const watch = this.watch;
    if (watch !== null) this.watchBytes(watch, size);
    const filter = this.filter;
    const observer = this.observer;
    if (filter === null || observer === null) return CONTINUE;
    filterUsage(filter, size, isEnd);
    if (observer.hasToken) this.exchange.noteToken();
    if (isEnd) observer.hasEnded = true;
    return CONTINUE;
  }

  /** A stream that has not come to its own end is broken off. */
  onTrailers(): i32 {
    const observer = this.observer;
    if (observer !== null) observer.hasEnded = true;
    const watch = this.watch;
    if (watch === null) return CONTINUE;
    watch.end(unsent);
    unsent.release();
    const isCut = watch.fault !== null;
    this.dropWatch();
    if (!isCut) return CONTINUE;
    respondWithFault(this.exchange, corruptFault(this.exchange));
    return STOP;
  }

  release(): void {
    this.dropWatch();
    const filter = this.filter;
    if (filter !== null) filter.release();
  }

  private watchBytes(watch: ResponseTranslator, size: u32): void {
    const bytes = takeBytes(0, size);
    watch.push(bytes.pointer, bytes.length, unsent);
    unsent.clear();
    // An error is an end too.
    if (watch.fault !== null && !watch.isGarbled) this.dropWatch();
  }

  private dropWatch(): void {
    const watch = this.watch;
    if (watch !== null) watch.release();
    this.watch = null;
  }
}

function filterUsage(filter: StreamUsageFilter, size: u32, isEnd: bool): void {
  if (filter.isPassing) return;
  // Behind trailers come all bytes that were held, which are few.
  if (!filter.hasRoomFor(size == ALL ? 0 : size)) {
    if (filter.strips) prependBytes(filter.heldPointer, filter.heldLength);
    filter.pass();
    return;
  }
  const bytes = takeBytes(0, size);
  out.clear();
  filter.push(bytes.pointer, bytes.length, isEnd, out);
  if (filter.strips && filter.isChanged) replaceBytesBehind(size, filter.unchanged, out);
}
