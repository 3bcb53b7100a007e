// `users`: rows that Envoy's filter would reject are errors of the configuration.
import { expect, it } from "vitest";
import { loadConfiguration } from "../../../../../control-plane/config/load.ts";
import { formatProblem } from "../../../../../control-plane/report/problem.ts";

function problemsOf(users: object): string[] {
  const text = `llm_providers: [{model: openai/*, access_key: $KEY}]\nusers: ${JSON.stringify(users)}\n`;
  const loaded = loadConfiguration({ file: "gateway.yaml", text }, { KEY: "k".repeat(30) });
  return loaded.ok ? [] : loaded.problems.map(formatProblem);
}

const list = (count: number) =>
  Array.from({ length: count }, (_, at) => `openai/${"x".repeat(88)}-${String(at + 1000)}`);

it("a list of models that a row of Envoy cannot hold is an error", () => {
  // 103 bytes each.
  expect(problemsOf({ ann: { models: list(149) } })).toEqual([]);
  const problems = problemsOf({ ann: { models: list(150) } });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain("users.ann.models: the list has 15451 bytes of JSON");
});

it("a model of more than 200 bytes is an error", () => {
  const models = ["openai/gpt", `openai/${"é".repeat(97)}`];
  expect(problemsOf({ ann: { models: [`openai/${"é".repeat(96)}`] } })).toEqual([]);
  expect(problemsOf({ ann: { models } })[0]).toContain("users.ann.models[1]: expected at most 200");
});

it("a name of more than 200 bytes of JSON is an error", () => {
  expect(problemsOf({ [`CORP\\${"a".repeat(194)}`]: {} })).toEqual([]);
  expect(problemsOf({ [`CORP\\${"a".repeat(195)}`]: {} })[0]).toContain("the name of a user");
});
