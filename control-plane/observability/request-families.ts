// The families of request metrics: their names, labels and buckets. Where OpenTelemetry's conventions, or Envoy AI Gateway, whose
// dashboards people have, name a metric, it has that name. docs/observability.md explains them.
// @see https://github.com/open-telemetry/semantic-conventions-genai
import {
  USAGE_CACHE_READ,
  USAGE_CACHE_WRITE,
  USAGE_INPUT,
  USAGE_OUTPUT,
  USAGE_REASONING,
} from "../../contract/usage-record.ts";
import type { Families } from "./metric-families.ts";

/** Microseconds of a second, and nano-dollars of a dollar. */
const MICRO = 1_000_000;
const NANO = 1_000_000_000;

const GEN_AI = [
  "gen_ai_operation_name",
  "gen_ai_provider_name",
  "gen_ai_original_model",
  "gen_ai_request_model",
  "gen_ai_response_model",
];

/** 1, 4, 16 … */
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);
/** 10 ms, 20 ms … 81.92 s, in microseconds; the last three are for models that reason for long. */
const DURATIONS = [
  ...Array.from({ length: 14 }, (_, power) => 10_000 * 2 ** power),
  163_840_000,
  327_680_000,
  655_360_000,
];
const inMicro = (seconds: number[]): number[] => seconds.map((one) => Math.round(one * MICRO));
const FIRST_TOKEN = inMicro([
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 15, 20, 30,
  45, 60,
]);
const TOKEN_TIMES = inMicro([
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5,
]);
const OVERHEAD = inMicro([
  0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1,
]);

/** The token types of `gen_ai_client_token_usage`, by member of the record. */
export const TOKEN_TYPES = [
  { member: USAGE_INPUT, type: "input" },
  { member: USAGE_CACHE_READ, type: "cached_input" },
  { member: USAGE_CACHE_WRITE, type: "cache_creation_input" },
  { member: USAGE_OUTPUT, type: "output" },
  { member: USAGE_REASONING, type: "reasoning" },
] as const;

/** Providers report no modality for all of a request's tokens, which may be those of an image. The conventions require it. */
export const MODALITY = "unknown";

const USAGE_COUNTERS = [
  { member: USAGE_INPUT, name: "input_tokens", help: "Input tokens, cached ones included." },
  {
    member: USAGE_CACHE_READ,
    name: "cache_read_input_tokens",
    help: "Input tokens read from a cache of the provider.",
  },
  {
    member: USAGE_CACHE_WRITE,
    name: "cache_write_input_tokens",
    help: "Input tokens written to a cache of the provider.",
  },
  { member: USAGE_OUTPUT, name: "output_tokens", help: "Output tokens, reasoning included." },
  {
    member: USAGE_REASONING,
    name: "reasoning_output_tokens",
    help: "Output tokens that were reasoning.",
  },
] as const;

export type RequestFamilies = ReturnType<typeof requestFamilies>;

