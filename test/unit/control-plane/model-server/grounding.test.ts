// Whether a value was said by the user: what counts, and what is rejected.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Parameter } from "../../../../control-plane/model-server/extraction/parameter.ts";
import { groundingScore } from "../../../../control-plane/model-server/grounding.ts";
import { NOW, type Running, startServer } from "./running.ts";

function parameter(name: string, more: Partial<Parameter> = {}): Parameter {
  return { name, description: "", required: true, type: "string", ...more };
}

function score(prompt: string, value: unknown, described?: Parameter): number {
  return groundingScore({ prompt, now: NOW }, value, described);
}

describe("a value from the prompt", () => {
  it.each<[string, unknown, Parameter?]>([
    ["weather in Seattle", "Seattle"],
    ["weather in seattle, please", "Seattle"],
    ["hotels in Sao Paulo", "São Paulo"],
    ["new york", "NewYork"],
    ["the big apple, NYC", "New York City"],
    ["in New York City", "NYC"],
    ["for 3 days", 3],
    ["for three days", 3],
    ["for three days", "3"],
    ["1,250.50 euros", 1250.5],
    ["20 percent", 0.2],
    ["300 dollars", "USD"],
    ["in °C", "celsius"],
    ["tomorrow", "2026-11-22", parameter("date")],
    ["on 3 May 2027", "2027-05-03", parameter("date")],
    ["with breakfast", true, parameter("breakfast", { type: "boolean" })],
    ["anything", "metric", parameter("units", { default: "metric" })],
    [
      "in New Mexico",
      2,
      parameter("province", { type: "integer", description: "1 for Utah, 2 for New Mexico" }),
    ],
    ["with laundry", "True", parameter("has_laundry", { enum: ["True", "False"] })],
    ["red and green", ["red", "green"]],
    ["flights for a family", "family flights"],
  ])("a value from the prompt is grounded: %s → %j", (prompt, value, described) => {
    expect(score(prompt, value, described)).toBeGreaterThanOrEqual(0.5);
  });

  it.each<[string, unknown, Parameter?]>([
    ["weather in Seattle", "Portland"],
    ["weather please", "Seattle"],
    ["for 3 days", 5],
    ["for 31 days", 3],
    ["300 dollars", "EUR"],
    ["in °C", "fahrenheit"],
    ["tomorrow", "2026-11-25", parameter("date")],
    ["hello", true, parameter("breakfast", { type: "boolean" })],
    ["red", ["red", "green"]],
    ["anything", ""],
    ["anything", null],
    ["anything", "../../etc/passwd"],
  ])("an invented value is not grounded: %s → %j", (prompt, value, described) => {
    expect(score(prompt, value, described)).toBeLessThan(0.5);
  });
});

describe("POST /hallucination", () => {
  let server: Running;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());
  const check = async (prompt: string, parameters: object, target = "get_current_weather") =>
    (await server.post("/hallucination", { prompt, parameters, target })).json();

  it("POST /hallucination scores each value", async () => {
    expect(await check("weather in Seattle\n3 days", { city: "Seattle", days: 3 })).toMatchObject({
      params_scores: { city: 1, days: 1 },
      missing: [],
    });
  });

  it("POST /hallucination names the required parameters that are missing or invented, with a question for them", async () => {
    expect(await check("weather in Seattle", { city: "Portland", units: "kelvin" })).toMatchObject({
      params_scores: { city: 0, units: 0 },
      missing: ["city", "days"],
      question: "I still need the city and the number of days.",
    });
  });

  it("POST /hallucination reports no required parameters of an unknown target", async () => {
    expect(await check("a", { x: "b" }, "other")).toMatchObject({ missing: [] });
  });
});
