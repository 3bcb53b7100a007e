// Parameters by a language model through the gateway's egress listener: the real model server, a real Envoy, and a fake
// provider whose tool calls are as good and as bad as those of real ones.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { LogLine } from "../../gateway/log-line.ts";
import type { WithFakes } from "../../gateway/with-fakes.ts";
import type { Answer } from "../../providers/behaviour.ts";
import { WEATHER_TARGET } from "./fakes.ts";
import type { FakeApi } from "./fakes.ts";
import { startWithModelServer } from "./with-model-server.ts";

const configuration = (apiPort: number): string => `
prompt_targets:
  - name: find_recipe
    description: Find a recipe with an ingredient
    examples: [Find me a recipe with rice, What can I cook with chicken?, A recipe with tomatoes please]
    parameters:
      - {name: ingredient, description: what it is cooked with, required: true}
      - {name: cuisine, description: style of cooking}
    endpoint: {name: api, path: /recipes}
    auto_llm_dispatch_on_response: false
  - name: book_table
    description: Book a table in the restaurant
    examples: [Book a table for two, I want to reserve a table, Reserve a table for 4 people]
    parameters:
      - {name: guests, description: number of guests, type: int, required: true}
      - {name: occasion, description: what is celebrated, required: true}
    endpoint: {name: api, path: /tables, http_method: POST}
    auto_llm_dispatch_on_response: false
  - name: track_parcel
    description: Track a parcel
    examples: [Track a parcel, Where is my parcel?, Has my parcel arrived?]
    parameters:
      - {name: parcel, description: number of the parcel, required: true}
    endpoint: {name: api, path: /parcels}
    system_prompt: You are Pat of the post office.
    questions: model
    auto_llm_dispatch_on_response: false
${WEATHER_TARGET}
endpoints:
  api: {endpoint: "127.0.0.1:${apiPort}"}
`;

let all: WithFakes;
let api: FakeApi;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ all, api, stop } = await startWithModelServer(configuration));
});
afterAll(() => stop());

beforeEach(() => {
  expect(all.openai.violations()).toEqual([]);
});

interface Turn {
  role: "user" | "assistant";
  content: string;
}

interface Completion {
  choices: { message: { content: string } }[];
  metadata?: { prompt_target: { name: string; arguments: Record<string, unknown> } };
}

interface Chunk {
  choices: { delta: { content?: string } }[];
}

/** Sends a prompt; `answers` are what the language model returns for the extraction and for the calls after it. */
async function say(prompt: string | Turn[], answers: Answer[] = [], stream = false) {
  all.openai.next(...answers.map((answer) => ({ kind: "answer", answer }) as const));
  const id = randomUUID();
  const messages = typeof prompt === "string" ? [{ role: "user", content: prompt }] : prompt;
  const response = await fetch(
    `http://127.0.0.1:${all.gateway.ports.ingress}/v1/chat/completions`,
    {
      method: "POST",
      headers: { "content-type": "application/json", "x-request-id": id },
      body: JSON.stringify({ model: "none", messages, stream }),
    },
  );
  expect(response.status).toBe(200);
  const body = await response.text();
  const asked = all.openai.requests.filter(({ headers }) => headers["x-request-id"] === id);
  return {
    id,
    text: stream ? streamed(body) : (JSON.parse(body) as Completion).choices[0]?.message.content,
    metadata: stream ? undefined : (JSON.parse(body) as Completion).metadata?.prompt_target,
    asked,
    called: api.of(id),
  };
}

function streamed(body: string): string {
  const data = [...body.matchAll(/^data: (\{.*\})$/gm)].map(
    ([, one = ""]) => JSON.parse(one) as Chunk,
  );
  return data.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
}

const calls = (name: string, values: object): Answer => ({
  toolCalls: [{ name, arguments: values }],
});

async function linesOf(log: "llm" | "internal" | "ingress", id: string, count: number) {
  return all.gateway.waitForLog(log, ({ requestId }) => requestId === id, count);
}

const pathsOf = (lines: LogLine[]): string[] => lines.map(({ path }) => path);
/** The extractor reads the last turn, and a language model the conversation. */
const RECIPE: Turn[] = [
  { role: "user", content: "I have chickpeas at home." },
  { role: "assistant", content: "Nice." },
  { role: "user", content: "Find me a recipe please" },
];
const MISSING_INGREDIENT = /^I still need to know what it is cooked with\.$/;

