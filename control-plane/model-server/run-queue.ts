// Runs the models of this process, which block its thread: text by text, with a limit on the waiting work.
import { setImmediate as nextTurn } from "node:timers/promises";
import { ServerError } from "./server-error.ts";

/** After this time the caller has given up: the gateway's timeout for each step of a prompt is 5 s. */
const MAX_WAIT_MS = 5000;
/**
 * The cost of a run without its text, and the maximum cost of a run, because a model reads no more of it. Characters.
 */
const RUN_COST = 60;
const MAX_COST = 1260;
/** Initial estimate of milliseconds per unit of cost, and the weight of each measured run in the estimate. */
const FIRST_PACE = 0.015;
const WEIGHT = 0.05;
/** Maximum duration of the waiting work at the pace of the latest runs: a busy machine accepts less work. */
const MAX_WORK_MS = 3000;
const RETRY_AFTER_SECONDS = 1;

/** One queue for all models of a process, because they share its thread. */
export class RunQueue {
  #waiting = 0;
  #pace = FIRST_PACE;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Returns the results of `run` for each text. Callers take turns, text by text, so that a short prompt does not wait
   * for all of a long one. Rejects with a ServerError (503) if too much work waits, or if it has waited too long.
   */
  async runAll<Result>(
    texts: readonly string[],
    run: (text: string) => Promise<Result>,
  ): Promise<Result[]> {
    const cost = costOf(texts);
    const work = (this.#waiting + cost) * this.#pace;
    if (this.#waiting > 0 && work > MAX_WORK_MS) throw busy();
    this.#waiting += cost;
    const deadline = performance.now() + MAX_WAIT_MS;
    const results: Result[] = [];
    try {
      for (const text of texts) {
        results.push(await this.#inTurn(() => this.#measured(text, run), deadline));
      }
    } finally {
      this.#waiting -= cost;
    }
    return results;
  }

  /** Throws a ServerError (503) if work of this cost would be rejected, before it is prepared. Characters. */
  requireRoom(cost: number): void {
    const work = (this.#waiting + cost) * this.#pace;
    // A job of any size is accepted if no other work waits.
    if (this.#waiting > 0 && work > MAX_WORK_MS) throw busy();
  }

  /** Resolves when no run is in flight. */
  async idle(): Promise<void> {
    await this.#last;
  }

  async #measured<Result>(text: string, run: (text: string) => Promise<Result>): Promise<Result> {
    const started = performance.now();
    const result = await run(text);
    const pace = (performance.now() - started) / costOf([text]);
    this.#pace += WEIGHT * (pace - this.#pace);
    return result;
  }

  #inTurn<Result>(run: () => Promise<Result>, deadline: number): Promise<Result> {
    const result = this.#last.then(async () => {
      await nextTurn();
      if (performance.now() > deadline) throw busy();
      try {
        return await run();
      } catch (error) {
        throw new ServerError(500, `The model failed: ${String(error)}`);
      }
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}

function costOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Math.min(RUN_COST + text.length, MAX_COST), 0);
}

function busy(): ServerError {
  return new ServerError(503, "Too many texts wait for the model.", RETRY_AFTER_SECONDS);
}
