// Masks the credentials of an attempt in the provider's response: many providers quote a wrong key in their error.
import { Fault } from "../hub/faults/fault";
import { Exchange } from "../exchange/exchange";
import { secretsOf } from "../exchange/secrets";
import { maskResponseHead } from "../exchange/response-head";
import { ByteBuffer, scratchBuffer } from "../bytes/text/bytes";
import { mask, maskInPlace, mayHold } from "../bytes/text/mask";

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
