// Starts a program that ends with this process, whatever ends this process: also SIGKILL, or the kernel's OOM killer.
// docs/decisions/2026-11-22-everything-ends-with-the-gateway.md
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";

/** The pipe's descriptor in the program's shell; only this process holds the other end. */
const PIPE = 3;

/**
 * The shell becomes the program, which keeps its process id. A background process of the shell waits at the pipe, until
 * the kernel closes this process's end of it. Through the working directory, which belongs to one process and to no
 * later one with its id, it detects whether the program is still running; macOS, which has no /proc, tests the process id. It
 * does not keep the program's output open,
 * and the program does not keep the pipe open.
 */
const SCRIPT = `
(
  if cd "/proc/$$" 2>/dev/null; then
    runs() { [ -e stat ]; }
  else
    runs() { kill -0 $$ 2>/dev/null; }
  fi
  read -r nothing <&${String(PIPE)}
  runs || exit 0
  kill -TERM $$
  for second in 1 2 3; do
    sleep 1
    runs || exit 0
  done
  kill -KILL $$
) </dev/null >/dev/null 2>&1 &
exec ${String(PIPE)}<&-
exec "$@"
`;

/**
 * Starts the program and returns it. It gets SIGTERM as soon as this process has ended, and SIGKILL 3 s later.
 * @param output where standard output and standard error go; it has no input
 */
export function spawnWithLifeline(
  file: string,
  words: readonly string[],
  output: { stdout: "inherit" | "pipe"; stderr: "inherit" | "pipe" },
  options: Omit<SpawnOptions, "stdio">,
): ChildProcess {
  const child = spawn("/bin/sh", ["-c", SCRIPT, "sh", file, ...words], {
    ...options,
    stdio: ["ignore", output.stdout, output.stderr, "pipe"],
  });
  // Stops the background process as soon as the program has ended.
  child.once("exit", () => {
    child.stdio[PIPE]?.destroy();
  });
  return child;
}
