// Responses that are no answer by their head alone: a redirect, a status that no answer has, a response without a body.
import { Fault } from "../hub/fault";
import { readFaultBody } from "../hub/read-fault";
import { Exchange } from "../exchange/exchange";
import { providerOf } from "../exchange/envoy-errors";

/** Answers a question that the gateway does not ask. */
const NOT_MODIFIED: u32 = 304;

/** Returns why the response with `exchange.responseStatus` is an error; null where its body decides. `endsHere`: it has no body. */
export function headFault(exchange: Exchange, endsHere: bool): Fault | null {
  const status = exchange.responseStatus;
  if (status >= 300 && status < 400 && status != NOT_MODIFIED) return redirect(exchange, status);
  if (status < 200 || status > 599 || status == NOT_MODIFIED) return noAnswer(exchange, status);
  return endsHere ? emptyFault(status) : null;
}

/** Returns the fault for a response that has ended without a body. */
export function emptyFault(status: u32): Fault {
  return status >= 400
    ? readFaultBody(status, 0, 0)
    : new Fault(502, "The provider's response is empty.");
}

/** An SDK would follow it and send the prompt, and its key, to whatever address the provider names. */
function redirect(exchange: Exchange, status: u32): Fault {
  return new Fault(
    502,
    providerOf(exchange.target) +
      " redirects (" +
      status.toString() +
      "), which the gateway does not follow. Check the provider's base_url.",
  );
}

function noAnswer(exchange: Exchange, status: u32): Fault {
  const what = " sent the HTTP status " + status.toString() + ", which is not a valid response.";
  return new Fault(502, providerOf(exchange.target) + what);
}
