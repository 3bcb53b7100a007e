// Who a request is of, for the rate limits that count for each session or each user.
import { Exchange } from "../exchange/exchange";
import { Payer } from "../limits/payer";
import { constant } from "../bytes/text/bytes";

const NO_KEY = constant("");

export function payerOf(exchange: Exchange): Payer {
  const key = exchange.client.apiKey;
  const session = exchange.session;
  return new Payer(
    key === null ? NO_KEY : key.name,
    key === null ? null : key.user,
    session === null ? 0 : session.conversation,
  );
}
