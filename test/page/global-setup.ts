// Once for all tests of the live page: finds Chromium, or installs it, which takes a minute.
import type { TestProject } from "vitest/node";
import { ensureChromium, type Chromium } from "../../scripts/chromium.ts";

declare module "vitest" {
  interface ProvidedContext {
    chromium: Chromium;
    canTestPage: boolean;
  }
}

/** `.ci/run` sets it: there, the tests fail with the reason on a machine that cannot have the program. */
const isRequired = process.env["GATEWAY_SKIP_NOTHING"] === "1";

export async function setup(project: TestProject): Promise<void> {
  const chromium = await ensureChromium((line) => {
    console.log(`· ${line}`);
  });
  const missing = "missing" in chromium ? chromium.missing : undefined;
  if (missing !== undefined && !isRequired)
    console.log(`· The tests of the live page are skipped: ${missing}`);
  project.provide("chromium", chromium);
  project.provide("canTestPage", missing === undefined || isRequired);
}
