// The response, phase by phase: this table is all that happens to a body and its trailers. head.ts chooses the first phase;
// exchange/response.ts lists the transitions. Used in the listener's context and, where the upstream filter reads the
// response, in the context of the attempt.
import { dropBytes, takenLength } from "./body";
import { onCountBody } from "./count";
import { onEnvoyErrorBody } from "./envoy-error";
import { onErrorBody } from "./error";
import { emptyFault } from "./faults";
import { onPageBody } from "./page";
import { replaceResponse } from "./replace";
import { onStreamBody, onStreamTrailers } from "./stream";
import { onTranslatedStreamBody, onTranslatedWholeBody } from "./translated";
import { isCutOff, unwrapBody } from "./unwrap";
import { onUnwrappedBody } from "./unwrapped";
import { onWholeBody } from "./whole";
import { Exchange } from "../exchange/exchange";
import { Response, ResponseOwner, ResponsePhase } from "../exchange/response";
import { ALL, property } from "../host/host";
import { CONTINUE, STOP } from "../host/status";
import { constant } from "../bytes/text/bytes";

/** Known from the provider's last byte on. */
const BACKEND_LATENCY = constant("response\0backend_latency");

/** Trailers of a body of which Envoy holds nothing; if it holds bytes, trailers are the end of the body. */
const TRAILERS: u32 = 0xffffffff;

/** Phase × event → action. `size`: bytes that Envoy holds, ALL behind trailers, or TRAILERS; `isEnd`: they are the last. */
function act(exchange: Exchange, size: u32, isEnd: bool): i32 {
  const isBody = size != TRAILERS;
  // prettier-ignore
  switch (exchange.response.phase) {
    case ResponsePhase.EnvoyError:       return isBody ? onEnvoyErrorBody(exchange, size, isEnd)       : CONTINUE;
    case ResponsePhase.Error:
    case ResponsePhase.ErrorWithoutHead: return isBody ? onErrorBody(exchange, size, isEnd)            : failEmpty(exchange);
    case ResponsePhase.Page:             return isBody ? onPageBody(exchange, size, isEnd)             : CONTINUE;
    case ResponsePhase.Count:            return isBody ? onCountBody(exchange, size, isEnd)            : failEmpty(exchange);
    case ResponsePhase.Unwrapped:        return isBody ? onUnwrappedBody(exchange, size, isEnd)        : failEmpty(exchange);
    case ResponsePhase.Whole:            return isBody ? onWholeBody(exchange, size, isEnd)            : CONTINUE;
    case ResponsePhase.Stream:           return isBody ? onStreamBody(exchange, size, isEnd)           : onStreamTrailers(exchange);
    case ResponsePhase.TranslatedWhole:  return isBody ? onTranslatedWholeBody(exchange, size, isEnd)  : failEmpty(exchange);
    case ResponsePhase.TranslatedHead:   return isBody ? onTranslatedStreamBody(exchange, size, isEnd) : failEmpty(exchange);
    case ResponsePhase.TranslatedStream: return isBody ? onTranslatedStreamBody(exchange, size, isEnd) : failUnlessOver(exchange);
    case ResponsePhase.Done:             return isBody ? dropBody(size)                                : CONTINUE;
    // Awaited, Passed
    default:                             return CONTINUE;
  }
}

/** The next bytes of the body. Returns the status for Envoy. */
export function onBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  const response = exchange.response;
  const isRead = response.owner == ResponseOwner.Provider && response.phase != ResponsePhase.Passed;
  const isEnd = endsHere || isEndBeforeTrailers(response, size);
  const status = act(exchange, size, isEnd);
  response.isBodyHeld = status == STOP && response.owner == ResponseOwner.Provider;
  const tally = exchange.tally;
  if (tally === null || !isRead) return status;
  // Bytes that are held come again.
  if (status == CONTINUE) tally.responseBytes += size == ALL ? takenLength() : size;
  if (isEnd) {
    tally.isWhole = true;
    exchange.chargeLimits();
  }
  return status;
}

/** The trailers, which end the body. Returns the status for Envoy. */
export function onTrailers(exchange: Exchange): i32 {
  const response = exchange.response;
  if (response.isBodyHeld) return onBody(exchange, unwrapBody(exchange, ALL, true), true);
  return isCutOff(exchange) ? failEmpty(exchange) : act(exchange, TRAILERS, true);
}

/**
 * Returns whether this is the end of a body that Envoy decompresses. Its decompressors add trailers, so the last body callback
 * does not say that it is the last, and a filter that holds it is never called again (Envoy 1.40). In a stream that is
 * not translated, the end comes in an empty frame.
 */
function isEndBeforeTrailers(response: Response, size: u32): bool {
  const phase = response.phase;
  // A property costs 2,900 instructions, in every call of a stream.
  if (!response.isDecompressed) return false;
  if (phase <= ResponsePhase.EnvoyError || phase == ResponsePhase.Done) return false;
  if (phase == ResponsePhase.Stream && size > 0) return false;
  return property(BACKEND_LATENCY).length > 0;
}

function dropBody(size: u32): i32 {
  if (size > 0) dropBytes(size);
  return CONTINUE;
}

/** The response has no body. */
function failEmpty(exchange: Exchange): i32 {
  return replaceResponse(exchange, emptyFault(exchange.response.status));
}

/** The head of the stream has left: unless its end has been written, it can only be broken off. */
function failUnlessOver(exchange: Exchange): i32 {
  const translator = exchange.response.translator;
  return translator !== null && translator.isOver ? CONTINUE : failEmpty(exchange);
}
