// The document that the filter gets as its VM configuration: each member of each object once, with its type and its default.
// The control plane computes the types of what it writes from these texts (model/filter-document/document-types.ts); the filter
// reads each member by them (filter/config/document.ts), and rejects one that it does not read. Compiled by tsc and asc.
//
// `name: type = default`, or `name?: type` if the member may be missing. A type is `string`, `number` (whole, and of
// at most nine digits but in a price), `boolean`, `true` (otherwise missing), one of several words (`a|b`), an object of
// this file (`Target` has the constants TARGET_…), a list (`number[]`), or an object with any names (`{number}`).

// Document.

export const DOCUMENT_VERSION = "version: number";
export const DOCUMENT_TARGETS = "targets: Target[]";
/** `ratelimits`; absent if there are none. */
export const DOCUMENT_RATE_LIMITS = "rate_limits?: Rate[]";
/** Envoy asks the rate limit service; without it the filter counts. */
export const DOCUMENT_RATE_LIMIT_SERVICE = "rate_limit_service?: true";
/**
 * One per target, in their order, then one per set of targets, then one per alias of one model with separate limits,
 * then one per family of models of a wildcard.
 */
export const DOCUMENT_ROUTES = "routes: Route[]";
/** Every value of `model` and of the hint header → index into `routes`, without `none`. */
export const DOCUMENT_NAMES = "names: {number}";
/** Aliases for the names that are not in `names`, the longest prefixes first; absent if there are none. */
export const DOCUMENT_PATTERNS = "patterns?: Pattern[]";
/** Entries for the names that are in neither, the longest prefixes first; absent if there are none. */
export const DOCUMENT_WILDCARDS = "wildcards?: Wildcard[]";
/** Index into `routes` for `model: none`. */
export const DOCUMENT_DEFAULT = "default: number";
/** A request body with more bytes gets a 413. */
export const DOCUMENT_LARGEST_BODY = "largest_body: number";
/** Bytes that all requests of a worker may hold in the filter while they wait: 256 MiB. */
export const DOCUMENT_HELD_MEMORY = "held_memory?: number = 268435456";
/** The response to GET /v1/models, in order. */
export const DOCUMENT_MODELS = "models: Model[]";
/** The keys of clients; absent if no listener has any. */
export const DOCUMENT_API_KEYS = "api_keys?: Listeners";
/** The issuers of tokens that clients may send in place of a key; absent if no listener has any. */
export const DOCUMENT_TOKENS = "tokens?: Tokens";
/** Keys, groups and users come at run time (contract/key-format.ts). */
export const DOCUMENT_RUN_TIME_KEYS = "run_time_keys?: true";
/** Absent if there are neither prompt targets nor a guard. */
export const DOCUMENT_PROMPT = "prompt?: Prompt";
/** Writes a usage record for each request (contract/usage-record.ts); `requests`: without the usage of its response. */
export const DOCUMENT_USAGE_RECORDS = "usage_records?: true|requests";
/** In the order of their ids; absent if there are none. */
export const DOCUMENT_BUDGETS = "budgets?: Budget[]";
/** The prices of models that wildcards accept; absent if there are none. */
export const DOCUMENT_PRICE_LISTS = "price_lists?: Priced[][]";
/** `observability.cost_header`. */
export const DOCUMENT_COST_HEADER = "cost_header?: true";
/** How the session of a request is found; absent if nothing needs it. */
export const DOCUMENT_SESSIONS = "sessions?: Sessions";
/** Writes what the spans of requests show (contract/trace.ts). */
export const DOCUMENT_TRACES = "traces?: Traces";
/** URL of the live page, for GET /; absent unless it and both listeners are for this machine alone, without a token. */
export const DOCUMENT_PAGE = "page?: string";
/** What is captured of requests and responses (contract/content-record.ts). */
export const DOCUMENT_CONTENT = "content?: Content";
/** `guards`, in their order; absent if there are none. */
export const DOCUMENT_GUARDS = "guards?: Policy[]";
/** `overrides.strict_translation`. */
export const DOCUMENT_STRICT_TRANSLATION = "strict_translation?: true";

// Target: one model of one provider.