/** Adds the families of requests. */
export function requestFamilies(families: Families) {
  return {
    requests: families.counter({
      name: "gateway_requests_total",
      help: "Requests of clients, and of the gateway's own model server.",
      labels: [
        "listener",
        "endpoint",
        "gen_ai_original_model",
        "gen_ai_provider_name",
        "status",
        "error_type",
      ],
    }),
    errors: families.counter({
      name: "gateway_errors_total",
      help: "Requests that failed, by what the error is about and who sent it.",
      labels: ["kind", "owner", "gen_ai_provider_name", "gen_ai_request_model"],
    }),
    tokens: families.histogram(
      {
        name: "gen_ai_client_token_usage",
        help: "Tokens of a request by type; input includes cached tokens, output includes reasoning.",
        labels: [...GEN_AI, "gen_ai_token_type"],
      },
      TOKENS,
    ),
    duration: families.histogram(
      {
        name: "gen_ai_server_request_duration_seconds",
        help: "Time from the client's first byte to the end of the response.",
        labels: [...GEN_AI, "error_type"],
        scale: MICRO,
      },
      DURATIONS,
    ),
    firstToken: families.histogram(
      {
        name: "gen_ai_server_time_to_first_token_seconds",
        help: "Streams: time from the client's request to the first token.",
        labels: GEN_AI,
        scale: MICRO,
      },
      FIRST_TOKEN,
    ),
    perToken: families.histogram(
      {
        name: "gen_ai_server_time_per_output_token_seconds",
        help: "Streams: time per output token after the first one.",
        labels: GEN_AI,
        scale: MICRO,
      },
      TOKEN_TIMES,
    ),
    usage: USAGE_COUNTERS.map(({ name, help, member }) => ({
      member,
      counter: families.counter({
        name: `gen_ai_client_inference_usage_${name}_total`,
        help,
        labels: [...GEN_AI, "gen_ai_token_modality"],
      }),
    })),
    cost: families.counter({
      name: "gateway_cost_usd_total",
      help: "What the tokens cost by the prices that are known, in US dollars.",
      labels: ["gen_ai_provider_name", "gen_ai_request_model", "key"],
      scale: NANO,
    }),
    unpriced: families.counter({
      name: "gateway_unpriced_requests_total",
      help: "Requests with tokens whose model has no known price.",
      labels: ["gen_ai_provider_name", "gen_ai_request_model"],
    }),
    keyRequests: families.counter({
      name: "gateway_key_requests_total",
      help: "Requests by the name of the client's API key.",
      labels: ["key", "error_type"],
    }),
    keyTokens: families.counter({
      name: "gateway_key_tokens_total",
      help: "Tokens by the name of the client's API key.",
      labels: ["key", "gen_ai_token_type"],
    }),
    overhead: families.histogram(
      {
        name: "gateway_overhead_seconds",
        help: "Time that the gateway adds to a request with one attempt: before the provider gets it, and after its last byte.",
        labels: [],
        scale: MICRO,
      },
      OVERHEAD,
    ),
    fallbacks: families.counter({
      name: "gateway_fallbacks_total",
      help: "Requests whose last attempt was at another model than the one chosen first.",
      labels: ["from", "to"],
    }),
    rateLimited: families.counter({
      name: "gateway_rate_limited_total",
      help: "Requests rejected by a rate limit of the gateway.",
      labels: ["gen_ai_original_model", "key"],
    }),
    dropped: families.counter({
      name: "gateway_dropped_members_total",
      help: "Members that translation left out, as in x-gateway-dropped.",
      labels: ["member"],
    }),
    promptTargets: families.counter({
      name: "gateway_prompt_target_total",
      help: "Prompts for which the API of a prompt target was called.",
      labels: ["target"],
    }),
    guard: families.counter({
      name: "gateway_guard_total",
      help: "Decisions of the jailbreak guard.",
      labels: ["decision"],
    }),
    cacheTurns: families.counter({
      name: "gateway_prompt_cache_turns_total",
      help: "Requests of sessions, by why they did not read from the provider's cache what the turn before had left there.",
      labels: ["outcome", "gen_ai_provider_name", "gen_ai_request_model"],
    }),
    cacheLostTokens: families.counter({
      name: "gateway_prompt_cache_lost_tokens_total",
      help: "Input tokens that turns of sessions did not read from the provider's cache, by the reason.",
      labels: ["reason", "gen_ai_provider_name", "gen_ai_request_model"],
    }),
    cacheLostCost: families.counter({
      name: "gateway_prompt_cache_lost_usd_total",
      help: "What these tokens cost more than from the cache, in US dollars.",
      labels: ["reason", "gen_ai_provider_name", "gen_ai_request_model"],
      scale: NANO,
    }),
    guards: families.counter({
      name: "gateway_guard_decisions_total",
      help: "What the policies of guards did: mask, block or monitor where they found something, deny or allow what they could not check.",
      labels: ["policy", "direction", "action"],
    }),
    bytes: families.counter({
      name: "gateway_body_bytes_total",
      help: "Bytes of the bodies of requests and responses.",
      labels: ["direction"],
    }),
  };
}
