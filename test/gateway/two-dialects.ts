// A gateway with a model of OpenAI and one of Anthropic, both at one provider.
import type { GatewayModel } from "../../model/model.ts";
import type { Bootstrap } from "../../envoy/envoy-types.ts";
import { startGateway } from "./gateway.ts";
import type { Gateway } from "./gateway.ts";

export const OPENAI_KEY = "sk-provider";
export const ANTHROPIC_KEY = "ak-provider";

interface Changes {
  adapt?: (model: GatewayModel) => void;
  adaptBootstrap?: (bootstrap: Bootstrap) => void;
  caFile?: string;
}

export function startTwoDialects(port: number, changes: Changes = {}): Promise<Gateway> {
  const config = `
version: v0.1.0
llm_providers:
  - model: openai/gpt-4o
    access_key: $OPENAI_API_KEY
    base_url: http://127.0.0.1:${port}/v1
    default: true
  - model: anthropic/claude
    access_key: $ANTHROPIC_API_KEY
    base_url: http://127.0.0.1:${port}
`;
  return startGateway({
    config,
    environment: { OPENAI_API_KEY: OPENAI_KEY, ANTHROPIC_API_KEY: ANTHROPIC_KEY },
    ...changes,
  });
}

/** A chat request to the default model. */
export function chat(
  gateway: Gateway,
  more: object = {},
  init: { headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "none", messages: [], ...more }),
    headers: { "content-type": "application/json", ...init.headers },
  });
}

/** The HTTP connection managers of the listeners, ingress first. */
export function connectionManagers(bootstrap: Bootstrap): Record<string, unknown>[] {
  return bootstrap.static_resources.listeners.flatMap(({ filter_chains: chains }) =>
    chains.flatMap(({ filters }) => filters.map((filter) => filter.typed_config)),
  );
}
