// What was spent, read from outside of the gateway: its ledger, what its log has after that, and the other gateways' in Redis.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Budget, periodAt } from "../../model/budgets.ts";
import { knownModels } from "../../model/known-models.ts";
import { accessLogFile, USAGE_LOG } from "../../model/names.ts";
import type { GatewayModel } from "../../model/model.ts";
import { knownPlace } from "../log-files/known-place.ts";
import {
  endOfLog,
  followLines,
  hasReached,
  LOG_START,
  type LogPosition,
} from "../log-files/log-files.ts";
import { priceFinder } from "../usage/record-cost.ts";
import { databaseProblem, USAGE_FILE, UsageDatabase } from "../usage/usage-database.ts";
import { readWhole } from "../usage/usage-line.ts";
import { appliesTo, type Cell, Cells, dayOf, type RecordRules } from "./cell.ts";
import { CellsTable } from "./cells-table.ts";
import { LEDGER, OLD_FILE, OLD_VERSION } from "./ledger.ts";
import { connectRedis, type RedisConnection, redisProblem } from "./redis/redis-connection.ts";
import { readSharedSpend } from "./redis/grant-script.ts";
import { budgetKey } from "./redis/redis-keys.ts";
import { readSharedCells } from "./redis/shared-cells.ts";
import { redisUrl } from "./redis/url.ts";
import { type SubjectSum, SubjectSums } from "./subject-sums.ts";

const CONNECT_MS = 3_000;
/** A month of a thousand keys with ten models each. */
const MAX_RESPONSE_BYTES = 2 ** 28;

export interface ReadSpendOptions {
  /** The state directory. */
  directory: string;
  /** Absent if it is not known: then only the ledger is read. */
  logDirectory?: string;
  /** The configuration; absent if it cannot be read: then there are neither budgets nor other gateways. */
  model?: GatewayModel;
  environment: Readonly<Record<string, string | undefined>>;
  /** File of certificate authorities; absent: those of Node. */
  caFile?: string | undefined;
  /** Milliseconds since 1970: the first day, and now. */
  since: number;
  now: number;
}

export interface BudgetState {
  budget: Budget;
  /** Nano-dollars. */
  spent: number;
  /** Milliseconds since 1970; Infinity for a budget that never ends. */
  resets: number;
}

export interface SpendReport {
  /** The cells since the first day, those of several gateways added up. */
  cells: Cell[];
  /** The same of groups and users, of this gateway alone. */
  subjects: SubjectSum[];
  budgets: BudgetState[];
  /** How many gateways have spent something, or share a budget. */
  gateways: number;
  /** Why something is missing, as sentences. */
  problems: string[];
}

/** Returns what was spent; undefined if nothing was ever recorded. */
export async function readSpend(options: ReadSpendOptions): Promise<SpendReport | undefined> {
  const { model, since, now } = options;
  const own = await readLedger(options);
  const others = await readOthers(options, own?.id);
  if (own === undefined && others === undefined) return undefined;
  const cells = new Cells();
  const first = dayOf(since);
  for (const cell of [...(own?.cells ?? []), ...(others?.cells ?? [])]) {
    if (cell.day >= first) cells.add(cell);
  }
  const budgets = (model?.budgets ?? []).map((budget): BudgetState => {
    const { start, end } = periodAt(budget.per, now);
    const isOf = (cell: Cell) => cell.day >= dayOf(start) && appliesTo(budget, cell);
    const spent = (own?.cells ?? []).filter(isOf).reduce((sum, { cost }) => sum + cost, 0);
    return { budget, spent: spent + (others?.spent.get(budget) ?? 0), resets: end };
  });
  const problems = [own?.problem, others?.problem].filter((one) => one !== undefined);
  const gateways = (own === undefined ? 0 : 1) + (others?.gateways ?? 0);
  const subjects = (own?.subjects ?? []).filter(({ day }) => day >= first);
  return { cells: cells.all(), subjects, budgets, gateways, problems };
}

interface OwnSpend {
  id: string | undefined;
  /** Of all days that are needed for the range and the budgets. */
  cells: Cell[];
  subjects: SubjectSum[];
  problem?: string;
}

