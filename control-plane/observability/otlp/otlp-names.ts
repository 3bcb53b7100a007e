// The names of the metrics in OpenTelemetry: with dots and units, where Prometheus has underscores and suffixes.
// @see https://github.com/open-telemetry/semantic-conventions-genai

export interface MetricName {
  name: string;
  /** UCUM; words in braces are counted things. */
  unit: string;
}

const REQUESTS = "{request}";
const TOKENS = "{token}";

/** By Prometheus' name. */
const NAMES: Readonly<Record<string, MetricName>> = {
  gen_ai_client_token_usage: { name: "gen_ai.client.token.usage", unit: TOKENS },
  gen_ai_server_request_duration_seconds: { name: "gen_ai.server.request.duration", unit: "s" },
  gen_ai_server_time_to_first_token_seconds: {
    name: "gen_ai.server.time_to_first_token",
    unit: "s",
  },
  gen_ai_server_time_per_output_token_seconds: {
    name: "gen_ai.server.time_per_output_token",
    unit: "s",
  },
  ...Object.fromEntries(
    ["input", "cache_read_input", "cache_write_input", "output", "reasoning_output"].map((kind) => [
      `gen_ai_client_inference_usage_${kind}_tokens_total`,
      { name: usageName(kind), unit: TOKENS },
    ]),
  ),
  gateway_requests_total: { name: "gateway.requests", unit: REQUESTS },
  gateway_errors_total: { name: "gateway.errors", unit: REQUESTS },
  gateway_cost_usd_total: { name: "gateway.cost", unit: "USD" },
  gateway_unpriced_requests_total: { name: "gateway.unpriced_requests", unit: REQUESTS },
  gateway_key_requests_total: { name: "gateway.key.requests", unit: REQUESTS },
  gateway_key_tokens_total: { name: "gateway.key.tokens", unit: TOKENS },
  gateway_budget_limit_usd: { name: "gateway.budget.limit", unit: "USD" },
  gateway_budget_spent_usd: { name: "gateway.budget.spent", unit: "USD" },
  gateway_overhead_seconds: { name: "gateway.overhead", unit: "s" },
  gateway_fallbacks_total: { name: "gateway.fallbacks", unit: REQUESTS },
  gateway_rate_limited_total: { name: "gateway.rate_limited", unit: REQUESTS },
  gateway_dropped_members_total: { name: "gateway.dropped_members", unit: "{member}" },
  gateway_prompt_target_total: { name: "gateway.prompt_target", unit: REQUESTS },
  gateway_guard_total: { name: "gateway.guard", unit: REQUESTS },
  gateway_prompt_cache_turns_total: { name: "gateway.prompt_cache.turns", unit: REQUESTS },
  gateway_prompt_cache_lost_tokens_total: {
    name: "gateway.prompt_cache.lost_tokens",
    unit: TOKENS,
  },
  gateway_prompt_cache_lost_usd_total: { name: "gateway.prompt_cache.lost_cost", unit: "USD" },
  gateway_guard_decisions_total: { name: "gateway.guard.decisions", unit: "{decision}" },
  gateway_body_bytes_total: { name: "gateway.body.size", unit: "By" },
};

/** `cache_read_input` → `gen_ai.client.inference.usage.cache_read.input_tokens`. */
function usageName(kind: string): string {
  return `gen_ai.client.inference.usage.${kind.replace(/_(?=input|output)/, ".")}_tokens`;
}

/** Returns the name of a metric. One that is not listed loses its suffix. */
export function metricName(name: string): MetricName {
  return (
    NAMES[name] ?? { name: name.replace(/^gateway_/, "gateway.").replace(/_total$/, ""), unit: "1" }
  );
}

const LABELS: Readonly<Record<string, string>> = {
  gen_ai_operation_name: "gen_ai.operation.name",
  gen_ai_provider_name: "gen_ai.provider.name",
  gen_ai_original_model: "gen_ai.original.model",
  gen_ai_request_model: "gen_ai.request.model",
  gen_ai_response_model: "gen_ai.response.model",
  gen_ai_token_type: "gen_ai.token.type",
  gen_ai_token_modality: "gen_ai.token.modality",
  error_type: "error.type",
};

/** Returns the name of an attribute. */
export function attributeName(label: string): string {
  return LABELS[label] ?? label;
}
