// What the filter writes for the span of a request, as filter state (`wasm.<name>`): envoy/tracer.ts makes attributes of it.
// A value that is not known is not set. Compiled by tsc and asc.

/** `gen_ai.operation.name`: the operation of the endpoint (contract/endpoints.ts). */
export const TRACE_OPERATION = "gateway_trace_operation";
/** What a span's name has after the operation, with a blank before it: a model, a tool, or the path of another endpoint. */
export const TRACE_SUBJECT = "gateway_trace_subject";
/** `gen_ai.provider.name` and `gen_ai.request.model`, of the attempt. */
export const TRACE_PROVIDER = "gateway_trace_provider";
export const TRACE_MODEL = "gateway_trace_model";
/** What the client sent as the model. */
export const TRACE_REQUESTED = "gateway_trace_requested";
/** `true` if the client asked for a stream. */
export const TRACE_STREAM = "gateway_trace_stream";
/** `gen_ai.conversation.id`: the session, as in the usage record. */
export const TRACE_SESSION = "gateway_trace_session";
export const TRACE_SUBAGENT = "gateway_trace_subagent";
/** The name of the client's API key. */
export const TRACE_KEY = "gateway_trace_key";
/** Its groups, separated by commas, and its user. */
export const TRACE_GROUP = "gateway_trace_group";
export const TRACE_USER = "gateway_trace_user";
/** `gen_ai.response.model`, escaped as in JSON. */
export const TRACE_RESPONSE_MODEL = "gateway_trace_response_model";
/** Seconds until the first token of a stream, as a decimal. */
export const TRACE_FIRST_CHUNK = "gateway_trace_first_chunk";
/** JSON: the tokens that a stream has reported so far. */
export const TRACE_PARTIAL = "gateway_trace_partial_usage";
/** Tokens, as in the usage record. */
export const TRACE_INPUT = "gateway_trace_input";
export const TRACE_OUTPUT = "gateway_trace_output";
export const TRACE_CACHE_READ = "gateway_trace_cache_read";
export const TRACE_CACHE_WRITE = "gateway_trace_cache_write";
export const TRACE_REASONING = "gateway_trace_reasoning";
/** A JSON list with why the response ended: a word of the conventions. */
export const TRACE_FINISH = "gateway_trace_finish";
/** `error.type`. */
export const TRACE_ERROR = "gateway_trace_error";
/** Targets that were passed over or failed. */
export const TRACE_FALLBACKS = "gateway_trace_fallbacks";
export const TRACE_PROMPT_TARGET = "gateway_trace_prompt_target";
export const TRACE_GUARD = "gateway_trace_guard";
/** What the policies of `guards` did: `personal-data:mask`, separated by commas. */
export const TRACE_GUARDS = "gateway_trace_guards";

/** Request header on the ingress listener, which Envoy sets: `<trace id>-<span id>` of the request's span. */
export const HEADER_SPAN = "x-gateway-span";
/** Request header on the internal listener: the step of the prompt. */
export const HEADER_STEP = "x-gateway-step";
