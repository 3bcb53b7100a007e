// When something was measured, and of which commit.
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export interface RunStamp {
  /** YYYY-MM-DD. */
  date: string;
  /** Ten digits. */
  commit: string;
}

/** Returns the stamp of a run that ends now. Throws outside of a repository of git. */
export function runStamp(): RunStamp {
  const words = ["rev-parse", "--short=10", "HEAD"];
  const cwd = join(import.meta.dirname, "..");
  const commit = execFileSync("git", words, { cwd, encoding: "utf8" }).trim();
  return { date: new Date().toISOString().slice(0, 10), commit };
}
