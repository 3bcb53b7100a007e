// A fault: what went wrong, in the gateway's own words, before a dialect's envelope is put around it.

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
}

/**
 * The one table of error types by HTTP status.
 * Anthropic: https://docs.anthropic.com/en/api/errors (529 is theirs). OpenAI names no closed list; these are the
 * words that its API and SDKs use.
 */
export function anthropicErrorType(status: u32): string {
  if (status == 401) return "authentication_error";
  if (status == 402) return "billing_error";
  if (status == 403) return "permission_error";
  if (status == 404) return "not_found_error";
  if (status == 413) return "request_too_large";
  if (status == 429) return "rate_limit_error";
  if (status == 503 || status == 529) return "overloaded_error";
  if (status == 408 || status == 504) return "timeout_error";
  return status < 500 ? "invalid_request_error" : "api_error";
}

export function openaiErrorType(status: u32): string {
  if (status == 403) return "permission_error";
  if (status == 429) return "rate_limit_error";
  if (status == 503 || status == 529) return "overloaded_error";
  if (status == 408 || status == 504) return "timeout_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}
