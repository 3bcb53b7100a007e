// The header with what a complete response cost, in US dollars (`observability.cost_header`).
import { NO_COST, Price } from "../../config/price";
import { Usage } from "../../hub/usage";
import { Exchange } from "../../exchange/exchange";
import { RESPONSE_HEADERS, setHeader } from "../../host/host";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../bytes/text/bytes";

const COST = constant("x-gateway-cost");
const DOT: u32 = 0x2e;
const ZERO: u32 = 0x30;
const NANO: i64 = 1_000_000_000;

const text = scratchBuffer();
const span = new Span(0, 0);

/** Returns the price if the response gets the header; then its head is held until its end. */
export function priceOf(exchange: Exchange): Price | null {
  const target = exchange.target;
  if (target === null || exchange.client.isStreaming) return null;
  return exchange.client.endpoint.row.countsTokens ? target.price : null;
}

/** Adds the header to a head that is held, if the price and the usage are known. */
export function setCostHeader(exchange: Exchange, usage: Usage): void {
  const price = priceOf(exchange);
  const cost = price === null ? NO_COST : price.costOf(usage);
  if (cost < 0) return;
  text.clear();
  writeDollars(cost, text);
  setHeader(RESPONSE_HEADERS, COST, text.view(span));
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
