// `gateway upgrade`: the command that installs the newest version, and with --check whether there is a newer one. Changes
// nothing itself: the running gateway keeps its version until it is restarted.
import { GatewayError } from "../../report/gateway-error.ts";
import { VERSION } from "../../supervisor/package-version.ts";
import { type Installation, installation, isOlder, newestVersion } from "../upgrade-source.ts";
import type { UpgradeOptions } from "../command-options.ts";

const BY = { global: "npm install --global ", local: "npm install ", npx: "npx " } as const;

/** `--check` exits with it if a newer version exists. */
const NEWER_EXISTS = 3;

export function upgrade({ check, json }: UpgradeOptions, own: Installation = installation()): void {
  if (check !== true) {
    if (json === true)
      console.log(JSON.stringify({ installed: VERSION, command: command(own) }, null, 2));
    else console.log(command(own));
    return;
  }
  const name = publishedName(own);
  const newest = newestVersion(name, process.env);
  const isOutdated = isOlder(VERSION, newest);
  if (isOutdated) process.exitCode = NEWER_EXISTS;
  if (json === true) {
    const found = { installed: VERSION, newest, isOutdated, command: command(own) };
    console.log(JSON.stringify(found, null, 2));
    return;
  }
  console.log(`Installed: ${VERSION}\nNewest:    ${newest}`);
  if (isOutdated) console.log(`To upgrade: ${command(own)}`);
}

/** Returns the command for the way in which this gateway was installed. */
function command(own: Installation): string {
  switch (own.kind) {
    case "checkout":
      return `git -C ${own.directory} pull`;
    case "image":
      return "docker pull <image>, then start the container again";
    case "package":
      return (
        BY[own.by] +
        (own.name === undefined ? "<file of the new version>.tgz" : `${own.name}@latest`)
      );
  }
}

function publishedName(own: Installation): string {
  if (own.kind === "package" && own.name !== undefined) return own.name;
  const from = { checkout: "a checkout", image: "an image", package: "a file" }[own.kind];
  throw new GatewayError(
    `Version ${VERSION} is installed from ${from}, so no npm registry has its versions.`,
    { hint: `To upgrade: ${command(own)}` },
  );
}
