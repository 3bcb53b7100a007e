// The public suites give what docs/conformance.json says. `npm run conformance` writes it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { KNOWN_FAILURES, knownFailure, runSuites } from "./suites.ts";
import type { SuiteRun } from "./suite.ts";

const PUBLISHED = join(import.meta.dirname, "../../docs/conformance.json");
/** Where `npm run conformance` wants the results. */
const target = process.env["GATEWAY_CONFORMANCE_RESULTS"];

let runs: SuiteRun[];
beforeAll(async () => {
  runs = await runSuites();
  if (target !== undefined) writeFileSync(target, JSON.stringify(runs));
});

const keyOf = ({ suite, subject }: SuiteRun) => `${suite}: ${subject}`;

it("every failure of a public suite is known, with its reason", () => {
  const unknown = runs.flatMap(({ suite, subject, failed }) =>
    failed
      .filter(({ test, reason }) => knownFailure(suite, test, reason) === undefined)
      .map(({ test, reason }) => `${suite}, ${subject}: ${test}: ${reason}`),
  );
  expect(unknown).toEqual([]);
});

it("every known failure still happens", () => {
  const happened = new Set(
    runs.flatMap(({ suite, failed }) =>
      failed.map(({ test, reason }) => knownFailure(suite, test, reason)),
    ),
  );
  expect(KNOWN_FAILURES.filter((known) => !happened.has(known))).toEqual([]);
});

it.skipIf(target !== undefined)("no suite passes less than docs/conformance.json says", () => {
  const { suites } = JSON.parse(readFileSync(PUBLISHED, "utf8")) as { suites: SuiteRun[] };
  const counts = (all: readonly SuiteRun[]) =>
    Object.fromEntries(all.map((run) => [keyOf(run), run]));
  const now = counts(runs);
  expect(Object.keys(now).sort()).toEqual(suites.map(keyOf).sort());
  const worse = suites.filter((run) => (now[keyOf(run)]?.passed ?? 0) < run.passed);
  expect(worse.map((run) => [keyOf(run), now[keyOf(run)]])).toEqual([]);
});