/** Returns what this gateway has recorded; undefined without a ledger. */
async function readLedger(options: ReadSpendOptions): Promise<OwnSpend | undefined> {
  const { directory, logDirectory, model } = options;
  const current = join(directory, USAGE_FILE);
  // The gateway was not started since it was updated.
  const isOld = !existsSync(current);
  const path = isOld ? join(directory, OLD_FILE) : current;
  if (!existsSync(path)) return undefined;
  try {
    const file = new UsageDatabase(path, {
      isReadOnly: true,
      ...(isOld ? { version: OLD_VERSION } : {}),
    });
    try {
      const log =
        logDirectory === undefined ? undefined : join(logDirectory, accessLogFile(USAGE_LOG));
      const table = new CellsTable((work) => work(file));
      const read = () => ({
        places: file.places(isOld ? undefined : LEDGER),
        id: table.id,
        cells: table.cellsSince(firstTime(options)),
        subjects: isOld ? [] : table.subjectsSince(firstTime(options)),
      });
      const { places, id, ...found } = file.inTransaction(read, "DEFERRED");
      const cells = new Cells(model === undefined ? {} : rulesOf(model));
      for (const cell of found.cells) cells.add(cell);
      const subjects = new SubjectSums();
      for (const sum of found.subjects) subjects.addSum(sum);
      if (log !== undefined)
        await addUnread(cells, subjects, log, knownPlace(log, places)?.position ?? LOG_START);
      return { id, cells: cells.all(), subjects: subjects.all() };
    } finally {
      file.close();
    }
  } catch (error) {
    const problem = `The ledger ${path} cannot be read (${databaseProblem(error)}).`;
    return { id: undefined, cells: [], subjects: [], problem };
  }
}

function rulesOf(model: GatewayModel): RecordRules {
  return { nameOf: knownModels(model).nameOf, priceOf: priceFinder(model) };
}

/** Adds the lines that the gateway has not added yet: it looks ten times a second, or was killed. */
async function addUnread(
  cells: Cells,
  subjects: SubjectSums,
  log: string,
  position: LogPosition,
): Promise<void> {
  const end = endOfLog(log);
  const over = new AbortController();
  if (hasReached(log, position, end)) over.abort();
  await followLines(log, position, {
    onLine: (text) => {
      const { line } = readWhole(text);
      const cell = line === undefined ? undefined : cells.addLine(line);
      if (line?.record !== undefined && cell !== undefined) subjects.add(line.record, cell);
    },
    onPosition: (next) => {
      if (hasReached(log, next, end)) over.abort();
    },
    signal: over.signal,
  });
}

/** Returns the beginning of the range, or of the first budget's period. */
function firstTime({ model, since, now }: ReadSpendOptions): number {
  const starts = (model?.budgets ?? []).map(({ per }) => periodAt(per, now).start);
  return Math.min(since, ...starts);
}

interface OthersSpend {
  gateways: number;
  cells: Cell[];
  spent: Map<Budget, number>;
  problem?: string;
}

/** Returns what the other gateways have written to Redis; undefined without Redis. */
async function readOthers(
  options: ReadSpendOptions,
  ownId: string | undefined,
): Promise<OthersSpend | undefined> {
  const { model, environment, caFile } = options;
  const url = model?.redis === undefined ? undefined : redisUrl(model.redis, environment);
  if (model?.redis === undefined || url === undefined) return undefined;
  const { prefix } = model.redis;
  const ready = Promise.withResolvers<undefined>();
  const redis = await connectRedis({
    url,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    ...(caFile === undefined ? {} : { authorities: readFileSync(caFile, "utf8") }),
    onReady: () => {
      ready.resolve(undefined);
    },
  });
  const timer = setTimeout(() => {
    ready.resolve(undefined);
  }, CONNECT_MS);
  try {
    await ready.promise;
    return await readFromRedis(redis, prefix, options, ownId);
  } catch (error) {
    const problem = `Redis cannot be used (${redisProblem(error)}): what other gateways have spent is not shown.`;
    return { gateways: 0, cells: [], spent: new Map(), problem };
  } finally {
    clearTimeout(timer);
    redis.close();
  }
}

async function readFromRedis(
  redis: RedisConnection,
  prefix: string,
  { model, since, now }: ReadSpendOptions,
  ownId: string | undefined,
): Promise<OthersSpend> {
  const found = await readSharedCells(redis, prefix, since, now);
  const others = found.filter(({ gateway }) => gateway !== ownId);
  const spent = new Map<Budget, number>();
  const ids = new Set(others.map(({ gateway }) => gateway));
  for (const budget of model?.budgets ?? []) {
    let sum = 0;
    const key = budgetKey(prefix, budget, periodAt(budget.per, now).start);
    for (const [gateway, own] of await readSharedSpend(redis, key)) {
      if (gateway === ownId) continue;
      ids.add(gateway);
      sum += own;
    }
    spent.set(budget, sum);
  }
  return { gateways: ids.size, cells: others.map(({ cell }) => cell), spent };
}
