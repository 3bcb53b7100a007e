// The request id. It goes into logs and headers as it is, so the client's is kept only if it is short and plain.
import { header, REQUEST_HEADERS, setHeader } from "../host/host";
import { randomUuid } from "../host/random";
import { REQUEST_ID as SENT_ID } from "./request-head";
import { isPlainId } from "../bytes/text/ascii";
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";
import { Exchange } from "./exchange";

export const REQUEST_ID = constant("x-request-id");
const MAX_LENGTH: u32 = 128;
const kept = new Span(0, 0);

/** Replaces, in the head that was read last, an id that is too long or has characters besides letters, digits and `-_.:/+=~@`. */
export function keepPlainRequestId(exchange: Exchange): void {
  const length = SENT_ID.length;
  const isKept = length > 0 && length <= MAX_LENGTH && isPlainId(SENT_ID.pointer, length);
  const id = isKept ? SENT_ID : randomUuid();
  if (!isKept) setHeader(REQUEST_HEADERS, REQUEST_ID, id);
  exchange.client.requestId.span(id);
}

/** Returns the id of a request. It is read now if Envoy has rejected the request before the filter ran. */
export function requestId(exchange: Exchange): ByteBuffer {
  const id = exchange.client.requestId;
  if (id.length == 0) id.span(header(REQUEST_HEADERS, REQUEST_ID));
  return id;
}

/** Returns the same, until the next call. */
export function requestIdSpan(exchange: Exchange): Span {
  return requestId(exchange).view(kept);
}
