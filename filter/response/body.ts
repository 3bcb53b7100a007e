// The bytes of a provider's response that Envoy holds. No other file takes or replaces them. They are taken once in a callback,
// whoever reads them; what may quote the provider leaves with the credentials of the attempt masked.
import { freeBlock } from "../memory/blocks";
import { Content } from "../exchange/content-capture";
import { Exchange } from "../exchange/exchange";
import { secretsOf } from "../exchange/attempt-secrets";
import {
  ALL,
  prependBody,
  replaceBodyPrefix,
  replaceBodyPrefixBehind,
  RESPONSE_BODY,
  takeBody,
} from "../host/host";
import { mask, maskInPlace, mayHold } from "../bytes/text/mask";
import { ByteBuffer, scratchBuffer, Span } from "../bytes/text/bytes";

/** What was taken: Envoy's bytes from `start` on, of which `asked` were asked for. No block: nothing was. */
const taken = new Span(0, 0);
let start: u32 = 0;
let asked: u32 = 0;
const bytes = new Span(0, 0);
/** Where the taken bytes of the callback end. */
let end: u32 = 0;
/** How many bytes Envoy holds; ALL if that is not known. */
let held: u32 = 0;
const nothing = scratchBuffer();

/** A callback begins, with `size` bytes that Envoy holds, ALL after trailers. */
export function openBody(size: u32): void {
  held = size;
}

/** Returns how many bytes Envoy holds now. */
export function bodySize(): u32 {
  return held;
}

/**
 * Returns bytes of the response from an offset on, with PADDING after them. They are valid until the body is replaced or the
 * callback ends. Their pointer is 0 if there are none, or no memory for them (`wasRefused`).
 */
export function takeBytes(from: u32, length: u32): Span {
  const skipped = from - start;
  const isTaken =
    taken.pointer != 0 && from >= start && asked >= skipped && length <= asked - skipped;
  if (!isTaken) {
    releaseBytes();
    const body = takeBody(RESPONSE_BODY, from, length);
    taken.pointer = body.pointer;
    taken.length = body.length;
    start = from;
    asked = length;
    end = from + body.length;
  }
  const offset = from - start;
  const left = taken.length > offset ? taken.length - offset : 0;
  bytes.length = min(length, left);
  bytes.pointer = bytes.length == 0 ? 0 : taken.pointer + offset;
  return bytes;
}

/** Returns how many bytes Envoy holds, if all of them were taken in this callback. */
export function takenLength(): u32 {
  return end;
}

/** Frees what was taken, before much memory is needed. */
export function releaseBytes(): void {
  freeBlock(taken.pointer);
  taken.pointer = 0;
}

/** The callback ends: nothing that was taken is valid in the next one. */
export function closeBody(): void {
  releaseBytes();
  end = 0;
}

/** Replaces the first `length` bytes, ALL for the whole body, by others. */
export function replaceBytes(length: u32, by: ByteBuffer): void {
  releaseBytes();
  replaceBodyPrefix(RESPONSE_BODY, length, by);
  held = by.length + (length < held ? held - length : 0);
}

/** The same by bytes that may quote the provider. */
export function replaceMasked(exchange: Exchange, length: u32, by: ByteBuffer): void {
  maskInPlace(by, secretsOf(exchange));
  replaceBytes(length, by);
}

/** Replaces the first `length` bytes, all of which were taken last, by the first `kept` of them and `by`. */
export function replaceBytesBehind(length: u32, kept: u32, by: ByteBuffer): void {
  replaceBodyPrefixBehind(RESPONSE_BODY, length, taken.pointer, kept, by);
  releaseBytes();
  held = kept + by.length;
}

/** Removes the whole body. */
export function dropBytes(): void {
  nothing.clear();
  replaceBytes(held, nothing);
}

/** Inserts bytes before the body. */
export function prependBytes(pointer: usize, length: u32): void {
  releaseBytes();
  prependBody(RESPONSE_BODY, pointer, length);
  if (held != ALL) held += length;
}

/** Writes bytes of the response with credentials masked. Returns false, and writes nothing, if there are none. */
export function maskBytes(exchange: Exchange, pointer: usize, length: u32, out: ByteBuffer): bool {
  const secrets = secretsOf(exchange);
  return mayHold(pointer, length, secrets) && mask(pointer, length, secrets, out);
}

/** Keeps what leaves for the client, for the content log. */
export function captureBytes(content: Content): void {
  const left = content.missing;
  if (left > 0) {
    const body = takeBytes(0, left);
    content.keepResponse(body.pointer, body.length);
  }
}
