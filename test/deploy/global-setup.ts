// Once for all tests of the chart: finds helm, or has it built, which may take minutes.
import type { TestProject } from "vitest/node";
import { ensureHelm, type Helm } from "../../scripts/helm.ts";

declare module "vitest" {
  interface ProvidedContext {
    helm: Helm;
    canTestChart: boolean;
  }
}

/** `.ci/run` sets it: there, the tests fail with the reason on a machine that cannot have helm. */
const isRequired = process.env["GATEWAY_SKIP_NOTHING"] === "1";

export async function setup(project: TestProject): Promise<void> {
  const helm = await ensureHelm((line) => {
    console.log(`· ${line}`);
  });
  const isMissing = "missing" in helm;
  if (isMissing && !isRequired) {
    console.log(`· The tests of the Helm chart are skipped: ${helm.missing}`);
  }
  project.provide("helm", helm);
  project.provide("canTestChart", !isMissing || isRequired);
}
