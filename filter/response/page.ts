// A response that is declared an HTML page. Some providers declare JSON so, which passes; a page begins with a tag.
import { Fault } from "../hub/faults/fault";
import { excerpt } from "../hub/faults/read-fault";
import { Exchange } from "../exchange/exchange";
import { ResponsePhase } from "../exchange/response";
import { STOP } from "../host/status";
import { LOOKS_OPEN, looksLike } from "../bytes/sse/looks-like";
import { scratchBuffer } from "../bytes/text/bytes";
import { beginsWith } from "../bytes/text/readable";
import { providerOf } from "../exchange/envoy-errors";
import { maskBytes, takeBytes } from "./body";
import { phaseOfBody } from "./head";
import { replaceResponse } from "./replace";
import { onStreamBody } from "./stream";
import { onWholeBody } from "./whole";

const LESS_THAN: u32 = 0x3c;
const masked = scratchBuffer();
/** Enough of a page for its first words. Bytes. */
const ENOUGH: u32 = 4096;
/** A page has at most this much white space before its first tag. Bytes. */
const MAX_READ: u32 = 32 << 10;

/** Holds the response until its first bytes decide. A page is replaced by an error. */
export function onPageBody(exchange: Exchange, size: u32, isEnd: bool): i32 {
  const bytes = takeBytes(0, min(size, MAX_READ));
  const pointer = bytes.pointer;
  const isPage = beginsWith(pointer, bytes.length, LESS_THAN);
  const isBlank = looksLike(pointer, bytes.length) == LOOKS_OPEN;
  const isOpen = bytes.length < MAX_READ && (isBlank || (isPage && size < ENOUGH));
  let fault: Fault | null = null;
  if (isPage && (isEnd || !isOpen)) {
    const isMasked = maskBytes(exchange, pointer, bytes.length, masked);
    const words = isMasked
      ? excerpt(masked.pointer, masked.length)
      : excerpt(pointer, bytes.length);
    fault = new Fault(502, providerOf(exchange.target) + " sent an HTML page: " + words);
  }
  if (fault !== null) return replaceResponse(exchange, fault);
  if (isOpen && !isEnd) return STOP;
  const phase = phaseOfBody(exchange, false);
  exchange.response.phase = phase;
  return phase == ResponsePhase.Whole
    ? onWholeBody(exchange, size, isEnd)
    : onStreamBody(exchange, size, isEnd);
}
