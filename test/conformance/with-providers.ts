// A gateway in front of the strict fake of each wire format: what the public suites are run against. A fake decides by
// `answerTo` (test/providers/behaviour.ts) what it says, whatever its wire format.
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { startAnthropicProvider } from "../providers/anthropic.ts";
import { startConverseProvider } from "../providers/converse.ts";
import { startGeminiProvider } from "../providers/gemini.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import { startResponsesProvider } from "../providers/responses.ts";
import type { FakeProvider } from "../providers/server.ts";

const KEY = "provider-key-1";
/** Suites decide by the name of a model whether it can reason: with this one they run every test. */
const REASONS = "gpt-5-claude-4";

/** A provider's wire format. */
export interface Wire {
  title: string;
  /** The model's name for clients. */
  name: string;
  entry: string;
  start: () => Promise<FakeProvider>;
}

const wire = (title: string, entry: string, start: Wire["start"], path = ""): Wire => ({
  title,
  name: `${REASONS}-${title.toLowerCase().replaceAll(" ", "-")}`,
  entry: `${entry}, access_key: $KEY, base_url: "URL${path}"`,
  start,
});

export const WIRES: readonly Wire[] = [
  wire(
    "OpenAI Chat Completions",
    "model: chat/gpt-5.1, provider_interface: openai",
    () => startOpenaiProvider({ key: KEY }),
    "/v1",
  ),
  wire(
    "OpenAI Responses",
    "model: responses/gpt-5.1, provider_interface: openai_responses",
    () => startResponsesProvider({ key: KEY }),
    "/v1",
  ),
  wire(
    "Anthropic Messages",
    "model: messages/claude-sonnet-4-5, provider_interface: anthropic",
    () => startAnthropicProvider({ key: KEY }),
  ),
  wire("Gemini API", "model: gemini/gemini-2.5-flash", () => startGeminiProvider({ key: KEY })),
  wire("Vertex AI", "model: vertex/gemini-2.5-flash, project: project-1", () =>
    startGeminiProvider({ token: KEY }),
  ),
  wire(
    "Bedrock Converse",
    'model: "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", provider_interface: converse',
    () => startConverseProvider({ key: KEY }),
  ),
];

export interface WithProviders {
  gateway: Gateway;
  stop(): Promise<void>;
}

/** @param config more of the configuration */
export async function startWithProviders(
  options: { config?: string } & Pick<Parameters<typeof startGateway>[0], "adaptBootstrap"> = {},
): Promise<WithProviders> {
  const providers = await Promise.all(WIRES.map(({ start }) => start()));
  const entries = WIRES.map(
    ({ name, entry }, at) =>
      `  - {name: ${name}, ${entry.replace("URL", providers[at]?.url ?? "")}}\n`,
  );
  const { config = "", ...others } = options;
  const gateway = await startGateway({
    ...others,
    config: `version: v0.1.0\nllm_providers:\n${entries.join("")}${config}`,
    environment: { KEY },
  });
  return {
    gateway,
    async stop() {
      await gateway.stop();
      await Promise.all(providers.map((one) => one.stop()));
    },
  };
}
