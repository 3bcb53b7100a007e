// Lines of one log that wait for what another log has of the same requests, in either order.

/** Envoy writes both logs five times a second. */
const WAIT_MS = 1_500;

export class PendingRows<Row, Usage> {
  readonly #print: (row: Row, usage: Usage | undefined) => void;
  readonly #waitMs: number;
  /** By name of a request, oldest first: clients may send several with one id in a millisecond. */
  readonly #rows = new Map<string, Row[]>();
  readonly #usages = new Map<string, Usage[]>();

  /** @param print receives each row once; without usage if none came in time */
  constructor(print: (row: Row, usage: Usage | undefined) => void, waitMs = WAIT_MS) {
    this.#print = print;
    this.#waitMs = waitMs;
  }

  add(name: string, row: Row): void {
    const usage = takeFirst(this.#usages, name);
    if (usage !== undefined) this.#print(row, usage);
    else
      this.#keep(this.#rows, name, row, () => {
        this.#print(row, undefined);
      });
  }

  addUsage(name: string, usage: Usage): void {
    const row = takeFirst(this.#rows, name);
    if (row !== undefined) this.#print(row, usage);
    else this.#keep(this.#usages, name, usage, () => undefined);
  }

  /** Prints the rows that still wait. */
  end(): void {
    for (const row of [...this.#rows.values()].flat()) this.#print(row, undefined);
    this.#rows.clear();
  }

  #keep<Value>(kept: Map<string, Value[]>, name: string, value: Value, onLate: () => void): void {
    kept.set(name, [...(kept.get(name) ?? []), value]);
    setTimeout(() => {
      const values = kept.get(name) ?? [];
      const at = values.indexOf(value);
      if (at < 0) return;
      values.splice(at, 1);
      if (values.length === 0) kept.delete(name);
      onLate();
    }, this.#waitMs).unref();
  }
}

function takeFirst<Value>(kept: Map<string, Value[]>, name: string): Value | undefined {
  const values = kept.get(name);
  const first = values?.shift();
  if (values?.length === 0) kept.delete(name);
  return first;
}
