// The first minutes without a configuration: what `gateway init` writes, and a start from the environment.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Desk, openDesk } from "./gateway-command.ts";

const KEY = "sk-not-to-be-seen-anywhere";

let desk: Desk;
beforeEach(() => {
  desk = openDesk({ ".env": `ANTHROPIC_API_KEY=${KEY}\n` });
  desk.environment["OPENAI_API_KEY"] = KEY;
});
afterEach(() => desk.clear());

it("init writes a valid file from the environment and .env, and replaces it only with --force", async () => {
  const first = await desk.run("init");
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toContain("OpenAI: openai/* with $OPENAI_API_KEY");
  expect(first.stdout).toContain("Anthropic: anthropic/* with $ANTHROPIC_API_KEY");
  const path = join(desk.directory, "gateway.yaml");
  const text = readFileSync(path, "utf8");
  expect(text).not.toContain(KEY);
  expect((await desk.run("init", "--stdout")).stdout).toBe(text);
  expect(await desk.run("validate")).toMatchObject({ code: 0, stderr: "" });

  writeFileSync(path, "mine\n");
  const again = await desk.run("init");
  expect(again).toMatchObject({ code: 1, stdout: "" });
  expect(again.stderr).toContain("gateway.yaml exists already, and was not changed.");
  expect(readFileSync(path, "utf8")).toBe("mine\n");
  expect((await desk.run("init", "--force")).code).toBe(0);
  expect(readFileSync(path, "utf8")).toBe(text);
});

it("doctor prints what to do, and no key; its exit code reports problems", async () => {
  writeFileSync(
    join(desk.directory, "gateway.yaml"),
    "llm_providers:\n  - {model: openai/gpt-4o, access_key: $OPENAI_API_KEY, base_url: http://127.0.0.1:9/v1}\n",
  );
  const offline = await desk.run("doctor", "--json");
  const report = JSON.parse(offline.stdout) as { online: boolean; findings: { level: string }[] };
  expect(report.online).toBe(false);
  const hasProblem = report.findings.some(({ level }) => level === "problem");
  expect(offline.code).toBe(hasProblem ? 1 : 0);
  const online = await desk.run("doctor", "--online");
  expect(online.code).toBe(1);
  expect(online.stdout).toContain("cannot connect to openai (127.0.0.1:9) (ECONNREFUSED)");
  expect(online.stdout).toContain("→ check the network, and that a server listens at 127.0.0.1:9");
  expect(online.stdout + online.stderr + offline.stdout).not.toContain(KEY);
  writeFileSync(join(desk.directory, "gateway.yaml"), "llm_providers: []\n");
  expect((await desk.run("doctor")).code).toBe(2);
});

it("import prints or writes a valid configuration, and replaces no file", async () => {
  const model =
    "{model_name: m, litellm_params: {model: openai/gpt-4o, api_key: sk-pasted-0123456789}}";
  writeFileSync(join(desk.directory, "litellm.yaml"), `model_list: [${model}]\ncache: true\n`);
  const printed = await desk.run("import", "litellm", "litellm.yaml");
  expect(printed.code).toBe(0);
  expect(printed.stdout).toContain("access_key: $OPENAI_API_KEY");
  expect(printed.stderr).toContain("1 part has no equivalent");
  const words = ["import", "litellm", "litellm.yaml", "-o", "gateway.yaml"];
  expect(await desk.run(...words)).toMatchObject({ code: 0, stdout: "" });
  expect(readFileSync(join(desk.directory, "gateway.yaml"), "utf8")).toBe(printed.stdout);
  expect(await desk.run("validate")).toMatchObject({ code: 0, stderr: "" });
  expect((await desk.run(...words)).stderr).toContain("gateway.yaml exists already");
  expect((await desk.run("import", "plano", "litellm.yaml")).code).toBe(2);
  expect((await desk.run("import", "other", "litellm.yaml")).code).toBe(1);
  expect(printed.stdout + printed.stderr).not.toContain("pasted");
});

it("gateway init without a file offers the providers with keys, and prints which", async () => {
  const { code, stdout, stderr } = await desk.run("models");
  expect(code).toBe(0);
  expect(stderr).toContain("$OPENAI_API_KEY: OpenAI, every model, such as openai/");
  expect(stderr).toContain("$ANTHROPIC_API_KEY: Anthropic, every model, such as anthropic/");
  expect(stderr).toContain("gateway init writes this configuration to a file.");
  expect(stdout).toMatch(/^openai\/\* /m);
  expect(stdout).toMatch(/^anthropic\/\* /m);
  expect(stdout).toMatch(/^demo\/gateway-demo /m);
  expect(stdout + stderr).not.toContain(KEY);
});
