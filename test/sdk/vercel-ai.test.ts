// The Vercel `ai` SDK across dialects: its OpenAI provider on Anthropic, its Anthropic provider on OpenAI.
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
  expect([...all.openai.violations(), ...all.anthropic.violations()]).toEqual([]);
  await all.stop();
});

const MODELS = {
  "OpenAI's on Anthropic": () =>
    createOpenAI({ baseURL: `${all.gateway.url}/v1`, apiKey: "any-key" }).chat("careful"),
  "Anthropic's on OpenAI": () =>
    createAnthropic({ baseURL: `${all.gateway.url}/v1`, apiKey: "any-key" })("fast"),
};

describe.each(Object.entries(MODELS))("%s", (_, model) => {
  it("generates text", async () => {
    const { text, usage, finishReason } = await generateText({
      model: model(),
      prompt: "hello é 😀",
      maxRetries: 0,
    });
    expect(text).toBe("You said: hello é 😀");
    expect(finishReason).toBe("stop");
    expect(usage.outputTokens).toBeGreaterThan(0);
  });

  it("streams text", async () => {
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

  it("calls tools in parallel and continues", async () => {
    const asked: string[] = [];
    const { text } = await generateText({
      model: model(),
      prompt: 'call weather({"place":"Paris"}) call weather({"place":"Rome"})',
      maxRetries: 0,
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
