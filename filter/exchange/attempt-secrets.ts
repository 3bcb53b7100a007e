// The credentials of an attempt, which are masked in what the provider responds.
import { Span } from "../bytes/text/bytes";
import { MIN_SECRET } from "../bytes/text/mask";
import { Exchange } from "./exchange";

const NO_SECRETS: Span[] = [];
const passed: Span[] = [];
const clientKey = new Span(0, 0);

/** Returns the credentials that the current attempt sent. */
export function secretsOf(exchange: Exchange): Span[] {
  const target = exchange.target;
  if (target === null) return NO_SECRETS;
  const key = exchange.client.key;
  if (!target.passesClientKey || key.length < MIN_SECRET) return target.secrets;
  clientKey.pointer = key.pointer;
  clientKey.length = key.length;
  passed.length = 0;
  passed.push(clientKey);
  for (let i = 0; i < target.secrets.length; i++) passed.push(target.secrets[i]);
  return passed;
}
