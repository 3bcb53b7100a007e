// What the page says of our own tests: counts of a run of vitest, by file and title.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "../..");

interface Row {
  title: string;
  /** Of files below test/. */
  files: RegExp;
  /** Of the full title. */
  titles?: RegExp;
  link: string;
}

const ROWS: readonly Row[] = [
  {
    title: "Exchanges: the provider and the client get these bytes exactly",
    files: /^exchanges\/(?:host|endpoints)/,
    titles: /exchanges in the host|endpoint/,
    link: "../test/exchanges/README.md",
  },
  {
    title: "The same exchanges through Envoy",
    files: /^exchanges\/envoy/,
    link: "../test/exchanges/README.md",
  },
  {
    title: "Requests that arrive byte by byte",
    files: /^exchanges\/host/,
    titles: /arrives in pieces/,
    link: "../test/exchanges/README.md",
  },
  {
    title: "Streams cut at every byte, at every event, and not at all",
    files: /^exchanges\/host/,
    titles: /streams cut anywhere/,
    link: "../test/exchanges/README.md",
  },
  {
    title: "Facts of today's models and formats",
    files: /^exchanges\/current-apis/,
    link: "current-apis.md",
  },
  {
    title: "Mutated requests and responses",
    files: /^(?:exchanges\/mutated|fuzz\/)/,
    link: "../test/README.md",
  },
  {
    title: "Exhaustion: full memory, large bodies, large events, endless streams",
    files: /^exchanges\/(?:full-memory|large|long|costly)/,
    link: "overload.md",
  },
  {
    title: "Faults of providers",
    files: /^envoy\/provider-faults\//,
    link: "faults.md",
  },
  {
    title: "Isolation of clients from each other",
    files: /isolation/,
    link: "threat-model.md",
  },
  {
    title: "Official SDKs of OpenAI, Anthropic, LangChain and Vercel",
    files: /^sdk\//,
    link: "clients.md",
  },
  {
    title: "Claude Code and Codex with each kind of provider",
    files: /^agents\//,
    link: "clients.md",
  },
];

export interface OwnRow {
  title: string;
  passed: number;
  failed: string[];
  skipped: number;
  link: string;
}

const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/** Returns the rows of a report that vitest wrote as JSON, of `npm test` for example. */
export function ownRows(reportFile: string): OwnRow[] {
  return rowsOf(readTests(reportFile));
}

/** Runs the rings of the rows; of Envoy's, only the files that a row names. */
export function runOwnRings(): OwnRow[] {
  const directory = mkdtempSync(join(tmpdir(), "gateway-conformance-"));
  try {
    return rowsOf([
      ...run(directory, ["exchanges", "sdk", "agents"], []),
      ...run(directory, ["envoy"], ["provider-faults", "isolation"]),
    ]);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function rowsOf(tests: readonly Test[]): OwnRow[] {
  return ROWS.map(({ title, files, titles, link }) => {
    const own = tests.filter(({ file, name }) => files.test(file) && titles?.test(name) !== false);
    const having = (status: string) => own.filter((one) => one.status === status);
    if (own.length === 0) throw new Error(`No test belongs to "${title}".`);
    return {
      title,
      passed: having("passed").length,
      failed: having("failed").map(({ name }) => name),
      skipped: own.length - having("passed").length - having("failed").length,
      link,
    };
  });
}

interface Test {
  file: string;
  name: string;
  status: string;
}

function run(directory: string, projects: string[], filters: string[]): Test[] {
  const outputFile = join(directory, `${projects.join("-")}.json`);
  const words = ["run", ...projects.flatMap((name) => ["--project", name]), ...filters];
  spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", ...words], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, GATEWAY_TEST_RESULTS: outputFile },
  });
  return readTests(outputFile);
}

function readTests(reportFile: string): Test[] {
  const { testResults } = report.parse(JSON.parse(readFileSync(reportFile, "utf8")));
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({
      // It may be of another checkout.
      file: name.replace(/^.*\/test\//, ""),
      name: fullName,
      status,
    })),
  );
}
