// What the page says of our own tests: counts of the last run of each file (ring-results.ts), by file and title.
import type { RunStamp } from "../../scripts/run-stamp.ts";
import { faultTable } from "../../scripts/faults.ts";
import { AGENTS, PROVIDERS } from "../agents/sessions.ts";
import { readRings, type RecordedTest, type RingResults, testFiles } from "./ring-results.ts";

interface Row {
  title: string;
  /** Of files below test/. */
  files: RegExp;
  /** Of the full title. */
  titles?: RegExp;
  link: string;
}

const EXCHANGES = "../test/exchanges/README.md";
const ROWS: readonly Row[] = [
  {
    title: "Exchanges: the provider and the client get these bytes exactly",
    files: /^exchanges\/(?:host|endpoints)/,
    titles: /exchanges in the host|endpoint/,
    link: EXCHANGES,
  },
  { title: "The same exchanges through Envoy", files: /^exchanges\/envoy/, link: EXCHANGES },
  {
    title: "Byte splits: requests that arrive byte by byte",
    files: /^exchanges\/host/,
    titles: /arrives in pieces/,
    link: EXCHANGES,
  },
  {
    title: "Byte splits: streams cut at every byte, at every event, and not at all",
    files: /^exchanges\/host/,
    titles: /streams cut anywhere/,
    link: EXCHANGES,
  },
  {
    title: "Facts of today's models and formats",
    files: /^exchanges\/current-apis/,
    link: "current-apis.md",
  },
  {
    title: "Mutated requests and responses, and inputs that the fuzzer has found",
    files: /^(?:exchanges\/mutated|fuzz\/)/,
    link: "../test/README.md",
  },
  {
    title: "Exhaustion: full memory, large bodies, large events, endless streams",
    files: /^exchanges\/(?:full-memory|large|long|costly)/,
    link: "overload.md",
  },
  { title: "Faults of providers", files: /^envoy\/provider-faults\//, link: "faults.md" },
  { title: "Isolation of clients from each other", files: /isolation/, link: "threat-model.md" },
  {
    title: "Official SDKs of OpenAI, Anthropic, LangChain and Vercel",
    files: /^sdk\//,
    link: "clients.md",
  },
  { title: "Claude Code and Codex from npm", files: /^agents\//, link: "clients.md" },
];

export interface OwnRow extends RunStamp {
  title: string;
  passed: number;
  failed: string[];
  skipped: number;
  link: string;
}

/** Sessions of the coding agents, by provider: what became of each. */
export interface AgentSessions extends RunStamp {
  providers: { model: string; sessions: Record<string, RecordedTest["status"]> }[];
}

/** The rows of docs/faults.yaml all of whose tests have passed. */
export interface FaultRows extends RunStamp {
  rows: number;
  passed: number;
  failed: string[];
}

export interface OwnResults {
  own: OwnRow[];
  agents: AgentSessions;
  faults: FaultRows;
}

interface Test extends RecordedTest, RunStamp {
  file: string;
}

/** Returns what the last runs give, and `published` for what was not run in this checkout. */
export function ownResults(published: OwnResults, rings = readRings()): OwnResults {
  const files = testFiles();
  return {
    own: ROWS.map((row) => {
      const wanted = files.filter((file) => row.files.test(file));
      const found = published.own.find(
        ({ link, title }) => title === row.title && link === row.link,
      );
      const result = rowOf(row, testsIn(rings, wanted)) ?? found;
      if (result === undefined) throw new Error(`"${row.title}" was not run in this checkout yet.`);
      return result;
    }),
    agents: sessionsIn(testsIn(rings, ["agents/sessions.test.ts"])) ?? published.agents,
    faults: faultsIn(testsIn(rings, [FAULTS_FILE])) ?? published.faults,
  };
}

const FAULTS_FILE = "envoy/provider-faults/every-fault.test.ts";

/** Returns the tests of files; undefined if one of them was not run. */
function testsIn(rings: RingResults, files: readonly string[]): Test[] | undefined {
  const tests: Test[] = [];
  for (const file of files) {
    const recorded = rings[file];
    if (recorded === undefined) return undefined;
    const { time, commit } = recorded;
    const run = { file, date: time.slice(0, 10), commit };
    tests.push(...recorded.tests.map((test) => ({ ...test, ...run })));
  }
  return tests;
}

function rowOf({ title, titles, link }: Row, tests: Test[] | undefined): OwnRow | undefined {
  const own = tests?.filter(({ name }) => titles?.test(name) !== false) ?? [];
  if (own.length === 0) return undefined;
  const having = (status: RecordedTest["status"]) => own.filter((one) => one.status === status);
  return {
    title,
    passed: having("passed").length,
    failed: having("failed").map(({ name }) => name),
    skipped: having("skipped").length,
    link,
    ...oldest(own),
  };
}

/** The page must not claim a run that is later than that of a part. */
function oldest(tests: readonly Test[]): RunStamp {
  const [first] = tests.toSorted((one, other) => one.date.localeCompare(other.date));
  return { date: first?.date ?? "", commit: first?.commit ?? "" };
}

function sessionsIn(tests: readonly Test[] | undefined): AgentSessions | undefined {
  if (tests === undefined) return undefined;
  const statusOf = (provider: string, agent: string) =>
    tests.find(({ name }) => name.startsWith(`on ${provider} > ${agent} `))?.status ?? "failed";
  return {
    ...oldest(tests),
    providers: PROVIDERS.map(({ name, model }) => ({
      model,
      sessions: Object.fromEntries(AGENTS.map((agent) => [agent, statusOf(name, agent)])),
    })),
  };
}

function faultsIn(tests: readonly Test[] | undefined): FaultRows | undefined {
  if (tests === undefined) return undefined;
  const faults = faultTable().map(({ fault }) => fault);
  const failed = faults.filter((fault) => {
    const own = tests.filter(({ name }) => name.startsWith(`${fault} > `));
    return own.length === 0 || own.some(({ status }) => status !== "passed");
  });
  return { ...oldest(tests), rows: faults.length, passed: faults.length - failed.length, failed };
}
