// The stream of a cloud that wraps Anthropic's events (dialects/anthropic/messages/response/unwrap-stream.ts): unwrapped before
// any other link reads the body. In the listener's context, and in the context of an attempt.
import { wasRefused } from "../../memory/blocks";
import { StreamUnwrapper } from "../../dialects/anthropic/messages/response/unwrap-stream";
import { outOfMemory } from "../../hub/faults/fault";
import { EVENT_STREAM_TYPE } from "../../exchange/respond";
import { Exchange } from "../../exchange/exchange";
import { Link } from "../../exchange/link";
import { requestId } from "../../exchange/request-id";
import {
  CONTENT_LENGTH as RESPONSE_LENGTH,
  CONTENT_TYPE as RESPONSE_TYPE,
  isCompressed,
  readResponseHead,
} from "../../exchange/response-head";
import { removeHeader, RESPONSE_HEADERS, setHeader, setHeaderNumber } from "../../host/host";
import { CONTINUE, STOP } from "../../host/status";
import { startsWith } from "../../bytes/text/at";
import { constant, scratchBuffer } from "../../bytes/text/bytes";
import { CONTENT_LENGTH, CONTENT_TYPE, isJson, STATUS } from "../../exchange/header-names";
import { replaceBytes, replaceMasked, takeBytes } from "../body";
import { replaceByEmptyFault, replaceResponse } from "../replace";

/** JSON in response to a streaming request is an error, whatever its status. */
const BAD_GATEWAY: u32 = 502;

const out = scratchBuffer();

/** Starts to unwrap the response whose head was read last, if its body is wrapped; the head becomes that of the stream inside. */
export function startUnwrapping(exchange: Exchange): void {
  const hosted = exchange.hosted();
  const response = exchange.response;
  if (hosted === null || !hosted.isEventStream || response.status >= 300) return;
  const type = constant("application/vnd.amazon.eventstream");
  if (startsWith(RESPONSE_TYPE.pointer, RESPONSE_TYPE.length, type)) {
    if (isCompressed()) return;
    response.add(new UnwrapFrames(exchange));
    setHeader(RESPONSE_HEADERS, CONTENT_TYPE, EVENT_STREAM_TYPE);
    if (RESPONSE_LENGTH.length > 0) removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
    readResponseHead();
  } else if (exchange.client.isStreaming && isJson(RESPONSE_TYPE)) {
    response.status = BAD_GATEWAY;
    setHeaderNumber(RESPONSE_HEADERS, STATUS, BAD_GATEWAY);
  }
}

/** Returns what unwraps the response; null if it is not wrapped. */
export function unwrapperOf(exchange: Exchange): StreamUnwrapper | null {
  const first = exchange.response.links;
  if (first === null || !(first instanceof UnwrapFrames)) return null;
  return (<UnwrapFrames>first).unwrapper;
}

class UnwrapFrames extends Link {
  unwrapper: StreamUnwrapper;
  /** Bytes at the beginning of Envoy's buffer that are unwrapped already. */
  private held: u32 = 0;

  constructor(private exchange: Exchange) {
    super();
    this.unwrapper = new StreamUnwrapper(requestId(exchange));
    this.reads = false;
  }

  onBytes(size: u32, isEnd: bool): i32 {
    const unwrapper = this.unwrapper;
    const bytes = takeBytes(0, size);
    const held = min(this.held, bytes.length);
    out.clear();
    if (wasRefused()) {
      unwrapper.fail(outOfMemory("response"), out);
    } else {
      out.bytes(bytes.pointer, held);
      unwrapper.push(bytes.pointer + held, bytes.length - held, out);
    }
    if (isEnd) unwrapper.end(out);
    if (unwrapper.fault !== null) replaceMasked(this.exchange, size, out);
    else replaceBytes(size, out);
    this.held = 0;
    return CONTINUE;
  }

  onHeld(size: u32): void {
    this.held = size;
  }

  onTrailers(): i32 {
    if (!this.unwrapper.isOver) return replaceByEmptyFault(this.exchange);
    const next = this.next;
    return next === null ? CONTINUE : next.onTrailers();
  }

  release(): void {
    this.unwrapper.release();
  }
}

/** Holds the head of an unwrapped stream of the client's dialect: a fault before its first event becomes the status. */
export function holdFirstEvent(exchange: Exchange): Link | null {
  const unwrapper = unwrapperOf(exchange);
  return unwrapper === null || exchange.isTranslated()
    ? null
    : new HoldFirstEvent(exchange, unwrapper);
}

class HoldFirstEvent extends Link {
  constructor(
    private exchange: Exchange,
    private unwrapper: StreamUnwrapper,
  ) {
    super();
    this.holdsHead = true;
    this.reads = false;
  }

  onBytes(size: u32, isEnd: bool): i32 {
    const exchange = this.exchange;
    const fault = this.unwrapper.fault;
    if (fault !== null && !this.unwrapper.hasWritten) {
      exchange.client.dialect.adaptFault(fault);
      return replaceResponse(exchange, fault);
    }
    if (size == 0 && !isEnd) return STOP;
    exchange.response.remove(this);
    return CONTINUE;
  }

  onTrailers(): i32 {
    return replaceByEmptyFault(this.exchange);
  }
}
