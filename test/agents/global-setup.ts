// Once for all tests with coding agents: fetches them, which takes a minute the first time.
import type { TestProject } from "vitest/node";
import { installAgents } from "./install.ts";
import type { Installed } from "../packages/npm.ts";

declare module "vitest" {
  interface ProvidedContext {
    agents: Installed;
    canTestAgents: boolean;
  }
}

/** `.ci/run` sets it: there, the tests fail with the reason on a machine that cannot have the agents. */
const isRequired = process.env["GATEWAY_SKIP_NOTHING"] === "1";

export async function setup(project: TestProject): Promise<void> {
  const agents = await installAgents((line) => {
    console.log(`· ${line}`);
  });
  const isMissing = "missing" in agents;
  if (isMissing && !isRequired)
    console.log(`· The tests with coding agents are skipped: ${agents.missing}`);
  project.provide("agents", agents);
  project.provide("canTestAgents", !isMissing || isRequired);
}
