// One process writes an audit log: two would break each other's chain. A file in its directory names the process. It is touched while
// the process runs, because a process of another machine or container can be seen by nothing else.
import {
  closeSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { identityOf, isAlive, type ProcessIdentity } from "../processes/process-identity.ts";

const LOCK_FILE = "writer.json";
const TOUCH_MS = 15_000;
/** A file that was not touched for so long is of a process that was killed. */
const DEAD_MS = 60_000;

interface Writer extends ProcessIdentity {
  host: string;
}

export class WriterLock {
  readonly #path: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(directory: string) {
    this.#path = join(directory, LOCK_FILE);
  }

  /** Becomes the writer. Throws an error that names the other one if there is one. */
  take(): void {
    if (this.#timer !== undefined) return;
    const other = this.#liveWriter();
    if (other !== undefined)
      throw new Error(
        `process ${String(other.pid)} on ${other.host} writes to it; set audit.directory of this gateway to another directory`,
      );
    unlinkIfThere(this.#path);
    // Of two that are here at the same time, one fails.
    const descriptor = openSync(this.#path, "wx", 0o600);
    writeSync(descriptor, Buffer.from(JSON.stringify(OWN)), 0);
    closeSync(descriptor);
    this.#timer = setInterval(() => {
      try {
        utimesSync(this.#path, new Date(), new Date());
      } catch {
        // Whoever removed it wants another writer.
      }
    }, TOUCH_MS).unref();
  }

  release(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    unlinkIfThere(this.#path);
  }

  #liveWriter(): Writer | undefined {
    try {
      const { mtimeMs } = statSync(this.#path);
      const writer = JSON.parse(readFileSync(this.#path, "utf8")) as Writer;
      const isHere = writer.host === OWN.host;
      // In a container, the next process has the number of the one that was killed.
      if (isHere && writer.pid === OWN.pid) return undefined;
      const isLive = isHere ? isAlive(writer) : Date.now() - mtimeMs < DEAD_MS;
      return isLive ? writer : undefined;
    } catch {
      return undefined;
    }
  }
}

const OWN: Writer = { ...identityOf(process.pid), host: hostname() };

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // There is none.
  }
}