describe.each([false, true])("stream: %s", (stream) => {
  it("extraction: its tool call decides, and every log has the request's id", async () => {
    const { id, text, asked, called } = await say(
      RECIPE,
      [calls("find_recipe", { ingredient: "chickpeas" })],
      stream,
    );
    expect(JSON.parse(text ?? "")).toMatchObject({ path: "/recipes?ingredient=chickpeas" });
    expect(pathsOf(await linesOf("internal", id, 5))).toEqual([
      "/embeddings",
      "/zeroshot",
      "/v1/chat/completions",
      "/hallucination",
      "/recipes?ingredient=chickpeas",
    ]);
    const llm = await linesOf("llm", id, 1);
    expect(llm).toHaveLength(1);
    expect(llm[0]).toMatchObject({ path: "/v1/chat/completions", code: 200 });
    // The client's request, and the model server's on egress.
    const ports = (await linesOf("ingress", id, 2)).map(({ authority }) => authority).sort();
    const { ingress, egress } = all.gateway.ports;
    expect(ports).toEqual([`127.0.0.1:${ingress}`, `127.0.0.1:${egress}`].sort());
    expect(called).toHaveLength(1);
    const request = asked[0]?.json as { tools: object[]; messages: Turn[] };
    expect(request).toMatchObject({ temperature: 0, tool_choice: "auto", model: "gpt-4o" });
    expect(request.messages.slice(-RECIPE.length)).toEqual(RECIPE);
    expect(asked[0]?.headers["authorization"]).toBe(`Bearer ${all.keys.openai}`);
  });

  it("clarification: its text is the question, and the next turn completes it", async () => {
    const question = "What do you have at home?";
    const first = await say("Find me a recipe please", [{ text: question }], stream);
    expect(first.text).toBe(question);
    expect(first.called).toEqual([]);
    const turns: Turn[] = [
      { role: "user", content: "Find me a recipe please" },
      { role: "assistant", content: question },
      { role: "user", content: "chickpeas" },
    ];
    const second = await say(turns, [], stream);
    expect(JSON.parse(second.text ?? "")).toMatchObject({ path: "/recipes?ingredient=chickpeas" });
  });
});

describe.each([false, true])("a target with questions: model, stream: %s", (stream) => {
  const PROMPT = "Please track a parcel";
  const QUESTION = "Which number is on the parcel, my dear?";
  const systemOf = ({ asked }: Awaited<ReturnType<typeof say>>, index: number) =>
    (asked[index]?.json as { messages: { content: string }[] }).messages[0]?.content;

  it("a missing value is requested by the language model under the system prompt", async () => {
    const said = await say(PROMPT, [calls("track_parcel", {}), { text: QUESTION }], stream);
    expect(said.text).toBe(QUESTION);
    expect(said.asked).toHaveLength(2);
    expect(systemOf(said, 1)).toMatch(/^You are Pat of the post office\.\n\n/);
    expect(systemOf(said, 1)).toContain("- the number of the parcel");
    const turns: Turn[] = [
      { role: "user", content: PROMPT },
      { role: "assistant", content: QUESTION },
      { role: "user", content: "7781" },
    ];
    const second = await say(turns, [], stream);
    expect(JSON.parse(second.text ?? "")).toMatchObject({ path: "/parcels?parcel=7781" });
  });

  it("a missing value is requested in the extraction's question under the same system prompt", async () => {
    const said = await say(PROMPT, [{ text: QUESTION }], stream);
    expect([said.text, said.asked.length]).toEqual([QUESTION, 1]);
    expect(systemOf(said, 0)).toContain("You are Pat of the post office.");
  });

  it("a missing value is requested by the template if the language model returns no question", async () => {
    const { text } = await say(PROMPT, [calls("track_parcel", {}), { text: "Hm." }], stream);
    expect(text).toBe("I still need the number of the parcel.");
  });
});

