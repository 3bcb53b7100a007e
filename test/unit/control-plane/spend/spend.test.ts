// The limits that an Envoy gets: at its start and restart, when records are read, at the end of a period, after a reload.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Budget, budgetFingerprint } from "../../../../model/budgets.ts";
import type { GatewayModel } from "../../../../model/model.ts";
import { showBudgets, stateGauges } from "../../../../control-plane/observability/envoy-stats.ts";
import { Families } from "../../../../control-plane/observability/metric-families.ts";
import { EnvoyLimits } from "../../../../control-plane/spend/envoy-limits.ts";
import { cellsOfLost } from "../../../../control-plane/spend/lost-records.ts";
import { Spend } from "../../../../control-plane/spend/spend.ts";
import { Tallies } from "../../../../control-plane/spend/tallies.ts";
import type { Configuration } from "../../../../control-plane/supervisor/configuration-file.ts";
import { createSpending } from "../../../../control-plane/supervisor/spending.ts";
import { Usage } from "../../../../control-plane/usage/usage-follower.ts";
import { missingForRateLimitService } from "../../../../scripts/rate-limit-service.ts";
import { startRedis, type TestRedis } from "../../../gateway/redis.ts";
import { FakeEnvoy } from "./fake-envoy.ts";
import { usageLine } from "./lines.ts";

const DAILY: Budget = { subject: { key: "team" }, amount: 100, per: "day" };
const MONTHLY: Budget = { subject: "all", amount: 1000, per: "month" };
const [daily, monthly] = [DAILY, MONTHLY].map(budgetFingerprint) as [string, string];

let directory: string;
let log: string;
let socket: string;
/** 2026-11-30 12:00 UTC. */
let now: number;
let spend: Spend;
let envoy: FakeEnvoy;
let reports: string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "spend-"));
  log = join(directory, "access_usage.log");
  socket = join(directory, "budgets.sock");
  now = Date.UTC(2026, 10, 30, 12);
  reports = [];
  spend = newSpend();
  envoy = new FakeEnvoy(socket, [daily, monthly]);
  await envoy.start();
});
afterEach(async () => {
  await spend.close();
  await envoy.stop();
  rmSync(directory, { recursive: true });
});

/** A configuration without models. */
function modelWith(parts: object): GatewayModel {
  const listeners = { ingress: {}, egress: {} };
  return { targets: [], aliases: [], ...listeners, ...parts } as unknown as GatewayModel;
}

function newSpend(): Spend {
  const report = (line: string) => void reports.push(line);
  return new Spend({
    ...{ usage: new Usage({ directory, report }), report },
    onReadiness: () => undefined,
    now: () => now,
    lostMs: 50,
  });
}

const use = (...budgets: Budget[]) =>
  spend.use({ model: modelWith({ budgets }), logDirectory: directory, environment: {} });

/** Charges a request, whose record is written now or later. */
function ask(cost: number, { isRecorded = true } = {}): () => void {
  envoy.charge(daily, cost);
  envoy.charge(monthly, cost);
  const write = () => {
    appendFileSync(log, `${usageLine({ at: now / 1000, key: "team", cost })}\n`);
  };
  if (isRecorded) write();
  return write;
}

const limit = (id: string) => envoy.limits.get(id)?.limit;
const left = (id: string) => (limit(id) ?? 0) - (envoy.charged.get(id) ?? 0);
const read = (cost: number, budget = "all requests a month") =>
  expect.poll(() => spend.gauges().find(({ name }) => name === budget)?.spent).toBe(cost);

it("an Envoy gets the amounts minus what was spent before, with their ends", async () => {
  writeFileSync(
    log,
    [
      usageLine({ at: Date.UTC(2026, 10, 1) / 1000 - 1, key: "team", cost: 500 }),
      usageLine({ at: Date.UTC(2026, 10, 1) / 1000, key: "team", cost: 7 }),
      usageLine({ at: now / 1000, key: "team", cost: 5 }),
      usageLine({ at: now / 1000, key: "other", cost: 3 }),
    ].join("\n") + "\n",
  );
  await use(DAILY, MONTHLY);
  await spend.attach(socket);
  expect([...envoy.limits.values()]).toEqual([
    { id: daily, limit: 95, resets: Date.UTC(2026, 11, 1) / 1000 },
    { id: monthly, limit: 985, resets: Date.UTC(2026, 11, 1) / 1000 },
  ]);
  expect(spend.gauges()).toEqual([
    {
      name: "key team a day",
      subject: { kind: "key", name: "team" },
      per: "day",
      limit: 100,
      spent: 5,
      resets: Date.UTC(2026, 11, 1),
    },
    {
      name: "all requests a month",
      per: "month",
      limit: 1000,
      spent: 15,
      resets: Date.UTC(2026, 11, 1),
    },
  ]);
});

