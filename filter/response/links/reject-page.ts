// A response that is declared an HTML page. Some providers declare JSON so, which passes; a page begins with a tag.
import { Fault } from "../../hub/faults/fault";
import { excerpt } from "../../hub/faults/read-fault";
import { Exchange } from "../../exchange/exchange";
import { Link } from "../../exchange/link";
import { CONTENT_TYPE } from "../../exchange/response-head";
import { CONTINUE, STOP } from "../../host/status";
import { LOOKS_OPEN, looksLike } from "../../bytes/sse/looks-like";
import { startsWith } from "../../bytes/text/at";
import { constant, scratchBuffer, Span } from "../../bytes/text/bytes";
import { beginsWith } from "../../bytes/text/readable";
import { providerOf } from "../../exchange/envoy-errors";
import { maskBytes, takeBytes } from "../body";
import { replaceResponse } from "../replace";
import { isFollowed } from "./first-token";

const LESS_THAN: u32 = 0x3c;
const masked = scratchBuffer();
/** Enough of a page for its first words. Bytes. */
const ENOUGH: u32 = 4096;
/** A page has at most this much white space before its first tag. Bytes. */
const MAX_READ: u32 = 32 << 10;

/** What a provider stores may be a page. */
export function rejectPage(exchange: Exchange): Link | null {
  if (exchange.isRewritten() && exchange.client.endpoint.row.isInference) return null;
  const isDeclared = startsWith(CONTENT_TYPE.pointer, CONTENT_TYPE.length, constant("text/html"));
  return isDeclared && exchange.client.endpoint.row.hasModel ? new RejectPage(exchange) : null;
}

/** Holds the response until its first bytes decide. A page is replaced by an error. */
class RejectPage extends Link {
  constructor(private exchange: Exchange) {
    super();
    this.holdsHead = true;
  }

  onBytes(size: u32, isEnd: bool): i32 {
    const exchange = this.exchange;
    const bytes = takeBytes(0, min(size, MAX_READ));
    const isPage = beginsWith(bytes.pointer, bytes.length, LESS_THAN);
    const isBlank = looksLike(bytes.pointer, bytes.length) == LOOKS_OPEN;
    const isOpen = bytes.length < MAX_READ && (isBlank || (isPage && size < ENOUGH));
    if (isPage && (isEnd || !isOpen)) {
      const fault = new Fault(
        502,
        providerOf(exchange.target) + " sent an HTML page: " + wordsOf(exchange, bytes),
      );
      return isFollowed(exchange, fault, size, isEnd) ? CONTINUE : replaceResponse(exchange, fault);
    }
    if (isOpen && !isEnd) return STOP;
    exchange.response.remove(this);
    return CONTINUE;
  }
}

function wordsOf(exchange: Exchange, bytes: Span): string {
  return maskBytes(exchange, bytes.pointer, bytes.length, masked)
    ? excerpt(masked.pointer, masked.length)
    : excerpt(bytes.pointer, bytes.length);
}
