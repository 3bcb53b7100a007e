// Which runs of a ring are recorded, and what becomes of them on docs/conformance.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { TestModule, Vitest } from "vitest/node";
import { ownResults, type OwnResults, type OwnRow } from "../../../conformance/own-rings.ts";
import { readRings, RingRecorder } from "../../../conformance/ring-results.ts";
import type { RecordedFile, RecordedTest } from "../../../conformance/ring-results.ts";

const TEST = join(import.meta.dirname, "../../..");
const PUBLISHED = join(TEST, "../docs/conformance.json");
const SESSIONS = "agents/sessions.test.ts";
const FAULTS = "envoy/provider-faults/every-fault.test.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gateway-rings-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function moduleOf(file: string, tests: [string, RecordedTest["status"]][]): TestModule {
  const all = tests.map(([fullName, state]) => ({ fullName, result: () => ({ state }) }));
  return {
    moduleId: join(TEST, file),
    project: { name: "agents" },
    children: { allTests: () => all },
    state: () => (tests.some(([, state]) => state === "failed") ? "failed" : "passed"),
  } as unknown as TestModule;
}

function runs(module: TestModule, testNamePattern?: RegExp, reason = "passed"): void {
  const recorder = new RingRecorder(folder);
  recorder.onInit({ config: { testNamePattern } } as Pick<Vitest, "config">);
  recorder.onTestRunStart([{ testLines: [] }]);
  recorder.onTestRunEnd([module], [], reason);
}

it("a complete run of a file replaces the one before, and leaves other files alone", () => {
  runs(moduleOf(SESSIONS, [["one", "failed"]]));
  runs(moduleOf(FAULTS, [["healthy > a", "passed"]]));
  runs(moduleOf(SESSIONS, [["one", "passed"]]));
  const rings = readRings(folder);
  expect(rings[SESSIONS]?.tests).toEqual([{ name: "one", status: "passed" }]);
  expect(rings[FAULTS]?.tests).toHaveLength(1);
});

it("a run that a name filters, or that is interrupted, is not recorded", () => {
  runs(moduleOf(SESSIONS, [["one", "passed"]]), /one/);
  runs(moduleOf(SESSIONS, [["one", "passed"]]), undefined, "interrupted");
  expect(readRings(folder)).toEqual({});
});

it("a file that is gone is not in the results", () => {
  writeFileSync(join(folder, "unit.json"), JSON.stringify({ "unit/gone.test.ts": { tests: [] } }));
  expect(readRings(folder)).toEqual({});
});

const OLD = { date: "2026-01-02", commit: "a" };
const row = (title: string, link: string): OwnRow => ({
  ...{ title, link, passed: 1, failed: [], skipped: 0 },
  ...OLD,
});

/** A page on which everything has passed, on an old date. */
function publishedPage(): OwnResults {
  const own = JSON.parse(readFileSync(PUBLISHED, "utf8")) as OwnResults;
  return {
    own: own.own.map(({ title, link }) => row(title, link)),
    agents: { ...OLD, providers: [] },
    faults: { ...OLD, rows: 1, passed: 1, failed: [] },
  };
}

const recorded = (...tests: [string, RecordedTest["status"]][]): RecordedFile => ({
  time: "2026-11-28T01:02:03.000Z",
  commit: "b",
  tests: tests.map(([name, status]) => ({ name, status })),
});

it("a part that was not run keeps the date of its page, one that was run has its own", () => {
  const published = publishedPage();
  const results = ownResults(published, {
    [FAULTS]: recorded(["healthy > one", "passed"], ["refused > one", "failed"]),
  });
  expect(results.own).toEqual(published.own);
  expect(results.agents).toEqual(published.agents);
  expect(results.faults).toMatchObject({ date: "2026-11-28", commit: "b", passed: 1 });
  expect(results.faults.failed).toContain("refused");
  expect(results.faults.failed).not.toContain("healthy");
});

it("a failed session is on the page, by agent and provider", () => {
  const { agents } = ownResults(publishedPage(), {
    [SESSIONS]: recorded(
      ["on openai > Claude Code works to the end of a session", "passed"],
      ["on openai > Codex works to the end of a session", "failed"],
    ),
  });
  expect(agents.providers[0]?.sessions).toEqual({ "Claude Code": "passed", Codex: "failed" });
});
