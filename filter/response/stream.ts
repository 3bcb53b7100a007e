// A response of the client's dialect that is read while it passes: its usage is counted, the usage chunk that only the
// gateway asked for is removed, and the end of a stream that Envoy decompresses is checked.
import { wasRefused } from "../memory/blocks";
import { ResponseOptions, ResponseTranslator } from "../dialects/translate-response";
import { StreamUsageFilter } from "../dialects/stream-usage";
import { UsageObserver } from "../dialects/usage-observer";
import { respondWithFault } from "../exchange/respond";
import { Exchange } from "../exchange/exchange";
import { ALL, removeHeader, RESPONSE_HEADERS } from "../host/host";
import { CONTINUE, STOP } from "../host/status";
import { scratchBuffer } from "../bytes/text/bytes";
import { CONTENT_LENGTH } from "../exchange/header-names";
import { prependBytes, replaceBytesBehind, takeBytes } from "./body";
import { corruptFault } from "./faults";

const out = scratchBuffer();
const unsent = scratchBuffer();

/** Has the events of a stream read by the observer, and the usage chunk removed that only the gateway has asked for. */
export function startUsageFilter(exchange: Exchange, observer: UsageObserver): void {
  const response = exchange.response;
  if (response.asksUsage) removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
  const dialect = exchange.client.dialect;
  response.usageFilter = new StreamUsageFilter(dialect, response.asksUsage, observer);
}

/** Starts to check the end of a stream. */
export function startWatch(exchange: Exchange): void {
  const options = new ResponseOptions();
  options.from = exchange.providerDialect();
  options.to = exchange.client.dialect;
  options.isStreaming = true;
  exchange.response.watch = new ResponseTranslator(options);
}

export function onStreamBody(exchange: Exchange, size: u32, isEnd: bool): i32 {
  const watch = exchange.response.watch;
  if (watch !== null) watchBody(exchange, watch, size);
  const filter = exchange.response.usageFilter;
  if (filter !== null) filterUsage(filter, size, isEnd);
  else observeUsage(exchange, size, isEnd);
  const observer = exchange.response.observer;
  if (observer === null) return CONTINUE;
  if (observer.hasToken) exchange.noteToken();
  if (isEnd) observer.hasEnded = true;
  return CONTINUE;
}

/** A stream that has not come to its own end is broken off. */
export function onStreamTrailers(exchange: Exchange): i32 {
  const observer = exchange.response.observer;
  if (observer !== null) observer.hasEnded = true;
  const watch = exchange.response.watch;
  if (watch === null) return CONTINUE;
  watch.end(unsent);
  unsent.release();
  const isCut = watch.fault !== null;
  exchange.response.dropWatch();
  if (!isCut) return CONTINUE;
  respondWithFault(exchange, corruptFault(exchange));
  return STOP;
}

function watchBody(exchange: Exchange, watch: ResponseTranslator, size: u32): void {
  const bytes = takeBytes(0, size);
  watch.push(bytes.pointer, bytes.length, unsent);
  unsent.clear();
  // An error is an end too.
  if (watch.fault !== null && !watch.isGarbled) exchange.response.dropWatch();
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

/** Reads a complete response that came where a stream was asked for. */
function observeUsage(exchange: Exchange, size: u32, isEnd: bool): void {
  const observer = exchange.response.observer;
  // The end alone is no bytes: `end` of the observer reads what it has.
  if (observer === null || size == 0) return;
  const bytes = takeBytes(0, size);
  if (wasRefused()) observer.giveUp();
  else observer.part(bytes.pointer, bytes.length, isEnd);
}
