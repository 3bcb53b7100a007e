// Answers in the client's own dialect that are read, though they pass as they are: one that a limit counts, and one that
// Envoy has decompressed. Half of one is an error: a complete answer is held until it is whole, a stream is watched.
import { freeBlock, wasRefused } from "../memory/blocks";
import { Fault } from "../hub/fault";
import { ResponseOptions, ResponseTranslator } from "../dialects/translate-response";
import { answerFault } from "../exchange/answer";
import { Exchange } from "../exchange/exchange";
import { ALL, RESPONSE_BODY, takeBody } from "../host/host";
import { CONTINUE, STOP } from "../host/status";
import { scan, scanMessage, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { LOOKS_JSON, looksLike } from "../bytes/sse/looks-like";
import { scratchBuffer } from "../bytes/text/bytes";
import { answerInstead } from "./answer-instead";
import { providerOf } from "../exchange/envoy-errors";

/** A larger answer that only a limit wants to read passes unread. Bytes. */
const MAX_COUNTED: u32 = 8 << 20;

const tape = scratchTape();
const unsent = scratchBuffer();

/** The next bytes of a complete answer. Where `exchange.isHeldWhole` has become false it is to pass unread. */
export function wholeBody(exchange: Exchange, size: u32, isEnd: bool): i32 {
  const isTooLarge = size > MAX_COUNTED && size != ALL && !exchange.isDecompressed;
  if (!isEnd && !isTooLarge) return STOP;
  if (isTooLarge) {
    exchange.isHeldWhole = false;
    return CONTINUE;
  }
  const bytes = takeBody(RESPONSE_BODY, 0, size);
  const pointer = bytes.pointer;
  let fault = wholeFault(exchange, pointer, bytes.length);
  // Without memory to read it, it passes unread.
  const isRead = !wasRefused();
  if (!isRead) fault = null;
  const meter = exchange.meter;
  if (meter !== null) {
    const observer = meter.observer;
    if (fault !== null) meter.hasResponse = false;
    else if (observer !== null && isRead) observer.part(pointer, bytes.length, true);
    else if (observer !== null) observer.giveUp();
  }
  freeBlock(pointer);
  return fault === null ? CONTINUE : answerInstead(exchange, fault);
}

/** Returns why the bytes are no complete answer, or null. */
function wholeFault(exchange: Exchange, pointer: usize, length: u32): Fault | null {
  const code = pointer == 0 ? SCAN_OK : scan(tape, pointer, length);
  tape.reset();
  if (exchange.isDecompressed) {
    return pointer != 0 && code == SCAN_OK ? null : damaged(exchange);
  }
  if (code == SCAN_OK || looksLike(pointer, length) != LOOKS_JSON) return null;
  return new Fault(
    502,
    providerOf(exchange.target) + " sent JSON that is not valid: " + scanMessage(code) + ".",
  );
}

/** Envoy says nothing of a response that it could not decompress to its end. */
function damaged(exchange: Exchange): Fault {
  return new Fault(
    502,
    providerOf(exchange.target) +
      " compressed its response, although it was asked not to, and it could not be decompressed to its end: it is damaged, cut off, or shrinks more than a hundredfold.",
  );
}

/** Starts to watch a stream. */
export function startWatch(exchange: Exchange): void {
  const options = new ResponseOptions();
  options.from = exchange.responseDialect();
  options.to = exchange.dialect;
  options.isStreaming = true;
  exchange.watch = new ResponseTranslator(options);
}

/** The next bytes of a stream that is watched. */
export function watchBody(exchange: Exchange, watch: ResponseTranslator, size: u32): void {
  const bytes = takeBody(RESPONSE_BODY, 0, size);
  watch.push(bytes.pointer, bytes.length, unsent);
  unsent.clear();
  freeBlock(bytes.pointer);
  // An error is an end too.
  if (watch.fault !== null && !watch.isGarbled) exchange.dropWatch();
}

/** The end of a stream that was watched: one that has not come to its own end is broken off. */
export function endWatch(exchange: Exchange, watch: ResponseTranslator): i32 {
  watch.end(unsent);
  unsent.release();
  const isCut = watch.fault !== null;
  exchange.dropWatch();
  if (!isCut) return CONTINUE;
  answerFault(exchange, damaged(exchange));
  return STOP;
}
