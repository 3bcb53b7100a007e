// The configurations in docs/clouds/ are valid: copied as they are, with the variables that they name.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatProblem } from "../../../../control-plane/report/problem.ts";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import { CLOUDS } from "../../../../control-plane/providers/clouds.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const PAGES = globSync("docs/clouds/*.md", { cwd: ROOT });

/** What the pages' readers have set. */
const ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: "AKIA-test",
  AWS_SECRET_ACCESS_KEY: "secret",
  AZURE_TENANT_ID: "00000000-0000-4000-8000-000000000001",
  AZURE_CLIENT_ID: "00000000-0000-4000-8000-000000000002",
  AZURE_CLIENT_SECRET: "secret",
};

const configurations = PAGES.flatMap((page) => {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, yaml = ""], index) => ({
    page,
    index,
    yaml,
  }));
});

describe("docs/clouds", () => {
  it.each(configurations)("$page, block $index loads", ({ yaml }) => {
    const named = [...yaml.matchAll(/\$([A-Z_]+)/g)].map(([, name = ""]) => [name, "a-key"]);
    const environment = { ...Object.fromEntries(named), ...ENVIRONMENT } as Record<string, string>;
    const result = loadConfiguration({ file: "gateway.yaml", text: yaml }, environment);
    const problems = result.ok ? [] : result.problems;
    expect(problems.map((problem) => formatProblem(problem))).toEqual([]);
  });

  it("docs/clouds has an example of each provider", () => {
    for (const { name } of CLOUDS)
      expect(configurations.some(({ yaml }) => yaml.includes(`model: ${name}/`))).toBe(true);
  });
});
