// Tells a client what of its request or its response was left out.
import { Exchange } from "../exchange/exchange";
import { RESPONSE_HEADERS, setHeader } from "../host/host";
import { constant, Span } from "../bytes/text/bytes";

const DROPPED = constant("x-gateway-dropped");
const names = new Span(0, 0);

export function tellDropped(exchange: Exchange): void {
  if (exchange.dropped.length == 0) return;
  names.pointer = exchange.dropped.pointer;
  names.length = exchange.dropped.length;
  setHeader(RESPONSE_HEADERS, DROPPED, names);
}
