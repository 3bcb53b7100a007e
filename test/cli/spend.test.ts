// `gateway spend` beside a gateway that does not run: the ledger, lines of the log after it, and the other gateways in Redis.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOG_START } from "../../control-plane/log-files/log-files.ts";
import { addCells, gatewayId, SCHEMA } from "../../control-plane/spend/cells-table.ts";
import {
  connectRedis,
  type RedisConnection,
} from "../../control-plane/spend/redis/redis-connection.ts";
import { SharedCells } from "../../control-plane/spend/redis/shared-cells.ts";
import { addSubjects } from "../../control-plane/spend/subject-sums.ts";
import { requestGrant } from "../../control-plane/spend/redis/grant-script.ts";
import { budgetKey, memoryKey } from "../../control-plane/spend/redis/redis-keys.ts";
import type { Budget } from "../../model/budgets.ts";
import { periodAt } from "../../model/budgets.ts";
import type { Cell } from "../../control-plane/spend/cell.ts";
import { stateDirectory } from "../../control-plane/supervisor/state.ts";
import { UsageDatabase } from "../../control-plane/usage/usage-database.ts";
import { missingForRateLimitService } from "../../scripts/rate-limit-service.ts";
import { startRedis, type TestRedis } from "../gateway/redis.ts";
import { usageLine } from "../unit/control-plane/spend/lines.ts";
import { type Desk, openDesk } from "./gateway-command.ts";

const DOLLAR = 1e9;
const RESEARCH: Budget = { subject: { key: "research" }, amount: 50 * DOLLAR, per: "total" };
const CONFIG = `
listeners: {egress: {api_keys: [{key: $TEAM, name: research, budget: {amount: 50 USD, per: total}}]}}
llm_providers: [{model: openai/gpt-4o, access_key: $KEY}]
budgets: [{amount: 1 USD, per: month}]
`;
const KEYS = "KEY=sk-1234567890abcdef\nTEAM=a-key-of-the-team-0123456789\n";
const today = Math.floor(Date.now() / 86_400_000);
const date = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
const cell = (more: Partial<Cell>): Cell => ({
  ...{ day: today, key: "research", target: "openai/gpt-4o", requests: 1, unpriced: 0, cost: 0 },
  ...{ estimated: 0, input: 0, output: 0, ...more },
});

let desk: Desk;

function writeLedger(): void {
  const path = join(desk.directory, "gateway.yaml");
  const file = { name: "gateway.yaml", path, isBuiltIn: false };
  const directory = stateDirectory(file, desk.environment);
  const { logs } = desk;
  for (const one of [directory, logs]) mkdirSync(one, { recursive: true });
  const log = join(logs, "access_usage.log");
  const database = new UsageDatabase(join(directory, "usage.db"));
  database.addTables(SCHEMA);
  gatewayId(database);
  database.putPlace("spend", log, LOG_START);
  addCells(database, [
    cell({
      requests: 1204,
      input: 1_500_000,
      output: 90_000,
      cost: 12.3456 * DOLLAR,
      estimated: DOLLAR / 100,
    }),
    cell({ key: "", target: "own/model", requests: 2, unpriced: 2, input: 10 }),
    cell({ day: today - 400, cost: 30 * DOLLAR }),
  ]);
  const sums = { requests: 3, unpriced: 0, cost: 2 * DOLLAR, estimated: 0, input: 5, output: 6 };
  addSubjects(database, [
    { day: today, kind: "group", name: "eu", ...sums },
    { day: today, kind: "group", name: "research", ...sums },
    { day: today, kind: "user", name: "ann@example.com", ...sums },
    { day: today - 400, kind: "user", name: "ann@example.com", ...sums },
  ]);
  database.close();
  // Of a gateway that was killed before it read it.
  writeFileSync(
    log,
    `${usageLine({ at: Date.now() / 1000, key: "research", group: "research", user: "=ben", target: "openai/gpt-4o", cost: 3_520_000 })}\n`,
  );
}

beforeAll(() => {
  desk = openDesk({ "gateway.yaml": CONFIG, ".env": KEYS });
  writeLedger();
});
afterAll(() => desk.clear());

