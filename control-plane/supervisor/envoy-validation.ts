// Validates a configuration with Envoy, including the filter's part, before it is applied to the running Envoy.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { Bootstrap } from "../../envoy/envoy-types.ts";
import type { EnvoyCommand } from "./envoy-process.ts";
import { writePrivately } from "./state.ts";

const MAX_MS = 20_000;

/** Resolves with Envoy's reason if it rejects the configuration. @param file temporary file for the configuration */
export async function dryRun(
  bootstrap: Bootstrap,
  command: Pick<EnvoyCommand, "file" | "environment">,
  file: string,
): Promise<string | undefined> {
  writePrivately(file, JSON.stringify(bootstrap));
  try {
    const child = spawn(
      command.file,
      ["--mode", "validate", "--config-path", file].concat(
        ["--disable-hot-restart", "--log-level", "error"],
        ["--log-format", "%v"],
      ),
      {
        env: { ...command.environment },
        stdio: ["ignore", "ignore", "pipe"],
        timeout: MAX_MS,
        killSignal: "SIGKILL",
      },
    );
    const ended = new Promise<string | undefined>((resolve) => {
      child.once("error", ({ message }) => {
        resolve(message);
      });
      child.once("close", (code, signal) => {
        resolve(code === 0 ? undefined : (signal ?? `exit code ${String(code)}`));
      });
    });
    const [output, how] = await Promise.all([text(child.stderr), ended]);
    return how === undefined ? undefined : output.trim().split("\n").slice(-2).join("\n") || how;
  } finally {
    rmSync(file, { force: true });
  }
}
