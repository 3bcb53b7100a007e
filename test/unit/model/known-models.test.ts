// The names of models for labels, sums and lists: of a bounded set, whatever clients send.
import { expect, it } from "vitest";
import { formatProblem } from "../../../control-plane/report/problem.ts";
import { loadConfiguration } from "../../../control-plane/config/load.ts";
import { knownModels, namesUnderWildcard } from "../../../model/known-models.ts";
import type { GatewayModel } from "../../../model/model.ts";

const CONFIG = `
listeners:
  egress:
    api_keys: [{key: $TEAM_KEY, name: team, models: [openai/our-model, fast]}]
llm_providers:
  - {model: openai/*, access_key: $OPENAI_API_KEY, default: true}
  - {model: openai/gpt-5*, access_key: $OPENAI_API_KEY}
  - {model: ollama/*}
  - {model: anthropic/claude-sonnet-4-5, access_key: $OPENAI_API_KEY}
model_aliases:
  fast: {target: anthropic/claude-sonnet-4-5}
  quick: {targets: [{model: anthropic/claude-sonnet-4-5}, {model: openai/gpt-4.1}]}
`;

function model(): GatewayModel {
  const keys = { OPENAI_API_KEY: "k".repeat(30), TEAM_KEY: "t".repeat(30) };
  const result = loadConfiguration({ file: "gateway.yaml", text: CONFIG }, keys);
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join("\n"));
  return result.model;
}

it("a target of a wildcard has the name of its model if the price list or the configuration knows it, else other", () => {
  const { nameOf } = knownModels(model());
  expect(nameOf("openai/*", "gpt-4o")).toBe("openai/gpt-4o");
  expect(nameOf("openai/*", "openai/gpt-4o-2024-11-20")).toBe("openai/gpt-4o");
  expect(nameOf("openai/*", "our-model")).toBe("openai/our-model");
  expect(nameOf("openai/*", "made-up")).toBe("openai/other");
  expect(nameOf("openai/*")).toBe("openai/other");
  expect(nameOf("ollama/*", "ollama/llama3")).toBe("ollama/other");
  expect(nameOf("anthropic/claude-sonnet-4-5", "fast")).toBe("anthropic/claude-sonnet-4-5");
});

it("a request that was rejected without a target has the model that its name stands for", () => {
  const { modelOf } = knownModels(model());
  expect(modelOf({ requested: "fast" })).toBe("anthropic/claude-sonnet-4-5");
  expect(modelOf({ requested: "quick" })).toBe("anthropic/claude-sonnet-4-5");
  expect(modelOf({ requested: "claude-sonnet-4-5" })).toBe("anthropic/claude-sonnet-4-5");
  expect(modelOf({ requested: "openai/gpt-4o" })).toBe("openai/gpt-4o");
  expect(modelOf({ requested: "gpt-4o" })).toBe("openai/gpt-4o");
  expect(modelOf({ requested: "nobody/knows" })).toBeUndefined();
  expect(modelOf({})).toBeUndefined();
});

it("the requested name is a label in the client's form if it is known", () => {
  const { requestedName } = knownModels(model());
  expect(requestedName({ requested: "fast" })).toBe("fast");
  expect(requestedName({ requested: "quick" })).toBe("quick");
  expect(requestedName({ requested: "none", target: "openai/*" })).toBe("none");
  expect(requestedName({ requested: "gpt-4o", target: "openai/*" })).toBe("gpt-4o");
  expect(requestedName({ requested: "openai/gpt-4o", target: "openai/*" })).toBe("openai/gpt-4o");
  expect(requestedName({ requested: "openai/made-up", target: "openai/*" })).toBe("other");
  expect(requestedName({ requested: "made-up" })).toBe("other");
  expect(requestedName({})).toBe("none");
});

it("ten thousand made-up names are one label", () => {
  const { modelOf, requestedName } = knownModels(model());
  const requests = Array.from({ length: 10_000 }, (_, at) => ({
    target: "ollama/*",
    requested: `ollama/${String(at)}`,
  }));
  expect(new Set(requests.map(modelOf))).toEqual(new Set(["ollama/other"]));
  expect(new Set(requests.map(requestedName))).toEqual(new Set(["other"]));
});

it("a wildcard lists the names of the price list that begin like it", () => {
  const [all, beginning, ollama] = model().targets.map((target) => namesUnderWildcard(target));
  expect(all).toContain("gpt-4o");
  expect(all?.every((name) => !name.includes("*") && !name.endsWith("-"))).toBe(true);
  expect(beginning).toContain("gpt-5-mini");
  expect(beginning?.every((name) => name.startsWith("gpt-5"))).toBe(true);
  expect(ollama).toEqual([]);
});
