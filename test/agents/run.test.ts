// Claude Code and Codex as `gateway run` starts them, with a gateway that ends with them and nothing left of it, and as `gateway
// setup` sets them up.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { findRunning } from "../../control-plane/supervisor/state.ts";
import { configurationOn, type Desk, freePorts, openDesk } from "../cli/gateway-command.ts";
import { startAnthropicProvider } from "../providers/anthropic.ts";
import { SCRIPTS } from "./install.ts";

const agents = inject("agents");
const canTest = inject("canTestAgents");

const KEY = "sk-test-of-the-provider";

describe.runIf(canTest)("an agent that gateway run starts", () => {
  let desk: Desk;
  let provider: Awaited<ReturnType<typeof startAnthropicProvider>>;

  beforeEach(async () => {
    if ("missing" in agents) throw new Error(agents.missing);
    provider = await startAnthropicProvider({ key: KEY });
    const entry = `llm_providers:\n  - model: anthropic/claude-sonnet-5-5\n    access_key: $KEY\n    base_url: ${provider.url}\n`;
    desk = openDesk({ "gateway.yaml": configurationOn(await freePorts(), entry) });
    const { environment } = desk;
    const programs = join(desk.directory, "programs");
    mkdirSync(programs);
    for (const [name, script] of Object.entries({
      claude: SCRIPTS.claudeCode,
      codex: SCRIPTS.codex,
    })) {
      const line = `exec "${process.execPath}" "${join(agents.directory, script)}" "$@"`;
      writeFileSync(join(programs, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    }
    environment["PATH"] = [programs, environment["PATH"] ?? ""].join(delimiter);
    Object.assign(environment, {
      KEY,
      // Nothing listens there: what an agent wants of other hosts fails at once.
      ...{ HTTP_PROXY: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9" },
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // What the user has set for another gateway.
      ANTHROPIC_API_KEY: "sk-of-the-user",
      CLAUDE_CODE_USE_VERTEX: "1",
    });
  });

  afterEach(async () => {
    await desk.clear();
    await provider.stop();
  });

  const isGone = () =>
    vi.waitFor(
      () => {
        expect(findRunning(desk.environment)).toEqual([]);
      },
      { timeout: 60_000, interval: 50 },
    );

  it("Claude Code works with a chosen model, whatever the user's own settings are", async () => {
    const home = desk.environment["HOME"] ?? "";
    const words = ["run", "--model", "anthropic/claude-sonnet-5-5", "--", "claude"];
    const { code, stdout, stderr } = await desk.run(...words, "-p", "hello from Claude Code");
    expect(stderr).toContain("Started a gateway");
    expect(stdout, stderr).toContain("hello from Claude Code");
    expect(code).toBe(0);
    expect(provider.violations()).toEqual([]);
    const settings = join(home, ".claude/settings.json");
    const own = { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } };
    writeFileSync(settings, JSON.stringify(own));
    expect((await desk.run(...words, "-p", "hello again")).stdout).toContain("hello again");
    expect(JSON.parse(readFileSync(settings, "utf8"))).toEqual(own);
    await isGone();
  });

  it("Claude Code and Codex work without a setting after gateway setup", async () => {
    await desk.run("up", "--detach");
    const { environment } = desk;
    delete environment["ANTHROPIC_API_KEY"];
    delete environment["CLAUDE_CODE_USE_VERTEX"];
    Object.assign(environment, { NO_PROXY: "127.0.0.1", GATEWAY_API_KEY: "any" });
    for (const agent of ["claude", "codex"]) {
      const done = await desk.run("setup", agent, "-y", "-m", "anthropic/claude-sonnet-5-5");
      expect([agent, done.code, done.stderr]).toEqual([agent, 0, ""]);
    }
    const claude = await desk.runInShell('claude -p "hello from Claude Code"');
    expect(claude.stdout, claude.stderr).toContain("hello from Claude Code");
    const codex = await desk.runInShell('codex exec --skip-git-repo-check "hello from Codex"');
    expect(codex.stdout, codex.stderr).toContain("hello from Codex");
    expect(provider.violations()).toEqual([]);
  });

  it("Codex works with a chosen model", async () => {
    const words = ["run", "--model", "anthropic/claude-sonnet-5-5", "--", "codex"];
    const own = ["exec", "--skip-git-repo-check", "hello from Codex"];
    const { code, stdout, stderr } = await desk.run(...words, ...own);
    expect(stdout, stderr).toContain("hello from Codex");
    expect(code).toBe(0);
    expect(provider.violations()).toEqual([]);
    await isGone();
  });
});
