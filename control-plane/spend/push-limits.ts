// Sends the limits of the budgets to an Envoy's filter.
import { BUDGETS, BUDGETS_PATH, KEY_BUDGETS } from "../../contract/budget-format.ts";
import type { Limit, LimitsResponse } from "./limits.ts";
import { pushToEnvoy } from "./push-to-envoy.ts";

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
  const body = { [BUDGETS]: limits, ...(ofKeys.length === 0 ? {} : { [KEY_BUDGETS]: ofKeys }) };
  return (await pushToEnvoy(socket, BUDGETS_PATH, body, TIMEOUT_MS)) as LimitsResponse;
}
