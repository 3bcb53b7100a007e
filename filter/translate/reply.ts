// The reply on its way back: which replies need a hand, and what each one needs. All others pass untouched.
import {
  header,
  removeHeader,
  replaceBodyPrefix,
  RESPONSE_BODY,
  RESPONSE_HEADERS,
  REQUEST_HEADERS,
  setHeader,
  setHeaderNumber,
  takeBody,
} from "../host/host";
import { CONTINUE, STOP } from "../host/status";
import { idHeader, JSON_TYPE, writeFault } from "../exchange/answer";
import { Exchange } from "../exchange/exchange";
import { requestId, REQUEST_ID } from "../exchange/request-id";
import { StreamUsageFilter } from "../dialects/openai_chat_completions/strip-usage";
import { ByteBuffer, constant, Span } from "../text/bytes";
import { tellDropped } from "./dropped-header";
import { foreignBody, foreignEmpty, foreignHeaders } from "./foreign-reply";
import { CONTENT_LENGTH, CONTENT_TYPE, STATUS } from "./header-names";
import { isFromProvider, localReplyFault, responseDetails } from "./local-reply";

const EVENT_STREAM = constant("text/event-stream");

const out = new ByteBuffer();

/** A reply in the downstream context of a route with one target: the provider's, or an error of Envoy's own. */
export function replyHeaders(exchange: Exchange, endsHere: bool): i32 {
  const held = ownErrorHeaders(exchange, endsHere);
  if (held == STOP || exchange.isAnswered) return held;
  return providerHeaders(exchange, endsHere);
}

export function replyBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  if (exchange.isAnswered) return CONTINUE;
  if (exchange.isLocalReply) return ownErrorBody(exchange, size, endsHere);
  return providerBody(exchange, size, endsHere);
}

/** Holds an error that Envoy answers itself, to be said in the client's dialect. */
export function ownErrorHeaders(exchange: Exchange, endsHere: bool): i32 {
  if (exchange.isAnswered) return CONTINUE;
  exchange.replyStatus = statusOf(header(RESPONSE_HEADERS, STATUS));
  if (exchange.replyStatus < 400 || endsHere) return CONTINUE;
  exchange.isLocalReply = !isFromProvider(responseDetails());
  return exchange.isLocalReply ? STOP : CONTINUE;
}

/** As `providerHeaders`, in the upstream context, where the status has not been read yet. */
export function attemptHeaders(exchange: Exchange, endsHere: bool): i32 {
  exchange.replyStatus = statusOf(header(RESPONSE_HEADERS, STATUS));
  return providerHeaders(exchange, endsHere);
}

/** A provider's reply, in whichever context talks to the provider. */
function providerHeaders(exchange: Exchange, endsHere: bool): i32 {
  tellDropped(exchange);
  if (exchange.isForeign()) return endsHere ? foreignEmpty(exchange) : foreignHeaders(exchange);
  if (exchange.usageFilter !== null && !endsHere) prepareUsageFilter(exchange);
  return CONTINUE;
}

export function providerBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  if (exchange.isForeign()) return foreignBody(exchange, size, endsHere);
  const filter = exchange.usageFilter;
  if (filter !== null) stripUsage(filter, size, endsHere);
  return CONTINUE;
}

/** Only a stream has a usage chunk; a provider that answers a stream request with one JSON body is left alone. */
function prepareUsageFilter(exchange: Exchange): void {
  const type = header(RESPONSE_HEADERS, CONTENT_TYPE);
  const isStream =
    type.length >= EVENT_STREAM.length &&
    memory.compare(type.pointer, EVENT_STREAM.pointer, EVENT_STREAM.length) == 0;
  if (isStream) removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
  else exchange.dropUsageFilter();
}

function stripUsage(filter: StreamUsageFilter, size: u32, endsHere: bool): void {
  const bytes = takeBody(RESPONSE_BODY, 0, size);
  out.clear();
  filter.push(bytes.pointer, bytes.length, endsHere, out);
  if (filter.isChanged) replaceBodyPrefix(RESPONSE_BODY, size, out);
  if (bytes.pointer != 0) heap.free(bytes.pointer);
}

/** Puts an error of Envoy's own into the client's envelope; its headers are held until the whole body is here. */
export function ownErrorBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  if (!endsHere) return STOP;
  const fault = localReplyFault(exchange.replyStatus, responseDetails(), exchange.target);
  out.clear();
  writeFault(exchange.dialect, fault, requestId(), out);
  setHeader(RESPONSE_HEADERS, CONTENT_TYPE, JSON_TYPE);
  setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
  setHeader(RESPONSE_HEADERS, idHeader(exchange.dialect), header(REQUEST_HEADERS, REQUEST_ID));
  replaceBodyPrefix(RESPONSE_BODY, size, out);
  return CONTINUE;
}

/** The three digits of a status, 0 when it is anything else. */
function statusOf(text: Span): u32 {
  if (text.length != 3) return 0;
  const hundreds = <u32>load<u8>(text.pointer) - 0x30;
  const tens = <u32>load<u8>(text.pointer, 1) - 0x30;
  const ones = <u32>load<u8>(text.pointer, 2) - 0x30;
  return hundreds > 9 || tens > 9 || ones > 9 ? 0 : hundreds * 100 + tens * 10 + ones;
}
