// The beginning of a response that another attempt may follow: held until it shows content or an error.
import { wasRefused } from "../../memory/blocks";
import { Fault } from "../../hub/faults/fault";
import { FirstToken, HAS_CONTENT, PENDING } from "../../dialects/response-start";
import { JSON_TYPE } from "../../exchange/respond";
import { FollowUp } from "../../exchange/follow-up";
import { Exchange } from "../../exchange/exchange";
import { Link } from "../../exchange/link";
import { requestId } from "../../exchange/request-id";
import {
  currentSeconds,
  removeHeader,
  RESPONSE_HEADERS,
  setHeader,
  setHeaderNumber,
} from "../../host/host";
import { CONTINUE, STOP } from "../../host/status";
import { scratchBuffer } from "../../bytes/text/bytes";
import { CONTENT_LENGTH, CONTENT_TYPE, STATUS } from "../../exchange/header-names";
import { replaceBytes, takeBytes } from "../body";
import { maskFault } from "../mask-credentials";

const out = scratchBuffer();

export function awaitFirstToken(exchange: Exchange): Link | null {
  const attempts = exchange.attempts;
  if (attempts === null || !exchange.isReadUpstream() || !attempts.hasMore) return null;
  const followUp = attempts.followUp;
  if (followUp === null || !exchange.client.endpoint.row.isInference) return null;
  attempts.awaitsToken = true;
  return new AwaitFirstToken(exchange, followUp);
}

class AwaitFirstToken extends Link {
  private search: FirstToken;

  constructor(
    private exchange: Exchange,
    private followUp: FollowUp,
  ) {
    super();
    this.search = new FirstToken(exchange.providerDialect(), exchange.client.isStreaming);
    this.holdsHead = true;
    this.reads = false;
  }

  onBytes(size: u32, isEnd: bool): i32 {
    const exchange = this.exchange;
    const result = this.read(size, isEnd);
    if (result == PENDING) return STOP;
    const fault = this.search.fault;
    const attempts = exchange.attempts;
    if (attempts !== null) attempts.awaitsToken = false;
    if (result != HAS_CONTENT && fault !== null && this.followUp.follows(fault)) {
      replace(exchange, fault, size, isEnd);
      exchange.response.finish();
    } else exchange.response.remove(this);
    return CONTINUE;
  }

  onTrailers(): i32 {
    return STOP;
  }

  release(): void {
    this.search.release();
  }

  private read(size: u32, isEnd: bool): i32 {
    const search = this.search;
    const bytes = takeBytes(search.seen, size - search.seen);
    // Without memory to read it the response goes on as it is.
    if (wasRefused()) return HAS_CONTENT;
    const now = this.exchange.client.isStreaming ? currentSeconds() : 0;
    return search.push(bytes.pointer, bytes.length, isEnd, now);
  }
}

/** Replaces the response by a fault. The client gets it only if Envoy does not retry. */
function replace(exchange: Exchange, fault: Fault, size: u32, isEnd: bool): void {
  const estimate = exchange.estimate;
  if (estimate !== null) estimate.hasResponse = false;
  setHeaderNumber(RESPONSE_HEADERS, STATUS, fault.status);
  if (isEnd && size == 0) return;
  out.clear();
  exchange.client.dialect.writeFault(maskFault(exchange, fault), requestId(exchange), out);
  replaceBytes(size, out);
  setHeader(RESPONSE_HEADERS, CONTENT_TYPE, JSON_TYPE);
  if (isEnd) setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
  else removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
}
