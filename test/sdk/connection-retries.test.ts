// The official SDKs with their default settings, where connections end before a response, as `gateway reload --restart` may end one:
// each sends its request again by itself, and the application sees an answer.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { startBreakingFront } from "./breaking-front.ts";
import { runScenarios, scenariosIn } from "./python.ts";

let all: WithFakes;
beforeAll(async () => {
  all = await startWithFakes();
});
afterAll(() => all.stop());

const messages = [{ role: "user" as const, content: "hello" }];
const openai = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "any-key" });
const anthropic = (url: string) => new Anthropic({ baseURL: url, apiKey: "any-key" });

const NODE: [string, (url: string) => Promise<string>][] = [
  [
    "openai",
    async (url) => {
      const response = await openai(url).chat.completions.create({ model: "fast", messages });
      return response.choices[0]?.message.content ?? "";
    },
  ],
  [
    "openai, a stream",
    async (url) => {
      const stream = await openai(url).chat.completions.create({
        model: "fast",
        messages,
        stream: true,
      });
      let text = "";
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
      return text;
    },
  ],
  [
    "anthropic",
    async (url) => {
      const request = { model: "careful", max_tokens: 100, messages };
      const [block] = (await anthropic(url).messages.create(request)).content;
      return block?.type === "text" ? block.text : "";
    },
  ],
  [
    "anthropic, a stream",
    (url) =>
      anthropic(url).messages.stream({ model: "careful", max_tokens: 100, messages }).finalText(),
  ],
];

it.each(NODE)("a Node SDK retries the connection: %s", async (_, ask) => {
  const front = await startBreakingFront(all.gateway.ports.egress);
  try {
    expect(await ask(front.url)).toBe("You said: hello");
    expect(front.connections).toEqual(["reset", "closed", "served"]);
  } finally {
    front.stop();
  }
});

const PYTHON = "connection_retries.py";

it("Python's openai and anthropic retry the connection, complete and as a stream", async () => {
  const names = scenariosIn(PYTHON);
  const fronts = await Promise.all(names.map(() => startBreakingFront(all.gateway.ports.egress)));
  try {
    const urls = Object.fromEntries(names.map((name, at) => [name, fronts[at]?.url]));
    const results = await runScenarios(PYTHON, { FRONTS: JSON.stringify(urls) });
    expect(Object.fromEntries(results)).toEqual(
      Object.fromEntries(names.map((name) => [name, ""])),
    );
    for (const { connections } of fronts) {
      expect(connections).toEqual(["reset", "closed", "served"]);
    }
  } finally {
    for (const front of fronts) front.stop();
  }
});
