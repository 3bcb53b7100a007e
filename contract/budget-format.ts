// Budgets between control plane and filter. The control plane knows what has been spent (control-plane/spend/); the filter
// charges each request itself and rejects those over budget, by a table that all workers share. The control plane sends the
// table's limits to the filter as JSON: `POST /budgets` on a unix socket that only the gateway's user can open. A budget that
// the filter has no limit for yet rejects with 503, so nothing is spent before the first push. Compiled by tsc and asc.

/** Name of the listener in the filter's plugin configuration. */
export const LISTENER_BUDGETS = "budgets";
/** The only path of that listener; its only method is POST. */
export const BUDGETS_PATH = "/budgets";

/**
 * List of objects. In the request: limits to set, of which those that the configuration lacks are ignored. In the response: all
 * budgets of the filter's configuration, so that a push which came before a reload shows.
 */
export const BUDGETS = "budgets";
/**
 * List of objects, which may be missing: the same for budgets of keys, groups and users that come at run time
 * (contract/key-format.ts). A new one is added; the response has those of the request.
 */
export const KEY_BUDGETS = "key_budgets";
/** Text: 16 hexadecimal digits, `budgetFingerprint` of model/budgets.ts. In both. */
export const BUDGET_ID = "id";
/** Request. Number: nano-dollars, below 10^18, that the filter may charge in all, counted as BUDGET_CHARGED. */
export const BUDGET_LIMIT = "limit";
/** Request. Number: when the budget's period ends, in seconds since 1970; 0 for a budget that never ends. */
export const BUDGET_RESETS = "resets";
/**
 * Request. 1: the limit is a part of what is left, and another push will raise it; the client is asked to retry in a second.
 * Left out where the limit is all that is left of the budget.
 */
export const BUDGET_PARTIAL = "partial";
/** Response. Number: nano-dollars that the filter has charged since Envoy started, or a reload has added the budget. */
export const BUDGET_CHARGED = "charged";
/**
 * Response. 1: the filter had no limits before, because Envoy has just started: all that was charged is 0. Also of a single
 * budget that had none before this push, because a reload has added it.
 */
export const BUDGETS_FRESH = "fresh";
