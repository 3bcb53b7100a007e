// Coercion of values, and parameters with a language model: what it may say, and what becomes of it. Without one: model-server-embedded.test.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { questionFor } from "../../../../../control-plane/model-server/question.ts";
import { coerce } from "../../../../../control-plane/model-server/extraction/coerce.ts";
import type { Parameter } from "../../../../../control-plane/model-server/extraction/parameter.ts";
import {
  conversation,
  extraction,
  type FakeModel,
  type Running,
  startLanguageModel,
  startServer,
} from "../running.ts";
import { TARGETS } from "../targets.ts";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

function parameter(name: string, more: Partial<Parameter> = {}): Parameter {
  return { name, description: "", required: true, type: "string", ...more };
}
const integer = { type: "integer" } as const;

describe("coercion", () => {
  it.each<[Partial<Parameter>, unknown, unknown]>([
    [integer, "42", 42],
    [integer, 4.2, undefined],
    [integer, "forty-two-ish", undefined],
    [integer, 2 ** 60, undefined],
    [{ type: "number" }, "1,250.5", 1250.5],
    [{ type: "number" }, "NaN", undefined],
    [{ type: "boolean" }, "yes", true],
    [{ type: "boolean" }, "perhaps", undefined],
    [{}, 42, "42"],
    [{}, " a ", "a"],
    [{}, "  ", undefined],
    [{}, { a: 1 }, undefined],
    [{}, "x".repeat(5000), undefined],
    [{ type: "array" }, `["a"]`, ["a"]],
    [{ type: "array" }, { a: 1 }, undefined],
    [{ type: "object" }, `{"a":1}`, { a: 1 }],
    [{ type: "object" }, "[1]", undefined],
    [{ enum: ["celsius"] }, "Celsius", "celsius"],
    [{ enum: ["celsius"] }, "kelvin", undefined],
    [{ type: "integer", enum: [1, 2] }, "2", 2],
    [{}, null, undefined],
  ])("%o of %j is %j", (more, value, expected) => {
    const coerced = coerce(parameter("p", more), value);
    expect(coerced).toEqual(expected === undefined ? { ok: false } : { ok: true, value: expected });
  });
});

describe("a dialogue that does not get on", () => {
  const CITY = "I still need the city.";
  const sure = { decision: "target", target: "get_current_weather" };
  const asked = conversation(
    "weather for 3 days please",
    CITY,
    "over there",
    CITY,
    "you know where",
    CITY,
    "the usual place",
  );

  it("a dialogue requests a value three times, then leaves the prompt to its model", async () => {
    const server = await startServer();
    expect((await extraction(server, asked.slice(0, 5), sure)).content).toBe(CITY);
    expect(await extraction(server, asked, sure)).toEqual({ content: null, by: null });
    await server.close();
  });

  it("a dialogue that only a demonstration could take over ends with a sentence", async () => {
    const server = await startServer({ extraction: { hands_over: false } });
    expect((await extraction(server, asked, sure)).content).toBe(
      "I could not find the city in your messages, so nothing was done. Please ask again in one sentence.",
    );
    await server.close();
  });

  it("a dialogue requests an optional value that was not understood, once", async () => {
    const server = await startServer();
    const first = "weather in Rome for 3 days in kelvin";
    const { content, known } = await extraction(server, conversation(first), sure);
    expect(content).toBe("I still need the units (celsius or fahrenheit).");
    expect(known).toEqual({ city: "Rome", days: 3 });
    const answered = conversation(first, content ?? "", "fahrenheit");
    expect((await extraction(server, answered, sure)).values).toMatchObject({
      units: "fahrenheit",
    });
    const refused = conversation(first, content ?? "", "does not matter");
    expect((await extraction(server, refused, sure)).values).toEqual({ city: "Rome", days: 3 });
    await server.close();
  });

  it("a dialogue uses earlier answers, and not those about another target", async () => {
    const server = await startServer();
    const switched = conversation(
      "convert 20 dollars",
      "I still need the to currency.",
      "weather in Rome for 3 days",
    );
    expect((await extraction(server, switched, sure)).values).toEqual({ city: "Rome", days: 3 });
    await server.close();
  });
});

