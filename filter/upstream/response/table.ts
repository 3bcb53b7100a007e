// The response, phase by phase: this table is all that happens to a body and its trailers. head.ts chooses the first phase;
// exchange/response.ts lists the transitions. Used in the listener's context and, where the upstream filter reads the
// response, in the context of the attempt.
import { onEnvoyErrorBody } from "./envoy-error";
import { onErrorBody } from "./error";
import { emptyFault } from "./faults";
import { onPageBody } from "./page";
import { replaceResponse } from "./replace";
import { onStreamBody, onStreamTrailers } from "./stream";
import { onTranslatedStreamBody, onTranslatedWholeBody } from "./translated";
import { onWholeBody } from "./whole";
import { Exchange } from "../../exchange/exchange";
import { ResponseOwner, ResponsePhase } from "../../exchange/response";
import { ALL, property, replaceBodyPrefix, RESPONSE_BODY } from "../../host/host";
import { CONTINUE, STOP } from "../../host/status";
import { constant, scratchBuffer } from "../../bytes/text/bytes";

/** Known from the provider's last byte on. */
const BACKEND_LATENCY = constant("response\0backend_latency");
const nothing = scratchBuffer();

/** `size`: bytes that Envoy holds, ALL behind trailers; `isEnd`: they are the last. Returns the status for Envoy. */
type BodyAction = (exchange: Exchange, size: u32, isEnd: bool) => i32;
/** Trailers of a body of which Envoy holds nothing. If it holds bytes, trailers are the end of the body. */
type TrailersAction = (exchange: Exchange) => i32;

class Actions {
  constructor(
    public body: BodyAction,
    public trailers: TrailersAction,
  ) {}
}

/** By ResponsePhase. */
const TABLE: StaticArray<Actions> = [
  /* Awaited          */ new Actions(passBody, passTrailers),
  /* Passed           */ new Actions(passBody, passTrailers),
  /* EnvoyError       */ new Actions(onEnvoyErrorBody, passTrailers),
  /* Error            */ new Actions(onErrorBody, failEmpty),
  /* ErrorWithoutHead */ new Actions(onErrorBody, failEmpty),
  /* Page             */ new Actions(onPageBody, passTrailers),
  /* Whole            */ new Actions(onWholeBody, passTrailers),
  /* Stream           */ new Actions(onStreamBody, onStreamTrailers),
  /* TranslatedWhole  */ new Actions(onTranslatedWholeBody, failEmpty),
  /* TranslatedHead   */ new Actions(onTranslatedStreamBody, failEmpty),
  /* TranslatedStream */ new Actions(onTranslatedStreamBody, failUnlessOver),
  /* Done             */ new Actions(dropBody, passTrailers),
];

/** The next bytes of the body. Returns the status for Envoy. */
export function onBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  const response = exchange.response;
  const isRead = response.owner == ResponseOwner.Provider && response.phase != ResponsePhase.Passed;
  const isEnd = endsHere || isEndBeforeTrailers(response.phase, size);
  const status = unchecked(TABLE[response.phase]).body(exchange, size, isEnd);
  response.isBodyHeld = status == STOP && response.owner == ResponseOwner.Provider;
  const meter = exchange.meter;
  if (meter === null || !isRead) return status;
  // Bytes that are held come again.
  if (status == CONTINUE && size != ALL) meter.responseBytes += size;
  if (isEnd) exchange.chargeUsage(true);
  return status;
}

/** The trailers, which end the body. Returns the status for Envoy. */
export function onTrailers(exchange: Exchange): i32 {
  const response = exchange.response;
  if (response.isBodyHeld) return onBody(exchange, ALL, true);
  return unchecked(TABLE[response.phase]).trailers(exchange);
}

/**
 * Whether this is the end of a body that Envoy decompresses. Its decompressors add trailers, so the last body callback
 * does not say that it is the last, and a filter that holds it is never called again (Envoy 1.40). In a stream that is
 * not translated, the end comes in an empty frame.
 */
function isEndBeforeTrailers(phase: ResponsePhase, size: u32): bool {
  if (phase <= ResponsePhase.EnvoyError || phase == ResponsePhase.Done) return false;
  if (phase == ResponsePhase.Stream && size > 0) return false;
  return property(BACKEND_LATENCY).length > 0;
}

function passBody(_exchange: Exchange, _size: u32, _isEnd: bool): i32 {
  return CONTINUE;
}

function dropBody(_exchange: Exchange, size: u32, _isEnd: bool): i32 {
  nothing.clear();
  if (size > 0) replaceBodyPrefix(RESPONSE_BODY, size, nothing);
  return CONTINUE;
}

function passTrailers(_exchange: Exchange): i32 {
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
