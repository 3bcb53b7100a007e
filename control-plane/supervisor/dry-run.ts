// Envoy's own check of a configuration, the filter's part of it included, before it is given to the Envoy that runs.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { Bootstrap } from "../../envoy/types.ts";
import type { EnvoyCommand } from "./envoy-process.ts";
import { writePrivately } from "./state.ts";

const MAX_MS = 20_000;

/** Resolves with Envoy's reason when it would not take it. @param file where it may be written for the moment */
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
    const [said, how] = await Promise.all([text(child.stderr), ended]);
    return how === undefined ? undefined : said.trim().split("\n").slice(-2).join("\n") || how;
  } finally {
    rmSync(file, { force: true });
  }
}
