// Claude Code through the gateway on a provider of each dialect: it runs the tools that the provider calls, and goes on.
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { startBedrockClaude, startVertexClaude } from "../providers/cloud.ts";
import type { FakeProvider } from "../providers/server.ts";
import { startClaudeCode } from "./agent.ts";

const agents = inject("agents");
const canTest = inject("canTestAgents");

const BEDROCK_MODEL = "bedrock/eu.anthropic.claude-opus-5-v1:0";

let all: WithFakes & Record<"vertex" | "bedrock", FakeProvider>;
beforeAll(async () => {
  const vertex = await startVertexClaude({ key: "ya29.token" });
  const bedrock = await startBedrockClaude({ key: "bedrock-key" });
  const fakes = await startWithFakes({
    timeoutMs: 60_000,
    config: `  - { model: vertex/claude-opus-5, access_key: $TOKEN, project: my-project, location: eu, base_url: "${vertex.url}" }
  - { model: "${BEDROCK_MODEL}", access_key: $KEY, region: eu-central-1, base_url: "${bedrock.url}" }
`,
    environment: { TOKEN: "ya29.token", KEY: "bedrock-key" },
  });
  all = { ...fakes, vertex, bedrock };
});
afterAll(async () => {
  await all.stop();
  await Promise.all([all.vertex.stop(), all.bedrock.stop()]);
});

const PROVIDERS = [
  { dialect: "chat completions", provider: "openai", model: "fast" },
  { dialect: "messages", provider: "anthropic", model: "careful" },
  { dialect: "responses", provider: "responses", model: "deep" },
  // They refuse each beta and member that they do not know.
  { dialect: "Vertex AI", provider: "vertex", model: "vertex/claude-opus-5" },
  { dialect: "Bedrock", provider: "bedrock", model: BEDROCK_MODEL },
] as const;

/** What a provider must answer with: a call of Claude Code's shell. */
function bash(command: string): string {
  return `call Bash(${JSON.stringify({ command, description: "Run a test's command" })})`;
}

describe.runIf(canTest).concurrent.each(PROVIDERS)("on $dialect", ({ provider, model }) => {
  it("Claude Code runs two commands that were called at once, sends back both outputs, and continues", async () => {
    if ("missing" in agents) throw new Error(agents.missing);
    const gatewayUrl = all.gateway.url;
    const claude = startClaudeCode({ directory: agents.directory, gatewayUrl, model });
    try {
      const commands = [bash("echo made-$((40+2)) | tee made.txt"), bash("echo second-$((1+1))")];
      const answer = await claude.ask(commands.join(" and "));
      expect(answer).toBe("The tools said: made-42; second-2");
      expect(claude.read("made.txt")).toBe("made-42\n");
      expect(await claude.ask("Thank you é 😀")).toMatch(/^You said: [^]*Thank you é 😀$/);
    } finally {
      claude.remove();
    }
    expect(all[provider].requests).toHaveLength(3);
    expect(all[provider].violations()).toEqual([]);
    const lines = await all.gateway.waitForLog("llm", ({ path }) => path !== "", 3);
    expect(lines.filter(({ code }) => code !== 200)).toEqual([]);
  });
});
