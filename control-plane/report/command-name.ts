// How the user calls the command line, so that every message names a command that works as it is written.
import type { Environment } from "./environment.ts";

/** Set by bin/gateway: what it was called by, `gateway` where that is on PATH. */
export const CALLED_AS = "GATEWAY_CALLED_AS";

/** Returns `gateway`, `bin/gateway` or the path that the user typed. */
export function commandName(environment: Environment): string {
  const called = environment[CALLED_AS] ?? "";
  if (called !== "") return called;
  // `npm start` runs in the checkout.
  return environment["npm_package_name"] === "gateway" ? "bin/gateway" : "gateway";
}

/** Returns a command of this command line as the user would type it: `bin/gateway status`, `npm start --`. */
export function commandFor(words: string, environment: Environment = process.env): string {
  const [command, ...rest] = words.split(" ");
  const isStart = command === "up" && environment["npm_lifecycle_event"] === "start";
  const start = isStart ? ["npm start --"] : [commandName(environment), command ?? ""];
  return [...start, ...rest].join(" ");
}
