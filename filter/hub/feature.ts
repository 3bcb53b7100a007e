// What a request may ask for beyond the hub's common slots, and what happens where a dialect does not support it.
//
// All features are made once, at module start, and unmanaged: the collector would visit each of them per request.
import { constant, Span } from "../bytes/text/bytes";

/** The response would be wrong without it: the request is rejected with 400, which names the member. */
export const REFUSE: i32 = 0;
/** The response is good without it: the member is left out, and `x-gateway-dropped` lists it. */
export const DROP: i32 = 1;

/** Features so far: also the next one's index. */
export let featureCount: i32 = 0;

@unmanaged
export class Feature {
  index: i32;
  /** Bits `1 << dialect.index` of the dialects whose request writer supports it. */
  supporters: u32;
  /** REFUSE only: what the client can do instead, one or two sentences. */
  advice: Span;

  constructor(
    /** Where it is not supported: REFUSE or DROP. */
    public fate: i32,
    advice: Span,
  ) {
    this.index = featureCount++;
    this.supporters = 0;
    this.advice = advice;
  }

  adviceText(): string {
    return String.UTF8.decodeUnsafe(this.advice.pointer, this.advice.length);
  }
}

/** A feature without which the response would be wrong. `about`: for the documentation. */
export function refused(advice: Span, _about: i32): Feature {
  return new Feature(REFUSE, advice);
}

/** A feature without which the response is still good. */
export function dropped(_about: i32): Feature {
  return new Feature(DROP, constant(""));
}

/** Documentation only: title and link of a feature. scripts/constant-bytes.ts leaves the texts out of the filter. */
export function about(_title: string, _link: string = ""): i32 {
  return 0;
}
