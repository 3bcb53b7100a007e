// The headers that name who served a request: `x-gateway-model`, with the model's own name under a wildcard,
// `x-gateway-api`, if its provider serves several, and `x-gateway-attempts`, if there may be several. On a provider's errors, whose text does not name it; on every response with
// usage records. Each costs 3,900 to 6,400 instructions.
import { Exchange } from "../exchange/exchange";
import { RESPONSE_HEADERS, setHeader, setHeaderNumber } from "../host/host";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";

const MODEL = constant("x-gateway-model");

const name = scratchBuffer();
const nameSpan = new Span(0, 0);

export function setServedHeaders(exchange: Exchange): void {
  const target = exchange.target;
  if (target === null || !exchange.client.endpoint.row.hasModel) return;
  if (!exchange.isObserved && exchange.response.status < 400) return;
  const model = exchange.wildcardModel;
  if (model === null || !target.isWildcard) {
    setHeader(RESPONSE_HEADERS, MODEL, target.nameSpan);
  } else {
    name.clear();
    name.text(target.name.substring(0, target.name.indexOf("/") + 1));
    name.span(model.text);
    setHeader(RESPONSE_HEADERS, MODEL, name.view(nameSpan));
  }
  if (target.model.also.length > 0)
    setHeader(RESPONSE_HEADERS, constant("x-gateway-api"), target.dialect.nameSpan);
  const attempts = exchange.attempts;
  if (attempts !== null)
    setHeaderNumber(RESPONSE_HEADERS, constant("x-gateway-attempts"), attempts.count);
}
