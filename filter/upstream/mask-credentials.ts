// Masks the credentials of an attempt in the provider's response: many providers quote a wrong key in their error.
import { Fault } from "../hub/fault";
import { Exchange } from "../exchange/exchange";
import { maskResponseHead } from "../exchange/response-head";
import { ByteBuffer, scratchBuffer, Span } from "../bytes/text/bytes";
import { mask, maskInPlace, mayHold, MIN_SECRET } from "../bytes/text/mask";

const NO_SECRETS: Span[] = [];
const passed: Span[] = [];
const clientKey = new Span(0, 0);
const text = scratchBuffer();

/** Masks credentials in the head that was read last, and reads it again if there were any. */
export function maskHead(exchange: Exchange): void {
  maskResponseHead(secretsOf(exchange));
}

/** Writes the bytes (PADDING behind them) with credentials masked. Returns false, and writes nothing, if there are none. */
export function maskBytes(exchange: Exchange, pointer: usize, length: u32, out: ByteBuffer): bool {
  const secrets = secretsOf(exchange);
  return mayHold(pointer, length, secrets) && mask(pointer, length, secrets, out);
}

/** Masks credentials in a buffer. */
export function maskBuffer(exchange: Exchange, buffer: ByteBuffer): void {
  maskInPlace(buffer, secretsOf(exchange));
}

/** Masks credentials in a message that may quote the provider. Returns the fault. */
export function maskFault(exchange: Exchange, fault: Fault): Fault {
  if (secretsOf(exchange).length == 0) return fault;
  text.clear();
  text.text(fault.message);
  const length = text.length;
  maskBuffer(exchange, text);
  if (text.length != length) fault.message = String.UTF8.decodeUnsafe(text.pointer, text.length);
  return fault;
}

/** Returns the credentials that the current attempt sent. */
function secretsOf(exchange: Exchange): Span[] {
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
