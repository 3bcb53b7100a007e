// A directory in the configuration: absolute, or below the home directory as `~/…`.
import type { Path } from "../report/problem.ts";
import type { Reading } from "./reading.ts";

/** Absolute; undefined when none is written, or `~` cannot be resolved. */
export function readHomePath(
  reading: Reading,
  path: Path,
  written: string | undefined,
): string | undefined {
  if (written === undefined) return undefined;
  const home = reading.environment["HOME"] ?? "";
  if (/^~(?:\/|$)/.test(written) && home === "") {
    reading.problem(path, "~ is the home directory, and HOME is not set");
    return undefined;
  }
  const directory = written.replace(/^~(?=\/|$)/, () => home);
  if (!directory.startsWith("/") || /\p{Cc}/u.test(directory)) {
    const shown = reading.show(path, written);
    reading.problem(path, `expected an absolute path or one that begins with ~/, not ${shown}`, {
      hint: /^[\w.-]+(?:\/[\w.-]+)*$/.test(written) ? `write ~/${written}` : undefined,
    });
  }
  return directory;
}