export const TARGET_NAME = "name: string";
export const TARGET_MODEL = "model: string";
/** The client names the model. */
export const TARGET_IS_WILDCARD = "is_wildcard?: true";
/** Names of contract/dialects.ts and contract/credentials.ts. */
export const TARGET_DIALECT = "dialect: string";
export const TARGET_AUTH = "auth: string";
export const TARGET_AUTHORITY = "authority: string";
export const TARGET_PATH = "path: string";
/** The query of every request, with its `?`. */
export const TARGET_QUERY = "query?: string";
/** A name of contract/envelopes.ts. */
export const TARGET_ENVELOPE = "envelope?: string";
/** Further dialects of the provider: the filter chooses one for each request (filter/config/choose-api.ts). */
export const TARGET_ALSO = "also?: Variant[]";
/** Environment variables with the keys; absent for `none`. */
export const TARGET_KEYS = "keys?: string[]";
/** The client's own key is sent; then `auth` is `none`, and the dialect decides the header. */
export const TARGET_PASSES_CLIENT_KEY = "passes_client_key?: true";
/** The cluster of a request with one attempt; absent if it is that of a route. */
export const TARGET_CLUSTER = "cluster?: string";
/** The cluster of one attempt of several; absent if no route to the target has `retry`. */
export const TARGET_ATTEMPT_CLUSTER = "attempt_cluster?: string";
export const TARGET_HEADERS = "headers?: Header[]";
/** Envoy decompresses its responses. */
export const TARGET_DECOMPRESSES = "decompresses?: true";
export const TARGET_SYSTEM_PROMPT = "system_prompt?: string";
/** In its place after a prompt target's own; absent if it is the same. */
export const TARGET_OWN_SYSTEM_PROMPT = "own_system_prompt?: string";
export const TARGET_ASKS_USAGE = "asks_usage?: true";
/** Only what differs from the defaults in contract/model-capabilities.ts. */
export const TARGET_LIMITS = "limits?: Limits";
/** Cache marks and keys are the client's alone; else they are added to translated requests. */
export const TARGET_PROMPT_CACHING = "prompt_caching?: client";
/** Converse: members of each request, as JSON with a comma before each. */
export const TARGET_POLICIES = "policies?: string";
/** In their place in a stream; absent if they are the same. */
export const TARGET_STREAM_POLICIES = "stream_policies?: string";
/** Indices of the rate limits of this model. */
export const TARGET_RATE_LIMITS = "rate_limits?: number[]";
/** `gen_ai.provider.name`; only if there are traces. */
export const TARGET_TRACE_PROVIDER = "trace_provider?: string";
/**
 * For budgets and `x-gateway-cost`; empty: the price is not known. Each list is one of these, by its length:
 * 6: start of a tier, then the rates of TOKEN_KINDS; the tier of the longest input first;
 * 7: the same for ways of processing, before it the sum of their bits (1 << index of SERVICE_WORDS);
 * 2: such bits, and the thousandths of the rates of all lists before it that they cost;
 * 3: the rates of audio input, output, and input from a cache; 1: what a web search costs.
 */
export const TARGET_PRICE = "price?: number[][]";
/** For a wildcard in its place: index into `price_lists`. */
export const TARGET_PRICE_LIST = "price_list?: number";
/** Its price depends on audio tokens or on how a request was processed: usage records have them. */
export const TARGET_HAS_RATES = "has_rates?: true";

// Variant.

export const VARIANT_DIALECT = "dialect: string";
export const VARIANT_PATH = "path: string";
/** In place of the target's. */
export const VARIANT_QUERY = "query?: string";

// Route: where requests for a model go.

/** Value of the `x-gateway-cluster` header: a cluster, or the name of a retry policy if there is `retry`. */
export const ROUTE_CLUSTER = "cluster: string";
/** Indices into `targets`, in the order of the attempts. */
export const ROUTE_TARGETS = "targets: number[]";
/** Indices of the rate limits of the name that stands for this route alone. */
export const ROUTE_RATE_LIMITS = "rate_limits?: number[]";
/** Allows several attempts, each prepared by the upstream filter. */
export const ROUTE_RETRY = "retry?: Retry";

// Retry.

/** Shares of the first so many targets. */
export const RETRY_WEIGHTS = "weights?: number[]";
/** Maximum attempts at one target. */
export const RETRY_ATTEMPTS = "attempts: number";
/** Statuses after which there is another attempt. */
export const RETRY_STATUSES = "statuses: number[]";
/** Whether the next target follows the error that the request is too long for the model. */
export const RETRY_CONTEXT_LENGTH = "context_length?: true";
/** The choice of the first target, and of a key, does not depend on the session. */
export const RETRY_AFFINITY = "affinity?: off";
/** What decides which of the targets with a weight comes first; absent: their weights (filter/balance/). */
export const RETRY_BALANCE = "balance?: latency|load|cost";

