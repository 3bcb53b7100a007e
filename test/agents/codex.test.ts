// Codex through the gateway on a provider of each dialect: shell commands, patches and code mode, and conversations that go on.
// It takes tools and the form of its requests from the name of the model: gpt-5.5 has functions and a custom tool for patches,
// gpt-6.1-sol only a custom tool for code, in a namespace, and no `tools` and `instructions` at all.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { AGENT_MODELS } from "../../control-plane/config/starter/agent-models.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { startCodex } from "./agent.ts";
import type { Agent } from "./agent.ts";

const agents = inject("agents");
const canTest = inject("canTestAgents");

const PROVIDERS = [
  { dialect: "chat completions", provider: "openai", suffix: "chat" },
  { dialect: "messages", provider: "anthropic", suffix: "messages" },
  { dialect: "responses", provider: "responses", suffix: "responses" },
] as const;
/** Also the model that Codex asks for by default, and the one of docs/responses-api.md. */
const ALIASES = `
${AGENT_MODELS.flatMap(({ models }) => models)
  .map((name) => `  ${name}: {target: openai/gpt-4o}`)
  .join("\n")}
  claude-sonnet-4-5: {target: anthropic/claude-test}
  gpt-5.5-chat: {target: openai/gpt-4o}
  gpt-6.1-sol-chat: {target: openai/gpt-4o}
  gpt-5.5-messages: {target: anthropic/claude-test}
  gpt-6.1-sol-messages: {target: anthropic/claude-test}
  gpt-5.5-responses: {target: responses-only/gpt-5.1}
  gpt-6.1-sol-responses: {target: responses-only/gpt-5.1}
`;

let all: WithFakes;
beforeAll(async () => {
  all = await startWithFakes({ timeoutMs: 60_000, aliases: ALIASES });
});
afterAll(async () => {
  for (const { provider } of PROVIDERS) expect(all[provider].violations()).toEqual([]);
  await all.stop();
});

const PATCH = '*** Begin Patch\n*** Add File: made.txt\n+a "quoted" \\ back é 😀\n*** End Patch\n';
const CODE =
  'const r = await tools.exec_command({cmd: "echo made-$((40+2)) | tee made.txt"} ); text(r.output);';

/** What the provider shall call, with the model that has the tool, and what Codex makes of it. */
const CASES = [
  {
    tool: "a shell command",
    model: "gpt-5.5",
    prompt: `call exec_command(${JSON.stringify({ cmd: "echo made-$((40+2)) | tee made.txt" })})`,
    answer: /^The tools said: [^]*made-42\n$/,
    made: "made-42\n",
  },
  {
    tool: "two commands at once",
    model: "gpt-5.5",
    prompt: ["echo made-$((40+2)) | tee made.txt", "echo second-$((1+1))"]
      .map((cmd) => `call exec_command(${JSON.stringify({ cmd })})`)
      .join(" and "),
    answer: /^The tools said: [^]*made-42\n; [^]*second-2\n$/,
    made: "made-42\n",
  },
  {
    tool: "a patch",
    model: "gpt-5.5",
    prompt: `call apply_patch(${JSON.stringify({ input: PATCH })})`,
    answer: /^The tools said: [^]*A made.txt\n$/,
    made: 'a "quoted" \\ back é 😀\n',
  },
  {
    tool: "code",
    model: "gpt-6.1-sol",
    prompt: `call exec(${JSON.stringify({ input: CODE })})`,
    answer: /^The tools said: [^]*made-42\n$/,
    made: "made-42\n",
  },
  {
    // Its name is flat for a provider without namespaces, and must not be flat for Codex.
    tool: "a tool of a namespace",
    model: "gpt-6.1-sol",
    prompt: ["clock__sleep", "sleep"].map((name) => `call ${name}({"duration_ms":1})`).join(" "),
    answer: /^The tools said: [^]*Sleep completed\.$/,
  },
];

function start(model: string, isBuiltIn = false): Agent {
  if ("missing" in agents) throw new Error(agents.missing);
  const { directory } = agents;
  return startCodex({ directory, gatewayUrl: all.gateway.url, model, isBuiltIn });
}

describe.runIf(canTest).concurrent.each(PROVIDERS)("on $dialect", ({ provider, suffix }) => {
  it.each(CASES)("Codex runs $tool, sends back the output, and continues", async (one) => {
    const prompt = `${one.prompt} (${one.tool})`;
    const codex = start(`${one.model}-${suffix}`);
    try {
      expect(await codex.ask(prompt)).toMatch(one.answer);
      if (one.made !== undefined) expect(codex.read("made.txt")).toBe(one.made);
      expect(await codex.ask("Thank you é 😀")).toBe("You said: Thank you é 😀");
    } finally {
      codex.remove();
    }
    expect(all.gateway.log("llm").filter(({ code }) => code !== 200)).toEqual([]);
    const mark = `(${one.tool})`;
    expect(all[provider].requests.filter(({ body }) => body.includes(mark))).toHaveLength(3);
  });
});

describe.runIf(canTest)("Codex", () => {
  it("Codex works with the lines of docs/responses-api.md", async () => {
    if ("missing" in agents) throw new Error(agents.missing);
    const page = join(import.meta.dirname, "../../docs/responses-api.md");
    const text = readFileSync(page, "utf8");
    const [, indent = "", lines = ""] = /^( *)```toml\n([^]*?)^ *```$/m.exec(text) ?? [];
    const documented = lines.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    expect(documented).toContain("http://localhost:12000");
    const { directory } = agents;
    const codex = startCodex({ directory, gatewayUrl: all.gateway.url, documented });
    try {
      expect(await codex.ask("hello")).toMatch(/^You said: [^]*hello$/);
    } finally {
      codex.remove();
    }
  });

  it("Codex falls back to HTTP where OpenAI itself would open a websocket", async () => {
    const codex = start("gpt-5.5-chat", true);
    try {
      expect(await codex.ask("hello")).toBe("You said: hello");
    } finally {
      codex.remove();
    }
  });

  // Codex reads the code of a failed response only: an HTTP status would not start its compaction.
  it.each([
    ["chat completions", "openai", "gpt-5.5-chat", { code: "context_length_exceeded" }],
    ["messages", "anthropic", "gpt-5.5-messages", { message: "prompt is too long: 9 tokens > 8" }],
  ] as const)(
    "Codex learns that the context is too long, on %s",
    async (_, provider, model, error) => {
      all[provider].next({ kind: "error", status: 400, ...error });
      const codex = start(model);
      try {
        await expect(codex.ask("hello")).rejects.toThrow("ran out of room in the model's context");
      } finally {
        codex.remove();
      }
    },
  );
});
