// The header with what a complete response cost, in US dollars (`observability.cost_header`).
import { NO_COST } from "../config/price";
import { Exchange } from "../exchange/exchange";
import { RESPONSE_HEADERS, setHeader } from "../host/host";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";

const DOT: u32 = 0x2e;
const ZERO: u32 = 0x30;
const NANO: i64 = 1_000_000_000;

const text = scratchBuffer();
const span = new Span(0, 0);

/** Returns whether the response gets the header, if its cost is known; then its head is held until its end. */
export function hasCostHeader(exchange: Exchange): bool {
  const target = exchange.target;
  if (target === null || !exchange.showsCost || exchange.client.isStreaming) return false;
  return exchange.client.endpoint.row.countsTokens && exchange.priceOf(target) !== null;
}

/** Adds the header to a head that is held by its complete response, if the provider has reported its usage. */
export function setCostHeader(exchange: Exchange): void {
  const estimate = exchange.estimate;
  if (estimate === null || !hasCostHeader(exchange)) return;
  estimate.isWhole = true;
  exchange.setCost();
  const response = exchange.response;
  // The bytes of the response have not been counted yet.
  if (response.isCostEstimated) response.cost = NO_COST;
  if (response.cost < 0) return;
  text.clear();
  writeDollars(response.cost, text);
  setHeader(RESPONSE_HEADERS, constant("x-gateway-cost"), text.view(span));
}

/** Appends nano-dollars as a decimal number of dollars, without rounding. */
function writeDollars(nano: i64, out: ByteBuffer): void {
  out.integer(nano / NANO);
  let fraction = nano % NANO;
  if (fraction == 0) return;
  out.byte(DOT);
  for (let power = NANO / 10; power > fraction; power /= 10) out.byte(ZERO);
  while (fraction % 10 == 0) fraction /= 10;
  out.integer(fraction);
}
