// The Vercel `ai` SDK across dialects: its OpenAI provider with both of its APIs, and its Anthropic provider.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, streamText, tool } from "ai";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";

let all: WithFakes;
beforeAll(async () => {
  // It warns that it does not know the model's name.
  vi.stubGlobal("AI_SDK_LOG_WARNINGS", false);
  all = await startWithFakes();
});
afterAll(async () => {
  vi.unstubAllGlobals();
  for (const { provider } of MODELS) expect(all[provider].violations()).toEqual([]);
  await all.stop();
});

const options = () => ({ baseURL: `${all.gateway.url}/v1`, apiKey: "any-key" });
/** Sends items whole: a translated model keeps none. */
const WHOLE = { openai: { store: false } };
const MODELS = [
  {
    name: "OpenAI's chat on Anthropic",
    provider: "anthropic",
    model: () => createOpenAI(options()).chat("careful"),
  },
  // Responses is its default: unless WHOLE, it keeps items at the provider, and refers to them from the second step on.
  {
    name: "OpenAI's Responses on Anthropic",
    provider: "anthropic",
    model: () => createOpenAI(options())("careful"),
  },
  {
    name: "OpenAI's Responses on chat completions",
    provider: "openai",
    model: () => createOpenAI(options())("fast"),
  },
  {
    name: "OpenAI's Responses on Responses",
    provider: "responses",
    model: () => createOpenAI(options())("deep"),
  },
  {
    name: "Anthropic's on OpenAI",
    provider: "openai",
    model: () => createAnthropic(options())("fast"),
  },
  {
    name: "OpenAI's chat on Responses",
    provider: "responses",
    model: () => createOpenAI(options()).chat("deep"),
  },
  {
    name: "Anthropic's on Responses",
    provider: "responses",
    model: () => createAnthropic(options())("deep"),
  },
] as const;

describe.each(MODELS)("$name", ({ provider, model }) => {
  it("the Vercel AI SDK generates text", async () => {
    const { text, usage, finishReason } = await generateText({
      model: model(),
      prompt: "hello é 😀",
      maxRetries: 0,
    });
    expect(text).toBe("You said: hello é 😀");
    expect(finishReason).toBe("stop");
    expect(usage.outputTokens).toBeGreaterThan(0);
  });

  it("the Vercel AI SDK streams text", async () => {
    const { textStream, finishReason } = streamText({
      model: model(),
      prompt: "hello é 😀",
      maxRetries: 0,
    });
    const parts: string[] = [];
    for await (const part of textStream) parts.push(part);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join("")).toBe("You said: hello é 😀");
    expect(await finishReason).toBe("stop");
  });

  it("the Vercel AI SDK runs a tool loop of three steps", async () => {
    const call = (place: string) => ({ name: "weather", arguments: { place } });
    all[provider].next(
      { kind: "answer", answer: { text: "First.", toolCalls: [call("Paris"), call("Rome")] } },
      { kind: "answer", answer: { text: "Then.", toolCalls: [call("Oslo")] } },
      { kind: "answer", answer: { text: "All is sunny." } },
    );
    const { text, steps } = await generateText({
      model: model(),
      prompt: "How is the weather?",
      maxRetries: 0,
      providerOptions: WHOLE,
      stopWhen: isStepCount(5),
      tools: {
        weather: tool({
          description: "The weather of a place",
          inputSchema: z.object({ place: z.string() }),
          execute: ({ place }) => Promise.resolve(`sunny in ${place}`),
        }),
      },
    });
    expect(text).toBe("All is sunny.");
    expect(steps.map(({ toolResults }) => toolResults.map(({ output }) => output))).toEqual([
      ["sunny in Paris", "sunny in Rome"],
      ["sunny in Oslo"],
      [],
    ]);
  });

  it("the Vercel AI SDK calls tools in parallel and continues", async () => {
    const asked: string[] = [];
    const { text } = await generateText({
      model: model(),
      prompt: 'call weather({"place":"Paris"}) call weather({"place":"Rome"})',
      maxRetries: 0,
      providerOptions: WHOLE,
      stopWhen: isStepCount(3),
      tools: {
        weather: tool({
          description: "The weather of a place",
          inputSchema: z.object({ place: z.string() }),
          execute: ({ place }) => {
            asked.push(place);
            return Promise.resolve(`sunny in ${place}`);
          },
        }),
      },
    });
    expect(asked).toEqual(["Paris", "Rome"]);
    expect(text).toBe("The tools said: sunny in Paris; sunny in Rome");
  });
});

it("a tool loop that refers to stored items is rejected by a translated model, with what to set", async () => {
  const call = { name: "weather", arguments: { place: "Paris" } };
  all.anthropic.next({ kind: "answer", answer: { text: "First.", toolCalls: [call] } });
  const looping = generateText({
    model: createOpenAI(options())("careful"),
    prompt: "How is the weather?",
    maxRetries: 0,
    stopWhen: isStepCount(2),
    tools: {
      weather: tool({
        inputSchema: z.object({ place: z.string() }),
        execute: () => Promise.resolve("sunny"),
      }),
    },
  });
  await expect(looping).rejects.toThrow("providerOptions.openai.store to false");
});
