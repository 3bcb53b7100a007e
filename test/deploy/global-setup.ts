// Once for all tests of deploy/: finds helm and Prometheus, or has them made, which may take a minute.
import type { TestProject } from "vitest/node";
import { ensureHelm, type Helm } from "../../scripts/helm.ts";
import { ensurePrometheus, type Prometheus } from "../../scripts/prometheus.ts";

declare module "vitest" {
  interface ProvidedContext {
    helm: Helm;
    canTestChart: boolean;
    prometheus: Prometheus;
    canTestMetrics: boolean;
  }
}

/** `.ci/run` sets it: there, the tests fail with the reason on a machine that cannot have the programs. */
const isRequired = process.env["GATEWAY_SKIP_NOTHING"] === "1";

export async function setup(project: TestProject): Promise<void> {
  const progress = (line: string): void => {
    console.log(`· ${line}`);
  };
  const [helm, prometheus] = await Promise.all([ensureHelm(progress), ensurePrometheus(progress)]);
  project.provide("helm", helm);
  project.provide("canTestChart", canTest(helm, "the Helm chart"));
  project.provide("prometheus", prometheus);
  project.provide("canTestMetrics", canTest(prometheus, "the alert rules and the dashboard"));
}

function canTest(found: object, what: string): boolean {
  const missing = "missing" in found ? String(found.missing) : undefined;
  if (missing !== undefined && !isRequired)
    console.log(`· The tests of ${what} are skipped: ${missing}`);
  return missing === undefined || isRequired;
}
