// What an Envoy has charged for records that were lost, while requests go on.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Budget, budgetFingerprint } from "../../../../model/budgets.ts";
import type { Cell } from "../../../../control-plane/spend/cell.ts";
import { EnvoyLimits } from "../../../../control-plane/spend/envoy-limits.ts";
import type { RecordCost } from "../../../../control-plane/spend/ledger.ts";
import { Tallies } from "../../../../control-plane/spend/tallies.ts";
import { FakeEnvoy } from "./fake-envoy.ts";

const TEAM: Budget = { subject: { key: "team" }, amount: 1000, per: "total" };
const ALL: Budget = { subject: "all", amount: 1000, per: "total" };
const [team, all] = [TEAM, ALL].map(budgetFingerprint) as [string, string];

let directory: string;
let envoy: FakeEnvoy;
let limits: EnvoyLimits;
let tallies: Tallies;
let now: number;
let costs: RecordCost[];
/** What happens between the last sample and the end. */
let meanwhile: () => void;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "envoy-limits-"));
  const socket = join(directory, "budgets.sock");
  [now, costs, meanwhile] = [1_000_000, [], () => undefined];
  tallies = new Tallies({ spentSince: () => 0 }, () => now);
  tallies.use([TEAM, ALL]);
  envoy = new FakeEnvoy(socket, [team, all]);
  await envoy.start();
  limits = new EnvoyLimits({
    socket,
    tallies: () => tallies.current(),
    grantOf: () => undefined,
    catchUp() {
      meanwhile();
      return Promise.resolve();
    },
    report: () => undefined,
    lostMs: 0,
    watchRecords: () => ({ costs, end: () => undefined }),
    now: () => now,
    sampleMs: 1,
  });
  await limits.first;
});
afterEach(async () => {
  limits.close();
  await envoy.stop();
  rmSync(directory, { recursive: true });
});

function charge(cost: number, key = "team"): void {
  if (key === "team") envoy.charge(team, cost);
  envoy.charge(all, cost);
}

/** Reads the record of a request that was over so many milliseconds after now. */
function record(cost: number, after: number, key = "team"): void {
  const cell: Cell = {
    ...{ day: 0, key, target: "openai/gpt", cost, estimated: 0 },
    ...{ requests: 1, unpriced: 0, input: 0, output: 0 },
  };
  costs.push({ end: now + after, cell });
  tallies.add([cell]);
}

const lost = async () => {
  const found = await limits.lost();
  return [found.get(team), found.get(all)];
};

it("requests that end later than Envoy was asked lower nothing", async () => {
  charge(30);
  charge(4, "another");
  meanwhile = () => {
    for (const [cost, key] of [
      [7, "team"],
      [9, "another"],
    ] as const) {
      charge(cost, key);
      record(cost, 2, key);
    }
  };
  expect(await lost()).toEqual([30, 34]);
});

it("requests that Envoy was charging while it was asked are counted once, whenever their records come", async () => {
  charge(30);
  envoy.onPush = () => {
    now += 10;
    charge(2);
    record(2, 0);
  };
  charge(5);
  const before = now;
  meanwhile = () => {
    record(5, before - 3 - now);
  };
  expect(await lost()).toEqual([30, 30]);
});

it("a request that ends in the millisecond of all samples lowers the sum and never adds to it", async () => {
  charge(30);
  meanwhile = () => {
    charge(7);
    record(7, 1);
  };
  expect(await lost()).toEqual([23, 23]);
});

it("a record that is lost while Envoy is asked again counts", async () => {
  charge(30);
  envoy.onPush = () => {
    if (envoy.pushes === 10) charge(11);
  };
  expect(await lost()).toEqual([41, 41]);
});

it("nothing is lost if the log is read from the beginning meanwhile", async () => {
  charge(30);
  envoy.onPush = () => {
    if (envoy.pushes !== 10) return;
    record(30, 0);
    limits.resync();
  };
  expect(await lost()).toEqual([0, 0]);
});
