// The request id: a client's own is kept when it is sane, because it goes into logs and headers as it is.
import { header, randomBytes, REQUEST_HEADERS, setHeader } from "../host/host";
import { REQUEST_ID as SENT_ID } from "./request-head";
import { constant, Span } from "../bytes/text/bytes";
import { Exchange } from "./exchange";

export const REQUEST_ID = constant("x-request-id");
const LONGEST: u32 = 128;
const HEX = constant("0123456789abcdef");
const random = memory.data(16);
const kept = new Span(0, 0);
const fresh = new Span(memory.data(64), 36);

/** Replaces, in the head that was read last, an id that is too long or holds anything but letters, digits and `-_.:/+=~@`. */
export function keepSaneRequestId(exchange: Exchange): void {
  const isKept = SENT_ID.length > 0 && isSane(SENT_ID);
  if (!isKept) {
    writeUuid();
    setHeader(REQUEST_HEADERS, REQUEST_ID, fresh);
  }
  exchange.client.requestId.span(isKept ? SENT_ID : fresh);
}

/** Returns the id of a request, for a message. */
export function requestId(exchange: Exchange): string {
  const id = requestIdSpan(exchange);
  return String.UTF8.decodeUnsafe(id.pointer, id.length);
}

/** Returns the id of a request, until the next call. Of one that Envoy has turned away before the filter saw its head, it is read now. */
export function requestIdSpan(exchange: Exchange): Span {
  const id = exchange.client.requestId;
  if (id.length == 0) id.span(header(REQUEST_HEADERS, REQUEST_ID));
  kept.pointer = id.pointer;
  kept.length = id.length;
  return kept;
}

function isSane(id: Span): bool {
  if (id.length > LONGEST) return false;
  for (let i: u32 = 0; i < id.length; i++) {
    const c = <u32>load<u8>(id.pointer + i);
    const isLetter = (c | 0x20) - 0x61 < 26;
    // '-' '.' '/' and the digits and ':' are neighbours in ASCII.
    if (
      !isLetter &&
      c - 0x2d >= 14 &&
      c != 0x5f &&
      c != 0x2b &&
      c != 0x3d &&
      c != 0x7e &&
      c != 0x40
    )
      return false;
  }
  return true;
}

/** A random UUID (RFC 9562, version 4) into `fresh`. */
function writeUuid(): void {
  randomBytes(random);
  store<u8>(random, (load<u8>(random, 6) & 0x0f) | 0x40, 6);
  store<u8>(random, (load<u8>(random, 8) & 0x3f) | 0x80, 8);
  let out = fresh.pointer;
  for (let i: usize = 0; i < 16; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) store<u8>(out++, 0x2d);
    const byte = <u32>load<u8>(random + i);
    store<u8>(out++, load<u8>(HEX.pointer + (byte >> 4)));
    store<u8>(out++, load<u8>(HEX.pointer + (byte & 15)));
  }
}
