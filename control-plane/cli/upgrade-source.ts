// How this command was installed, and the newest version where it came from.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GatewayError } from "../report/gateway-error.ts";
import type { Environment } from "../report/environment.ts";

export type Installation =
  | { kind: "checkout"; directory: string }
  | { kind: "image" }
  /** @property name undefined if the package came from a file: nobody has published it under its name */
  | { kind: "package"; name: string | undefined; by: "global" | "local" | "npx" };

const TIMEOUT_MS = 30_000;
/** The parent of control-plane/: a checkout, or build/compiled of a package, or /opt/gateway of the image. */
const HERE = join(import.meta.dirname, "../..");

/** Returns how the command was installed. @param here the directory that contains control-plane/ */
export function installation(here = HERE): Installation {
  if (existsSync(join(here, "scripts/run.sh"))) return { kind: "checkout", directory: here };
  const root = join(here, "../..");
  if (!existsSync(join(root, "bin/gateway"))) return { kind: "image" };
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    name: string;
    private?: boolean;
  };
  // A private package cannot be published: on a registry, its name belongs to somebody else.
  const name = manifest.private === true ? undefined : manifest.name;
  return { kind: "package", name, by: placeOf(root) };
}

/** Returns how npm installed the package, by the place that it selected. */
function placeOf(root: string): "global" | "local" | "npx" {
  if (root.includes("/_npx/")) return "npx";
  return root.includes("/lib/node_modules/") ? "global" : "local";
}

/** Returns the newest published version, by the user's npm configuration. Throws a GatewayError. */
export function newestVersion(name: string, environment: Environment): string {
  const words = ["view", `${name}@latest`, "version", "--json", "--fetch-retries=0"];
  const { error, status, stdout, stderr } = spawnSync("npm", words, {
    encoding: "utf8",
    env: environment,
    timeout: TIMEOUT_MS,
  });
  if (error !== undefined && (error as NodeJS.ErrnoException).code === "ENOENT") {
    const hint = "Install npm, which comes with Node (https://nodejs.org).";
    throw new GatewayError(`The newest version of ${name} is not known: npm is not installed.`, {
      hint,
    });
  }
  if (error !== undefined || status !== 0)
    throw unknown(name, `${error === undefined ? "" : String(error)}\n${stdout}${stderr}`);
  const version = /^"(\d+\.\d+\.\d+[^"]*)"$/.exec(stdout.trim())?.[1];
  if (version === undefined) throw unknown(name, "npm printed no version");
  return version;
}

function unknown(name: string, output: string): GatewayError {
  const known = CAUSES.find(([pattern]) => pattern.test(output));
  const [, what, hint] = known ?? [
    undefined,
    output.trim().split("\n").at(-1) ?? "",
    `Run 'npm view ${name} version' to see the whole output.`,
  ];
  return new GatewayError(`The newest version of ${name} is not known: ${what}.`, { hint });
}

const CAUSES: readonly (readonly [RegExp, string, string])[] = [
  [
    /E404/,
    "the npm registry has no package of this name",
    "Check 'npm config get registry': it has to be the one that the package came from.",
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|E50\d/,
    "the npm registry cannot be reached",
    "Check the network, the proxy and 'npm config get registry', then run this again.",
  ],
  [
    /E40[13]|ENEEDAUTH/,
    "the npm registry requires a login",
    "Run 'npm login', or set the token in ~/.npmrc.",
  ],
];

/** Returns whether version `a` is older than `b`; a pre-release is older than its release. */
export function isOlder(a: string, b: string): boolean {
  const [first, second] = [a, b].map((version) => {
    const [numbers = "", preRelease] = version.split(/-(.*)/, 2);
    return { numbers: numbers.split(".").map(Number), preRelease };
  });
  for (let index = 0; index < 3; index++) {
    const difference = (first?.numbers[index] ?? 0) - (second?.numbers[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  if (first?.preRelease === undefined || second?.preRelease === undefined) {
    return first?.preRelease !== undefined && second?.preRelease === undefined;
  }
  return first.preRelease.localeCompare(second.preRelease, "en", { numeric: true }) < 0;
}
