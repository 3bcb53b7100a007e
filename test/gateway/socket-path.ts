// Paths for unix sockets of tests, short enough for them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let directory: string | undefined;
let count = 0;

/** One where nobody listens yet. Its directory is removed when the test's process ends. */
export function newSocketPath(): string {
  if (directory === undefined) {
    const made = mkdtempSync(join(tmpdir(), "gateway-sockets-"));
    directory = made;
    process.once("exit", () => {
      rmSync(made, { recursive: true, force: true });
    });
  }
  count += 1;
  return join(directory, `${String(count)}.sock`);
}
