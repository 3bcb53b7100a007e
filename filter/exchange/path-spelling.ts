// Other spellings of an endpoint's path, which clients with another base URL send: without `/v1`, with `/v1` twice, with a
// slash too many. A request has the path of its endpoint from here on, so that nothing depends on the spelling.
import { byteAt, startsWith } from "../bytes/text/at";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { REQUEST_HEADERS, setHeader } from "../host/host";
import { Endpoint, endpointOf, UNKNOWN } from "./endpoint";
import { PATH } from "./request-head";

const BASE = constant("/v1");
const SLASH: u32 = 0x2f;

/** Valid until the next request with another spelling, like the head itself. */
const spelled = scratchBuffer();
const spelledSpan = new Span(0, 0);

/**
 * Returns the endpoint that the path means, whose own spelling replaces it in the head; UNKNOWN if there is none.
 * @param length of the path without its query
 */
export function endpointOfSpelling(length: u32): Endpoint {
  const end = spell(PATH, length, spelled);
  const path = spelled.view(spelledSpan);
  const endpoint = endpointOf(path, end);
  // Only paths of models have a base URL.
  if (endpoint === UNKNOWN || !startsWith(endpoint.path.pointer, endpoint.path.length, BASE))
    return UNKNOWN;
  PATH.pointer = path.pointer;
  PATH.length = path.length;
  setHeader(REQUEST_HEADERS, constant(":path"), PATH);
  return endpoint;
}

/** Writes a path as `/v1`, its segments and its query. Returns the length without the query. */
function spell(path: Span, length: u32, out: ByteBuffer): u32 {
  out.clear();
  out.span(BASE);
  let start: u32 = 0;
  for (let at: u32 = 0; at <= length; at++) {
    if (at < length && byteAt(path.pointer, at) != SLASH) continue;
    const isBase = out.length == BASE.length && isVersion(path.pointer + start, at - start);
    if (at > start && !isBase) {
      out.byte(SLASH);
      out.bytes(path.pointer + start, at - start);
    }
    start = at + 1;
  }
  const end = out.length;
  out.bytes(path.pointer + length, path.length - length);
  return end;
}

/** Returns whether a segment is `v1`. */
function isVersion(segment: usize, length: u32): bool {
  return length == 2 && byteAt(segment) == 0x76 && byteAt(segment, 1) == 0x31;
}
