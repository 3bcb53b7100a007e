// Follows access_usage.log and counts its lines. The counts are saved with the place in the log that they reach, in one file
// that is replaced as a whole: after a restart, or a crash, each line has been counted exactly once.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { knownPlace } from "../log-files/known-place.ts";
import { followLines, LOG_START } from "../log-files/log-files.ts";
import type { Following, LogPosition } from "../log-files/log-files.ts";
import type { Families, SavedFamily } from "./families.ts";
import { behindCut, readUsageLine } from "./usage-line.ts";
import type { UsageLine } from "./usage-line.ts";

/** Format of the state file. */
const VERSION = 1;
const SAVE_MS = 5_000;

interface State {
  version: number;
  /** When the counts began, in milliseconds since 1970; absent in states of older versions. */
  since?: number;
  /** By path of the log. */
  positions: Record<string, LogPosition>;
  families: Record<string, SavedFamily>;
}

export interface UsageReaderOptions {
  /** Path of access_usage.log. */
  log: string;
  /** Path of the state. */
  stateFile: string;
  families: Families;
  onLine: (line: UsageLine) => void;
  report: (line: string, level?: "warning") => void;
  saveMs?: number;
  pollMs?: number;
}

/** Pause behind a failure to read the log. */
const RETRY_MS = 10_000;

export interface UsageReader {
  /** When the counts began, in milliseconds since 1970. */
  since: number;
  /** Saves, and ends. */
  stop: () => Promise<void>;
}

/** Restores the counts, and starts to read behind the last line that they include. */
export function startUsageReader(options: UsageReaderOptions): UsageReader {
  const { log, stateFile, families, onLine, report, saveMs = SAVE_MS, pollMs } = options;
  const invalid = families.counter({
    name: "gateway_usage_lines_invalid_total",
    help: "Lines of access_usage.log that could not be read, such as one that a crash cut off.",
    labels: [],
  });
  const state = readState(stateFile, report);
  families.restore(state.families);
  const since = state.since ?? Date.now();
  const places = Object.entries(state.positions).map(([path, { inode, offset }]) => ({
    ...{ log: path, inode, offset },
  }));
  // Also of a log that was moved to another directory.
  let position = knownPlace(log, places)?.position ?? LOG_START;
  let isSaved = true;
  let hasFailed = false;
  const save = () => {
    if (isSaved) return;
    const fresh: State = {
      version: VERSION,
      since,
      positions: { ...state.positions, [log]: position },
      families: families.save(),
    };
    try {
      writeFileSync(`${stateFile}.new`, JSON.stringify(fresh), { mode: 0o600 });
      renameSync(`${stateFile}.new`, stateFile);
      isSaved = true;
      hasFailed = false;
    } catch (error) {
      if (!hasFailed)
        report(`The metrics cannot be saved to ${stateFile} (${codeOf(error)}).`, "warning");
      hasFailed = true;
    }
  };
  const abort = new AbortController();
  const timer = setInterval(save, saveMs);
  timer.unref();
  const following: Following = {
    onLine(text) {
      const line = readUsageLine(text);
      if (line !== undefined) {
        onLine(line);
        return;
      }
      invalid.add([]);
      const next = readUsageLine(behindCut(text));
      if (next !== undefined) onLine(next);
    },
    onPosition(next) {
      position = next;
      isSaved = false;
    },
    signal: abort.signal,
    ...(pollMs === undefined ? {} : { pollMs }),
  };
  const follow = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      try {
        await followLines(log, position, following);
      } catch (error) {
        report(
          `${log} cannot be read (${codeOf(error)}); the gateway retries every 10 seconds.`,
          "warning",
        );
        await sleep(RETRY_MS, undefined, { signal: abort.signal }).catch(() => undefined);
      }
    }
  };
  const done = follow();
  return {
    since,
    async stop() {
      abort.abort();
      clearInterval(timer);
      await done;
      save();
    },
  };
}

function readState(file: string, report: (line: string, level?: "warning") => void): State {
  const empty: State = { version: VERSION, positions: {}, families: {} };
  try {
    const state = JSON.parse(readFileSync(file, "utf8")) as State;
    return state.version === VERSION ? { ...empty, ...state } : empty;
  } catch (error) {
    if (codeOf(error) !== "ENOENT")
      report(
        `The saved metrics in ${file} cannot be read (${codeOf(error)}); they start at zero.`,
        "warning",
      );
    return empty;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
