// A fault as clients of the Responses API recognise it: Codex acts on the code of `response.failed`.
import { CONTEXT_LENGTH } from "../../../hub/faults/context-length";
import { Fault } from "../../../hub/faults/fault";
import { adaptFault as adaptOpenaiFault } from "../write-fault";

const RATE_LIMIT = "rate_limit_exceeded";
const OVERLOADED = "server_is_overloaded";
const INVALID_PROMPT = "invalid_prompt";
const SERVER_ERROR = "server_error";

/** The codes of a failed response that Codex does not retry, or treats differently. */
const CODES: StaticArray<string> = [
  CONTEXT_LENGTH,
  RATE_LIMIT,
  OVERLOADED,
  INVALID_PROMPT,
  SERVER_ERROR,
  "insufficient_quota",
  "usage_not_included",
  "cyber_policy",
  "bio_policy",
  "slow_down",
];

export function adaptFault(fault: Fault): void {
  adaptOpenaiFault(fault);
  if (fault.code.length > 0) return;
  if (fault.status == 429) fault.code = RATE_LIMIT;
  else if (fault.status == 503 || fault.status == 529) fault.code = OVERLOADED;
}

/** Returns the code of the failed response: that of the fault if clients know it, else one by its status. */
export function failureCode(fault: Fault): string {
  for (let i = 0; i < CODES.length; i++) {
    if (fault.code == unchecked(CODES[i])) return fault.code;
  }
  const status = fault.status;
  if (status == 429) return RATE_LIMIT;
  if (status == 503 || status == 529) return OVERLOADED;
  return status < 500 && status != 408 ? INVALID_PROMPT : SERVER_ERROR;
}

/** Returns the message of the failed response. Codex reads from it how long it has to wait. */
export function failureMessage(fault: Fault): string {
  if (fault.retryAfter == 0 || fault.message.includes("try again in")) return fault.message;
  return fault.message + " Please try again in " + fault.retryAfter.toString() + "s.";
}
