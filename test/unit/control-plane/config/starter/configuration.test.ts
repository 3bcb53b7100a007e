// The configuration that is made from the keys in the environment: `gateway init`, and a start without a file.
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../../../control-plane/config/load.ts";
import type { Environment } from "../../../../../control-plane/report/environment.ts";
import { AGENT_MODELS } from "../../../../../control-plane/config/starter/agent-models.ts";
import { starterConfiguration } from "../../../../../control-plane/config/starter/configuration.ts";
import { isProposed, STARTERS } from "../../../../../control-plane/providers/starters.ts";
import { filterConfig } from "../../../../../model/filter-document/write-document.ts";

function environmentOf(providers: readonly string[]): Environment {
  const rows = STARTERS.filter(({ provider }) => providers.includes(provider));
  const names = rows.flatMap(({ variables, address }) => [
    variables[0] ?? "",
    ...(address?.variables ?? []),
  ]);
  return Object.fromEntries(
    names.map((name) => [name, name.endsWith("REGION") ? "eu-west-1" : "sk-secret"]),
  );
}

function load(environment: Environment, withDemonstration = false) {
  const text = starterConfiguration(environment, { withDemonstration });
  const result = loadConfiguration({ file: "gateway.yaml", text }, environment);
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join("\n"));
  expect(result.warnings).toEqual([]);
  return { text, model: result.model, document: filterConfig(result.model) };
}

/** Whether clients reach a model by a name that is not of a configured model. */
function isServed(
  name: string,
  { names, patterns = [], wildcards = [] }: ReturnType<typeof filterConfig>,
): boolean {
  return (
    name in names ||
    patterns.some(({ prefix }) => name.startsWith(prefix)) ||
    wildcards.some(({ bare = [] }) => bare.some((one) => name.startsWith(one)))
  );
}

const SETS = [
  [],
  ...STARTERS.map(({ provider }) => [provider]),
  STARTERS.map(({ provider }) => provider),
];

describe("the configuration for the keys in the environment", () => {
  it.each(SETS.map((providers) => [providers.join(", ") || "no key", providers] as const))(
    "the configuration for the keys in the environment is valid with %s, holds no key, and serves the default models of coding agents",
    (_, providers) => {
      const environment = environmentOf(providers);
      const { text, model, document } = load(environment);
      expect(text).not.toContain("sk-secret");
      expect(load(environment).text).toBe(text);
      const configured = model.targets.flatMap(({ wildcard, provider }) =>
        wildcard === undefined ? [] : [provider],
      );
      expect(configured).toEqual(providers);
      for (const { models } of AGENT_MODELS)
        expect(models.filter((name) => !isServed(name, document))).toEqual([]);
    },
  );

  it("the configuration without keys has the demonstration model alone, and has it last at a start", () => {
    expect(load({}).model.targets).toMatchObject([{ name: "demo/gateway-demo" }]);
    const { model } = load(environmentOf(["anthropic"]), true);
    expect(model.targets[model.defaultTarget]?.name).toBe("anthropic/claude-sonnet-5-5");
    expect(model.targets.map(({ name }) => name)).toContain("demo/gateway-demo");
  });

  it("the configuration for the keys in the environment works with its comments removed, once the keys are set", () => {
    const { text } = load({});
    const uncommented = text.replaceAll(
      /^( *)# ((?: {0,2}- model:| {2}[a-z_]+:|listeners:|budgets:).*)$/gm,
      "$1$2",
    );
    const all = environmentOf(STARTERS.map(({ provider }) => provider));
    const result = loadConfiguration(
      { file: "gateway.yaml", text: uncommented },
      { ...all, CLIENT_KEY: "client-key-1" },
    );
    expect(result).toMatchObject({ ok: true });
    if (result.ok)
      expect(result.model.targets.length).toBeGreaterThanOrEqual(
        STARTERS.filter(isProposed).length + 3,
      );
  });

  it("the configuration for the keys in the environment uses the first variable that is set, and a cloud only with its region", () => {
    const { text } = load({
      GOOGLE_API_KEY: "k",
      GEMINI_API_KEY: " ",
      AWS_BEARER_TOKEN_BEDROCK: "k",
    });
    expect(text).toContain("  - model: gemini/*\n    access_key: $GOOGLE_API_KEY\n");
    expect(text).not.toContain("  - model: bedrock/*\n    access_key");
  });

  it("the configuration for the keys has the live page, also in a start without a file, with a link to it at GET /", () => {
    for (const isBuiltIn of [false, true]) {
      const { model, document } = load({}, isBuiltIn);
      expect(model.observability?.metrics).toEqual({ address: "127.0.0.1", port: 9464 });
      expect(document.page).toBe("http://127.0.0.1:9464");
    }
  });
});
