// Closes a connection of a library that shows no socket, when a response is longer than it may be. Node publishes each socket that
// the process opens, and the asynchronous context shows for whom.
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** @see https://nodejs.org/api/diagnostics_channel.html#net */
const CHANNEL = "net.client.socket";

const owner = new AsyncLocalStorage<BoundedSockets>();

/** The sockets of one client, one after the other. */
export class BoundedSockets {
  readonly #maxBytes: number;
  /** Bytes since the last whole response. */
  #received = 0;

  /** @param maxBytes of a response, and of what comes before it */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    subscribe(CHANNEL, this.#onSocket);
  }

  /** Runs what opens sockets, now and later. */
  run<Result>(work: () => Result): Result {
    return owner.run(this, work);
  }

  /** A response is whole. */
  reset(): void {
    this.#received = 0;
  }

  /** Ends the watch of sockets that are opened from now on. */
  close(): void {
    unsubscribe(CHANNEL, this.#onSocket);
  }

  readonly #onSocket = (message: unknown): void => {
    if (owner.getStore() !== this) return;
    const { socket } = message as { socket: Socket };
    socket.once("connect", () => {
      this.reset();
      socket.on("data", ({ length }: Buffer) => {
        this.#received += length;
        if (this.#received > this.#maxBytes)
          socket.destroy(new Error(`its response is larger than ${sizeText(this.#maxBytes)}`));
      });
    });
  };
}

function sizeText(bytes: number): string {
  return `${String(bytes / 2 ** 20)} MiB`;
}
