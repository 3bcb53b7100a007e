// A response that the gateway sends itself, without a provider.
import * as abi from "./abi";
import { Span } from "../bytes/text/bytes";
import { HeaderPairs } from "./header-pairs";

const pairs = new HeaderPairs();

/** Adds a header to the response that is sent next. Both spans must stay valid until then. */
export function addLocalHeader(name: Span, value: Span): void {
  pairs.add(name, value);
}

/** Sends a response with the headers that were added. It passes the response callbacks like any other. */
export function sendLocalResponse(status: u32, body: Span): void {
  pairs.serialise();
  const headers = pairs.bytes;
  abi.proxy_send_local_response(
    status,
    0,
    0,
    body.pointer,
    body.length,
    headers.pointer,
    headers.length,
    -1,
  );
}
