// The usage record: what the filter knows of a request when it is over, as one JSON object. Envoy writes it at the end of a
// line of access_usage.log (envoy/usage-log.ts); the control plane reads the lines (control-plane/observability/).
// A member without a value is left out. Compiled by tsc and asc.

/** Filter state (`wasm.<name>`) that holds the record. */
export const PROPERTY_USAGE = "gateway_usage";

/** Text: the request id of the other access logs. */
export const USAGE_ID = "id";
/** Text: `ingress`, `egress` or `internal_egress` (contract/words.ts). */
export const USAGE_LISTENER = "listener";
/** Text: the path of the client's endpoint (contract/endpoints.ts); left out for an unknown path. */
export const USAGE_ENDPOINT = "endpoint";
/** Text: the client's dialect (contract/dialects.ts). */
export const USAGE_DIALECT = "dialect";
/** Text: the name of the client's API key; its environment variable, if the configuration has no other name. */
export const USAGE_KEY = "key";
/** Text: the id of a key that was created at run time (contract/key-format.ts, ROW_ID), which stays when its name changes. */
export const USAGE_KEY_ID = "key_id";
/** Text: the groups of the client, separated by commas. */
export const USAGE_GROUP = "group";
/** Text: the user: the owner of the key, or the subject of the client's token. */
export const USAGE_USER = "user";
/**
 * Text: the session of the client, by which the requests of one conversation are found (contract/session.ts): at most 64 letters,
 * digits and `-_.:`, or a hash in their place; `conv-` and a hash of how the conversation begins if the client names none.
 */
export const USAGE_SESSION = "session";
/** Text: the first word of the `user-agent` of a request with a session, at most 64 bytes. */
export const USAGE_AGENT = "agent";
/** 1: the session decided which target, or which key, the first attempt used. */
export const USAGE_AFFINITY = "affinity";
/** Texts: the sub-agent that sent the request; the session or agent that has started it; the purpose of the request. */
export const USAGE_SUBAGENT = "subagent";
export const USAGE_PARENT = "parent";
export const USAGE_PURPOSE = "purpose";
/** Object: hashes of the parts of the prompt, the members of contract/prompt-parts.ts; left out without a session. */
export const USAGE_PROMPT = "prompt";
/** Text: the name that the client sent as the model, cut to 200 bytes; it may be unknown. */
export const USAGE_REQUESTED = "requested";
/** Text: the target of the last attempt, `<provider>/<model>` as configured. */
export const USAGE_TARGET = "target";
/** Number: which of the target's keys the last attempt used, from 1; left out if it has one. */
export const USAGE_PROVIDER_KEY = "provider_key";
/** Text: the API that this target used (contract/dialects.ts); left out if its provider serves only one. */
export const USAGE_API = "api";
/** Text: why it was not the usual one for the client, one of API_WORDS. */
export const USAGE_API_REASON = "api_reason";
/** Text: the target that was chosen first, if the last attempt had a different one. */
export const USAGE_FIRST_TARGET = "first_target";
/** Number: targets of the route that were passed over or failed. */
export const USAGE_FALLBACKS = "fallbacks";
/** List: the failed attempts before the last one, each an object of the members that begin with ATTEMPT_. */
export const USAGE_ATTEMPTS = "attempts";
/** Text: as USAGE_TARGET. */
export const ATTEMPT_TARGET = "target";
/** Number: the status of the response, or of the error in it; left out if there was no response. */
export const ATTEMPT_STATUS = "status";
/** Text: the code of the error, or one of RESET_WORDS for an attempt without a response. */
export const ATTEMPT_ERROR = "error";
/** Text: as USAGE_MESSAGE; left out if Envoy tried again before the body was read. */
export const ATTEMPT_MESSAGE = "message";
/** Numbers of an attempt, and of the request for its last one: the tokens that a request which is too long needs, and those that the
 * model accepts, as the provider's error reports them. */
