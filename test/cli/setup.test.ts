// `gateway setup`: the file of an agent leads to the gateway, and is restored.
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";

const OWN =
  '{\n  // mine\n  "env": { "ANTHROPIC_AUTH_TOKEN": "sk-of-the-user" },\n  "theme": "dark"\n}\n';

let desk: Desk;
let ports: Ports;
let home = "";

beforeEach(async () => {
  ports = await freePorts();
  desk = openDesk({ "gateway.yaml": configurationOn(ports) });
  home = desk.environment["HOME"] ?? "";
});

afterEach(async () => {
  await desk.clear();
});

it("a file is written after the difference is shown, checked with a request, and restored byte for byte", async () => {
  const file = join(home, ".claude/settings.json");
  // Dotfiles are often links into a repository.
  mkdirSync(join(home, ".claude"));
  mkdirSync(join(home, "dotfiles"));
  writeFileSync(join(home, "dotfiles/claude.json"), OWN, { mode: 0o640 });
  symlinkSync(join(home, "dotfiles/claude.json"), file);

  const early = await desk.run("setup", "claude", "--yes");
  expect([early.code, early.stderr.includes("up --detach")]).toEqual([1, true]);
  await desk.run("up", "--detach");
  const unasked = await desk.run("setup", "claude", "--model", "demo/gateway-demo");
  expect(unasked.stderr).toContain("--yes");
  expect(readFileSync(file, "utf8")).toBe(OWN);

  const { code, stdout } = await desk.run("setup", "claude", "-y", "-m", "demo/gateway-demo");
  expect(stdout).toContain(`+    "ANTHROPIC_BASE_URL": "http://127.0.0.1:${String(ports.egress)}"`);
  expect(stdout).not.toContain("sk-of-the-user");
  expect(stdout).toContain("Checked: demo/gateway-demo responds.");
  expect(code).toBe(0);
  const written = readFileSync(file, "utf8");
  expect(written).toContain("// mine");
  expect(written).toContain('"ANTHROPIC_AUTH_TOKEN": "gateway"');
  expect(statSync(join(home, "dotfiles/claude.json")).mode & 0o777).toBe(0o640);

  const again = await desk.run("setup", "claude", "-y", "-m", "demo/gateway-demo");
  expect(again.stdout).toContain("is set up already");
  const undone = await desk.run("setup", "claude", "--undo", "--yes");
  expect(undone.stdout).toContain("Restored");
  expect(undone.stdout).not.toContain("sk-of-the-user");
  expect(readFileSync(file, "utf8")).toBe(OWN);
  expect((await desk.run("setup", "claude", "--undo")).stdout).toContain("was undone");
});

it("a file that was not there is removed, and a model that does not respond is an error", async () => {
  await desk.run("up", "--detach");
  const file = join(home, ".codex/config.toml");
  const { code, stdout, stderr } = await desk.run("setup", "codex", "--yes", "-m", "other/model");
  expect(stdout).toContain("export GATEWAY_API_KEY=");
  expect(stderr).toContain("other/model does not respond: ");
  expect(code).toBe(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain('model = "other/model"');
  await desk.run("setup", "codex", "--undo", "--yes");
  expect(existsSync(file)).toBe(false);
});

it("an agent without a file that can be written is named, with those that have one", async () => {
  const { code, stderr } = await desk.run("setup", "gemini");
  expect(code).toBe(2);
  expect(stderr).toContain("claude, codex, opencode");
});