it("metrics show the amount of each budget and what was spent on it", async () => {
  writeFileSync(log, `${usageLine({ at: now / 1000, key: "team", cost: 5 })}\n`);
  await use({ ...DAILY, amount: 2e9 });
  await read(5, "key team a day");
  const families = new Families();
  showBudgets(spend.gauges(), stateGauges(families));
  expect(families.render()).toContain('gateway_budget_limit_usd{budget="key team a day"} 2\n');
  expect(families.render()).toContain(
    'gateway_budget_spent_usd{budget="key team a day"} 0.000000005\n',
  );
});

it("records that are read change no limit within a period", async () => {
  await use(DAILY, MONTHLY);
  await spend.attach(socket);
  ask(30);
  await read(30);
  await use(DAILY, MONTHLY);
  expect(limit(daily)).toBe(100);
  expect(left(daily)).toBe(70);
});

it("a period ends: what was spent before does not count, whenever its records are read", async () => {
  await use(DAILY, MONTHLY);
  await spend.attach(socket);
  ask(60);
  await read(60);
  const writeLater = ask(50, { isRecorded: false });
  expect(envoy.charge(daily, 1)).toBe(false);
  now = Date.UTC(2026, 11, 1, 0, 0, 1);
  await use(DAILY, MONTHLY);
  // The request whose record is missing may still be one of the new period.
  expect(left(daily)).toBe(50);
  now = Date.UTC(2026, 10, 30, 23, 59, 59);
  writeLater();
  now = Date.UTC(2026, 11, 1, 0, 0, 2);
  await expect
    .poll(async () => {
      await use(DAILY, MONTHLY);
      return left(daily);
    })
    .toBe(100);
  expect(left(monthly)).toBe(1000);
  expect(envoy.limits.get(daily)?.resets).toBe(Date.UTC(2026, 11, 2) / 1000);
});

it("the limit of the next period is pushed when a period ends", async () => {
  now = Date.UTC(2026, 11, 1) - 300;
  await use(DAILY);
  await spend.attach(socket);
  expect(envoy.limits.get(daily)?.resets).toBe(Date.UTC(2026, 11, 1) / 1000);
  now += 300;
  await expect.poll(() => envoy.limits.get(daily)?.resets).toBe(Date.UTC(2026, 11, 2) / 1000);
});

it("an Envoy that starts again gets its limits as soon as it responds", async () => {
  await use(DAILY, MONTHLY);
  await spend.attach(socket);
  ask(30);
  await read(30);
  ask(20);
  await envoy.stop();
  const attached = spend.attach(socket);
  await envoy.start();
  await attached;
  expect(limit(daily)).toBe(50);
  expect(left(monthly)).toBe(950);
});

it("a budget that a reload adds is charged from then on; a new amount changes what is left", async () => {
  envoy.ids = [monthly];
  await use(MONTHLY);
  await spend.attach(socket);
  ask(30);
  await read(30);
  envoy.ids = [daily, monthly];
  await use(DAILY, { ...MONTHLY, amount: 500 });
  expect(left(daily)).toBe(70);
  expect(left(monthly)).toBe(470);
  ask(10);
  await read(40);
  await use(DAILY, MONTHLY);
  expect(left(daily)).toBe(60);
});

it("a budget that is removed and added again is charged from then on", async () => {
  await use(DAILY, MONTHLY);
  ask(20);
  await read(20);
  await spend.attach(socket);
  ask(10);
  await read(30);
  await use(MONTHLY);
  // Envoy forgets a budget that its configuration does not have.
  envoy.limits.delete(daily);
  envoy.charged.delete(daily);
  await use(DAILY, MONTHLY);
  expect(left(daily)).toBe(70);
  ask(10);
  await read(40);
  await use(DAILY, MONTHLY);
  expect(left(daily)).toBe(60);
});

it("charges of a replaced Envoy that drains are subtracted when it has exited", async () => {
  await use(DAILY, MONTHLY);
  await spend.attach(socket);
  ask(10);
  await read(10);
  // The replaced Envoy writes a record that this one has not charged.
  appendFileSync(log, `${usageLine({ at: now / 1000, key: "team", cost: 30 })}\n`);
  await read(40);
  expect(left(daily)).toBe(90);
  const unread = ask(5, { isRecorded: false });
  void spend.settle();
  await expect.poll(() => left(monthly)).toBe(960);
  unread();
  await read(45);
  void spend.settle();
  await expect.poll(() => left(monthly)).toBe(955);
  expect(left(daily)).toBe(55);
});

