// Sums over the last minute, second by second.
import type { ObservedRequest } from "../history/observed-request.ts";
import { Totals } from "../history/totals.ts";

export const WINDOW_S = 60;

export class Window {
  /** By second in which requests ended. */
  readonly #seconds = new Map<number, Totals>();

  add(request: ObservedRequest): void {
    const second = Math.floor(request.ended);
    const totals = this.#seconds.get(second) ?? new Totals();
    this.#seconds.set(second, totals);
    totals.add(request);
  }

  /** Returns the sums of the last minute, and its requests and errors by second, the oldest first. */
  report(nowSeconds: number) {
    const last = Math.floor(nowSeconds);
    const first = last - WINDOW_S + 1;
    const all = new Totals();
    for (const [second, totals] of this.#seconds) {
      if (second < first) this.#seconds.delete(second);
      else all.merge(totals);
    }
    const seconds = Array.from({ length: WINDOW_S }, (_, at) => this.#seconds.get(first + at));
    return {
      ...all.report(),
      bySecond: {
        requests: seconds.map((one) => one?.counts.requests ?? 0),
        errors: seconds.map((one) => one?.counts.errors ?? 0),
        tokens: seconds.map((one) => (one?.counts.input ?? 0) + (one?.counts.output ?? 0)),
      },
    };
  }
}
