// The distribution of times, as counts in buckets whose bounds grow by 5 %: quantiles of any sum of them, in a few hundred bytes.

const GROWTH = Math.log(1.05);
const ZERO = "0".charCodeAt(0);

/** Begins a text of the compact form; texts of older versions are pairs of bucket and count, `140 2 141 1`. */
const COMPACT = "+";
const MINUS = "-".charCodeAt(0);

export class Sketch {
  /** Counts by bucket: bucket 0 has what is at most 1. Buckets without values may be missing. */
  readonly #counts: (number | undefined)[] = [];
  #total = 0;

  /** Adds a value above zero, such as microseconds. */
  add(value: number, count = 1): void {
    this.#put(Math.max(0, Math.ceil(Math.log(value) / GROWTH)), count);
  }

  merge(other: Sketch): void {
    other.#counts.forEach((count = 0, bucket) => {
      if (count > 0) this.#put(bucket, count);
    });
  }

  /** Returns the value that a share of all values does not exceed, within 2.5 %; undefined without values. */
  quantile(share: number): number | undefined {
    if (this.#total === 0) return undefined;
    const rank = Math.max(1, Math.ceil(share * this.#total));
    let seen = 0;
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      seen += this.#counts[bucket] ?? 0;
      if (seen >= rank) return Math.exp((bucket - 0.5) * GROWTH);
    }
    return undefined;
  }

  /** Returns the first bucket and the counts from there on, where `-3` stands for three empty buckets: `+140 2 1 -3 5`. */
  save(): string {
    const parts: number[] = [];
    let next = -1;
    this.#counts.forEach((count = 0, bucket) => {
      if (count === 0) return;
      if (next < 0) parts.push(bucket);
      else if (next < bucket) parts.push(next - bucket);
      parts.push(count);
      next = bucket + 1;
    });
    return parts.length === 0 ? "" : COMPACT + parts.join(" ");
  }

  /** Adds what `save` returned. Read digit by digit: a view of the page restores thousands. */
  restore(saved: string): void {
    const isCompact = saved.startsWith(COMPACT);
    let bucket = -1;
    let number = 0;
    let isGap = false;
    for (let at = isCompact ? 1 : 0; at <= saved.length; at++) {
      const code = saved.charCodeAt(at);
      const digit = code - ZERO;
      if (digit >= 0 && digit <= 9) {
        number = number * 10 + digit;
        continue;
      }
      if (code === MINUS) {
        isGap = true;
        continue;
      }
      if (bucket < 0) bucket = number;
      else if (isGap) bucket += number;
      else {
        this.#put(bucket, number);
        bucket = isCompact ? bucket + 1 : -1;
      }
      number = 0;
      isGap = false;
    }
  }

  #put(bucket: number, count: number): void {
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
    this.#total += count;
  }
}
