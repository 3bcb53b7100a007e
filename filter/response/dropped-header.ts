// The header that lists the members of the request and the response that were dropped.
import { Exchange } from "../exchange/exchange";
import { RESPONSE_HEADERS, setHeader } from "../host/host";
import { constant, Span } from "../bytes/text/bytes";

const names = new Span(0, 0);

export function setDroppedHeader(exchange: Exchange): void {
  const dropped = exchange.response.dropped;
  if (dropped.length == 0) return;
  names.pointer = dropped.pointer;
  names.length = dropped.length;
  setHeader(RESPONSE_HEADERS, constant("x-gateway-dropped"), names);
}
