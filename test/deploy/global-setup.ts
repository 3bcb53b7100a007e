// Once for all tests of deploy/: finds helm and promtool, or has them built, which may take minutes.
import type { TestProject } from "vitest/node";
import { ensureGoProgram, type Found, HELM, PROMTOOL } from "../../scripts/go-programs.ts";

declare module "vitest" {
  interface ProvidedContext {
    helm: Found;
    canTestChart: boolean;
    promtool: Found;
    canTestRules: boolean;
  }
}

/** `.ci/run` sets it: there, the tests fail with the reason on a machine that cannot have the programs. */
const isRequired = process.env["GATEWAY_SKIP_NOTHING"] === "1";

export async function setup(project: TestProject): Promise<void> {
  const progress = (line: string): void => {
    console.log(`· ${line}`);
  };
  const helm = await ensureGoProgram(HELM, progress);
  const promtool = await ensureGoProgram(PROMTOOL, progress);
  project.provide("helm", helm);
  project.provide("canTestChart", canTest(helm, "the Helm chart"));
  project.provide("promtool", promtool);
  project.provide("canTestRules", canTest(promtool, "the alert rules"));
}

function canTest(found: Found, what: string): boolean {
  const isMissing = "missing" in found;
  if (isMissing && !isRequired) console.log(`· The tests of ${what} are skipped: ${found.missing}`);
  return !isMissing || isRequired;
}
