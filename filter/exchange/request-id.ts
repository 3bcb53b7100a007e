// The request id. It goes into logs and headers as it is, so the client's is kept only if it is short and plain.
import { header, REQUEST_HEADERS, setHeader } from "../host/host";
import { randomUuid } from "../host/random";
import { REQUEST_ID as SENT_ID } from "./request-head";
import { byteAt } from "../bytes/text/at";
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";
import { Exchange } from "./exchange";

export const REQUEST_ID = constant("x-request-id");
const MAX_LENGTH: u32 = 128;
const kept = new Span(0, 0);

/** Replaces, in the head that was read last, an id that is too long or has characters besides letters, digits and `-_.:/+=~@`. */
export function keepPlainRequestId(exchange: Exchange): void {
  const isKept = SENT_ID.length > 0 && isPlain(SENT_ID);
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

function isPlain(id: Span): bool {
  if (id.length > MAX_LENGTH) return false;
  for (let i: u32 = 0; i < id.length; i++) {
    if (!isPlainByte(byteAt(id.pointer, i))) return false;
  }
  return true;
}

function isPlainByte(c: u32): bool {
  const isLetter = (c | 0x20) - 0x61 < 26;
  // '-' '.' '/', the digits and ':' are neighbours in ASCII.
  const isDigitOrNeighbour = c - 0x2d < 14;
  return (
    isLetter || isDigitOrNeighbour || c == 0x5f || c == 0x2b || c == 0x3d || c == 0x7e || c == 0x40
  );
}
