// Every folder here is a configuration with its environment and what loading it gives: model.json (and warnings.txt), or problems.txt.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { parse as parseEnvironment } from "dotenv";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { compactJson } from "../golden/compact-json.ts";
import { formatProblem } from "../../control-plane/report/problem.ts";

const here = import.meta.dirname;
const cases = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

function read(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

describe("golden configurations", () => {
  it.each(cases)("%s", async (name) => {
    const folder = `${here}/${name}`;
    const environment = parseEnvironment(read(`${folder}/env`));
    const source = { file: "gateway.yaml", text: read(`${folder}/config.yaml`) };
    const result = loadConfiguration(source, environment);
    if (result.ok) {
      expect(name, "the configuration was accepted").not.toMatch(/^problem-/);
      const warnings = result.warnings.map((warning) => `${formatProblem(warning)}\n`).join("");
      await expect(`${compactJson(result.model)}\n`).toMatchFileSnapshot(`${folder}/model.json`);
      expect(existsSync(`${folder}/warnings.txt`)).toBe(warnings !== "");
      if (warnings !== "") await expect(warnings).toMatchFileSnapshot(`${folder}/warnings.txt`);
    } else {
      const problems = result.problems.map((problem) => `${formatProblem(problem)}\n`).join("");
      expect(name, problems).toMatch(/^problem-/);
      await expect(problems).toMatchFileSnapshot(`${folder}/problems.txt`);
    }
  });
});
