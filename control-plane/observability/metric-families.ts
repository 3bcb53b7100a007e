// Metric families in Prometheus' text format: counters, gauges and histograms whose values are integers, so that sums are
// exact, and whose series are limited in number. All of them can be saved and restored.
// @see https://prometheus.io/docs/instrumenting/exposition_formats/

/** Series of one family; what would be one more is counted under FOLDED. */
const MAX_SERIES = 1000;
/** Label value of all series that are over the limit. */
const FOLDED = "other";
/** Between the label values in the key of a series. */
const SEPARATOR = "\u0000";

export interface FamilyOptions {
  name: string;
  help: string;
  labels: readonly string[];
  /** How many units make one of the unit that is shown: 1,000,000 for microseconds shown as seconds. Default 1. */
  scale?: number;
}

/** The series of a family, for an export. */
export interface FamilySnapshot {
  options: FamilyOptions;
  type: "counter" | "gauge" | "histogram";
  /** Upper bounds of a histogram's buckets, in units. */
  bounds: readonly number[];
  /** Of a histogram the buckets, the one above all bounds, and the sum. */
  series: { labels: string[]; values: readonly number[] }[];
}

/** The values of a series, as they are saved. */
export interface SavedSeries {
  family: string;
  /** The label values, joined. */
  series: string;
  values: number[];
}

abstract class Family {
  readonly options: FamilyOptions;
  /** Values by the label values, joined. */
  protected readonly series = new Map<string, number[]>();
  /** Keys of the series that were not saved yet. */
  readonly #changed = new Set<string>();
  readonly #onFold: () => void;

  constructor(options: FamilyOptions, onFold: () => void) {
    this.options = options;
    this.#onFold = onFold;
  }

  abstract readonly type: "counter" | "gauge" | "histogram";
  protected abstract readonly width: number;
  protected readonly bounds: readonly number[] = [];
  protected abstract lines(labels: string, values: readonly number[]): string[];

  /** Returns the values of a series, which change; it is made if there is none. */
  protected valuesOf(labels: readonly string[]): number[] {
    let key = labels.join(SEPARATOR);
    if (!this.series.has(key) && this.series.size >= MAX_SERIES) {
      this.#onFold();
      key = this.options.labels.map(() => FOLDED).join(SEPARATOR);
    }
    const values = this.series.get(key) ?? new Array<number>(this.width).fill(0);
    this.series.set(key, values);
    this.#changed.add(key);
    return values;
  }

