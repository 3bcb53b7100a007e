// Sends the limits of the budgets to an Envoy's filter.
import { BUDGETS, BUDGETS_PATH, KEY_BUDGETS } from "../../contract/budget-format.ts";
import { fetchAt } from "../model-server/unix-socket.ts";
import type { Limit, LimitsResponse } from "./limits.ts";

const TIMEOUT_MS = 2_000;

/**
 * Sends limits, and returns what Envoy has charged. Rejects if it does not accept them.
 * @param ofKeys of budgets of keys, groups and users that come at run time
 */
export async function pushLimits(
  socket: string,
  limits: readonly Limit[],
  ofKeys: readonly Limit[] = [],
): Promise<LimitsResponse> {
  const response = await fetchAt(socket, `http://gateway${BUDGETS_PATH}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      [BUDGETS]: limits,
      ...(ofKeys.length === 0 ? {} : { [KEY_BUDGETS]: ofKeys }),
    }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`Envoy responds with ${String(response.status)}: ${body}`);
  return JSON.parse(body) as LimitsResponse;
}
