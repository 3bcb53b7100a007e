// A gateway in front of the strict fakes: what most tests of the whole want.
import { startAnthropicProvider } from "../providers/anthropic.ts";
import type { AnthropicOptions } from "../providers/anthropic.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { OpenaiOptions } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { startResponsesProvider } from "../providers/responses.ts";
import type { ResponsesOptions } from "../providers/responses.ts";
import { startGateway } from "./gateway.ts";
import type { Gateway, GatewayOptions } from "./gateway.ts";

export interface WithFakes {
  gateway: Gateway;
  openai: FakeProvider;
  anthropic: FakeProvider;
  responses: FakeProvider;
  /** The providers' keys, which nobody but the providers may ever see. */
  keys: { openai: string; anthropic: string; responses: string };
  stop(): Promise<void>;
}

export interface WithFakesOptions extends Partial<GatewayOptions> {
  /** Of both listeners. Default 10 s. */
  timeoutMs?: number;
  openai?: OpenaiOptions;
  anthropic?: Partial<AnthropicOptions>;
  responses?: ResponsesOptions;
  /** Lines of YAML for `model_aliases`, besides the two. */
  aliases?: string;
}

/**
 * Models: `openai/gpt-4o` (default, alias `fast`), `openai/gpt-4o-gone` that the provider does not have,
 * `anthropic/claude-test` (alias `careful`), and `responses-only/gpt-5.1` (alias `deep`) that has the Responses API alone.
 * More of the configuration can be given as `config`.
 */
export async function startWithFakes(options: WithFakesOptions = {}): Promise<WithFakes> {
  const nonce = Math.random().toString(36).slice(2);
  const keys = {
    openai: `sk-openai-${nonce}`,
    anthropic: `sk-ant-${nonce}`,
    responses: `sk-responses-${nonce}`,
  };
  const openai = await startOpenaiProvider({
    key: keys.openai,
    models: ["gpt-4o"],
    ...options.openai,
  });
  const anthropic = await startAnthropicProvider({ key: keys.anthropic, ...options.anthropic });
  const responses = await startResponsesProvider({ key: keys.responses, ...options.responses });
  const gateway = await startGateway({
    ...options,
    config:
      configuration({ openai, anthropic, responses }, options.aliases) + (options.config ?? ""),
    environment: {
      OPENAI_API_KEY: keys.openai,
      ANTHROPIC_API_KEY: keys.anthropic,
      RESPONSES_API_KEY: keys.responses,
      ...options.environment,
    },
    adapt(model) {
      for (const listener of [model.ingress, model.egress])
        listener.timeoutMs = options.timeoutMs ?? 10_000;
      options.adapt?.(model);
    },
  });
  return {
    gateway,
    openai,
    anthropic,
    responses,
    keys,
    async stop() {
      await gateway.stop();
      await Promise.all([openai.stop(), anthropic.stop(), responses.stop()]);
    },
  };
}

function configuration(
  { openai, anthropic, responses }: Pick<WithFakes, "openai" | "anthropic" | "responses">,
  aliases = "",
): string {
  return `version: v0.1.0
model_aliases:
  fast: {target: openai/gpt-4o}
  careful: {target: anthropic/claude-test}
  deep: {target: responses-only/gpt-5.1}
${aliases}
llm_providers:
  - model: openai/gpt-4o
    access_key: $OPENAI_API_KEY
    base_url: ${openai.url}/v1
    # OpenAI's API has no member for reasoning: the fake that shows it rejects it in a request.
    limits: {own_reasoning: false}
    decompress_responses: true
    default: true
  - model: openai/gpt-4o-gone
    access_key: $OPENAI_API_KEY
    base_url: ${openai.url}/v1
  - model: anthropic/claude-test
    access_key: $ANTHROPIC_API_KEY
    base_url: ${anthropic.url}
    decompress_responses: true
  - model: responses-only/gpt-5.1
    provider_interface: openai_responses
    access_key: $RESPONSES_API_KEY
    base_url: ${responses.url}/v1
`;
}
