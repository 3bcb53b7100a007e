// The files from which a running Envoy reads its configuration: written one after the other, confirmed by Envoy, and
// rolled back if it rejects one.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type DiscoveryFile,
  discoveryResponse,
  withRetiredResources,
} from "../../envoy/dynamic.ts";
import { callAdmin } from "./admin.ts";
import { writePrivately } from "./state.ts";

/** The Envoy that reads the files. */
interface DiscoveryReader {
  adminSocket: () => string;
  /** Returns why it rejected the last rejected file. */
  lastRejection: () => string;
}

export interface Discovery {
  /** Returns whether Envoy's configuration would change. */
  wouldChange: (files: readonly DiscoveryFile[]) => boolean;
  /**
   * Applies a new configuration, and resolves when Envoy has it. Resources that only the old one has are kept for
   * `keepMs`, because in-flight requests may refer to them. Resolves with the reason if Envoy rejects the
   * configuration; then the previous one stays active.
   */
  apply: (
    files: readonly DiscoveryFile[],
    keepMs: number,
    reader: DiscoveryReader,
  ) => Promise<string | undefined>;
  /** Stops the removal of old resources. */
  close: () => void;
}

/** A previous configuration. Requests that began under it may still refer to its resources. */
interface Past {
  files: readonly DiscoveryFile[];
  /** The time of its removal, by `performance.now()`. */
  until: number;
}

const CONFIRMED_MS = 15_000;
const POLL_MS = 15;
/** Envoy counts a rejection before the log line with the reason has been read. */
const REASON_MS = 1_000;

/** Returns the discovery, and writes the first files. */
export function createDiscovery(directory: string, first: readonly DiscoveryFile[]): Discovery {
  let current = first;
  let past: Past[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** Applies one change at a time. */
  let queue: Promise<unknown> = Promise.resolve();
  const written = new Map<string, string>();

  const write = (name: string, text: string) => {
    writePrivately(join(directory, name), text);
    written.set(name, text);
  };
  for (const file of first) write(file.name, contentOf(file).text);

  /** Writes a file and waits until Envoy has it. Resolves with the reason if it does not. */
  const writeAndConfirm = async (
    file: DiscoveryFile,
    reader: DiscoveryReader,
  ): Promise<string | undefined> => {
    const { version, text } = contentOf(file);
    if (written.get(file.name) === text) return undefined;
    // A new file has no reader yet: Envoy reads it when the listener that needs it is added, and that listener waits
    // for it.
    if (!written.has(file.name)) {
      write(file.name, text);
      return undefined;
    }
    try {
      const before = await readCounters(reader, file);
      write(file.name, text);
      return await confirm(file, version, before, reader);
    } catch (error) {
      return `Envoy does not respond: ${String(error)}`;
    }
  };

  const switchTo = async (files: readonly DiscoveryFile[], reader: DiscoveryReader) => {
    const before = new Map(written);
    for (const file of files) {
      const reason = await writeAndConfirm(withPast(file, past), reader);
      if (reason === undefined) continue;
      for (const [name, old] of before) if (written.get(name) !== old) write(name, old);
      for (const name of written.keys()) if (!before.has(name)) written.delete(name);
      return reason;
    }
    const needed = [files, ...past.map((one) => one.files)].flat().map(({ name }) => name);
    for (const name of written.keys()) if (!needed.includes(name)) written.delete(name);
    return undefined;
  };

  /** Removes the resources of expired configurations, now and when the next one expires. */
  const forget = async (reader: DiscoveryReader) => {
    clearTimeout(timer);
    const now = performance.now();
    past = past.filter(({ until }) => until > now);
    await switchTo(current, reader);
    const next = Math.min(...past.map(({ until }) => until));
    if (isClosed || past.length === 0) return;
    timer = setTimeout(forgetInTurn, next - now + 1, reader).unref();
  };

  function forgetInTurn(reader: DiscoveryReader): void {
    // No caller waits for it. If Envoy rejects it now, the next change repeats it.
    inTurn(() => forget(reader)).catch(() => undefined);
  }

  /** An error rejects the result of this work only; the next one runs. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = queue.then(work);
    queue = done.catch(() => undefined);
    return done;
  }

  return {
    wouldChange: (files) =>
      files.some((file) => {
        const own = current.find(({ name }) => name === file.name);
        return own === undefined || contentOf(own).version !== contentOf(file).version;
      }),
    apply: (files, keepMs, reader) =>
      inTurn(async () => {
        const before = { current, past };
        past = [{ files: current, until: performance.now() + keepMs }, ...past];
        current = files;
        const reason = await switchTo(files, reader);
        if (reason !== undefined) ({ current, past } = before);
        forgetInTurn(reader);
        return reason;
      }),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function withPast(file: DiscoveryFile, past: readonly Past[]): DiscoveryFile {
  return past.reduce((merged, { files }) => {
    const old = files.find(({ name }) => name === file.name);
    return old === undefined ? merged : withRetiredResources(merged, old);
  }, file);
}

function contentOf({ resources }: DiscoveryFile): { version: string; text: string } {
  const version = createHash("sha256").update(JSON.stringify(resources)).digest("hex").slice(0, 12);
  return { version, text: discoveryResponse(version, resources) };
}

interface Counters {
  version: string;
  refused: number;
  reloads: number;
}

async function readCounters(
  { adminSocket }: DiscoveryReader,
  { statistics }: DiscoveryFile,
): Promise<Counters> {
  const path = `/stats?filter=${encodeURIComponent(`^${statistics.replaceAll(".", "\\.")}\\.`)}`;
  const { body } = await callAdmin(adminSocket(), "GET", path);
  const value = (name: string) =>
    new RegExp(`\\.${name}: "?([^"\n]*)"?$`, "m").exec(body)?.[1] ?? "";
  return {
    version: value("version_text"),
    refused: Number(value("update_rejected")) + Number(value("update_failure")),
    reloads: Number(value("config_reload")),
  };
}

/** Waits until all of Envoy's threads have the version. Resolves with the reason if they do not. */
async function confirm(
  file: DiscoveryFile,
  version: string,
  before: Counters,
  reader: DiscoveryReader,
): Promise<string | undefined> {
  const end = performance.now() + CONFIRMED_MS;
  while (performance.now() < end) {
    const now = await readCounters(reader, file).catch(() => undefined);
    if (now !== undefined && now.refused > before.refused) return reasonOf(reader);
    const hasReloaded = !file.countsReloads || now?.reloads !== before.reloads;
    if (now?.version === version && hasReloaded) return undefined;
    await sleep(POLL_MS);
  }
  return `Envoy has not read ${file.name} after ${String(CONFIRMED_MS / 1000)} s.`;
}

async function reasonOf({ lastRejection }: DiscoveryReader): Promise<string> {
  const end = performance.now() + REASON_MS;
  while (lastRejection() === "" && performance.now() < end) await sleep(POLL_MS);
  return lastRejection() || "Envoy gave no reason.";
}
