// Bytes of results that this process holds: from their arrival until the response is written, which a slow client can delay.

/** Results of JSON take up to twice their size: as text, and structured. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** Adds bytes to those of one response. */
export type HoldResult = (bytes: number) => void;

export class HeldResults {
  #bytes = 0;

  get isFull(): boolean {
    return this.#bytes >= MAX_HELD_BYTES;
  }

  /** Returns the function for one response. @param sent resolves when it is written or its client is gone */
  until(sent: Promise<unknown>): HoldResult {
    let own = 0;
    let isSent = false;
    void sent.then(() => {
      isSent = true;
      this.#bytes -= own;
    });
    return (bytes) => {
      if (isSent) return;
      own += bytes;
      this.#bytes += bytes;
    };
  }
}
