// The official Node SDKs see one clean stream when the first provider fails, and never the failure. They do not try again.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RETRY } from "../envoy/models.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import type { Behaviour } from "../providers/behaviour.ts";

const FAILURES: [string, Behaviour][] = [
  ["an error status", { kind: "error", status: 529 }],
  ["a connection that breaks", { kind: "reset" }],
  ["an error before the first token", { kind: "errorEvent", afterEvents: 1 }],
  ["a connection that breaks before the first token", { kind: "reset", afterEvents: 1 }],
];

let all: WithFakes;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  all = await startWithFakes({
    adapt(model) {
      const chat = model.targets.findIndex(({ name }) => name === "openai/gpt-4o");
      const messages = model.targets.findIndex(({ name }) => name === "anthropic/claude-test");
      model.targetSets = [
        { name: "chat-first", targets: [chat, messages], retry: RETRY },
        { name: "messages-first", targets: [messages, chat], retry: RETRY },
      ];
    },
  });
  const options = { apiKey: "any-key", maxRetries: 0 };
  openai = new OpenAI({ ...options, baseURL: `${all.gateway.url}/v1` });
  anthropic = new Anthropic({ ...options, baseURL: all.gateway.url });
});
afterAll(async () => {
  expect([...all.openai.violations(), ...all.anthropic.violations()]).toEqual([]);
  await all.stop();
});

const MODELS = [
  { model: "chat-first", answers: /^claude-test/ },
  { model: "messages-first", answers: /^gpt-4o/ },
];

describe.each(MODELS)("$model", ({ model, answers }) => {
  const failNext = (behaviour: Behaviour): void => {
    (model === "chat-first" ? all.openai : all.anthropic).next(behaviour);
  };

  it.each(FAILURES)("OpenAI's SDK reads the fallback's response: %s", async (_, behaviour) => {
    failNext(behaviour);
    let text = "";
    const models = new Set<string>();
    const finished: (string | null | undefined)[] = [];
    const stream = await openai.chat.completions.create({
      model,
      messages: [{ role: "user", content: "hello é 😀" }],
      stream: true,
    });
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      models.add(chunk.model);
      const reason = chunk.choices[0]?.finish_reason;
      if (reason !== null && reason !== undefined) finished.push(reason);
    }
    expect(text).toBe("You said: hello é 😀");
    expect(finished).toEqual(["stop"]);
    expect([...models]).toEqual([expect.stringMatching(answers)]);
  });

  it.each(FAILURES)("Anthropic's SDK reads the fallback's response: %s", async (_, behaviour) => {
    failNext(behaviour);
    const message = await anthropic.messages
      .stream({ model, max_tokens: 100, messages: [{ role: "user", content: "hello é 😀" }] })
      .finalMessage();
    expect(message.content).toMatchObject([{ type: "text", text: "You said: hello é 😀" }]);
    expect(message.stop_reason).toBe("end_turn");
    expect(message.model).toMatch(answers);
  });
});
