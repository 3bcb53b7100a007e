// A response that is declared a page of HTML. Some providers declare JSON so, which passes; a page begins with a tag.
import { freeBlock } from "../memory/blocks";
import { Fault } from "../hub/fault";
import { excerpt } from "../hub/read-fault";
import { Exchange } from "../exchange/exchange";
import { RESPONSE_BODY, takeBody } from "../host/host";
import { CONTINUE, STOP } from "../host/status";
import { LOOKS_OPEN, looksLike } from "../bytes/sse/looks-like";
import { scratchBuffer } from "../bytes/text/bytes";
import { beginsWith } from "../bytes/text/readable";
import { answerInstead } from "./answer-instead";
import { providerOf } from "../exchange/envoy-errors";
import { maskBytes } from "./mask-credentials";

const LESS: u32 = 0x3c;
const masked = scratchBuffer();
/** Enough of a page for its first words. Bytes. */
const ENOUGH: u32 = 4096;
/** White space before a page; what begins behind more of it is none. Bytes. */
const LOOKED_AT: u32 = 32 << 10;

/** Holds the response until it is known what it is. Returns CONTINUE once it may pass; a page is answered by an error. */
export function pageBody(exchange: Exchange, size: u32, isEnd: bool): i32 {
  const bytes = takeBody(RESPONSE_BODY, 0, min(size, LOOKED_AT));
  const pointer = bytes.pointer;
  const isPage = beginsWith(pointer, bytes.length, LESS);
  const isBlank = looksLike(pointer, bytes.length) == LOOKS_OPEN;
  const isOpen = bytes.length < LOOKED_AT && (isBlank || (isPage && size < ENOUGH));
  let fault: Fault | null = null;
  if (isPage && (isEnd || !isOpen)) {
    const isMasked = maskBytes(exchange, pointer, bytes.length, masked);
    const words = isMasked
      ? excerpt(masked.pointer, masked.length)
      : excerpt(pointer, bytes.length);
    fault = new Fault(502, providerOf(exchange.target) + " sent a page of HTML: " + words);
  }
  freeBlock(pointer);
  if (fault !== null) return answerInstead(exchange, fault);
  exchange.mayBePage = isOpen;
  return isOpen && !isEnd ? STOP : CONTINUE;
}
