// Fetches packages by the ordinary clients of their registries, pip and npm, into a temporary directory.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Package {
  registry: "npm" | "PyPI";
  name: string;
  /** If not set, the newest. */
  version?: string;
}

export interface Fetched {
  /** `anthropic-2.14.0-py3-none-any.whl`. */
  file: string;
  content: Buffer;
  sha256: string;
}

export function fetchPackage({ registry, name, version }: Package): Fetched {
  const directory = mkdtempSync(join(tmpdir(), "model-facts-"));
  try {
    const [command, words] =
      registry === "npm"
        ? ["npm", ["pack", "--silent", version === undefined ? name : `${name}@${version}`]]
        : [
            "pip",
            [
              ...["download", "--quiet", "--no-deps", "--only-binary", ":all:"],
              version === undefined ? name : `${name}==${version}`,
            ],
          ];
    execFileSync(command, words, { cwd: directory, stdio: ["ignore", "ignore", "inherit"] });
    const [file = ""] = readdirSync(directory);
    const content = readFileSync(join(directory, file));
    return { file, content, sha256: createHash("sha256").update(content).digest("hex") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
