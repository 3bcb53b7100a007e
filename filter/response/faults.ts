// Why a provider's response is an error although its status is not one: what its head and its length show.
import { Target } from "../config/target";
import { Fault } from "../hub/faults/fault";
import { excerpt, readFaultBody } from "../hub/faults/read-fault";
import { Exchange } from "../exchange/exchange";
import { providerOf } from "../exchange/envoy-errors";
import { CONTENT_ENCODING, ENCODING, isCompressed, isIdentity } from "../exchange/response-head";
import { constant, sameSpan, Span } from "../bytes/text/bytes";

/** The response to a conditional request, which the gateway never sends. */
const NOT_MODIFIED: u32 = 304;
/** The encodings that Envoy's decompressors support. */
const GZIP = constant("gzip");

/**
 * Returns why the response is an error by its head, or null if its body decides. `endsHere`: it has no body.
 * `isDecompressedLater`: it may be compressed.
 */
export function headFault(
  exchange: Exchange,
  endsHere: bool,
  isDecompressedLater: bool,
): Fault | null {
  const status = exchange.response.status;
  if (status >= 300 && status < 400 && status != NOT_MODIFIED) return redirect(exchange, status);
  if (status < 200 || status > 599 || status == NOT_MODIFIED)
    return invalidStatus(exchange, status);
  // A stored object may have been deleted without a word about it.
  const mayBeEmpty = status < 300 && !exchange.client.endpoint.row.hasModel;
  if (endsHere) return mayBeEmpty ? null : emptyFault(status);
  return status >= 400 || isDecompressedLater ? null : compressedFault(exchange.target);
}

/** Returns whether Envoy decompresses the responses of a target. */
export function isDecompressing(target: Target | null): bool {
  return target !== null && target.decompresses;
}

/** Returns the fault of a compressed response that nothing decompresses, or null. */
function compressedFault(target: Target | null): Fault | null {
  const encoding = isCompressed() ? CONTENT_ENCODING : ENCODING;
  if (encoding.length == 0 || isIdentity(encoding)) return null;
  // Another provider's key may have had it decompressed.
  if (isDecompressing(target) && !isCompressed()) return null;
  return new Fault(
    502,
    providerOf(target) +
      " sent a compressed response" +
      encodingNote(encoding) +
      ", although the gateway asked for an uncompressed one." +
      decompressionHint(target, encoding),
  );
}

/** Returns the encoding in parentheses. */
export function encodingNote(encoding: Span): string {
  return " (content-encoding: " + excerpt(encoding.pointer, encoding.length) + ")";
}

/** Returns what to do about a response in an encoding that the gateway has not decoded, as a further sentence. */
export function decompressionHint(target: Target | null, encoding: Span): string {
  if (!sameSpan(encoding, GZIP) && !sameSpan(encoding, constant("br")))
    return " The gateway decodes only gzip and br.";
  if (isDecompressing(target)) return "";
  return " If it always compresses, set decompress_responses: true in its entry of llm_providers.";
}

/** Returns the fault for a response that has ended without a body. */
export function emptyFault(status: u32): Fault {
  return status >= 400
    ? readFaultBody(status, 0, 0)
    : new Fault(502, "The provider's response is empty.");
}

/** An SDK would follow it, and send the prompt and its key to whatever address the provider names. */
function redirect(exchange: Exchange, status: u32): Fault {
  return new Fault(
    502,
    providerOf(exchange.target) +
      " redirects (" +
      status.toString() +
      "), which the gateway does not follow. Check the provider's base_url.",
  );
}

function invalidStatus(exchange: Exchange, status: u32): Fault {
  const what = " sent the HTTP status " + status.toString() + ", which is not a valid response.";
  return new Fault(502, providerOf(exchange.target) + what);
}

/** Envoy does not report a response that it could not decompress to its end. */
export function corruptFault(exchange: Exchange): Fault {
  return new Fault(
    502,
    providerOf(exchange.target) +
      " sent a corrupt compressed response: it is damaged, cut off, or expands more than a hundredfold.",
  );
}
