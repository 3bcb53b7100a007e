// The distribution of times, as counts in buckets whose bounds grow by 5 %: quantiles of any sum of them, in a few hundred bytes.

const GROWTH = Math.log(1.05);
const ZERO = "0".charCodeAt(0);

export class Sketch {
  /** Counts by bucket: bucket 0 has what is at most 1. */
  readonly #counts = new Map<number, number>();
  #total = 0;

  /** Adds a value above zero, such as microseconds. */
  add(value: number, count = 1): void {
    this.#put(Math.max(0, Math.ceil(Math.log(value) / GROWTH)), count);
  }

  merge(other: Sketch): void {
    for (const [bucket, count] of other.#counts) this.#put(bucket, count);
  }

  /** Returns the value that a share of all values does not exceed, within 2.5 %; undefined without values. */
  quantile(share: number): number | undefined {
    if (this.#total === 0) return undefined;
    const rank = Math.max(1, Math.ceil(share * this.#total));
    let seen = 0;
    for (const bucket of [...this.#counts.keys()].sort((one, other) => one - other)) {
      seen += this.#counts.get(bucket) ?? 0;
      if (seen >= rank) return Math.exp((bucket - 0.5) * GROWTH);
    }
    return undefined;
  }

  /** Returns pairs of bucket and count, `140 2 141 1`. */
  save(): string {
    return [...this.#counts].flat().join(" ");
  }

  /** Adds what `save` returned. Read digit by digit: a view of the page restores thousands. */
  restore(saved: string): void {
    let bucket = -1;
    let number = 0;
    for (let at = 0; at <= saved.length; at++) {
      const digit = saved.charCodeAt(at) - ZERO;
      if (digit >= 0 && digit <= 9) number = number * 10 + digit;
      else if (bucket < 0) [bucket, number] = [number, 0];
      else {
        this.#put(bucket, number);
        [bucket, number] = [-1, 0];
      }
    }
  }

  #put(bucket: number, count: number): void {
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + count);
    this.#total += count;
  }
}