export const CONTEXT_TOKENS = "context_tokens";
export const CONTEXT_LIMIT = "context_limit";
/** Number: milliseconds until it had failed. */
export const ATTEMPT_MS = "ms";
/** Text: the model that the provider reports, if it is not the target's; left out if it has more than 200 bytes. */
export const USAGE_RESPONSE_MODEL = "response_model";
/** 1: the client asked for a stream. */
export const USAGE_STREAM = "stream";
/** Number: milliseconds from the client's request to the first token of a stream. */
export const USAGE_FIRST_TOKEN = "first_token";
/** Number: all input tokens, cached ones included. */
export const USAGE_INPUT = "input";
/** Numbers: the input tokens that were read from, or written to, a cache of the provider. */
export const USAGE_CACHE_READ = "cache_read";
export const USAGE_CACHE_WRITE = "cache_write";
/** Number: those of them that were written to a cache that is kept for an hour. */
export const USAGE_CACHE_WRITE_HOUR = "cache_write_1h";
/** Number: all output tokens, reasoning included. */
export const USAGE_OUTPUT = "output";
/** Number: the output tokens that were reasoning. */
export const USAGE_REASONING = "reasoning";
/** Number: the web searches that the provider ran, as it reports them; left out if there were none. */
export const USAGE_SEARCHES = "searches";
/** Numbers: the audio tokens of the input that was not cached, of what was read from a cache, and of the output. */
export const USAGE_AUDIO_INPUT = "audio_input";
export const USAGE_AUDIO_CACHE_READ = "audio_cache_read";
export const USAGE_AUDIO_OUTPUT = "audio_output";
/** Text: how the provider processed the request, one of SERVICE_WORDS; with audio, only if it decides the price of the model. */
export const USAGE_SERVICE = "service_tier";
/**
 * Number: what the response cost, in nano-dollars, as its budgets were charged. Only with budgets or the cost header; left out if
 * the model has no known price, or no response was charged.
 */
export const USAGE_COST = "cost";
/** 1: the provider did not report all tokens of the cost, which are estimated. */
export const USAGE_ESTIMATED = "estimated";
/** Text: why the response ended, one of FINISH_WORDS. */
export const USAGE_FINISH = "finish";
/** Text: who wrote the response, one of OWNER_WORDS; left out if there was none. */
export const USAGE_OWNER = "owner";
/** Text: the code of the error that the client got from the gateway, or BROKEN for a stream that failed after its head. */
export const USAGE_ERROR = "error";
/** Text: the code of a provider's error, or its type without a code. */
export const USAGE_CODE = "code";
/**
 * Text: the message of the error that the client got, from the gateway or a provider, cut to 300 bytes. Credentials that the
 * provider was sent are masked.
 */
export const USAGE_MESSAGE = "message";
/** Text: what was left out, as in `x-gateway-dropped`. */
export const USAGE_DROPPED = "dropped";
/** Text: the prompt target whose API was called. */
export const USAGE_PROMPT_TARGET = "prompt_target";
/** Text: the decision of the jailbreak guard, one of GUARD_WORDS. */
export const USAGE_GUARD = "guard";
/** List: what the policies of `guards` did, each an object of the members that begin with GUARDED_; those that found nothing are left out. */
export const USAGE_GUARDS = "guards";
/** Text: its name. */
export const GUARDED_POLICY = "policy";
/** Text: `response`; left out for the request. */
export const GUARDED_DIRECTION = "direction";
/** Text: a word of GUARD_ACTIONS (contract/guard-kinds.ts), or `deny` or `allow` for what could not be checked. */
export const GUARDED_ACTION = "action";
/** Text: what it has found, words of GUARD_KINDS with commas between them. */
export const GUARDED_KINDS = "kinds";
/** Number: how many values it has found, in a response those that events repeat too; a policy that blocks stops at the first. */
export const GUARDED_FINDINGS = "findings";
/** Number: milliseconds; left out for a response, which is checked while it comes. */
export const GUARDED_MS = "ms";
/** Object: the milliseconds of the callouts for a prompt on the ingress listener, by STEP_WORDS. */
export const USAGE_STEPS = "steps";

export const BROKEN = "broken_stream";

/** The reasons why a response ended, by the constants of filter/hub/response/finish-reason.ts. */
export const FINISH_WORDS: string[] = [
  "",
  "stop",
  "stop_sequence",
  "length",
  "tool_calls",
  "refusal",
  "pause",
  "context",
  "error",
  "unknown",
];

/**
 * Ways of processing a request that have other rates, after the standard one. OpenAI and Google sell priority and flex processing,
 * Anthropic fast mode; `batch` is half the price at all of them.
 */
export const SERVICE_WORDS: string[] = ["", "priority", "flex", "fast", "batch"];

/** Why an attempt used an API, by `ApiReason` of filter/config/choose-api.ts. */
export const API_WORDS: string[] = ["", "model", "tools", "reasoning", "request"];

/** Who wrote a response, by `ResponseOwner` of filter/exchange/response.ts. */
export const OWNER_WORDS: string[] = ["", "gateway", "envoy", "route", "provider"];

/** The guard's decisions, by `GuardDecision` of filter/exchange/exchange.ts. */
export const GUARD_WORDS: string[] = ["", "passed", "blocked", "unavailable"];

/** The parts of a prompt's time, by `PromptPart` of filter/exchange/prompt-times.ts. */
export const STEP_WORDS: string[] = ["guard", "target", "extract", "api"];

/** Why an attempt had no response, by `ResetReason` of filter/exchange/failed-attempts.ts. */
export const RESET_WORDS: string[] = ["", "upstream_reset", "connection_failure"];