describe("what was charged while no record could be written", () => {
  const OF_MODEL: Budget = { subject: { target: "openai/gpt" }, amount: 500, per: "month" };

  it("charges while no record could be written are added when records are written again, once, and a restart does not forget them", async () => {
    envoy.ids.push(budgetFingerprint(OF_MODEL));
    await use(DAILY, MONTHLY, OF_MODEL);
    await spend.attach(socket);
    ask(30);
    await read(30);
    ask(70, { isRecorded: false });
    envoy.charge(monthly, 5);
    envoy.charge(budgetFingerprint(OF_MODEL), 30 + 20);
    expect([left(daily), left(monthly)]).toEqual([0, 895]);
    await Promise.all([spend.addLost(), spend.addLost()]);
    expect(reports.filter((line) => line.includes("were lost"))).toHaveLength(1);
    expect([left(daily), left(monthly)]).toEqual([0, 895]);
    const gauges = spend.gauges().map(({ spent }) => spent);
    expect(gauges).toEqual([100, 105, 50]);
    // A new Envoy has charged nothing.
    await spend.close();
    await envoy.stop();
    await envoy.start();
    spend = newSpend();
    await use(DAILY, MONTHLY, OF_MODEL);
    await spend.attach(socket);
    expect([left(daily), left(monthly)]).toEqual([0, 895]);
  });

  it("requests that go on while lost records are looked for lower nothing", async () => {
    await use(DAILY, MONTHLY);
    await spend.attach(socket);
    ask(40, { isRecorded: false });
    const lastSample = envoy.pushes + 40;
    const ended = () => {
      envoy.charge(monthly, 7);
      appendFileSync(log, `${usageLine({ at: now / 1000, duration: 10, cost: 7 })}\n`);
    };
    envoy.onPush = () => {
      // After the response of what was charged.
      if (envoy.pushes === lastSample) queueMicrotask(ended);
    };
    await spend.addLost();
    expect(spend.gauges().map(({ spent }) => spent)).toEqual([40, 47]);
  });

  it("no charge is added if the records come late", async () => {
    await use(DAILY, MONTHLY);
    await spend.attach(socket);
    const write = ask(40, { isRecorded: false });
    const added = spend.addLost();
    write();
    await added;
    expect(spend.gauges().map(({ spent }) => spent)).toEqual([40, 40]);
    expect(reports).toEqual([]);
  });

  it.each<[string, [Budget["subject"], number][], [string, string, number][]]>([
    ["all", [["all", 7]], [["", "", 7]]],
    ["a key", [[{ key: "a" }, 7]], [["a", "", 7]]],
    [
      "keys beside all",
      [
        [{ key: "a" }, 7],
        [{ key: "b" }, 2],
        ["all", 10],
      ],
      [
        ["a", "", 7],
        ["b", "", 2],
        ["", "", 1],
      ],
    ],
    [
      "keys and models",
      [
        [{ key: "a" }, 7],
        [{ target: "m" }, 4],
        [{ target: "n" }, 5],
        ["all", 12],
      ],
      [
        ["a", "m", 4],
        ["a", "n", 3],
        ["", "n", 2],
        ["", "", 3],
      ],
    ],
    [
      "models alone",
      [
        [{ target: "m" }, 4],
        [{ target: "n" }, 5],
      ],
      [
        ["", "m", 4],
        ["", "n", 5],
      ],
    ],
    [
      "users and groups",
      [
        [{ user: "u" }, 4],
        [{ user: "v" }, 5],
        [{ group: "g" }, 7],
        [{ key: "a" }, 3],
      ],
      [
        ["a", "", 3],
        ["", "", 6],
      ],
    ],
    ["a group alone", [[{ group: "g" }, 7]], [["", "", 7]]],
    [
      "two budgets of a key",
      [
        [{ key: "a" }, 7],
        [{ key: "a" }, 7],
      ],
      [["a", "", 7]],
    ],
    [
      "nothing",
      [
        [{ key: "a" }, 0],
        ["all", 0],
      ],
      [],
    ],
  ])("charges are added to the sums of all budgets: %s", (_, lost, expected) => {
    const cells = cellsOfLost(
      lost.map(([subject, cost]) => ({ budget: { subject, amount: 100, per: "day" }, cost })),
      3,
    );
    expect(cells.map(({ key, target, cost }) => [key, target, cost])).toEqual(expected);
    for (const cell of cells)
      expect(cell).toMatchObject({ day: 3, requests: 0, estimated: cell.cost });
  });
});