describe("what it returns is checked", () => {
  it.each<[string, Answer]>([
    ["a refusal", { text: "I cannot help with that.", stop: "refusal" }],
    ["an answer of its own", { text: "Chickpeas go well with spinach." }],
    ["nothing", {}],
    ["an unknown tool", calls("delete_everything", { ingredient: "chickpeas" })],
    ["an ungrounded value", calls("find_recipe", { ingredient: "lobster" })],
    ["a value of a wrong type", calls("find_recipe", { ingredient: { all: true } })],
    ["no value", calls("find_recipe", {})],
    ["arguments that are a list", calls("find_recipe", ["chickpeas"])],
  ])("%s: the user is asked, and no API is called", async (_, answer) => {
    const { text, called, asked } = await say(RECIPE, [answer]);
    expect(text).toMatch(MISSING_INGREDIENT);
    expect(called).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it("invented parameters and optional values that the prompt does not contain are not sent", async () => {
    const values = {
      ingredient: "chickpeas",
      cuisine: "french",
      admin: true,
      host: "evil.example",
    };
    const { called, metadata } = await say(RECIPE, [calls("find_recipe", values)]);
    expect(called.map(({ path }) => path)).toEqual(["/recipes?ingredient=chickpeas"]);
    expect(metadata?.arguments).toEqual({ ingredient: "chickpeas" });
  });

  it("a number in words becomes a number; one that is none is asked for", async () => {
    const prompt: Turn[] = [
      { role: "user", content: "It is our anniversary, we are four." },
      { role: "assistant", content: "Congratulations!" },
      { role: "user", content: "Reserve a table please" },
    ];
    const values = { guests: "four", occasion: "anniversary" };
    const { called } = await say(prompt, [calls("book_table", values)]);
    expect(JSON.parse(called[0]?.body ?? "")).toEqual({ guests: 4, occasion: "anniversary" });
    const asked = await say(prompt, [calls("book_table", { ...values, guests: "a few" })]);
    expect(asked.text).toBe("I still need the number of guests.");
  });

  it("the first of several calls in one response is used", async () => {
    const both = [
      { name: "find_recipe", arguments: { ingredient: "chickpeas" } },
      { name: "book_table", arguments: { guests: 4 } },
    ];
    const { called } = await say(RECIPE, [{ toolCalls: both }]);
    expect(called.map(({ path }) => path)).toEqual(["/recipes?ingredient=chickpeas"]);
  });
});

describe("when it is asked", () => {
  it("target and values are certain: it is not", async () => {
    const { id, asked, called } = await say("What will the weather be like in Lisbon?");
    expect(called.map(({ path }) => path)).toEqual(["/weather/Lisbon"]);
    expect(asked).toEqual([]);
    await linesOf("ingress", id, 1);
    expect(all.gateway.log("llm").filter(({ requestId }) => requestId === id)).toEqual([]);
  });

  it("the language model chooses between the thresholds; when it declines, the embedded path does alone", async () => {
    const unlikely = "What is the climate of Rome?";
    const chosen = await say(unlikely, [calls("weather_forecast", { city: "Rome" })]);
    expect(chosen.called.map(({ path }) => path)).toEqual(["/weather/Rome"]);
    const declined = await say(unlikely, [{ text: "NONE" }, { text: "Mild." }]);
    expect(declined.called).toEqual([]);
    expect(declined.asked).toHaveLength(2);
    expect(declined.text).toBe("Mild.");
    const likely = await say("Should I take a jacket when I go to Rome?", [{ text: "NONE" }]);
    expect(likely.called.map(({ path }) => path)).toEqual(["/weather/Rome"]);
    expect(likely.asked).toHaveLength(1);
  });

  it("two targets in one prompt: the best one is called, once", async () => {
    const prompt = "Could you tell me the weather in Lisbon? And what is a good recipe with rice?";
    const { called, asked } = await say(prompt);
    expect(called.map(({ path }) => path)).toEqual(["/weather/Lisbon"]);
    expect(asked).toEqual([]);
  });

  it("the language model is not called for a prompt far from every target, which passes unchanged", async () => {
    const { asked, called } = await say("Who wrote Faust?");
    expect(asked.map(({ json }) => json)).toEqual([
      expect.objectContaining({ messages: [{ role: "user", content: "Who wrote Faust?" }] }),
    ]);
    expect(called).toEqual([]);
  });

  it.each(["error", "reset", "hang"] as const)(
    "the embedded path writes the question when the language model fails (%s)",
    async (kind) => {
      all.openai.next(kind === "error" ? { kind, status: 500 } : { kind });
      const { text, called } = await say(RECIPE);
      expect(text).toMatch(MISSING_INGREDIENT);
      expect(called).toEqual([]);
    },
  );
});
