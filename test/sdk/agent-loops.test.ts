// Agent loops of the official SDKs' own tool helpers, over each provider dialect: several turns, parallel calls, thinking.
// The fakes refuse a turn whose thinking, calls or results did not come back as the real providers want them.
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { Agent, OpenAIResponsesModel, run, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import type { RunnableToolFunctionWithParse } from "openai/lib/RunnableFunction";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import type { Answer } from "../providers/behaviour.ts";
import type { FakeProvider } from "../providers/server.ts";

const call = (place: string) => ({ name: "weather", arguments: { place, days: 2 ** 53 - 1 } });
/** Three turns: two calls, a word and two more calls, the end. */
const TURNS: Answer[] = [
  { thinking: ['First é 😀 "two"', "then\nmore"], toolCalls: [call("Paris"), call("Rome")] },
  { thinking: ["One again"], text: "Two more.", toolCalls: [call("Oslo"), call("Bern")] },
  { thinking: ["Enough"], text: "All is sunny." },
];
const ENCRYPTED = TURNS.map((turn) => ({ ...turn, thinking: [{ redacted: "a secret" }] }));
const MIXED = TURNS.map((turn) => ({
  ...turn,
  thinking: ["open", { redacted: "a secret" }, "open again"],
}));
const SILENT = TURNS.map(({ thinking: _, ...turn }) => turn);
const KINDS = [
  ["open", TURNS],
  ["encrypted", ENCRYPTED],
  ["mixed", MIXED],
] as const;
const PLACES = ["Paris", "Rome", "Oslo", "Bern"];
const QUESTION = [{ role: "user" as const, content: "How is the weather?" }];
const SCHEMA = {
  type: "object",
  properties: { place: { type: "string" } },
  required: ["place"],
} as const;

const THINKING = { type: "enabled" as const, budget_tokens: 1024 };

let all: WithFakes;
let asked: string[] = [];
let already = 0;

function script(provider: FakeProvider, turns = TURNS): void {
  already = provider.requests.length;
  provider.next(...turns.map((answer) => ({ kind: "answer" as const, answer })));
}
/** The provider's requests since it has its script. */
function requests(provider: FakeProvider): object[] {
  return provider.requests.slice(already).map(({ json }) => json as object);
}
function weather(place: string): string {
  asked.push(place);
  return `sunny in ${place}`;
}

beforeAll(async () => {
  all = await startWithFakes({ openai: { thinksAloud: "only" } });
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  for (const provider of [all.openai, all.anthropic, all.responses])
    expect(provider.violations()).toEqual([]);
  await all.stop();
});

/** Runs the loop by the Anthropic SDK's tool runner; the last message's text. */
async function anthropicLoop(model: string, isStream: boolean): Promise<string> {
  const client = new Anthropic({ baseURL: all.gateway.url, apiKey: "any-key", maxRetries: 0 });
  const final = await client.beta.messages.toolRunner({
    model,
    // On a server thread only new messages are sent; by default the runner tries, and falls back.
    ...(model === "careful" ? { thread: false as const } : {}),
    max_tokens: 4000,
    messages: QUESTION,
    thinking: THINKING,
    stream: isStream,
    tools: [
      betaTool({
        name: "weather",
        description: "The weather of a place",
        inputSchema: SCHEMA,
        run: ({ place }) => weather(place),
      }),
    ],
  });
  return final.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function openaiClient(): OpenAI {
  return new OpenAI({ baseURL: `${all.gateway.url}/v1`, apiKey: "any-key", maxRetries: 0 });
}

/** A loop that sends each answer back as it came, as agents do that know of reasoning. */
async function ownLoop(isStream: boolean): Promise<string> {
  const client = openaiClient();
  const messages: OpenAI.ChatCompletionMessageParam[] = [...QUESTION];
  const tools = [{ type: "function" as const, function: { name: "weather", parameters: SCHEMA } }];
  for (;;) {
    const request = { model: "careful", messages, tools, max_tokens: 4000, thinking: THINKING };
    const response = isStream
      ? await client.chat.completions.stream(request).finalChatCompletion()
      : await client.chat.completions.create(request);
    const answer = response.choices[0]?.message;
    if (answer?.tool_calls === undefined) return answer?.content ?? "";
    messages.push(answer);
    for (const one of answer.tool_calls) {
      if (one.type !== "function") continue;
      const { place } = JSON.parse(one.function.arguments) as { place: string };
      messages.push({ role: "tool", tool_call_id: one.id, content: weather(place) });
    }
  }
}

/** Runs the loop by OpenAI's `runTools`; the last message's text. */
async function openaiLoop(model: string, isStream: boolean, more: object = {}): Promise<string> {
  const client = openaiClient();
  const tools: RunnableToolFunctionWithParse<{ place: string }>[] = [
    {
      type: "function" as const,
      function: {
        name: "weather",
        description: "The weather of a place",
        parameters: { ...SCHEMA, required: [...SCHEMA.required] },
        parse: (text: string) => JSON.parse(text) as { place: string },
        function: ({ place }: { place: string }) => weather(place),
      },
    },
  ];
  const request = { model, messages: QUESTION, tools, max_tokens: 4000, ...more };
  const runner = isStream
    ? client.chat.completions.runTools({ ...request, stream: true })
    : client.chat.completions.runTools(request);
  return (await runner.finalContent()) ?? "";
}

function textOf(output: OpenAI.Responses.ResponseOutputItem[]): string {
  return output
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .map((part) => (part.type === "output_text" ? part.text : ""))
    .join("");
}

/** A loop that sends each item of the Responses API back as it came, and nothing else of the conversation. */
async function itemLoop(model: string, isStream: boolean): Promise<string> {
  const client = openaiClient();
  const input: OpenAI.Responses.ResponseInput = [...QUESTION];
  const tools = [{ type: "function" as const, name: "weather", parameters: SCHEMA, strict: false }];
  for (;;) {
    const request = {
      ...{ model, input, tools, store: false },
      reasoning: { effort: "low" as const },
      include: ["reasoning.encrypted_content" as const],
    };
    // The stream helper would add members that may not go back.
    const output: OpenAI.Responses.ResponseOutputItem[] = [];
    if (!isStream) output.push(...(await client.responses.create(request)).output);
    else
      for await (const event of await client.responses.create({ ...request, stream: true }))
        if (event.type === "response.output_item.done") output.push(event.item);
    const calls = output.flatMap((item) => (item.type === "function_call" ? [item] : []));
    if (calls.length === 0) return textOf(output);
    input.push(...(output as OpenAI.Responses.ResponseInput));
    for (const { call_id: id, arguments: words } of calls) {
      const { place } = JSON.parse(words) as { place: string };
      input.push({ type: "function_call_output", call_id: id, output: weather(place) });
    }
  }
}

/** Runs the loop by OpenAI's Agents SDK on the Responses API; what the agent says at the end. */
async function agentsLoop(model: string, isStream: boolean): Promise<string> {
  setTracingDisabled(true);
  const agent = new Agent({
    name: "Test",
    instructions: "Help.",
    model: new OpenAIResponsesModel(openaiClient(), model),
    modelSettings: { reasoning: { effort: "low" } },
    tools: [
      tool({
        name: "weather",
        description: "The weather of a place",
        parameters: z.object({ place: z.string() }),
        execute: ({ place }) => weather(place),
      }),
    ],
  });
  const [question] = QUESTION.map(({ content }) => content);
  if (!isStream) return String((await run(agent, question ?? "")).finalOutput);
  const streamed = await run(agent, question ?? "", { stream: true });
  await streamed.completed;
  return String(streamed.finalOutput);
}

describe.each([false, true])("stream: %s", (isStream) => {
  describe.each([
    ["a loop of Responses items", itemLoop],
    ["OpenAI's Agents SDK", agentsLoop],
  ])("%s", (_, loop) => {
    it.each(KINDS)("an agent loop on Anthropic completes, %s thinking", async (_, turns) => {
      script(all.anthropic, turns);
      expect(await loop("careful", isStream)).toBe("All is sunny.");
      expect(asked).toEqual(PLACES);
      // The fake refuses thinking that is not its own; here it has not been left out either.
      const last = JSON.stringify(requests(all.anthropic)[2]);
      expect(last.match(/"type":"(?:redacted_)?thinking"/g)).toHaveLength(
        turns.slice(0, 2).flatMap(({ thinking = [] }) => thinking).length,
      );
    });

    it.each([
      ["reasoning", TURNS],
      ["no reasoning", SILENT],
    ])("an agent loop on OpenAI completes, %s", async (_, turns) => {
      script(all.openai, turns);
      expect(await loop("fast", isStream)).toBe("All is sunny.");
      expect(asked).toEqual(PLACES);
    });

    it.each(KINDS)("an agent loop on Responses completes, %s thinking", async (_, turns) => {
      script(all.responses, turns);
      expect(await loop("deep", isStream)).toBe("All is sunny.");
      expect(asked).toEqual(PLACES);
    });
  });

  it.each(KINDS)(
    "Anthropic's tool runner completes on Anthropic, %s thinking",
    async (_, turns) => {
      script(all.anthropic, turns);
      expect(await anthropicLoop("careful", isStream)).toBe("All is sunny.");
      expect(asked).toEqual(PLACES);
      expect(requests(all.anthropic)).toHaveLength(3);
    },
  );

  it.each([
    ["reasoning", TURNS],
    ["no reasoning", SILENT],
  ])("Anthropic's tool runner completes on OpenAI, %s", async (_, turns) => {
    script(all.openai, turns);
    expect(await anthropicLoop("fast", isStream)).toBe("All is sunny.");
    expect(asked).toEqual(PLACES);
    expect(requests(all.openai)).toHaveLength(3);
  });

  it.each(KINDS)(
    "Anthropic's tool runner completes on Responses, %s thinking",
    async (_, turns) => {
      script(all.responses, turns);
      expect(await anthropicLoop("deep", isStream)).toBe("All is sunny.");
      expect(asked).toEqual(PLACES);
      // The fake refuses reasoning that is not its own; here it has not been left out either.
      const last = JSON.stringify(requests(all.responses)[2]);
      expect(last).toContain('"type":"reasoning"');
    },
  );

  it.each(["fast", "deep"] as const)("OpenAI's runTools completes on OpenAI, %s", async (model) => {
    script(model === "fast" ? all.openai : all.responses);
    expect(await openaiLoop(model, isStream)).toBe("All is sunny.");
    expect(asked).toEqual(PLACES);
  });

  it.each(["thinking", "reasoning_effort"])(
    "OpenAI's runTools on Anthropic, asked for %s",
    async (member) => {
      script(all.anthropic);
      const more = member === "thinking" ? { thinking: THINKING } : { [member]: "low" };
      expect(await openaiLoop("careful", isStream, more)).toBe("All is sunny.");
      expect(asked).toEqual(PLACES);
      // This runner forgets what it does not know of a message, and with a budget no turn may be without its thinking.
      const asks = requests(all.anthropic).map((json) => "thinking" in json);
      expect(asks).toEqual(member === "thinking" ? [true, false, false] : [true, true, true]);
    },
  );

  it.each(KINDS)(
    "a loop that keeps OpenAI's answers, on Anthropic, %s thinking",
    async (_, turns) => {
      script(all.anthropic, turns);
      expect(await ownLoop(isStream)).toBe("All is sunny.");
      expect(asked).toEqual(PLACES);
      const asks = requests(all.anthropic);
      expect(asks).toHaveLength(3);
      for (const json of asks) expect(json).toHaveProperty("thinking", THINKING);
    },
  );
});

it.each([false, true])(
  "reasoning that an OpenAI-compatible provider wants back comes back, stream: %s",
  async (isStream) => {
    const usual = all;
    all = await startWithFakes({
      openai: { thinksAloud: "back" },
      adapt(model) {
        for (const target of model.targets)
          target.limits = { ...target.limits, reasoning_content: true };
      },
    });
    try {
      script(all.openai);
      expect(await anthropicLoop("fast", isStream)).toBe("All is sunny.");
      expect(requests(all.openai)).toHaveLength(3);
    } finally {
      await all.stop();
      all = usual;
    }
  },
);