it("gateway spend prints this month by key and model, and the budgets", async () => {
  const { code, stdout, stderr } = await desk.run("spend");
  // How old the listed prices are; not part of the table, which other programs read.
  expect(stderr).toMatch(/^Listed prices: .* of \d{4}-\d\d-\d\d\.\n$/);
  expect(code).toBe(0);
  const month = `${date(today).slice(0, 7)}-01`;
  const next = date(periodAt("month", Date.now()).end / 86_400_000);
  expect(stdout).toBe(
    [
      `Spend since ${month} (UTC)`,
      "KEY       MODEL          REQUESTS      INPUT  OUTPUT    COST  ESTIMATED  WITHOUT PRICE",
      "research  openai/gpt-4o     1,205  1,500,000  90,000  $12.35      $0.01              0",
      "-         own/model             2         10       0   $0.00      $0.00              2",
      "all                         1,207  1,500,010  90,000  $12.35      $0.01              2",
      "",
      `BUDGET                            SPENT   LEFT      RESETS`,
      `50 USD in total of key research  $42.35  $7.65       never`,
      `1 USD a month of all requests    $12.35  $0.00  ${next}`,
      "",
    ].join("\n"),
  );
});

it("gateway spend --by prints groups and users, without a sum of groups that share requests", async () => {
  const groups = await desk.run("spend", "--by", "group");
  expect(groups.stdout.split("\n").slice(1, 5)).toEqual([
    "GROUP     REQUESTS  INPUT  OUTPUT   COST",
    "research         4      5       6  $2.00",
    "eu               3      5       6  $2.00",
    "",
  ]);
  const users = await desk.run("spend", "--by", "user");
  expect(users.stdout.split("\n").slice(1, 5)).toEqual([
    "USER             REQUESTS  INPUT  OUTPUT      COST",
    "ann@example.com         3      5       6     $2.00",
    "=ben                    1      0       0  $0.00352",
    "all                     4      5       6     $2.00",
  ]);
  const csv = await desk.run("spend", "--by", "user", "--csv");
  // A name in a token is no formula of a spreadsheet.
  expect(csv.stdout).toContain("\n,'=ben,1,");
  expect(csv.stdout.split("\n").slice(0, 2)).toEqual([
    "period,user,requests,requests_without_price,input_tokens,output_tokens,cost_usd,estimated_usd",
    ",ann@example.com,3,0,5,6,2,0",
  ]);
  const { stdout } = await desk.run("spend", "--by", "group", "--json");
  const { spend } = JSON.parse(stdout) as { spend: { group: string; costUsd: number }[] };
  expect(spend.map(({ group }) => group)).toEqual(["research", "eu"]);
});

it("gateway spend prints exact amounts as JSON and CSV, of each period since a day", async () => {
  const since = date(today - 400);
  const json = await desk.run("spend", "--since", since, "--per", "day", "--json");
  const found = JSON.parse(json.stdout) as { spend: object[]; budgets: object[] };
  expect(found).toMatchObject({ since, gateways: 1 });
  expect(found.spend).toHaveLength(3);
  expect(found.spend[1]).toEqual({
    ...{ period: date(today), key: "research", model: "openai/gpt-4o", requests: 1205 },
    ...{ requestsWithoutPrice: 0, inputTokens: 1_500_000, outputTokens: 90_000 },
    ...{ costUsd: 12.34912, estimatedUsd: 0.01 },
  });
  expect(found.budgets[0]).toEqual({
    ...{ budget: "50 USD in total of key research", key: "research", per: "total", amountUsd: 50 },
    ...{ spentUsd: 42.34912, leftUsd: 7.65088, resets: null },
  });
  const csv = await desk.run("spend", "--since", since, "--per", "year", "--csv");
  const year = date(today).slice(0, 4);
  expect(csv.stdout.split("\n")).toContain(
    `${year}-01-01,research,openai/gpt-4o,1205,0,1500000,90000,12.34912,0.01`,
  );
});

it("gateway spend rejects an invalid day, and two formats", async () => {
  expect((await desk.run("spend", "--since", "2026-02-30")).stderr).toContain("Expected a date");
  expect((await desk.run("spend", "--json", "--csv")).code).toBe(1);
});