// Sessions: names of request headers in lower case, by what their values are (contract/session.ts), the first that a request has
// counts.

export const SESSIONS_IDS = "ids: string[]";
export const SESSIONS_SUBAGENTS = "subagents: string[]";
export const SESSIONS_PARENTS = "parents: string[]";
export const SESSIONS_PURPOSES = "purposes: string[]";
/** Usage records or traces have the session, or the choice of a target or key depends on it: not only keys of prompt caches. */
export const SESSIONS_RECORDED = "recorded?: true";
/** Usage records have no hashes of the parts of the prompt. */
export const SESSIONS_UNOBSERVED = "unobserved?: true";

// Pattern.

export const PATTERN_PREFIX = "prefix: string";
export const PATTERN_ROUTE = "route: number";

// Wildcard: the entry for all models of a provider.

/** How the names begin: `openai/`, `openai/gpt-5`. */
export const WILDCARD_PREFIX = "prefix: string";
/** Length of the provider and its slash. */
export const WILDCARD_BARE_FROM = "bare_from: number";
/** How names without the provider begin. */
export const WILDCARD_BARE = "bare?: string[]";
export const WILDCARD_FAMILIES = "families?: Family[]";
/** Index into `routes`, for models of no family. */
export const WILDCARD_ROUTE = "route: number";

// Family: models of a wildcard with separate limits, or that a client's key is allowed: patterns of bare names.

export const FAMILY_MODELS = "models: string[]";
export const FAMILY_ROUTE = "route: number";

// Model: a model that clients see.

export const MODEL_ID = "id: string";
export const MODEL_OWNER = "owner: string";
/** Of a wildcard: the known models that it accepts, without the provider; only messages show its own id. */
export const MODEL_NAMES = "names?: string[]";

// Listeners.

export const LISTENERS_INGRESS = "ingress?: Key[]";
export const LISTENERS_EGRESS = "egress?: Key[]";

// Key: a text in its place is the environment variable of a key with the same name, for all models and without limits.

/** Environment variable. */
export const KEY_KEY = "key: string";
export const KEY_NAME = "name: string";
/** Indices of the rate limits of this key. */
export const KEY_RATE_LIMITS = "rate_limits?: number[]";
/** Absent: all models. */
export const KEY_ALLOWED = "allowed?: Allowed";
/** Names of groups, with commas between them. */
export const KEY_GROUP = "group?: string";
/** Name of a user. */
export const KEY_OWNER = "owner?: string";

// Tokens.

export const TOKENS_INGRESS = "ingress?: Issuer[]";
export const TOKENS_EGRESS = "egress?: Issuer[]";

// Issuer: where the payload of its tokens has who the client is. The parts of a name are members, each inside the one before.

export const ISSUER_NAME = "name: string[]";
export const ISSUER_USER = "user: string[]";
export const ISSUER_GROUPS = "groups?: string[]";
export const ISSUER_MODELS = "models?: string[]";
/** Of sessions that can be ended: rows of ended ones reject their tokens (contract/key-format.ts). */
export const ISSUER_SESSION = "session?: string[]";

// Allowed.

/** Indices into `routes`. */
export const ALLOWED_ROUTES = "routes: number[]";
/** Of routes of wildcards that are not in `routes`. */
export const ALLOWED_TAKEN = "taken?: Family[]";
/** Providers of which all models are allowed, and what they store. */
export const ALLOWED_PROVIDERS = "providers?: string[]";
/** The response to GET /v1/models, in which the filter lists those names of wildcards that are allowed. */
export const ALLOWED_MODELS = "models: Model[]";

// Rate.

/** What is counted. The same words mean the same bucket after a reload, unless the amount is another. */
export const RATE_ID = "id: string";
/** For a message: `1000 tokens a minute for openai/gpt-4o`. */
export const RATE_LABEL = "label: string";
/** Request header that identifies clients. */
export const RATE_HEADER = "header?: string";
/** The only value of the header that counts. */
export const RATE_VALUE = "value?: string";
/** Each session, or each user, has a separate bucket; requests without one are not limited. */
export const RATE_EACH = "each?: session|user";
export const RATE_AMOUNT = "amount: number";
export const RATE_COUNTS = "counts: tokens|requests";
export const RATE_SECONDS = "seconds: number";

// Budget: a budget of money. With neither `key` nor `target` it is for all requests.

