// Once for all tests of the chart: finds helm, or has it built, which may take minutes.
import type { TestProject } from "vitest/node";
import { ensureHelm, type Helm } from "../../scripts/helm.ts";

declare module "vitest" {
  interface ProvidedContext {
    helm: Helm;
  }
}

/** `.ci/run` sets it: there, a machine that cannot have helm fails. */
const isRequired = process.env["GATEWAY_SKIP_NOTHING"] === "1";

export async function setup(project: TestProject): Promise<void> {
  const helm = await ensureHelm((line) => {
    console.log(`· ${line}`);
  });
  if ("missing" in helm) {
    if (isRequired) throw new Error(helm.missing);
    console.log(`· The tests of the Helm chart are skipped: ${helm.missing}`);
  }
  project.provide("helm", helm);
}