it("lines of a replaced Envoy in the previous directory of logs are counted", async () => {
  await use(DAILY, MONTHLY);
  ask(10);
  await read(10);
  const next = join(directory, "next");
  mkdirSync(next);
  const useNext = () =>
    spend.use({
      model: modelWith({ budgets: [DAILY, MONTHLY] }),
      logDirectory: next,
      environment: {},
    });
  await useNext();
  const draining = (cost: number) => {
    appendFileSync(log, `${usageLine({ at: now / 1000, cost })}\n`);
  };
  draining(20);
  await read(30);
  await use(DAILY, MONTHLY);
  draining(5);
  await read(35);
  await useNext();
  draining(7);
  appendFileSync(join(next, "access_usage.log"), `${usageLine({ at: now / 1000, cost: 100 })}\n`);
  await spend.settle();
  await read(142);
  await spend.close();
  spend = newSpend();
  await use(DAILY, MONTHLY);
  await read(142);
});

it("Envoy keeps its limits while the ledger is read again", async () => {
  const tallies = new Tallies({ spentSince: () => 0 }, () => now);
  tallies.use([DAILY]);
  const limits = new EnvoyLimits({
    socket,
    tallies: () => tallies.current(),
    grantOf: () => undefined,
    catchUp: () => Promise.resolve(),
    report: (line) => reports.push(line),
    lostMs: 0,
    watchRecords: () => ({ costs: [], end: () => undefined }),
    now: () => now,
  });
  await limits.first;
  const pushed: (number | undefined)[] = [];
  envoy.onPush = () => pushed.push(limit(daily));
  limits.resync();
  await limits.push();
  limits.close();
  expect(pushed.length).toBeGreaterThan(0);
  expect(pushed.every((each) => each === 100)).toBe(true);
});

it("a reload that adds the first budget does not wait for an Envoy that stands still", async () => {
  const spending = createSpending(
    directory,
    () => undefined,
    () => undefined,
  );
  await spending.attach(join(directory, "nobody.sock"));
  const model = modelWith({ budgets: [DAILY] });
  await spending.use({ model, environment: {} } as Configuration, directory);
  await spending.close();
});

it("a worker that has no new configuration yet gets the limits of its budgets later", async () => {
  envoy.ids = [monthly];
  await use(MONTHLY);
  await spend.attach(socket);
  await use(DAILY, MONTHLY);
  expect(limit(daily)).toBeUndefined();
  envoy.ids = [daily, monthly];
  await expect.poll(() => left(daily)).toBe(100);
});

it("a ledger that is damaged while the gateway runs is read from the log again, and nothing is charged twice", async () => {
  await use(DAILY, MONTHLY);
  await spend.attach(socket);
  ask(30);
  await read(30);
  await spend.close();
  writeFileSync(join(directory, "usage.db"), "no database".repeat(1000));
  spend = newSpend();
  await use(DAILY, MONTHLY);
  await envoy.stop();
  await envoy.start();
  await spend.attach(socket);
  expect(left(daily)).toBe(70);
  ask(10);
  await read(40);
  await use(DAILY, MONTHLY);
  expect(left(daily)).toBe(60);
});

const missing = missingForRateLimitService(process.env);
describe.skipIf(missing !== undefined)("with Redis", () => {
  let server: TestRedis;
  beforeEach(async () => {
    server = await startRedis();
  });
  afterEach(() => server.stop());

  const share = (...budgets: Budget[]) => {
    const redis = { url: { text: server.url }, prefix: "p", onFailure: "deny" as const };
    const model = modelWith({ budgets, redis });
    return spend.use({ model, logDirectory: directory, environment: {} });
  };

  it("a damaged ledger becomes that of another gateway: what Redis has stays, and nothing is counted twice", async () => {
    await share(MONTHLY);
    await spend.attach(socket);
    ask(30);
    await read(30);
    await spend.close();
    writeFileSync(join(directory, "usage.db"), "no database".repeat(1000));
    spend = newSpend();
    await share(MONTHLY);
    await envoy.stop();
    await envoy.start();
    await spend.attach(socket);
    await read(30);
    ask(10);
    await read(40);
    await expect.poll(() => left(monthly)).toBeLessThanOrEqual(960);
  });

  it("the limit of a budget in Redis is a part of what is left, and all of it at the end", async () => {
    await share({ ...MONTHLY, amount: 1e6 });
    await spend.attach(socket);
    expect(envoy.limits.get(monthly)).toMatchObject({ partial: 1, limit: 125_000 });
    let isOver = false;
    let used = 0;
    while (!isOver) {
      if (envoy.charge(monthly, 1e4)) {
        used += 1e4;
        appendFileSync(log, `${usageLine({ at: now / 1000, cost: 1e4 })}\n`);
      } else {
        isOver = envoy.limits.get(monthly)?.partial === undefined;
        if (!isOver) {
          const error = "rate_limit_exceeded";
          appendFileSync(log, `${usageLine({ at: now / 1000, status: 429, error })}\n`);
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    expect(used).toBe(1e6);
  });
});
