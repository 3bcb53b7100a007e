// What the parts of the gateway beside its Envoy have in common. gateway.ts has the list of them.
import type { Configuration } from "./configuration-file.ts";

export interface Part {
  /** Activates a configuration. Resolves when the running Envoys have what they need of it. */
  use?: (configuration: Configuration, logDirectory: string) => Promise<void>;
  /** Gives an Envoy that starts what it needs. Resolves when it has it, at once if the configuration needs nothing. */
  attach?: (socket: string) => Promise<void>;
  /** Ends the updates of an Envoy. */
  detach?: (socket: string) => void;
  /** Returns why the gateway is not ready, in a sentence of /readyz; undefined if it is. */
  missing?: () => string | undefined;
  /** Returns what /readyz has to add while nothing is missing. */
  note?: () => string | undefined;
  close: () => Promise<void> | void;
}

/** Parts as one. They are listed in the order in which they start, and close in the opposite order: a part uses earlier ones. */
export class AllParts implements Required<Part> {
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  async use(configuration: Configuration, logDirectory: string): Promise<void> {
    for (const part of this.#parts) await part.use?.(configuration, logDirectory);
  }

  async attach(socket: string): Promise<void> {
    await Promise.all(this.#parts.flatMap((part) => part.attach?.(socket) ?? []));
  }

  detach(socket: string): void {
    for (const part of this.#parts) part.detach?.(socket);
  }

  missing(): string | undefined {
    return first(this.#parts.map((part) => part.missing?.()));
  }

  note(): string | undefined {
    return first(this.#parts.map((part) => part.note?.()));
  }

  async close(): Promise<void> {
    for (const part of this.#parts.toReversed()) await part.close();
  }
}

function first(texts: readonly (string | undefined)[]): string | undefined {
  return texts.find((text) => text !== undefined);
}
