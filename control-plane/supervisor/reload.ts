// What a reload tells, and whether a configuration can be had without another Envoy.
import type { Fields } from "../../envoy/types.ts";
import type { Change } from "../changes.ts";
import type { Problem } from "../config/problem.ts";
import { ConfigurationProblems } from "../configuration-problems.ts";
import type { Environment } from "../envoy-binary.ts";
import { type ExitCode, GatewayError } from "../errors.ts";

/** What `gateway reload` is told. Holds no secret. */
export type ReloadResult =
  | { kind: "unchanged"; warnings: Problem[] }
  | { kind: "applied"; changes: Change[]; hasRestarted: boolean; warnings: Problem[] }
  | { kind: "invalid"; problems: Problem[] }
  | { kind: "needs restart"; changes: Change[]; reasons: string[]; warnings: Problem[] }
  | { kind: "failed"; message: string; hint?: string | undefined; exitCode: ExitCode };

/** What is settled when an Envoy is started. */
export interface Settled {
  bootstrap: Fields;
  /** What Envoy got, keys included. */
  environment: Environment;
  logDirectory: string;
}

/** Why `fresh` needs another Envoy; empty when it does not. Tells names only, never a value. */
export function restartReasons(old: Settled, fresh: Settled): string[] {
  const reasons = Object.keys(fresh.environment).flatMap((name) => {
    if (old.environment[name] === undefined) return [`$${name} is new`];
    return old.environment[name] === fresh.environment[name] ? [] : [`$${name} has a new value`];
  });
  if (old.logDirectory !== fresh.logDirectory) reasons.push("access_log.directory differs");
  const settings = differing(old.bootstrap, fresh.bootstrap);
  if (settings.length > 0) reasons.push(`Envoy's own settings differ (${settings.join(", ")})`);
  return reasons;
}

function differing(old: Fields, fresh: Fields): string[] {
  const names = new Set([...Object.keys(old), ...Object.keys(fresh)]);
  return [...names].filter((name) => JSON.stringify(old[name]) !== JSON.stringify(fresh[name]));
}

/** The result of a reload that was refused. Rethrows what is not the user's business. */
export function failure(error: unknown): ReloadResult {
  if (error instanceof ConfigurationProblems) return { kind: "invalid", problems: error.problems };
  if (!(error instanceof GatewayError)) throw error;
  const { message, hint, exitCode } = error;
  return { kind: "failed", message, hint, exitCode };
}
