// The errors of a prompt that a client sees.
import { CalloutResponse, MAX_RESPONSE_BYTES } from "../callouts/callout-response";
import { Fault } from "../hub/faults/fault";
import { Parameter, PromptTarget } from "../config/prompt-target";
import { isFromProvider, upstreamFault } from "../exchange/envoy-errors";
import { Span } from "../bytes/text/bytes";

export function timeoutFault(step: string): Fault {
  return new Fault(
    504,
    "The listener's timeout expired before the prompt was done (last step: " + step + ").",
  );
}

export function guardFault(): Fault {
  return new Fault(
    503,
    "The jailbreak guard is unavailable, and the prompt is rejected without it (on_failure: refuse). Retry later.",
  );
}

/** The guard reads a prompt whole or not at all, so `on_failure` does not apply. */
export function guardLimitFault(): Fault {
  return new Fault(
    413,
    "The user's last message is longer than the jailbreak guard can read, so it is not sent to a model. Shorten it, or split it.",
  );
}

export function groundingFault(): Fault {
  return new Fault(
    503,
    "The parameters found in the prompt could not be checked, so the API was not called. Retry later.",
  );
}

export function valueFault(parameter: Parameter): Fault {
  return new Fault(
    400,
    "The value of '" + textOf(parameter.name) + "' is not allowed in a URL. Use a different value.",
  );
}

/** Returns why an API's response cannot be used; null if it can. */
export function apiFault(target: PromptTarget, response: CalloutResponse): Fault | null {
  const subject = "The API of the prompt target '" + textOf(target.name) + "'";
  const status = response.status;
  const details = response.details;
  if (details.length == 0) {
    return status == 504 || response.isLate
      ? upstreamFault(504, "timeout", subject, "")
      : new Fault(502, subject + " closed the connection early or exceeded the 1 MiB limit.");
  }
  if (!isFromProvider(details)) return upstreamFault(status, details, subject, "");
  if (status >= 400) return new Fault(status, subject + " returned " + status.toString() + ".");
  if (status < 200 || status >= 300)
    return new Fault(502, subject + " returned " + status.toString() + " instead of a 2xx status.");
  if (response.size > MAX_RESPONSE_BYTES)
    return new Fault(502, subject + " returned more than 1 MiB.");
  if (!response.isWhole())
    return new Fault(
      502,
      subject +
        " returned a compressed response that is damaged or not JSON, and was asked not to.",
    );
  return null;
}

function textOf(name: Span): string {
  return String.UTF8.decodeUnsafe(name.pointer, name.length);
}
