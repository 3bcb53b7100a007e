// Parameters without a language model: certain values only. With one: what it may say, and what becomes of it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { questionFor } from "../../control-plane/model-server/question.ts";
import { coerce } from "../../control-plane/model-server/extraction/coerce.ts";
import { extractEmbedded } from "../../control-plane/model-server/extraction/embedded.ts";
import type { Parameter } from "../../control-plane/model-server/extraction/parameter.ts";
import {
  conversation,
  extraction,
  type FakeModel,
  NOW,
  type Running,
  startLanguageModel,
  startServer,
} from "./model-server/running.ts";

function parameter(name: string, more: Partial<Parameter> = {}): Parameter {
  return { name, description: "", required: true, type: "string", ...more };
}

const integer = { type: "integer" } as const;
const currencies = { enum: ["USD", "EUR", "GBP"] };
const exchange = [parameter("from", currencies), parameter("to", currencies)];
const languages = { enum: ["english", "german"] };
const levels = { enum: ["low", "high"] };

describe("the embedded extractor", () => {
  const from = (text: string, ...parameters: Parameter[]) =>
    extractEmbedded(parameters, [{ text, asked: [] }], NOW);

  it.each<[string, Parameter[], object]>([
    [
      "weather in Seattle for 3 days",
      [parameter("city"), parameter("days", integer)],
      { city: "Seattle", days: 3 },
    ],
    [
      "weather in new york for five days",
      [parameter("city"), parameter("days", integer)],
      { city: "new york", days: 5 },
    ],
    ["weather in Paris, France tomorrow", [parameter("location")], { location: "Paris, France" }],
    ["What's it like in São Paulo?", [parameter("city")], { city: "São Paulo" }],
    [
      "fly from Boston to New York",
      [parameter("origin"), parameter("destination")],
      { origin: "Boston", destination: "New York" },
    ],
    [
      "1,250.50 euros in yen",
      [
        parameter("amount", { type: "number" }),
        parameter("from_currency"),
        parameter("to_currency"),
      ],
      { amount: 1250.5, from_currency: "EUR", to_currency: "JPY" },
    ],
    [
      "100 USD to EUR",
      [
        parameter("amount", { type: "number" }),
        parameter("from_currency"),
        parameter("to_currency"),
      ],
      { amount: 100, from_currency: "USD", to_currency: "EUR" },
    ],
    ["convert 5 USD to EUR", exchange, { from: "USD", to: "EUR" }],
    ["change euros from EUR into GBP", exchange, { from: "EUR", to: "GBP" }],
    ["how much is 5 GBP in USD", exchange, { from: "GBP", to: "USD" }],
    ["convert it to EUR", exchange, { to: "EUR" }],
    ["convert 5 USD", exchange, { from: "USD" }],
    [
      "translate it from english to german",
      [parameter("source_language", languages), parameter("target_language", languages)],
      { source_language: "english", target_language: "german" },
    ],
    [
      "a ticket of high priority and low severity",
      [parameter("priority", levels), parameter("severity", levels)],
      { priority: "high", severity: "low" },
    ],
    [
      "fly from Rome to Paris",
      [parameter("from_city"), parameter("to_city")],
      { from_city: "Rome", to_city: "Paris" },
    ],
    ["fly to Paris", [parameter("from_city"), parameter("to_city")], { to_city: "Paris" }],
    ["reboot device 42", [parameter("device_id", integer)], { device_id: 42 }],
    ["order INV-2231 please", [parameter("order_number")], { order_number: "INV-2231" }],
    [
      "in Fahrenheit please",
      [parameter("units", { enum: ["celsius", "fahrenheit"] })],
      { units: "fahrenheit" },
    ],
    [
      "is there light rain",
      [parameter("kind", { enum: ["rain", "light rain"] })],
      { kind: "light rain" },
    ],
    ["write to anna@example.org", [parameter("email")], { email: "anna@example.org" }],
    ["open https://example.org/a?b=1.", [parameter("url")], { url: "https://example.org/a?b=1" }],
    ["book it for tomorrow", [parameter("date")], { date: "2026-11-22" }],
    [
      "from 3 May 2027 to 5 May 2027",
      [parameter("start_date"), parameter("end_date")],
      { start_date: "2027-05-03", end_date: "2027-05-05" },
    ],
    ["on 3 May 2027", [parameter("date", { format: "DD.MM.YYYY" })], { date: "03.05.2027" }],
    [`search for "red shoes"`, [parameter("query")], { query: "red shoes" }],
    ["without breakfast", [parameter("breakfast", { type: "boolean" })], { breakfast: false }],
    ["a room with breakfast", [parameter("breakfast", { type: "boolean" })], { breakfast: true }],
  ])("takes what is certain: %s", (text, parameters, expected) => {
    expect(from(text, ...parameters)).toEqual(expected);
  });

  it.each<[string, Parameter[]]>([
    ["weather in my city", [parameter("city")]],
    ["weather in Rome or in Paris", [parameter("city")]],
    ["convert USD, EUR", exchange],
    ["a high one", [parameter("priority", levels), parameter("severity", levels)]],
    ["celsius or fahrenheit?", [parameter("units", { enum: ["celsius", "fahrenheit"] })]],
    ["devices 4 and 5", [parameter("device_id", integer)]],
    ["in 3 weeks", [parameter("quantity", integer)]],
    ["find red shoes", [parameter("query")]],
    ["2.5", [parameter("count", integer)]],
    ["", [parameter("city"), parameter("days", integer), parameter("query")]],
  ])("leaves what is not: %s", (text, parameters) => {
    expect(from(text, ...parameters)).toEqual({});
  });

  const both = [parameter("city"), parameter("days", integer)];
  it.each<[string, string[], object]>([
    ["Seattle", ["city"], { city: "Seattle" }],
    ["it's Seattle.", ["city"], { city: "Seattle" }],
    ["Seattle", ["city", "days"], { city: "Seattle" }],
    ["Seattle, 5 days", ["city", "days"], { city: "Seattle", days: 5 }],
    ["Seattle for 5 days", ["city", "days"], { city: "Seattle", days: 5 }],
    ["5", ["days"], { days: 5 }],
    ["five", ["days"], { days: 5 }],
    ["I do not know", ["days"], {}],
  ])("takes a bare answer for what was asked: %s", (text, asked, expected) => {
    const turns = [
      { text: "weather please", asked: [] },
      { text, asked },
    ];
    expect(extractEmbedded(both, turns, NOW)).toEqual(expected);
  });

  it.each<[string, string[], object]>([
    ["EUR", ["to"], { from: "USD", to: "EUR" }],
    ["to EUR", ["to"], { from: "USD", to: "EUR" }],
    ["EUR to GBP", ["from", "to"], { from: "EUR", to: "GBP" }],
  ])("an answer is for what was asked, not for what is known: %s", (text, asked, expected) => {
    const turns = [
      { text: "convert 5 USD", asked: [] },
      { text, asked },
    ];
    expect(extractEmbedded(exchange, turns, NOW)).toEqual(expected);
  });

  it("two cities in one sentence become two values", () => {
    const places = [parameter("from_city"), parameter("to_city")];
    const turns = [
      { text: "a flight please", asked: [] },
      { text: "Rome to Paris", asked: ["from_city", "to_city"] },
    ];
    expect(extractEmbedded(places, turns, NOW)).toEqual({ from_city: "Rome", to_city: "Paris" });
  });

  it("lets a later turn correct an earlier one", () => {
    const turns = [
      { text: "weather in Rome", asked: [] },
      { text: "3 days", asked: ["days"] },
      { text: "I meant in Paris", asked: ["days"] },
    ];
    expect(extractEmbedded(both, turns, NOW)).toEqual({ city: "Paris", days: 3 });
  });
});

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

  it("is not called if target and values are certain", async () => {
    const found = await extraction(server, conversation("weather in Seattle for 3 days"), sure);
    expect(found).toEqual({
      target: "get_current_weather",
      values: { city: "Seattle", days: 3 },
      content: null,
      by: "embedded",
    });
    expect(model.asked).toEqual([]);
  });

  it("it is asked through the egress, with the candidates, the request id and temperature 0", async () => {
    reply = () => call("get_current_weather", { city: "Seattle", days: "3" });
    const messages = conversation("Seattle weather, three days");
    const found = await extraction(server, messages, weather, { "x-request-id": "id-1" });
    expect(found).toMatchObject({ values: { city: "Seattle", days: 3 }, by: "llm" });
    const [asked] = model.asked;
    expect(asked?.requestId).toBe("id-1");
    expect(asked?.body).toMatchObject({
      model: "none",
      temperature: 0,
      tool_choice: "auto",
      stream: false,
    });
    expect(asked?.body["tools"]).toHaveLength(4);
    expect(asked?.body["messages"]).toMatchObject([{ role: "system" }, { role: "user" }]);
  });

  it("its choice of another candidate is taken", async () => {
    reply = () => call("order_status", { order_number: "7781" });
    const found = await extraction(server, conversation("how is 7781 doing"), weather);
    expect(found).toMatchObject({ target: "order_status", values: { order_number: "7781" } });
  });

  it("its question is returned to the user", async () => {
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

  it("drops invented parameters and optional values that the prompt does not contain", async () => {
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

  it("that cannot be reached is a line in the log, and the embedded path decides", async () => {
    const gone = await startLanguageModel(() => 500);
    await gone.close();
    const alone = await startServer({ extraction: { egress: gone.url } });
    const found = await extraction(alone, conversation("weather in Rome"), sure);
    expect(found.by).toBe("embedded");
    expect(alone.log.join()).toContain("extraction goes on without a language model");
    await alone.close();
  });
});
