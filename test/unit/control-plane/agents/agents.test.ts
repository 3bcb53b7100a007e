// What each coding agent is started with.
import { describe, expect, it } from "vitest";
import type { Connection } from "../../../../control-plane/agents/agent.ts";
import { AGENTS, ANY_PROGRAM } from "../../../../control-plane/agents/agents.ts";

function connection(model?: string): Connection & { files: Record<string, string> } {
  const files: Record<string, string> = {};
  return {
    origin: "http://127.0.0.1:12000",
    key: "key-of-the-client",
    model,
    firstModel: () => "openai/first",
    files,
    writeFile(name, text) {
      files[name] = text;
      return `/private/${name}`;
    },
  };
}

function settingsOf(name: string, model?: string) {
  const agent = AGENTS[name];
  if (!agent) throw new Error(`There is no agent ${name}.`);
  return agent.settings(connection(model));
}

describe("the settings of an agent", () => {
  it("Claude Code keeps its own models, and the user's other providers and keys are removed", () => {
    const { variables, removed = [] } = settingsOf("claude");
    expect(variables).toEqual({
      ANTHROPIC_BASE_URL: "http://127.0.0.1:12000",
      ANTHROPIC_AUTH_TOKEN: "key-of-the-client",
    });
    expect(removed).toContain("ANTHROPIC_API_KEY");
    expect(removed).toContain("CLAUDE_CODE_USE_BEDROCK");
  });

  it("Claude Code asks for a chosen model in every role, in a file that wins over the user's settings", () => {
    const chosen = connection("openai/gpt-5.5");
    const agent = AGENTS["claude"];
    const { variables, words } = agent?.settings(chosen) ?? {};
    const models = Object.entries(variables ?? {}).filter(([name]) => name.endsWith("MODEL"));
    expect(models).toHaveLength(4);
    expect(models.every(([, value]) => value === "openai/gpt-5.5")).toBe(true);
    expect(words).toEqual(["--settings", "/private/settings.json"]);
    expect(JSON.parse(chosen.files["settings.json"] ?? "")).toEqual({ env: variables });
  });

  it("Codex gets a provider by arguments, and the key in a variable", () => {
    const { variables, words = [] } = settingsOf("codex", 'a"b');
    expect(variables).toEqual({ GATEWAY_API_KEY: "key-of-the-client" });
    expect(words).toContain('model_provider="gateway"');
    expect(words).toContain(String.raw`model="a\"b"`);
    expect(words.join(" ")).toContain('base_url = "http://127.0.0.1:12000/v1"');
    expect(words.join(" ")).not.toContain("key-of-the-client");
  });

  it("opencode gets a provider with the first model, and the key in a variable", () => {
    const { variables } = settingsOf("opencode");
    const content = JSON.parse(variables["OPENCODE_CONFIG_CONTENT"] ?? "") as {
      model: string;
      provider: { gateway: { options: unknown; models: unknown } };
    };
    expect(content.model).toBe("gateway/openai/first");
    expect(content.provider.gateway.models).toEqual({ "openai/first": {} });
    expect(content.provider.gateway.options).toEqual({
      baseURL: "http://127.0.0.1:12000/v1",
      apiKey: "{env:GATEWAY_API_KEY}",
    });
    expect(variables["GATEWAY_API_KEY"]).toBe("key-of-the-client");
  });

  it("aider, Qwen Code and Copilot get the OpenAI base URL, the key and a model", () => {
    expect(settingsOf("aider", "m")).toEqual({
      variables: {
        OPENAI_API_BASE: "http://127.0.0.1:12000/v1",
        OPENAI_API_KEY: "key-of-the-client",
      },
      words: ["--model", "openai/m", "--no-show-model-warnings"],
    });
    expect(settingsOf("qwen").variables).toMatchObject({
      OPENAI_BASE_URL: "http://127.0.0.1:12000/v1",
      OPENAI_MODEL: "openai/first",
    });
    expect(settingsOf("copilot").variables).toMatchObject({
      COPILOT_PROVIDER_BASE_URL: "http://127.0.0.1:12000/v1",
      COPILOT_MODEL: "openai/first",
      COPILOT_OFFLINE: "true",
    });
  });

  it("any other program gets what the SDKs read", () => {
    expect(ANY_PROGRAM.settings(connection()).variables).toEqual({
      OPENAI_BASE_URL: "http://127.0.0.1:12000/v1",
      OPENAI_API_KEY: "key-of-the-client",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:12000",
      ANTHROPIC_API_KEY: "key-of-the-client",
    });
  });
});
