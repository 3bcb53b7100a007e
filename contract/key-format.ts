// Keys of clients that are created at run time, between control plane and filter. The control plane keeps them
// (control-plane/keys/); the filter keeps what it needs of each in data that all workers share, so that a new, changed or revoked key
// counts for the next request of every worker. The control plane sends them as JSON: `POST /keys` on the unix socket of
// contract/budget-format.ts, at most 4 MiB at once. Until the first whole push, a key that the configuration lacks is rejected with
// 503, because it may be one of them. A push is applied as a whole, or not at all if a part is malformed; members that are not listed
// here are ignored. Compiled by tsc and asc.
//
// The SHA-256 of the key that a client sends finds its row; the key itself is in no push. Limits of money are set by `POST /budgets`.

/** The path; its only method is POST. */
export const KEYS_PATH = "/keys";

/** A larger row is rejected. Bytes of JSON. */
export const MAX_ROW_BYTES = 16_384;
/** So is a longer id or name, of a key, user or group. Bytes of UTF-8. */
export const MAX_NAME_BYTES = 200;
/** So is a key with more groups. */
export const MAX_GROUPS = 32;

/**
 * Request. 1: the first part of a whole push. What is not in one of its parts is no longer valid after the last part; until then
 * all rows stay valid.
 */
export const KEYS_RESET = "reset";
/** Request. 1: the last part of a whole push, which may be the first one too. */
export const KEYS_COMPLETE = "complete";
/** Request. Object: rows of keys by the SHA-256 of the key, 64 hexadecimal digits in lower case; null removes a key. */
export const KEYS = "keys";
/** Request. Object: rows of groups by name, with the members that begin with USE_; null removes a group. */
export const GROUPS = "groups";
/** Request. Object: the same for users: the owners of keys, and the subjects of tokens. */
export const USERS = "users";

/**
 * Request. Object: sessions of the login that have ended, by id, each `{}`. They stay ended whatever is pushed later. Until
 * SESSIONS_KNOWN is one of them, tokens of the login are rejected with 503.
 */
export const SESSIONS = "sessions";
/** Stands for all sessions that had ended when Envoy started. No id of a session is the same. */
export const SESSIONS_KNOWN = "*";

/** Text: identifies the key in usage records and budgets, whatever its name is: `key_…`. */
export const ROW_ID = "id";
/** Text: for errors, usage records and metrics, as the name of a key of the configuration. */
export const ROW_NAME = "name";
/** Text: the user whom the key belongs to. Left out: none. */
export const ROW_OWNER = "owner";
/** List of texts: names of groups, without commas. What the key may be used for is in one of them; all their limits and budgets count. */
export const ROW_GROUPS = "groups";
/** Number: seconds since 1970; from then on the key is invalid. Left out: never. */
export const ROW_EXPIRES = "expires";
/** 1: the key is invalid. */
export const ROW_DISABLED = "disabled";

/**
 * List of texts, as `allowed_models` of the configuration: names of models and aliases, and beginnings of names (`openai/*`). Left
 * out: all. A model must be allowed by the key, by one of its groups, if it has any, and by its owner.
 */
export const USE_MODELS = "models";
/** List of objects: rate limits of all requests of the key, the group or the user, whatever model they are for. */
export const USE_LIMITS = "limits";
/** Numbers: how many requests, or tokens, in a unit of time. One of `requests` and `tokens`, at most 999,999,999. */
export const LIMIT_REQUESTS = "requests";
export const LIMIT_TOKENS = "tokens";
/** Text: a unit of time, one of LIMIT_UNITS. */
export const LIMIT_PER = "per";
/** List of objects: budgets of money of all requests of the key, the group or the user. */
export const USE_BUDGETS = "budgets";
/** Text: `budgetFingerprint` of model/budgets.ts, 16 hexadecimal digits. */
export const ROW_BUDGET_ID = "id";
/** Text: for messages, in front of ` of key research`: `50 USD a month`. */
export const ROW_BUDGET_LABEL = "label";
/** 1: it rejects requests for a model without a price. */
export const ROW_BUDGET_REJECTS_UNPRICED = "rejects_unpriced";

/** The units of time. */
export const LIMIT_UNITS: string[] = ["second", "minute", "hour", "day"];

/** Response. 1: the filter has had no whole push, because Envoy has just started: all must be pushed. */
export const KEYS_FRESH = "fresh";
/** Response. Number: the keys that are known now, disabled and expired ones included. */
export const KEYS_COUNT = "keys";
