// `gateway reload`: has a running gateway reload its configuration, and prints the changes.
import { changeLine } from "../../../model/model-changes.ts";
import { CALLED_AS, commandFor, commandName } from "../../report/command-name.ts";
import { ConfigurationProblems } from "../../config/diagnostics/configuration-problems.ts";
import { dockerHere } from "../container/docker.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { requestReload } from "../../supervisor/control.ts";
import { needsRestart, type ReloadResult } from "../../supervisor/reload.ts";
import { colorsFor } from "../../report/terminal.ts";
import { chooseContainer, chooseRunning, notRunning } from "../find-running.ts";
import type { ReloadOptions } from "../command-options.ts";
import { printWarnings } from "./validate.ts";

/** Exit code if the change needs `--restart`, so that a script can distinguish it from a failure. */
const NEEDS_RESTART = 3;

/** Prints the result. Throws, with the exit code, if the new configuration was not applied. */
export async function reload(config: string | undefined, options: ReloadOptions): Promise<void> {
  const container = chooseContainer(config, process.env);
  if (container !== undefined) {
    const flags = [
      ...(options.restart === true ? ["--restart"] : []),
      ...(options.json === true ? ["--json"] : []),
    ];
    const called = ["-e", `${CALLED_AS}=${commandName(process.env)}`];
    const words = ["exec", ...called, container.record.name, "gateway", "reload", ...flags];
    process.exitCode = await dockerHere(words, process.env);
    return;
  }
  const running = chooseRunning(config, process.env);
  if (running === undefined) {
    throw new GatewayError(notRunning(config), { hint: `Start one: ${commandFor("up")}` });
  }
  const { controlSocket, configuration } = running.record;
  const result = await requestReload(controlSocket, { restart: options.restart === true });
  if (options.json === true) {
    console.log(JSON.stringify(result, null, 2));
    process.exitCode = exitCodeOf(result);
    return;
  }
  tell(result, { name: config ?? configuration, path: configuration });
}

function exitCodeOf(result: ReloadResult): number {
  if (result.kind === "invalid") return 2;
  if (result.kind === "failed") return result.exitCode;
  return result.kind === "needs restart" ? NEEDS_RESTART : 0;
}

function tell(result: ReloadResult, file: { name: string; path: string }): void {
  const { green } = colorsFor(process.stdout);
  switch (result.kind) {
    case "unchanged":
      printWarnings(result.warnings);
      console.log("No changes.");
      return;
    case "applied":
      printWarnings(result.warnings);
      for (const change of result.changes) console.log(changeLine(change));
      console.log(
        green(result.hasRestarted ? "Reload complete (Envoy restarted)." : "Applied.") +
          (result.hasRestarted
            ? " Open requests finish on the old Envoy."
            : " Open requests finish under the old configuration."),
      );
      return;
    case "needs restart":
      printWarnings(result.warnings);
      for (const change of result.changes) console.log(changeLine(change));
      throw new GatewayError(needsRestart(result.reasons), {
        exitCode: NEEDS_RESTART,
        hint: `Run: ${commandFor("reload --restart")}. Open requests finish on the old Envoy.`,
      });
    case "invalid":
      throw new ConfigurationProblems({ ...file, isBuiltIn: false }, result.problems);
    case "failed": {
      const { message, hint, exitCode } = result;
      throw new GatewayError(message, { exitCode, ...(hint === undefined ? {} : { hint }) });
    }
  }
}
