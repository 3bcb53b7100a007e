// A feature: what a request may ask for beyond the hub's common slots, and what happens if a dialect does not support it.
//
// Features are created at module start, and unmanaged: the collector would visit each of them per request.
import { constant, Span } from "../../bytes/text/bytes";

/** The response would be wrong without it: the gateway rejects the request with 400 and names the member. */
const REJECT: i32 = 0;
/** The response is correct without it: the gateway drops the member and lists it in `x-gateway-dropped`. */
export const DROP: i32 = 1;

/** Number of features, and the index of the next one. */
export let featureCount: i32 = 0;

@unmanaged
export class Feature {
  index: i32;
  /** Bits `1 << dialect.index` of the dialects whose request writer supports it. */
  supporters: u32;
  /** REJECT only: what the client can do instead, one or two sentences. */
  advice: Span;

  constructor(
    /** REJECT or DROP, if it is not supported. */
    public fate: i32,
    advice: Span,
  ) {
    this.index = featureCount++;
    this.supporters = 0;
    this.advice = advice;
  }

  adviceText(): string {
    return this.advice.toText();
  }
}

/** Returns a feature without which the response would be wrong. `_about`: for the documentation. */
export function rejected(advice: Span, _about: i32): Feature {
  return new Feature(REJECT, advice);
}

/** Returns a feature without which the response is still correct. */
export function dropped(_about: i32): Feature {
  return new Feature(DROP, constant(""));
}

/** Documentation only: title and link of a feature. scripts/constant-bytes.ts leaves the texts out of the filter. */
export function about(_title: string, _link: string = ""): i32 {
  return 0;
}
