// Calls of the gateway's own model server to language models: without the system prompts that are for clients.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask, askAsModelServer } from "./ask.ts";

const PERSONA = "You work for the bank. Answer briefly, as JSON.";
const INSTRUCTIONS = "You choose which of the given functions the message asks for.";
let all: WithFakes;

beforeAll(async () => {
  all = await startWithFakes({
    config: `
system_prompt: ${PERSONA}
listeners: {egress: {api_keys: [$EGRESS_KEY]}}
prompt_guards: {input_guards: {jailbreak: {on_exception: {message: No.}}}}
`,
    environment: { EGRESS_KEY: "egress-0123456789abcdef0123456789abcdef" },
    adapt(model) {
      // As if each entry had one too.
      for (const target of model.targets) target.systemPrompt = `${PERSONA}\n\nFor this model.`;
    },
  });
});
afterAll(() => all.stop());

it.each([
  ["fast", "openai"],
  ["careful", "anthropic"],
] as const)("the instructions of an extraction stand alone: %s", async (model, provider) => {
  const before = all[provider].requests.length;
  const messages = [
    { role: "system", content: INSTRUCTIONS },
    { role: "user", content: "hi" },
  ];
  const { status, body } = await askAsModelServer(all.gateway, model, messages);
  expect(status, body).toBe(200);
  const sent = all[provider].requests[before]?.body ?? "";
  expect(sent).toContain(INSTRUCTIONS);
  expect(sent).not.toContain("You work for the bank");
});

it("a client's request has the configured system text", async () => {
  const before = all.openai.requests.length;
  const headers = { authorization: "Bearer egress-0123456789abcdef0123456789abcdef" };
  expect((await ask(all.gateway, "chat", { headers })).status).toBe(200);
  expect(all.openai.requests[before]?.body).toContain("You work for the bank");
});
