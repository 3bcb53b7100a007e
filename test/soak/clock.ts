// A wall clock that a test moves, for programs that are started with it.
import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

const SOURCE = join(import.meta.dirname, "clock-shim.c");

export interface MovedClock {
  /** Of a program, and of what it starts. */
  environment: Record<string, string>;
  /** Moves the clock to so many seconds before or after the real one. */
  move: (seconds: number) => void;
  /** Returns a program that runs `program` with this clock, for an environment that does not reach it. */
  wrap: (program: string) => string;
  close: () => void;
}

/** @returns why this machine cannot have one, if it cannot */
export function openClock(directory: string): MovedClock | { missing: string } {
  const library = join(directory, "clock.so");
  const built = spawnSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, SOURCE]);
  if (built.error !== undefined) return { missing: "there is no C compiler" };
  if (built.status !== 0) return { missing: `it does not compile: ${built.stderr.toString()}` };
  const file = join(directory, "clock-offset");
  writeFileSync(file, Buffer.alloc(8));
  const descriptor = openSync(file, "r+");
  const environment = { LD_PRELOAD: library, SOAK_CLOCK: file };
  return {
    environment,
    move(seconds) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(seconds));
      writeSync(descriptor, bytes, 0, bytes.length, 0);
    },
    wrap(program) {
      const path = join(directory, "with-clock.sh");
      const settings = Object.entries(environment).map(([name, value]) => `${name}='${value}'`);
      writeFileSync(path, `#!/bin/sh\nexec env ${settings.join(" ")} '${program}' "$@"\n`);
      chmodSync(path, 0o755);
      return path;
    },
    close: () => {
      closeSync(descriptor);
    },
  };
}
