// What was spent, as a view of the usage log.
import { takeTables } from "../usage/adopt.ts";
import type { UsageDatabase } from "../usage/usage-database.ts";
import type { UsageLine, UsageRecord } from "../usage/usage-line.ts";
import type { Usage } from "../usage/usage-follower.ts";
import type { UsageView } from "../usage/usage-view.ts";
import { type Cell, Cells, type RecordRules } from "./cell.ts";
import { addCells, CellsTable, gatewayId, SCHEMA } from "./cells-table.ts";
import { addSubjects, type SubjectSum, SubjectSums } from "./subject-sums.ts";

/** Stands for the view in usage.db. */
export const LEDGER = "spend";
/** The file of older versions with the same tables, and its format. */
export const OLD_FILE = "spend.db";
export const OLD_VERSION = 1;

/** What one record costs. */
export interface RecordCost {
  /** When its request was over at the earliest, in milliseconds since 1970. */
  end: number;
  cell: Cell;
  /** Whose requests count it besides: groups with commas between them, and the user. */
  group?: string | undefined;
  user?: string | undefined;
}

/** A clock that is being corrected runs slower by this part at most. */
const CLOCK_DRIFT = 1 / 1000;

export interface LedgerOptions {
  usage: Pick<Usage, "commit" | "query">;
  rules?: RecordRules;
  /** Whether a log that was not read before begins at its end: where gateways share, what it has is in Redis already. */
  startsAtEnd: () => boolean;
  /** Receives what was added to the file. */
  onSpend: (cells: readonly Cell[], subjects: readonly SubjectSum[]) => void;
  /** Receives each record that was read. */
  onRecord?: (record: UsageRecord) => void;
  /** Called when the file can be written again (UsageView.recovered). */
  onOpen: (isReread: boolean) => void;
}

export class Ledger extends CellsTable implements UsageView {
  readonly name = LEDGER;
  readonly schema = SCHEMA;
  readonly adoption = {
    file: OLD_FILE,
    take: takeTables(LEDGER, OLD_VERSION, ["cells", "gateway"]),
  };
  readonly recovered: (isReread: boolean) => void;
  readonly #options: LedgerOptions;
  /** What was added and not written. */
  #cells: Cells;
  #subjects = new SubjectSums();
  /** Records that were added and not written, while they are watched. */
  #costs: RecordCost[] = [];
  readonly #watched = new Set<RecordCost[]>();

  constructor(options: LedgerOptions) {
    super((work) => options.usage.query(work));
    this.#options = options;
    this.#cells = new Cells(options.rules);
    this.recovered = options.onOpen;
  }

  get startsAtEnd(): boolean {
    return this.#options.startsAtEnd();
  }

  /** Adds what no record of the log has. */
  addLost(cells: readonly Cell[], subjects: readonly SubjectSum[] = []): boolean {
    const { usage, onSpend } = this.#options;
    const isAdded = usage.commit((file) => {
      addCells(file, cells);
      addSubjects(file, subjects);
    });
    if (isAdded) onSpend(cells, subjects);
    return isAdded;
  }

  /** Collects what each record costs that is written from now on. `end` stops that. */
  watchRecords(): { costs: readonly RecordCost[]; end: () => void } {
    const costs: RecordCost[] = [];
    this.#watched.add(costs);
    return { costs, end: () => this.#watched.delete(costs) };
  }

  open(file: UsageDatabase): void {
    gatewayId(file);
    this.#forget();
  }

  add(line: UsageLine): void {
    const cell = this.#cells.addLine(line);
    if (cell !== undefined && this.#watched.size > 0) {
      const { startTime, duration, record: { group, user } = {} } = line;
      const end = startTime * 1000 + duration * (1 - CLOCK_DRIFT);
      this.#costs.push({ end, cell, group, user });
    }
    if (line.record === undefined) return;
    if (cell !== undefined) this.#subjects.add(line.record, cell);
    this.#options.onRecord?.(line.record);
  }

  write(file: UsageDatabase): void {
    addCells(file, this.#cells.all());
    addSubjects(file, this.#subjects.all());
  }

  written(): void {
    const cells = this.#cells.all();
    const subjects = this.#subjects.all();
    for (const watched of this.#watched) watched.push(...this.#costs);
    this.#forget();
    if (cells.length > 0) this.#options.onSpend(cells, subjects);
  }

  #forget(): void {
    this.#cells = new Cells(this.#options.rules);
    this.#subjects = new SubjectSums();
    this.#costs = [];
  }
}
