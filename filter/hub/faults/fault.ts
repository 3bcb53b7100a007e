// A fault: an error independent of any dialect, before a dialect writes it into its envelope.
import { countRefusal } from "../../memory/memory-budget";

/**
 * Anthropic's code (`error.details.error_code`) for a conversation that the server cannot keep: the tool runners of its SDKs,
 * which send `thread`, then send the whole conversation instead.
 */
export const THREAD_UNSUPPORTED = "thread_unsupported_request";

/**
 * Anthropic's code for a request or a response that a policy has blocked: Claude Code shows the message and does not send the request
 * again.
 */
export const BLOCKED = "dlp_request_denied";

/** An error response. The client may see everything in it. */
export class Fault {
  /** `param` of the OpenAI envelope: the member of the request that caused the error, or empty. */
  member: string = "";
  /** `code` of the OpenAI envelope, or empty for null. */
  code: string = "";
  /** `type` of the OpenAI envelope, or empty for that of the status. */
  type: string = "";
  /** Value of an `allow` header, for 405. */
  allow: string = "";
  /** Whether SDKs must not retry the request: it may have had an effect already, or will fail again. */
  isFinal: bool = false;
  /** Of a request that is too long: its tokens and the model's maximum; 0 if the provider reports none. */
  tokens: u32 = 0;
  maxTokens: u32 = 0;
  /** The output tokens that the request asks for, if `tokens` would leave room for a shorter response; else 0. */
  outputTokens: u32 = 0;
  /** Seconds after which the client may try again, for a `retry-after` header; 0 for none. */
  retryAfter: u32 = 0;

  constructor(
    /** HTTP status, 400–599. */
    public status: u32,
    /** One or two sentences: what failed, and what to do. */
    public message: string,
  ) {}

  /** What the request needs in the model's context: its tokens, and the output that it asks for. */
  get neededTokens(): u32 {
    return this.tokens + this.outputTokens;
  }

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

/** Returns the fault of a request or response for which there is no memory, and counts it. `what`: "request" or "response". */
export function outOfMemory(what: string): Fault {
  countRefusal();
  return new Fault(
    503,
    "The gateway has no memory left for this " + what + "; try again in 2 seconds.",
  ).after(MEMORY_PAUSE);
}
