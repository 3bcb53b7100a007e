// llm-comply: a black box for each client format, schemas included, run against each wire format of a provider. Its tests of
// `open-responses` are the scenarios of the Open Responses suite, except for those over WebSocket, which the gateway does not offer.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { pythonPackages } from "../packages/pip.ts";
import type { SuiteRun } from "./suite.ts";
import { WIRES } from "./with-providers.ts";
import type { Wire } from "./with-providers.ts";

const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");

interface Format {
  name: string;
  client: string;
  options: string[];
  /** Scenarios of the suite that llm-comply does not have, because the gateway does not offer what they test. */
  missing?: string[];
}

/** @see https://github.com/openresponses/openresponses src/lib/compliance-tests.ts, as of 92c12d9 */
const OVER_WEBSOCKET = [
  "response",
  "sequential-responses",
  "continuation",
  "reconnect-store-false-recovery",
  "previous-response-not-found",
  "failed-continuation-evicts-cache",
  "compact-new-chain",
].map((name) => `websocket-${name}`);

const FORMATS: readonly Format[] = [
  { name: "openai-chat", client: "Chat Completions", options: [] },
  {
    name: "open-responses",
    client: "Responses (Open Responses)",
    options: [],
    missing: OVER_WEBSOCKET,
  },
  {
    name: "anthropic",
    client: "Messages",
    options: ["--auth-header", "x-api-key", "--no-bearer", "-H", "anthropic-version:2023-06-01"],
  },
];

const report = z.object({
  results: z.array(
    z.object({
      id: z.string(),
      status: z.enum(["passed", "failed", "skipped"]),
      errors: z.array(z.string()).default([]),
    }),
  ),
});

export async function runLlmComply(url: string): Promise<SuiteRun[]> {
  const runs: SuiteRun[] = [];
  for (const format of FORMATS)
    for (const wire of WIRES) runs.push(await runOne(url, format, wire));
  return runs;
}

async function runOne(url: string, format: Format, wire: Wire): Promise<SuiteRun> {
  const words = ["run", "--format", format.name, "-u", `${url}/v1`, "-k", "any-key", "--json"];
  const { results } = report.parse(
    JSON.parse(await output([...words, "-m", wire.name, ...format.options])),
  );
  const having = (status: string) => results.filter((one) => one.status === status);
  return {
    suite: "llm-comply",
    version: /^llm-comply==([\d.]+)/m.exec(readFileSync(REQUIREMENTS, "utf8"))?.[1] ?? "",
    source: "https://pypi.org/project/llm-comply/",
    subject: `${format.client} → ${wire.title}`,
    passed: having("passed").length,
    failed: having("failed").map(({ id, errors }) => ({ test: id, reason: errors.join("; ") })),
    notOffered: [...having("skipped").map(({ id }) => id), ...(format.missing ?? [])],
  };
}

/** Standard output, also of a run with failures, which exits with 1. */
async function output(words: string[]): Promise<string> {
  const env = { PATH: process.env["PATH"], PYTHONPATH: await pythonPackages(REQUIREMENTS) };
  try {
    return (await promisify(execFile)("python3", ["-m", "llm_comply.cli", ...words], { env }))
      .stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    if (stdout === "") throw new Error(`llm-comply did not run: ${stderr}`, { cause: error });
    return stdout;
  }
}
