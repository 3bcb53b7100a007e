// One request's whole story: the lines that share its request id, in the order in which they began.
import type { History } from "./history.ts";
import type { Observe, ObservedRequest } from "./observed-request.ts";
import { readUsageLine } from "../../usage/usage-line.ts";

/** Returns the requests with an id, the client's own before the calls of the model server; empty if none is known. */
export function storyOf(history: History, observe: Observe, id: string): ObservedRequest[] {
  return history
    .withId(id)
    .flatMap(({ line, cost }) => {
      const read = readUsageLine(line);
      // The price of the time of the request.
      return read === undefined ? [] : [{ ...observe(read), cost }];
    })
    .sort((one, other) => one.line.startTime - other.line.startTime);
}
