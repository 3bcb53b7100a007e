// Codex through the gateway on a provider of each dialect: shell commands, patches and code mode, and conversations that go on.
// It takes tools and the form of its requests from the name of the model: gpt-5.5 has functions and a custom tool for patches,
// gpt-6.1-sol only a custom tool for code, in a namespace, and no `tools` and `instructions` at all.
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { startCodex } from "./agent.ts";

const agents = inject("agents");
const canTest = inject("canTestAgents");

const PROVIDERS = [
  { dialect: "chat completions", provider: "openai", suffix: "chat" },
  { dialect: "messages", provider: "anthropic", suffix: "messages" },
  { dialect: "responses", provider: "responses", suffix: "responses" },
] as const;
const ALIASES = `
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
  expect(all.gateway.log("llm").filter(({ code }) => code !== 200)).toEqual([]);
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
];

describe.runIf(canTest).concurrent.each(PROVIDERS)("on $dialect", ({ provider, suffix }) => {
  it.each(CASES)("runs $tool, sends back the output, and continues", async (one) => {
    if ("missing" in agents) throw new Error(agents.missing);
    const prompt = `${one.prompt} (${one.tool})`;
    const codex = startCodex({
      directory: agents.directory,
      gatewayUrl: all.gateway.url,
      model: `${one.model}-${suffix}`,
    });
    try {
      expect(await codex.ask(prompt)).toMatch(one.answer);
      expect(codex.read("made.txt")).toBe(one.made);
      expect(await codex.ask("Thank you é 😀")).toBe("You said: Thank you é 😀");
    } finally {
      codex.remove();
    }
    const mark = `(${one.tool})`;
    expect(all[provider].requests.filter(({ body }) => body.includes(mark))).toHaveLength(3);
  });
});
