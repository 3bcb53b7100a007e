// Who reads the usage of a response that passes, and why.
import { UsageObserver } from "../../dialects/usage-observer";
import { Exchange } from "../../exchange/exchange";
import { CONTENT_LENGTH } from "../../exchange/response-head";
import { decimal } from "../../bytes/text/decimal";

/** Has the usage of a response in the client's dialect read while it passes. Returns null if nobody needs it. */
export function observe(exchange: Exchange): UsageObserver | null {
  const target = exchange.target;
  const dialect = exchange.client.dialect;
  if (target === null || target.dialect !== dialect || !exchange.readsUsage()) return null;
  const observer = new UsageObserver(
    dialect,
    exchange.seeksToken,
    exchange.modelText(target),
    decimal(CONTENT_LENGTH),
    exchange.estimate !== null,
  );
  exchange.readRates(observer.usage);
  exchange.response.facts = observer;
  return observer;
}

/** Returns whether a limit counts the usage of the response. */
export function isCounted(exchange: Exchange): bool {
  const limiter = exchange.limiter;
  return limiter !== null && limiter.countsTokens;
}
