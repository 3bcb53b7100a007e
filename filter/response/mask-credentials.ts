// Masks the credentials of an attempt in the provider's response: many providers quote a wrong key in their error.
import { Fault } from "../hub/faults/fault";
import { Exchange } from "../exchange/exchange";
import { secretsOf } from "../exchange/attempt-secrets";
import { maskResponseHead } from "../exchange/response-head";
import { scratchBuffer } from "../bytes/text/bytes";
import { maskInPlace } from "../bytes/text/mask";

const text = scratchBuffer();

/** Masks credentials in the head that was read last, and reads it again if there were any. */
export function maskHead(exchange: Exchange): void {
  maskResponseHead(secretsOf(exchange));
}

/** Masks credentials in a message that may quote the provider. Returns the fault. */
export function maskFault(exchange: Exchange, fault: Fault): Fault {
  const secrets = secretsOf(exchange);
  if (secrets.length == 0) return fault;
  text.clear();
  text.text(fault.message);
  const length = text.length;
  maskInPlace(text, secrets);
  if (text.length != length) fault.message = String.UTF8.decodeUnsafe(text.pointer, text.length);
  return fault;
}
