// Starts a program that ends with this process, whatever ends this process: also SIGKILL, or the kernel short of memory.
// docs/decisions/2026-11-22-everything-ends-with-the-gateway.md
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";

/** The descriptor in the program's shell whose other end only this process has. */
const PIPE = 3;

/**
 * The shell becomes the program, which keeps its process id. What it leaves behind waits at the pipe: the kernel closes this
 * process's end of it. From the working directory, which belongs to one process and to no later one with its id, it sees
 * whether the program is still there. Neither holds the program's output open, and the program does not hold the pipe.
 */
const SCRIPT = `
(
  cd "/proc/$$" || exit 1
  read -r nothing <&${String(PIPE)}
  [ -e stat ] || exit 0
  kill -TERM $$
  for second in 1 2 3; do
    sleep 1
    [ -e stat ] || exit 0
  done
  kill -KILL $$
) </dev/null >/dev/null 2>&1 &
exec ${String(PIPE)}<&-
exec "$@"
`;

/**
 * Returns the started program. It gets SIGTERM as soon as this process has ended, and SIGKILL 3 s later.
 * @param output what it does with standard output and standard error; it has no input
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
  // Nobody has to wait for a program that has ended.
  child.once("exit", () => {
    child.stdio[PIPE]?.destroy();
  });
  return child;
}
