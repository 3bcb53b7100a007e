// The stream of a cloud that wraps Anthropic's events (dialects/anthropic_messages/unwrap-stream.ts): unwrapped in Envoy's buffer
// before anything else reads the body. In the listener's context, and in the context of an attempt.
import { wasRefused } from "../memory/blocks";
import { StreamUnwrapper } from "../dialects/anthropic/messages/response/unwrap-stream";
import { outOfMemory } from "../hub/faults/fault";
import { EVENT_STREAM_TYPE } from "../exchange/respond";
import { Exchange } from "../exchange/exchange";
import { requestId } from "../exchange/request-id";
import {
  CONTENT_LENGTH as RESPONSE_LENGTH,
  CONTENT_TYPE as RESPONSE_TYPE,
  isCompressed,
  readResponseHead,
} from "../exchange/response-head";
import { removeHeader, RESPONSE_HEADERS, setHeader, setHeaderNumber } from "../host/host";
import { startsWith } from "../bytes/text/at";
import { constant, scratchBuffer } from "../bytes/text/bytes";
import { CONTENT_LENGTH, CONTENT_TYPE, isJson, STATUS } from "../exchange/header-names";
import { replaceBytes, replaceMasked, takeBytes } from "./body";

/** A stream that is answered with JSON is an error, whatever its status. */
const BAD_GATEWAY: u32 = 502;

const out = scratchBuffer();

/** Starts to unwrap the response whose head was read last, if its body is wrapped; the head becomes that of the stream inside. */
export function startUnwrapping(exchange: Exchange): void {
  const envelope = exchange.envelope();
  const response = exchange.response;
  if (envelope === null || !envelope.isEventStream || response.status >= 300) return;
  if (
    startsWith(
      RESPONSE_TYPE.pointer,
      RESPONSE_TYPE.length,
      constant("application/vnd.amazon.eventstream"),
    )
  ) {
    if (isCompressed()) return;
    response.unwrapper = new StreamUnwrapper(requestId(exchange));
    setHeader(RESPONSE_HEADERS, CONTENT_TYPE, EVENT_STREAM_TYPE);
    if (RESPONSE_LENGTH.length > 0) removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
    readResponseHead();
  } else if (exchange.client.isStreaming && isJson(RESPONSE_TYPE)) {
    response.status = BAD_GATEWAY;
    setHeaderNumber(RESPONSE_HEADERS, STATUS, BAD_GATEWAY);
  }
}

/** Unwraps the new bytes of a body. Returns how many bytes of it Envoy holds now. */
export function unwrapBody(exchange: Exchange, size: u32, isEnd: bool): u32 {
  const unwrapper = exchange.response.unwrapper;
  if (unwrapper === null) return size;
  const bytes = takeBytes(0, size);
  const held = min(unwrapper.held, bytes.length);
  out.clear();
  if (wasRefused()) {
    unwrapper.fail(outOfMemory("response"), out);
  } else {
    out.bytes(bytes.pointer, held);
    unwrapper.push(bytes.pointer + held, bytes.length - held, out);
  }
  if (isEnd) unwrapper.end(out);
  if (unwrapper.fault !== null) replaceMasked(exchange, size, out);
  else replaceBytes(size, out);
  unwrapper.held = 0;
  return out.length;
}

/** Envoy keeps the unwrapped bytes: they come again, with those that follow. */
export function holdUnwrapped(exchange: Exchange, size: u32): void {
  const unwrapper = exchange.response.unwrapper;
  if (unwrapper !== null) unwrapper.held = size;
}

/** Returns whether a stream of which Envoy holds nothing has not come to its end. */
export function isCutOff(exchange: Exchange): bool {
  const unwrapper = exchange.response.unwrapper;
  return unwrapper !== null && !unwrapper.isOver;
}
