// Work for the models of this process, which block its thread: piece by piece, with a bound on what waits.
import { setImmediate as nextTurn } from "node:timers/promises";
import { ServerError } from "./server-error.ts";

/** Whoever has waited this long is no longer listened to: the gateway gives each step of a prompt 5 s. */
const MAX_WAIT_MS = 5000;
/** What a run costs beside its text, and what one costs at most, for a model reads no more of it. Characters. */
const RUN_COST = 60;
const MAX_COST = 1260;
/** Milliseconds of a run by its cost, before any was measured, and how much each run changes what is expected. */
const FIRST_PACE = 0.015;
const WEIGHT = 0.05;
/** What waits may take so long by the pace of the last runs: a busy machine takes less work on. */
const MAX_WORK_MS = 3000;
const RETRY_AFTER_SECONDS = 1;

/** One for all models of a process, because they share its thread. */
export class RunQueue {
  #waiting = 0;
  #pace = FIRST_PACE;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * The results of `run` for each text. Several callers take turns, text by text, so that a short prompt does not
   * wait for all of a long one. Rejects with a ServerError (503) when too much waits, or when it has waited too long.
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

  /** Throws a ServerError (503) when work of this cost would be refused, so that nothing is prepared for it. Characters. */
  requireRoom(cost: number): void {
    const work = (this.#waiting + cost) * this.#pace;
    // However large a job is, it is done when nothing else waits.
    if (this.#waiting > 0 && work > MAX_WORK_MS) throw busy();
  }

  /** Resolves when nothing is under way. */
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
