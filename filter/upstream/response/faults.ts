// Why a provider's response is an error although its status is not one: what its head and its length show.
import { Fault } from "../../hub/fault";
import { readFaultBody } from "../../hub/read-fault";
import { Exchange } from "../../exchange/exchange";
import { providerOf } from "../../exchange/envoy-errors";

/** The response to a conditional request, which the gateway never sends. */
const NOT_MODIFIED: u32 = 304;

/** Returns why the response is an error by its head, or null if its body decides. `endsHere`: it has no body. */
export function headFault(exchange: Exchange, endsHere: bool): Fault | null {
  const status = exchange.response.status;
  if (status >= 300 && status < 400 && status != NOT_MODIFIED) return redirect(exchange, status);
  if (status < 200 || status > 599 || status == NOT_MODIFIED)
    return invalidStatus(exchange, status);
  // A stored object may have been deleted without a word about it.
  const mayBeEmpty = status < 300 && !exchange.client.endpoint.row.hasModel;
  return endsHere && !mayBeEmpty ? emptyFault(status) : null;
}

/** Returns the fault for a response that has ended without a body. */
export function emptyFault(status: u32): Fault {
  return status >= 400
    ? readFaultBody(status, 0, 0)
    : new Fault(502, "The provider's response is empty.");
}

/** An SDK would follow it, and send the prompt and its key to whatever address the provider names. */
function redirect(exchange: Exchange, status: u32): Fault {
  return new Fault(
    502,
    providerOf(exchange.target) +
      " redirects (" +
      status.toString() +
      "), which the gateway does not follow. Check the provider's base_url.",
  );
}

function invalidStatus(exchange: Exchange, status: u32): Fault {
  const what = " sent the HTTP status " + status.toString() + ", which is not a valid response.";
  return new Fault(502, providerOf(exchange.target) + what);
}

/** Envoy does not report a response that it could not decompress to its end. */
export function corruptFault(exchange: Exchange): Fault {
  return new Fault(
    502,
    providerOf(exchange.target) +
      " sent a corrupt compressed response: it is damaged, cut off, or expands more than a hundredfold.",
  );
}
