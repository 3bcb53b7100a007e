// Python packages for the tests: installed once, in versions with hashes.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { cachedDirectory } from "./cached-directory.ts";

const OPTIONS = [
  ...["-m", "pip", "install", "--quiet", "--disable-pip-version-check"],
  ...["--require-hashes", "--only-binary", ":all:"],
];
const run = promisify(execFile);

/** Returns the directory of the packages of a requirements file, for PYTHONPATH. Rejects if pip cannot fetch them. */
export async function pythonPackages(requirements: string): Promise<string> {
  const { stdout } = await run("python3", ["-c", "import sys; print(sys.version_info[:2])"]);
  return cachedDirectory({
    name: "python",
    versions: [readFileSync(requirements), stdout],
    fill: async (directory) => {
      await run("python3", [...OPTIONS, "--target", directory, "-r", requirements]);
    },
  });
}
