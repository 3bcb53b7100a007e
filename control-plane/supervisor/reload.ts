// The result of a reload, and whether a configuration can be applied without a restart of Envoy.
import type { Fields } from "../../envoy/envoy-types.ts";
import type { Change } from "../../model/model-changes.ts";
import type { Problem } from "../report/problem.ts";
import { ConfigurationProblems } from "../config/diagnostics/configuration-problems.ts";
import type { Environment } from "../report/environment.ts";
import { type ExitCode, GatewayError } from "../report/gateway-error.ts";

/** The result that `gateway reload` prints. Contains no secret. */
export type ReloadResult =
  | { kind: "unchanged"; warnings: Problem[] }
  | { kind: "applied"; changes: Change[]; hasRestarted: boolean; warnings: Problem[] }
  | { kind: "invalid"; problems: Problem[] }
  | { kind: "needs restart"; changes: Change[]; reasons: string[]; warnings: Problem[] }
  | { kind: "failed"; message: string; hint?: string | undefined; exitCode: ExitCode };

/** The restartInputs of an Envoy at its start. */
export interface RestartInputs {
  bootstrap: Fields;
  /** The environment that Envoy received, keys included. */
  environment: Environment;
  logDirectory: string;
}

/**
 * Returns which parts of `fresh` require a restart of Envoy, as a subject; empty if none does. Names only, never a
 * value.
 */
export function restartReasons(old: RestartInputs, fresh: RestartInputs): string[] {
  const reasons = Object.keys(fresh.environment).flatMap((name) => {
    if (old.environment[name] === undefined) return [`the new variable $${name}`];
    return old.environment[name] === fresh.environment[name] ? [] : [`the new value of $${name}`];
  });
  if (old.logDirectory !== fresh.logDirectory) reasons.push("the new access_log.directory");
  const settings = differing(old.bootstrap, fresh.bootstrap);
  if (settings.length > 0) reasons.push(`the change of Envoy's settings (${settings.join(", ")})`);
  return reasons;
}

/** Returns the sentence for a reload that was not applied. @param reasons from `restartReasons` */
export function needsRestart(reasons: readonly string[]): string {
  const verb = reasons.length === 1 ? "needs" : "need";
  return `Not applied: ${reasons.join(" and ")} ${verb} an Envoy restart.`;
}

function differing(old: Fields, fresh: Fields): string[] {
  const names = new Set([...Object.keys(old), ...Object.keys(fresh)]);
  return [...names].filter((name) => JSON.stringify(old[name]) !== JSON.stringify(fresh[name]));
}

/** Returns the result of a rejected reload. Rethrows errors that the user did not cause. */
export function failure(error: unknown): ReloadResult {
  if (error instanceof ConfigurationProblems) return { kind: "invalid", problems: error.problems };
  if (!(error instanceof GatewayError)) throw error;
  const { message, hint, exitCode } = error;
  return { kind: "failed", message, hint, exitCode };
}
