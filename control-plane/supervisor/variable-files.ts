// Variables from files: a directory with one file for each, as Kubernetes mounts a Secret and Docker its secrets. The
// file's name is the variable's, its content the value.
import { createHmac, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../report/environment.ts";
import { GatewayError } from "../report/gateway-error.ts";

/** Variable with the directory; not set: no variable comes from a file. */
const VARIABLES_DIRECTORY = "GATEWAY_VARIABLES_DIR";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Kubernetes' limit of a whole Secret. */
const MAX_FILE_BYTES = 1024 * 1024;
/** The kubelet removes the old files as soon as it has swapped the link to them. */
const MAX_ATTEMPTS = 5;

/** Returns the directory of the variables; undefined if none is set. */
export function variablesDirectory(processEnvironment: Environment): string | undefined {
  return processEnvironment[VARIABLES_DIRECTORY] || undefined;
}

/** Returns the variables of a directory. Throws (exit 2) if one cannot be read. Entries that no variable is named like are ignored. */
export function readVariableFiles(directory: string): Record<string, string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return readOnce(directory);
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      const { code, path } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" && attempt < MAX_ATTEMPTS) continue;
      throw new GatewayError(
        `${VARIABLES_DIRECTORY}: ${path ?? directory} cannot be read (${String(code)}).`,
        { hint: "It is a directory with one file for each variable.", exitCode: 2 },
      );
    }
  }
}

function readOnce(directory: string): Record<string, string> {
  const place = currentVersion(directory);
  const found: Record<string, string> = {};
  for (const name of readdirSync(place).sort()) {
    const file = join(place, name);
    if (!NAME.test(name)) continue;
    const stat = statSync(file);
    if (!stat.isFile()) continue;
    if (stat.size > MAX_FILE_BYTES) {
      throw new GatewayError(
        `${VARIABLES_DIRECTORY}: ${file} has ${String(stat.size)} bytes; a variable has at most ${String(MAX_FILE_BYTES)}.`,
        { exitCode: 2 },
      );
    }
    // Editors and `kubectl create secret --from-file` keep the line break at the end, which no key has.
    found[name] = readFileSync(file, "utf8").replace(/\r?\n$/, "");
  }
  return found;
}

/**
 * Returns the directory that the kubelet's link `..data` leads to now, so that all files are of one version; of other
 * directories the directory itself.
 */
function currentVersion(directory: string): string {
  try {
    return realpathSync(join(directory, "..data"));
  } catch {
    return directory;
  }
}

const SALT = randomBytes(32);

/** Returns a text that differs whenever the values do, and reveals nothing of them. It is of this process alone. */
export function fingerprintOf(values: Environment): string {
  return createHmac("sha256", SALT)
    .update(JSON.stringify(Object.entries(values).sort()))
    .digest("hex")
    .slice(0, 16);
}