describe("with a language model", () => {
  let model: FakeModel;
  let server: Running;
  let reply: () => object | number = () => 500;
  const weather = { decision: "ask_model", target: "get_current_weather" };
  const sure = { ...weather, decision: "target" };
  const call = (name: string, values: unknown) => ({
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "c", type: "function", function: { name, arguments: JSON.stringify(values) } },
    ],
  });

  beforeAll(async () => {
    model = await startLanguageModel(() => reply());
    server = await startServer({ extraction: { egress: model.url } });
  });
  afterAll(async () => {
    await server.close();
    await model.close();
  });
  beforeEach(() => {
    model.asked.length = 0;
  });

  it("a language model is not called if target and values are certain", async () => {
    const found = await extraction(server, conversation("weather in Seattle for 3 days"), sure);
    expect(found).toEqual({
      target: "get_current_weather",
      values: { city: "Seattle", days: 3 },
      content: null,
      by: "embedded",
    });
    expect(model.asked).toEqual([]);
  });

  it("a language model is called through the egress, with the candidates, the request id, the trace and temperature 0", async () => {
    reply = () => call("get_current_weather", { city: "Seattle", days: "3" });
    const messages = conversation("Seattle weather, three days");
    const found = await extraction(server, messages, weather, {
      "x-request-id": "id-1",
      traceparent: TRACEPARENT,
    });
    expect(found).toMatchObject({ values: { city: "Seattle", days: 3 }, by: "llm" });
    const [asked] = model.asked;
    expect(asked?.headers.get("x-request-id")).toBe("id-1");
    expect(asked?.headers.get("traceparent")).toBe(TRACEPARENT);
    expect(asked?.body).toMatchObject({
      model: "none",
      temperature: 0,
      tool_choice: "auto",
      stream: false,
    });
    expect(asked?.body["tools"]).toHaveLength(4);
    expect(asked?.body["tools"]).toContainEqual({
      type: "function",
      function: {
        name: "get_current_weather",
        description: "Get the current weather or the forecast of a city",
        strict: true,
        parameters: {
          type: "object",
          properties: {
            city: { type: ["string", "null"], description: "The city." },
            days: { type: ["integer", "null"], description: "Number of days" },
            units: {
              type: ["string", "null"],
              description: "",
              enum: ["celsius", "fahrenheit", null],
            },
          },
          required: ["city", "days", "units"],
          additionalProperties: false,
        },
      },
    });
    expect(asked?.body["messages"]).toMatchObject([{ role: "system" }, { role: "user" }]);
  });

  it("the language model's choice of another candidate is used", async () => {
    reply = () => call("order_status", { order_number: "7781" });
    const found = await extraction(server, conversation("how is 7781 doing"), weather);
    expect(found).toMatchObject({ target: "order_status", values: { order_number: "7781" } });
  });

  it("the language model's question is returned to the user", async () => {
    reply = () => ({ role: "assistant", content: "For how many days?" });
    const found = await extraction(server, conversation("weather in Rome"), sure);
    expect(found).toEqual({ content: "For how many days?", by: "llm" });
  });

  it.each<[string, () => object | number]>([
    ["a refusal", () => ({ role: "assistant", content: "I cannot help with that." })],
    ["NONE", () => ({ role: "assistant", content: "NONE" })],
    ["no content", () => ({ role: "assistant", content: null })],
    ["a function that is not there", () => call("delete_everything", {})],
    ["no message at all", () => [] as object],
    ["an error", () => 500],
  ])("%s means what the embedded path does alone", async (_, answer) => {
    reply = answer;
    const none = await extraction(server, conversation("write a poem"), weather);
    expect(none).toEqual({ content: null, by: null });
    const known = await extraction(server, conversation("weather in Rome"), sure);
    expect(known.content).toBe(questionFor([{ name: "days", description: "Number of days" }]));
  });

  it.each<[string, unknown]>([
    ["of a wrong type", { city: "Rome", days: "some" }],
    ["that nobody said", { city: "Rome", days: 7 }],
    ["that are no object", [1, 2]],
    ["that are missing", { city: "Rome" }],
  ])("required values %s are asked for again", async (_, values) => {
    reply = () => call("get_current_weather", values);
    const found = await extraction(server, conversation("weather in Rome"), weather);
    expect(found.target).toBeUndefined();
    expect(found.content).toMatch(/^I still need .*the number of days/);
  });

  it("parameters that the language model invented are dropped, and so are optional values that the prompt does not contain", async () => {
    reply = () =>
      call("get_current_weather", {
        city: "Rome",
        days: 3,
        units: "fahrenheit",
        host: "evil.example",
      });
    const found = await extraction(server, conversation("three days of Rome weather"), weather);
    expect(found.values).toEqual({ city: "Rome", days: 3 });
  });

  describe("that writes the questions", () => {
    const [city] = TARGETS;
    const targets = TARGETS.map((target) =>
      target === city
        ? { ...target, questions: "model" as const, system_prompt: "Be Ada." }
        : target,
    );
    const TEMPLATE = questionFor([{ name: "days", description: "Number of days" }]);
    let asking: Running;
    beforeAll(async () => {
      asking = await startServer({
        targets,
        extraction: { egress: model.url, mode: "embedded" },
      });
    });
    afterAll(() => asking.close());
    const ask = () =>
      extraction(asking, conversation("weather in Rome"), sure, { "x-request-id": "id-2" });

    it("a language model that writes the questions is called under the system prompt of the target, with the missing values and the request id", async () => {
      reply = () => ({ role: "assistant", content: "And for how many days?" });
      expect((await ask()).content).toBe("And for how many days?");
      const [asked] = model.asked;
      const [system, user] = asked?.body["messages"] as { content: string }[];
      expect(system?.content).toMatch(/^Be Ada\.\n\n[^]*\n- the number of days\n/);
      expect(user?.content).toBe("weather in Rome");
      expect(asked?.headers.get("x-request-id")).toBe("id-2");
    });

    it.each<[string, () => object | number]>([
      ["fails", () => 500],
      ["asks nothing", () => ({ role: "assistant", content: "Rome is a city." })],
      ["writes too much", () => ({ role: "assistant", content: `${"x".repeat(2001)}?` })],
      ["returns no content", () => ({ role: "assistant", content: null })],
    ])("a language model's question is replaced by the template if it %s", async (_, answer) => {
      reply = answer;
      expect((await ask()).content).toBe(TEMPLATE);
      expect(asking.log.length).toBeGreaterThan(0);
    });

    it("a language model that writes the questions also serves the check of the values", async () => {
      reply = () => ({ role: "assistant", content: "How many days?" });
      const response = await asking.post("/hallucination", {
        prompt: "weather in Rome",
        messages: conversation("weather in Rome"),
        parameters: { city: "Rome", days: 7 },
        target: "get_current_weather",
      });
      expect(await response.json()).toMatchObject({
        missing: ["days"],
        question: "How many days?",
      });
    });
  });

  it("arguments that are no JSON are no arguments", async () => {
    reply = () => ({
      content: null,
      tool_calls: [{ function: { name: "get_current_weather", arguments: "{" } }],
    });
    const found = await extraction(server, conversation("weather"), weather);
    expect(found.content).toMatch(/^I still need the city and the number of days\.$/);
  });

  it("mode `embedded` never asks it, mode `llm` always does", async () => {
    const embedded = await startServer({ extraction: { egress: model.url, mode: "embedded" } });
    await extraction(embedded, conversation("weather in Rome"), sure);
    expect(model.asked).toHaveLength(0);
    await embedded.close();
    const always = await startServer({ extraction: { egress: model.url, mode: "llm" } });
    reply = () => call("get_current_weather", { city: "Rome", days: 3 });
    const found = await extraction(always, conversation("weather in Rome for 3 days"), sure);
    expect([found.by, model.asked.length]).toEqual(["llm", 1]);
    await always.close();
  });

  it("a language model that cannot be reached is a line in the log, and the embedded path decides", async () => {
    const gone = await startLanguageModel(() => 500);
    await gone.close();
    const alone = await startServer({ extraction: { egress: gone.url } });
    const found = await extraction(alone, conversation("weather in Rome"), sure);
    expect(found.by).toBe("embedded");
    expect(alone.log.join()).toContain("extraction goes on without a language model");
    await alone.close();
  });
});
