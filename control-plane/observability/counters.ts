// The counts of the metrics as a view of the usage log: they are in memory, and usage.db has each series that has changed.
import { readFileSync } from "node:fs";
import type { LogPosition } from "../log-files/log-files.ts";
import { readable, Unreadable } from "../usage/adopt.ts";
import type { UsageDatabase } from "../usage/usage-database.ts";
import type { UsageLine } from "../usage/usage-line.ts";
import type { UsageView } from "../usage/usage-view.ts";
import type { Counter, Families, SavedSeries } from "./metric-families.ts";

const NAME = "metrics";
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS counters (
    family TEXT NOT NULL, series TEXT NOT NULL, amounts TEXT NOT NULL, PRIMARY KEY (family, series)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS counters_since (ms INTEGER NOT NULL);
`;

export class Counters implements UsageView {
  readonly name = NAME;
  readonly schema = SCHEMA;
  readonly adoption = { file: "metrics.json", take: takeMetrics };
  readonly isInMemory = true;
  /** When the counts began, in milliseconds since 1970. */
  since = Date.now();
  readonly #families: Families;
  readonly #onLine: (line: UsageLine) => void;
  readonly #invalid: Counter;

  /** @param onLine counts a line */
  constructor(families: Families, onLine: (line: UsageLine) => void) {
    this.#families = families;
    this.#onLine = onLine;
    this.#invalid = families.counter({
      name: "gateway_usage_lines_invalid_total",
      help: "Lines of access_usage.log that could not be read, such as one that a crash cut off.",
      labels: [],
    });
  }

  open(database: UsageDatabase, isFirst: boolean): void {
    const since = () => database.statement("SELECT ms FROM counters_since").get()?.["ms"];
    if (since() === undefined) putSince(database, this.since);
    this.since = Number(since());
    if (isFirst) {
      const rows = database.statement("SELECT * FROM counters").all();
      this.#families.restore(rows.map(seriesOf));
    } else this.#families.changeAll();
  }

  add(line: UsageLine): void {
    this.#onLine(line);
  }

  addCut(): void {
    this.#invalid.add([]);
  }

  write(database: UsageDatabase): void {
    for (const series of this.#families.changed()) putSeries(database, series);
  }

  written(): void {
    this.#families.saved();
  }
}

function putSince(database: UsageDatabase, since: number): void {
  database.statement("INSERT INTO counters_since VALUES (?)").run(since);
}

function putSeries(database: UsageDatabase, { family, series, values }: SavedSeries): void {
  const put = database.statement("INSERT OR REPLACE INTO counters VALUES (?, ?, ?)");
  put.run(family, series, values.join(" "));
}

function seriesOf(row: Record<string, unknown>): SavedSeries {
  const values = String(row["amounts"]).split(" ").map(Number);
  return { family: String(row["family"]), series: String(row["series"]), values };
}

interface OldState {
  version: number;
  since?: number;
  positions: Record<string, LogPosition>;
  families: Record<string, Record<string, number[]>>;
}

/** Takes over what metrics.json has. */
function takeMetrics(database: UsageDatabase, path: string): void {
  const state = readable(() => JSON.parse(readFileSync(path, "utf8")) as OldState);
  if (state.version !== 1) throw new Unreadable("it is of another version");
  for (const [log, position] of Object.entries(state.positions))
    database.putPlace(NAME, log, position);
  if (state.since !== undefined) putSince(database, state.since);
  for (const [family, all] of Object.entries(state.families))
    for (const [series, values] of Object.entries(all))
      putSeries(database, { family, series, values });
}
