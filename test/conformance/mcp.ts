// The conformance suite of the Model Context Protocol, run against prompt targets that are offered as tools.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { installPackages } from "../packages/npm.ts";
import { startWithTools } from "../envoy/mcp/set-up.ts";
import { listen } from "../providers/listen.ts";
import type { SuiteRun } from "./suite.ts";

const PACKAGES = join(import.meta.dirname, "packages");
const PROGRAM = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
const REVISIONS = ["2025-11-25", "2026-07-28"];

/**
 * Scenarios and checks of what this server does not offer, and does not announce: tools alone, whose results are text. Some of
 * them need a certain tool of the server under test.
 */
const NOT_OFFERED = [
  /^(?:resources|prompts|completion|logging|elicitation|tasks|input-required-result)-/,
  /^tools-call-(?:image|audio|embedded-resource|mixed-content|with-logging|with-progress|sampling|elicitation)$/,
  /^json-schema-2020-12$|^http-custom-header-server-validation$|^server-sse-/,
  /^sep-2549-(?:prompts|resources)-/,
  /^sep-2575-(?:server-rejects-undeclared-capability|missing-capability-http-400)$/,
  /^sep-2575-(?:http-server-no-independent-requests-on-stream|server-no-log-without-loglevel)$/,
];

const checks = z.array(
  z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }),
);

export async function runMcpConformance(): Promise<SuiteRun[]> {
  const installed = await installPackages({
    packages: PACKAGES,
    name: "conformance",
    scripts: [PROGRAM],
  });
  if ("missing" in installed) throw new Error(installed.missing);
  const server = await startTools();
  try {
    return await Promise.all(
      REVISIONS.map((revision) => runOne(join(installed.directory, PROGRAM), server.url, revision)),
    );
  } finally {
    await server.stop();
  }
}

/** The two tools of the suite that a prompt target can be. */
async function startTools() {
  const api = createServer((request, response) => {
    const isError = request.url === "/error";
    const text = isError
      ? "This tool intentionally returns an error for testing"
      : "This is a simple text response for testing.";
    response.writeHead(isError ? 500 : 200, { "content-type": "text/plain" }).end(text);
  });
  const { port, stop } = await listen(api, () => {
    api.closeAllConnections();
  });
  const tools = await startWithTools({
    targets: () => `
prompt_targets:
  - {name: test_simple_text, description: Returns a text, endpoint: {name: api, path: /text}}
  - {name: test_error_handling, description: Returns an error, endpoint: {name: api, path: /error}}
endpoints:
  api: {endpoint: "127.0.0.1:${String(port)}"}
`,
  });
  return {
    url: tools.url,
    async stop() {
      await tools.stop();
      await stop();
    },
  };
}

async function runOne(program: string, url: string, revision: string): Promise<SuiteRun> {
  const directory = mkdtempSync(join(tmpdir(), "gateway-mcp-"));
  try {
    const words = ["server", "--url", url, "--requirements", revision, "-o", directory];
    // It exits with 1 where anything failed.
    await promisify(execFile)(process.execPath, [program, ...words], { maxBuffer: 1 << 28 }).catch(
      () => undefined,
    );
    return runOf(directory, revision);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function runOf(directory: string, revision: string): SuiteRun {
  const run: SuiteRun = {
    suite: "MCP conformance",
    version: lockedVersion(),
    source: "https://www.npmjs.com/package/@modelcontextprotocol/conformance",
    subject: `server, revision ${revision}`,
    passed: 0,
    failed: [],
    notOffered: [],
  };
  for (const folder of readdirSync(directory).sort()) {
    const scenario = folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    if (isNotOffered(scenario)) {
      run.notOffered.push(scenario);
      continue;
    }
    const text = readFileSync(join(directory, folder, "checks.json"), "utf8");
    for (const { id, status, errorMessage = "" } of checks.parse(JSON.parse(text))) {
      if (status === "SUCCESS") run.passed++;
      else if (isNotOffered(id)) run.notOffered.push(id);
      else if (status === "FAILURE") run.failed.push({ test: id, reason: errorMessage });
    }
  }
  if (run.passed === 0) throw new Error(`MCP conformance ran nothing for ${revision}`);
  return run;
}

const isNotOffered = (name: string): boolean => NOT_OFFERED.some((pattern) => pattern.test(name));

function lockedVersion(): string {
  const text = readFileSync(join(PACKAGES, "package.json"), "utf8");
  const { dependencies } = z
    .object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(text));
  return Object.values(dependencies).join();
}