it("gateway spend shows the sums also if the configuration has a problem, or the ledger was never written", async () => {
  const other = openDesk({ "gateway.yaml": CONFIG, ".env": KEYS });
  const { code, stderr } = await other.run("spend");
  expect(code).toBe(1);
  expect(stderr).toContain("No spend is recorded for gateway.yaml.");
  await other.clear();
  writeFileSync(join(desk.directory, ".env"), "");
  // A log of something else, in the directory of the command.
  const line = usageLine({ at: Date.now() / 1000, key: "ghost", target: "a/b", cost: 1 });
  writeFileSync(join(desk.directory, "access_usage.log"), `${line}\n`);
  const found = await desk.run("spend", "--since", "1d");
  expect(found.stderr).toContain("Budgets are not shown: gateway.yaml has 2 problems.");
  expect(found.stdout).toContain("$12.3");
  expect(found.stdout).not.toContain("ghost");
  writeFileSync(join(desk.directory, ".env"), KEYS);
});

it("gateway spend names a budget's model as the rows do, and titles a sum of all days", async () => {
  const perModel = "budgets: [{model: openai/gpt-4o, amount: 1 USD, per: month}]";
  writeFileSync(join(desk.directory, "gateway.yaml"), CONFIG.replace(/budgets: .*$/m, perModel));
  const { stdout } = await desk.run("spend", "--per", "total", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    budgets: [{ key: "research" }, { model: "openai/gpt-4o" }],
  });
  expect((await desk.run("spend", "--per", "total")).stdout).toContain("Spend in total\n");
  writeFileSync(join(desk.directory, "gateway.yaml"), CONFIG);
});

const missing = missingForRateLimitService(process.env);
if (missing !== undefined) console.error(`· Not tested: spend in Redis, because ${missing}`);

describe.skipIf(missing !== undefined)("with a shared Redis", () => {
  let server: TestRedis;
  let redis: RedisConnection;
  beforeAll(async () => {
    server = await startRedis({ password: "secret" });
    const ready = Promise.withResolvers<undefined>();
    redis = await connectRedis({
      url: server.url,
      onReady: () => {
        ready.resolve(undefined);
      },
    });
    await ready.promise;
    writeFileSync(join(desk.directory, ".env"), `${KEYS}REDIS_URL=${server.url}\n`);
    writeFileSync(join(desk.directory, "gateway.yaml"), `${CONFIG}redis: {url: $REDIS_URL}\n`);
  });
  afterAll(async () => {
    redis.close();
    await server.stop();
  });

  it("gateway spend shows the sums of all gateways with a shared Redis", async () => {
    const own = cell({ cost: 2 * DOLLAR });
    const hostile = cell({ key: "\u001b[2Jevil", requests: 1 });
    const cells = new SharedCells({
      ...{ redis, prefix: "gateway", gateway: "other", now: Date.now },
      ...{ cellsSince: () => [], cell: (of) => of },
    });
    cells.add([own, hostile]);
    await cells.write();
    await requestGrant(redis, {
      keys: { budget: budgetKey("gateway", RESEARCH, 0), memory: memoryKey("gateway") },
      ...{ gateway: "other", spent: 2 * DOLLAR, held: 0, wanted: 0, amount: 50 * DOLLAR },
      ...{ leaseMs: 0, expires: 0 },
    });
    const { stdout, stderr } = await desk.run("spend", "--json");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({
      gateways: 2,
      spend: [
        { key: "research", requests: 1206, costUsd: 14.34912 },
        { key: null },
        { key: "?[2Jevil" },
      ],
      budgets: [{ spentUsd: 44.34912 }, {}],
    });
  });

  it("gateway spend shows this gateway's sums if Redis does not respond", async () => {
    await server.kill();
    const { code, stdout, stderr } = await desk.run("spend");
    expect(code).toBe(0);
    expect(stdout).toContain("$12.35");
    expect(stderr).toContain(
      "Redis cannot be used (ECONNREFUSED): what other gateways have spent is not shown.",
    );
    expect(stderr).not.toContain("secret");
  });
});
