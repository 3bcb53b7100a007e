// What a client may say in `model`, and which target it means.
import { describe, expect, it } from "vitest";
import { clientNames } from "../../../model/model-names.ts";
import { loadConfiguration } from "../../../control-plane/config/load.ts";
import { formatProblem } from "../../../control-plane/report/problem.ts";

function namesOf(text: string): [string, string | undefined][] {
  const result = loadConfiguration({ file: "gateway.yaml", text }, {});
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join("\n"));
  const { model } = result;
  return clientNames(model).map(({ name, target }) => [name, model.targets[target]?.name]);
}

describe("client names", () => {
  it("client names list for each model its whole, given and bare name, then the aliases", () => {
    expect(
      namesOf(`
llm_providers:
  - { model: ollama/llama3.1:8b, name: house }
  - { model: demo/gateway-demo }
model_aliases:
  fast: { target: house }
`),
    ).toEqual([
      ["ollama/llama3.1:8b", "ollama/llama3.1:8b"],
      ["house", "ollama/llama3.1:8b"],
      ["llama3.1:8b", "ollama/llama3.1:8b"],
      ["demo/gateway-demo", "demo/gateway-demo"],
      ["gateway-demo", "demo/gateway-demo"],
      ["fast", "ollama/llama3.1:8b"],
    ]);
  });

  it("client names have the provider before the first slash", () => {
    expect(namesOf("llm_providers: [{ model: ollama/meta-llama/Llama-3.3:70b }]")).toEqual([
      ["ollama/meta-llama/Llama-3.3:70b", "ollama/meta-llama/Llama-3.3:70b"],
      ["meta-llama/Llama-3.3:70b", "ollama/meta-llama/Llama-3.3:70b"],
    ]);
  });

  it.each([
    ["the first of those that share it", "false", "ollama/shared"],
    ["the default one of those that share it", "true", "vllm/shared"],
  ])("a bare name belongs to %s", (_rule, isDefault, owner) => {
    const names = namesOf(`
llm_providers:
  - { model: ollama/shared }
  - { model: vllm/shared, base_url: "http://localhost:8000", default: ${isDefault} }
`);
    expect(new Map(names).get("shared")).toBe(owner);
  });

  it("a whole name precedes a bare one", () => {
    const names = namesOf(`
llm_providers:
  - { model: ollama/demo/x }
  - { model: demo/x }
`);
    expect(new Map(names).get("demo/x")).toBe("demo/x");
  });

  it("a given name precedes a bare one", () => {
    const names = namesOf(`
llm_providers:
  - { model: ollama/x }
  - { model: demo/x, name: x }
`);
    expect(new Map(names).get("x")).toBe("demo/x");
  });

  it("the name none, which leaves the choice to the gateway, is never listed", () => {
    expect(namesOf("llm_providers: [{ model: ollama/none }]")).toEqual([
      ["ollama/none", "ollama/none"],
    ]);
  });
});
