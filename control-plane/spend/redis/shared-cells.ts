// What each gateway has spent by day, key and model, in Redis: a hash per month, which `gateway spend` reads. The values are
// those of the gateway's own ledger, so writing one again changes nothing.
import { type Cell, DAY_MS, SUMS } from "../cell.ts";
import { readHash, type RedisConnection } from "./redis-connection.ts";
import { cellsKey } from "./redis-keys.ts";

/** How long a month is kept after its last change. */
const KEEP_S = 400 * 24 * 3600;
/** Months that are written to a Redis without data. */
const MONTHS = 13;
const FIELDS_AT_ONCE = 500;

export interface SharedCellsOptions {
  redis: RedisConnection;
  prefix: string;
  gateway: string;
  /** Returns the cells of the ledger between two times, and one cell. */
  cellsSince: (time: number, before: number) => Cell[];
  cell: (of: Cell) => Cell | undefined;
  now: () => number;
}

export class SharedCells {
  readonly #options: SharedCellsOptions;
  readonly #changed = new Map<string, Cell>();
  #mayHaveForgotten = true;
  #isWriting = false;

  constructor(options: SharedCellsOptions) {
    this.#options = options;
  }

  add(cells: readonly Cell[]): void {
    for (const cell of cells) this.#changed.set(fieldOf("", cell), cell);
  }

  expectAmnesia(): void {
    this.#mayHaveForgotten = true;
  }

  /** Writes what has changed. Rejects if Redis does not respond; then it is written the next time. */
  async write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      if (this.#mayHaveForgotten) {
        this.#mayHaveForgotten = false;
        await this.#writeMonths().catch((error: unknown) => {
          this.#mayHaveForgotten = true;
          throw error;
        });
      }
      const changed = [...this.#changed.values()];
      this.#changed.clear();
      const now = changed.flatMap((cell) => this.#options.cell(cell) ?? []);
      await this.#put(now).catch((error: unknown) => {
        this.add(changed);
        throw error;
      });
    } finally {
      this.#isWriting = false;
    }
  }

  /** Writes this month and the one before, whose last values Redis may lack, and older ones that it does not have. */
  async #writeMonths(): Promise<void> {
    const { redis, prefix, cellsSince, now } = this.#options;
    const date = new Date(now());
    for (let age = 0; age < MONTHS; age += 1) {
      const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - age);
      const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - age + 1);
      if (age > 1 && (await redis.send(["EXISTS", cellsKey(prefix, start)])) === 1) continue;
      await this.#put(cellsSince(start, end));
    }
  }

  async #put(cells: readonly Cell[]): Promise<void> {
    const { redis, prefix, gateway } = this.#options;
    for (const [key, own] of Map.groupBy(cells, ({ day }) => cellsKey(prefix, day * DAY_MS))) {
      for (let at = 0; at < own.length; at += FIELDS_AT_ONCE) {
        const fields = own
          .slice(at, at + FIELDS_AT_ONCE)
          .flatMap((cell) => [
            fieldOf(gateway, cell),
            JSON.stringify(SUMS.map((sum) => cell[sum])),
          ]);
        await redis.send(["HSET", key, ...fields]);
      }
      await redis.send(["EXPIRE", key, String(KEEP_S)]);
    }
  }
}

/** Returns the cells of all gateways from a time on. */
export async function readSharedCells(
  redis: RedisConnection,
  prefix: string,
  since: number,
  now: number,
): Promise<{ gateway: string; cell: Cell }[]> {
  const found: { gateway: string; cell: Cell }[] = [];
  const first = new Date(Math.max(since, now - KEEP_S * 1000));
  const month = (age: number) => Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + age);
  for (let age = 0; month(age) <= now; age += 1) {
    for (const [field, value] of await readHash(redis, cellsKey(prefix, month(age)))) {
      const [gateway, day, key, target] = JSON.parse(field) as [string, number, string, string];
      const sums = JSON.parse(value) as number[];
      const named = Object.fromEntries(SUMS.map((sum, at) => [sum, sums[at] ?? 0]));
      const cell = { day, key, target, ...(named as Record<(typeof SUMS)[number], number>) };
      if ((day + 1) * DAY_MS > since) found.push({ gateway, cell });
    }
  }
  return found;
}

function fieldOf(gateway: string, { day, key, target }: Cell): string {
  return JSON.stringify([gateway, day, key, target]);
}
