// A fault: what went wrong, in the gateway's own words, before a dialect's envelope is put around it.
import { countRefusal } from "../memory/budget";

/**
 * Anthropic's own word (`error.details.error_code`) for a request that cannot be held on the server: on it the SDKs'
 * tool runners, which send `thread` by themselves, send the whole conversation instead.
 */
export const THREAD_UNSUPPORTED = "thread_unsupported_request";

/** An answer that is an error. Everything in it may be seen by the client. */
export class Fault {
  /** `param` of the OpenAI envelope: the member of the request that is at fault, or empty. */
  member: string = "";
  /** `code` of the OpenAI envelope, or empty for null. */
  code: string = "";
  /** Value of an `allow` header, for 405. */
  allow: string = "";
  /** Whether an SDK must not send the request again by itself, because something may have been done already. */
  isFinal: bool = false;
  /** Seconds after which the client may try again, for a `retry-after` header; 0 for none. */
  retryAfter: u32 = 0;

  constructor(
    /** HTTP status, 400–599. */
    public status: u32,
    /** One or two sentences: what is wrong, and what to do. */
    public message: string,
  ) {}

  at(member: string): Fault {
    this.member = member;
    return this;
  }

  coded(code: string): Fault {
    this.code = code;
    return this;
  }

  after(seconds: u32): Fault {
    this.retryAfter = seconds;
    return this;
  }
}

/** Seconds after which memory may be free again. */
const MEMORY_PAUSE: u32 = 2;

/** A request or response for which the VM has no memory: `what` is "request" or "response". Counts it. */
export function outOfMemory(what: string): Fault {
  countRefusal();
  return new Fault(
    503,
    "The gateway has no memory left for this " + what + "; try again in 2 seconds.",
  ).after(MEMORY_PAUSE);
}
