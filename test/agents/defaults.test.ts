// Claude Code and Codex without a model of their own choice, on what `gateway init` writes for one key: each asks for its
// default model, whichever provider there is.
import { readFileSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { starterConfiguration } from "../../control-plane/config/starter/configuration.ts";
import { startGateway } from "../gateway/gateway.ts";
import { startAnthropicProvider } from "../providers/anthropic.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import { startResponsesProvider } from "../providers/responses.ts";
import { startClaudeCode, startCodex } from "./agent.ts";

const agents = inject("agents");
const canTest = inject("canTestAgents");

const KEY = "sk-test-of-the-agents";

interface Vendor {
  /** Keys of the entry in place of the vendor's own address. */
  keys: string;
  violations: () => unknown[];
  stop: () => Promise<void>;
}

/** Serves both of its APIs at one address. */
async function startOpenai(): Promise<Vendor> {
  const chat = await startOpenaiProvider({ key: KEY });
  const responses = await startResponsesProvider({ key: KEY });
  const front = createServer((request, response) => {
    const { url: path = "", method, headers } = request;
    const { port } = new URL(path.startsWith("/v1/responses") ? responses.url : chat.url);
    const options = { host: "127.0.0.1", port, path, method, headers };
    const forwarded = forward(options, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  await new Promise<void>((done) => front.listen(0, "127.0.0.1", done));
  const { port } = front.address() as AddressInfo;
  return {
    keys: `    base_url: http://127.0.0.1:${port}/v1\n    limits: {responses_api: true}\n`,
    violations: () => [...chat.violations(), ...responses.violations()],
    async stop() {
      front.closeAllConnections();
      await new Promise((done) => front.close(done));
      await Promise.all([chat.stop(), responses.stop()]);
    },
  };
}

async function startAnthropic(): Promise<Vendor> {
  const provider = await startAnthropicProvider({ key: KEY });
  return {
    keys: `    base_url: ${provider.url}\n`,
    violations: () => provider.violations(),
    stop: () => provider.stop(),
  };
}

const PROVIDERS = [
  { variable: "OPENAI_API_KEY", start: startOpenai },
  { variable: "ANTHROPIC_API_KEY", start: startAnthropic },
];

describe.runIf(canTest).each(PROVIDERS)("with $variable", ({ variable, start }) => {
  it("Claude Code and Codex work with their default models", async () => {
    if ("missing" in agents) throw new Error(agents.missing);
    const { directory } = agents;
    const provider = await start();
    const environment = { [variable]: KEY };
    const written = starterConfiguration(environment);
    const access = `    access_key: $${variable}\n`;
    expect(written).toContain(access);
    const config = written.replace(access, access + provider.keys);
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
