// The browser tabs that get server-sent events. One that does not read is dropped, and connects again when it does; nothing
// is kept for it.
// @see https://html.spec.whatwg.org/multipage/server-sent-events.html

const MAX_SUBSCRIBERS = 20;
/** Events that may wait for one tab. */
const MAX_WAITING = 32;
/** Milliseconds after which a browser connects again. */
const RETRY = 2_000;

type Controller = ReadableStreamDefaultController<Uint8Array>;

export class Subscribers {
  readonly #all = new Set<Controller>();
  readonly #encoder = new TextEncoder();

  get count(): number {
    return this.#all.size;
  }

  /** Returns a stream of events that begins with these; undefined if there are too many. */
  subscribe(first: readonly string[]): ReadableStream<Uint8Array> | undefined {
    if (this.#all.size >= MAX_SUBSCRIBERS) return undefined;
    let own: Controller | undefined;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          own = controller;
          this.#all.add(controller);
          const text = `retry: ${String(RETRY)}\n\n${first.join("")}`;
          controller.enqueue(this.#encoder.encode(text));
        },
        cancel: () => {
          if (own !== undefined) this.#all.delete(own);
        },
      },
      { highWaterMark: MAX_WAITING },
    );
  }

  /** Sends an event to all. */
  publish(event: string): void {
    const bytes = this.#encoder.encode(event);
    for (const controller of this.#all) {
      if ((controller.desiredSize ?? 0) > 0) controller.enqueue(bytes);
      else this.#drop(controller);
    }
  }

  /** Ends all streams. */
  close(): void {
    for (const controller of this.#all) this.#drop(controller);
  }

  #drop(controller: Controller): void {
    this.#all.delete(controller);
    try {
      controller.close();
    } catch {
      // The tab is gone.
    }
  }
}

/** Returns an event of a stream. */
export function eventText(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
