// Claude Code and Codex without a model of their own choice, on what `gateway init` writes for one key: each asks for its
// default model, whichever provider there is.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { starterConfiguration } from "../../control-plane/config/starter/configuration.ts";
import { startGateway } from "../gateway/gateway.ts";
import { startAnthropicProvider } from "../providers/anthropic.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import { startClaudeCode, startCodex } from "./agent.ts";

const agents = inject("agents");
const canTest = inject("canTestAgents");

const PROVIDERS = [
  { variable: "OPENAI_API_KEY", start: startOpenaiProvider, path: "/v1" },
  { variable: "ANTHROPIC_API_KEY", start: startAnthropicProvider, path: "" },
];

describe.runIf(canTest).each(PROVIDERS)("with $variable", ({ variable, start, path }) => {
  it("Claude Code and Codex work with their default models", async () => {
    if ("missing" in agents) throw new Error(agents.missing);
    const { directory } = agents;
    const key = "sk-test-of-the-agents";
    const provider = await start({ key });
    const environment = { [variable]: key };
    const written = starterConfiguration(environment);
    const access = `    access_key: $${variable}\n`;
    expect(written).toContain(access);
    const config = written.replace(access, `${access}    base_url: ${provider.url}${path}\n`);
    const gateway = await startGateway({
      config,
      environment,
      adapt({ ingress, egress }) {
        for (const listener of [ingress, egress]) listener.timeoutMs = 60_000;
      },
    });
    const options = { directory, gatewayUrl: gateway.url };
    const [claude, codex] = [startClaudeCode(options), startCodex(options)];
    try {
      expect(await claude.ask("hello from Claude Code")).toMatch(/hello from Claude Code/);
      expect(await codex.ask("hello from Codex")).toMatch(/^You said: [^]*hello from Codex$/);
      expect(gateway.log("llm").filter(({ code }) => code !== 200)).toEqual([]);
      expect(provider.violations()).toEqual([]);
    } finally {
      claude.remove();
      codex.remove();
      await gateway.stop();
      await provider.stop();
    }
  });
});

it("the README's first configuration is what gateway init writes for one key", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const [, first = ""] = /```yaml\n([^]*?)```/.exec(readme) ?? [];
  expect(first.trim().split("\n")).toHaveLength(3);
  const written = starterConfiguration({ OPENAI_API_KEY: "sk-test" });
  const uncommented = written.replaceAll(/^ *#.*\n/gm, "").replace(/^\n+/, "");
  expect(uncommented.startsWith(first)).toBe(true);
});