  render(): string {
    const { name, help, labels } = this.options;
    const lines = [...this.series].flatMap(([key, values]) => {
      const words = labels.length === 0 ? [] : key.split(SEPARATOR);
      const pairs = labels.map((label, at) => `${label}="${escaped(words[at] ?? "")}"`);
      return this.lines(pairs.join(","), values);
    });
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${this.type}`, ...lines, ""].join("\n");
  }

  snapshot(): FamilySnapshot {
    const { options, type } = this;
    const series = [...this.series].map(([key, values]) => {
      const labels = options.labels.length === 0 ? [] : key.split(SEPARATOR);
      return { labels, values };
    });
    return { options, type, bounds: this.bounds, series };
  }

  /** Returns the series that have changed since `saved`. */
  changed(): SavedSeries[] {
    const { name: family } = this.options;
    return [...this.#changed].map((series) => ({
      ...{ family, series, values: this.series.get(series) ?? [] },
    }));
  }

  saved(): void {
    this.#changed.clear();
  }

  changeAll(): void {
    for (const key of this.series.keys()) this.#changed.add(key);
  }

  /** Restores a series, if it has the same form: a version with other labels or buckets starts at zero. */
  restore({ series, values }: SavedSeries): void {
    const width = this.options.labels.length;
    const isOwn = width === 0 ? series === "" : series.split(SEPARATOR).length === width;
    if (isOwn && values.length === this.width) this.series.set(series, [...values]);
  }

  protected shown(value: number): string {
    return decimal(value, this.options.scale ?? 1);
  }
}

export class Counter extends Family {
  readonly type: "counter" | "gauge" = "counter";
  protected readonly width = 1;

  /** Adds a whole number of units. */
  add(labels: readonly string[], amount = 1): void {
    const values = this.valuesOf(labels);
    values[0] = (values[0] ?? 0) + amount;
  }

  /** Returns the sum over all series with this value of a label; of all series without one. */
  total(label?: string, value?: string): number {
    const at = label === undefined ? -1 : this.options.labels.indexOf(label);
    let sum = 0;
    for (const [key, [amount = 0]] of this.series) {
      if (at < 0 || key.split(SEPARATOR)[at] === value) sum += amount;
    }
    return sum;
  }

  protected lines(labels: string, [value = 0]: readonly number[]): string[] {
    return [`${this.options.name}${braces(labels)} ${this.shown(value)}`];
  }
}

export class Gauge extends Counter {
  override readonly type = "gauge";

  /** Removes all series. */
  clear(): void {
    this.series.clear();
  }

  set(labels: readonly string[], value: number): void {
    this.valuesOf(labels)[0] = value;
  }
}

export class Histogram extends Family {
  readonly type = "histogram";
  protected override readonly bounds: readonly number[];
  protected readonly width: number;

  /** @param bounds upper bounds of the buckets, in units */
  constructor(options: FamilyOptions, onFold: () => void, bounds: readonly number[]) {
    super(options, onFold);
    this.bounds = bounds;
    // The buckets, the one above all bounds, and the sum.
    this.width = bounds.length + 2;
  }

  /** Records a whole number of units. */
  record(labels: readonly string[], value: number): void {
    const values = this.valuesOf(labels);
    const found = this.bounds.findIndex((bound) => value <= bound);
    const bucket = found < 0 ? this.bounds.length : found;
    values[bucket] = (values[bucket] ?? 0) + 1;
    values[this.width - 1] = (values[this.width - 1] ?? 0) + value;
  }

  protected lines(labels: string, values: readonly number[]): string[] {
    const { name } = this.options;
    const before = labels === "" ? "" : `${labels},`;
    let count = 0;
    const buckets = this.bounds.map((bound, at) => {
      count += values[at] ?? 0;
      return `${name}_bucket{${before}le="${this.shown(bound)}"} ${String(count)}`;
    });
    count += values[this.bounds.length] ?? 0;
    return [
      ...buckets,
      `${name}_bucket{${before}le="+Inf"} ${String(count)}`,
      `${name}_sum${braces(labels)} ${this.shown(values[this.width - 1] ?? 0)}`,
      `${name}_count${braces(labels)} ${String(count)}`,
    ];
  }
}

/** A set of families that are served, saved and restored together. */
export class Families {
  readonly #all: Family[] = [];
  readonly #folded: Counter;

  constructor() {
    this.#folded = this.counter({
      name: "gateway_folded_series_total",
      help: `Values counted under the label value "${FOLDED}", because their family had ${String(MAX_SERIES)} series.`,
      labels: ["metric"],
    });
  }

  counter(options: FamilyOptions): Counter {
    return this.#add(new Counter(options, this.#onFold(options)));
  }

  gauge(options: FamilyOptions): Gauge {
    return this.#add(new Gauge(options, this.#onFold(options)));
  }

  histogram(options: FamilyOptions, bounds: readonly number[]): Histogram {
    return this.#add(new Histogram(options, this.#onFold(options), bounds));
  }

  render(): string {
    return this.#all.map((family) => family.render()).join("");
  }

  snapshot(): FamilySnapshot[] {
    return this.#all.map((family) => family.snapshot());
  }

  /** Returns the series of all counters and histograms that have changed since `saved`. Gauges are set again. */
  changed(): SavedSeries[] {
    return this.#all.flatMap((family) => (family.type === "gauge" ? [] : family.changed()));
  }

  saved(): void {
    for (const family of this.#all) family.saved();
  }

  /** Makes all series count as changed. */
  changeAll(): void {
    for (const family of this.#all) family.changeAll();
  }

  restore(saved: Iterable<SavedSeries>): void {
    const families = new Map(this.#all.map((family) => [family.options.name, family]));
    for (const series of saved) families.get(series.family)?.restore(series);
  }

  #onFold({ name }: FamilyOptions): () => void {
    return () => {
      this.#folded.add([name]);
    };
  }

  #add<Kind extends Family>(family: Kind): Kind {
    this.#all.push(family);
    return family;
  }
}

function braces(labels: string): string {
  return labels === "" ? "" : `{${labels}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** Returns a whole number of units as a decimal of the unit that is shown, without rounding. */
export function decimal(units: number, scale: number): string {
  if (scale === 1 || !Number.isSafeInteger(units)) return String(units / scale);
  const digits = String(scale).length - 1;
  const text = String(Math.abs(units)).padStart(digits + 1, "0");
  const fraction = text.slice(-digits).replace(/0+$/, "");
  const whole = text.slice(0, -digits);
  return `${units < 0 ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
