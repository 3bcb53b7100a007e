// The sessions of agents that were ended, in a private file of the state directory, so that a restart brings none back.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EndedSessions } from "../observability/sign-in/page-session.ts";
import type { Report } from "./own-log.ts";
import { writePrivately } from "./state.ts";

const FILE = "ended-sessions.json";

/** By id: when it may be forgotten, in seconds since 1970. */
type Ends = Record<string, number>;

/** Returns those of the state directory. A file that cannot be read or written is reported, and logouts still count until a restart. */
export function openEndedSessions(directory: string, report: Report): EndedSessions {
  const file = join(directory, FILE);
  return new EndedSessions(read(file, report), (ends) => {
    try {
      writePrivately(file, JSON.stringify(Object.fromEntries(ends)));
    } catch (error) {
      const reason = (error as Error).message;
      report(`A restart would forget logouts: ${file} cannot be written (${reason}).`, "warning");
    }
  });
}

function read(file: string, report: Report): [string, number][] {
  try {
    const ends = JSON.parse(readFileSync(file, "utf8")) as Ends;
    return Object.entries(ends);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    const reason = (error as Error).message;
    report(
      `Logouts before the start are forgotten: ${file} cannot be read (${reason}).`,
      "warning",
    );
    return [];
  }
}