/** `budgetFingerprint`; the name is BUDGET_ID (contract/budget-format.ts). */
export const BUDGET_ID = "id: string";
export const BUDGET_LABEL = "label: string";
/** Name of a client key. */
export const BUDGET_KEY = "key?: string";
/** Name of a target. */
export const BUDGET_TARGET = "target?: string";
/** Whether it rejects requests for a model without a price. */
export const BUDGET_REJECTS_UNPRICED = "rejects_unpriced?: true";

// Priced: the first entry with a pattern for a model has its price; `*` stands for any text, `#` for a digit.

export const PRICED_MODELS = "models: string[]";
export const PRICED_PRICE = "price: number[][]";

// Traces.

/** How many of 10,000 traces are recorded, if the client's span does not decide. */
export const TRACES_SAMPLED = "sampled: number";
/** Whether it may decide. */
export const TRACES_FOLLOWS_PARENT = "follows_parent?: true";

// Content.

/** Of a request, and of a response. */
export const CONTENT_MAX_BYTES = "max_bytes: number";
/** Names in lower case, besides those of credentials. */
export const CONTENT_REDACT_HEADERS = "redact_headers: string[]";

// Policy: one of `guards`.

export const POLICY_NAME = "name: string";
export const POLICY_DIRECTION = "direction: request|response|both";
/** Words of GUARD_ACTIONS (contract/guard-kinds.ts). */
export const POLICY_ACTION = "action: block|mask|monitor";
export const POLICY_FAILS_OPEN = "fails_open?: true";
/** Absent: both. */
export const POLICY_LISTENER = "listener?: ingress|egress";
/** Names of client keys, and of groups; both absent: of all, also without a key. */
export const POLICY_KEYS = "keys?: string[]";
export const POLICY_GROUPS = "groups?: string[]";
/** Absent: all models. */
export const POLICY_MODELS = "models?: Allowed";
/** Indices of GUARD_KINDS (contract/guard-kinds.ts). */
export const POLICY_FIND = "find: number[]";
export const POLICY_REVERSIBLE = "reversible?: true";

// Header: a header that is added to requests.

export const HEADER_NAME = "name: string";
export const HEADER_PARTS = "parts: Part[]";

// Part: a text, or an environment variable with a secret.

export const PART_TEXT = "text?: string";
export const PART_ENVIRONMENT = "environment?: string";

// Prompt: prompt targets and the guard.

export const PROMPT_GUARD = "guard?: Guard";
/** Of the listeners: for the whole prompt. */
export const PROMPT_TIMEOUT_MS = "timeout_ms: number";
export const PROMPT_EGRESS_TIMEOUT_MS = "egress_timeout_ms: number";
/** The targets are offered as tools. */
export const PROMPT_TOOLS = "tools?: true";
/** Members of a /zeroshot request as JSON, without the braces; absent if there is no target to choose. */
export const PROMPT_ZEROSHOT_MEMBERS = "zeroshot_members?: string";
/** Limits of calls. */
export const PROMPT_RATE_LIMITS = "rate_limits?: Rate[]";
export const PROMPT_TARGETS = "targets: Api[]";

// Guard.

export const GUARD_MESSAGE = "message: string";
export const GUARD_FAILS_OPEN = "fails_open: boolean";
export const GUARD_ON_INGRESS = "on_ingress: boolean";
export const GUARD_ON_EGRESS = "on_egress: boolean";

// Api.

export const API_NAME = "name: string";
export const API_CLUSTER = "cluster: string";
export const API_AUTHORITY = "authority: string";
export const API_METHOD = "method: GET|POST";
export const API_PATH = "path: string";
export const API_HEADERS = "headers: Header[]";
export const API_PARAMETERS = "parameters: Parameter[]";
/** Its definition as a tool, JSON. */
export const API_TOOL = "tool: string";
export const API_SYSTEM_PROMPT = "system_prompt?: string";
export const API_IS_DEFAULT = "is_default: boolean";
export const API_DISPATCHES = "dispatches: boolean";
/** Indices into `rate_limits` of the prompt. */
export const API_RATE_LIMITS = "rate_limits?: number[]";

// Parameter.

export const PARAMETER_NAME = "name: string";
export const PARAMETER_IN_PATH = "in_path: boolean";
export const PARAMETER_ALLOW_SLASHES = "allow_slashes?: true";
/** JSON. */
export const PARAMETER_DEFAULT_JSON = "default_json?: string";
