// The load generator and the fake provider: compiled from src/ with the machine's C compiler, once for each change.
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { GatewayError } from "../control-plane/report/gateway-error.ts";

const SOURCES = join(import.meta.dirname, "src");
const PROGRAMS = {
  load: ["load.c", "response.c", "text.c"],
  provider: ["provider.c", "responses.c", "clouds.c", "text.c"],
  loopback: ["loopback.c"],
};
/** A library is for a program that is not ours. */
const OPTIONS: Partial<Record<keyof typeof PROGRAMS, string[]>> = {
  loopback: ["-shared", "-fPIC"],
};

export interface Tools {
  load: string;
  provider: string;
  /** A library to preload. */
  loopback: string;
}

/** Paths of the programs, in `directory`. Throws a GatewayError when they cannot be built. */
export function buildTools(directory: string): Tools {
  mkdirSync(directory, { recursive: true });
  const newest = Math.max(
    ...globSync(join(SOURCES, "*.[ch]")).map((file) => statSync(file).mtimeMs),
  );
  const built = (name: keyof typeof PROGRAMS): string => {
    const file = join(directory, name);
    const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (made < newest) compile(PROGRAMS[name], file, OPTIONS[name]);
    return file;
  };
  return { load: built("load"), provider: built("provider"), loopback: built("loopback") };
}

function compile(sources: string[], file: string, options: string[] = []): void {
  const compiler = findCompiler();
  if (compiler === undefined) {
    throw new GatewayError("There is no C compiler, which the benchmark's load tool needs.", {
      hint: "Install gcc (Debian, Ubuntu: apt-get install gcc libc6-dev) and run this again.",
    });
  }
  const files = sources.map((source) => join(SOURCES, source));
  // Moved into its place: another process may compile it at the same time, or run it already.
  const own = `${file}.${String(process.pid)}`;
  const { status, stderr } = spawnSync(compiler, ["-O2", ...options, "-o", own, ...files], {
    encoding: "utf8",
  });
  if (status === 0) {
    renameSync(own, file);
    return;
  }
  throw new GatewayError(`The benchmark's own tools did not compile:\n${stderr}`, {
    hint: "They need Linux 5.11 or newer and a C compiler with GNU extensions (gcc or clang).",
  });
}

/** Returns the name of the machine's C compiler, or undefined if it has none. */
export function findCompiler(): string | undefined {
  return ["cc", "gcc", "clang"].find(
    (name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0,
  );
}

/** Checks what the measuring itself needs: two cores, and a way to pin a program to one of them. */
export function checkMachine(): void {
  if (spawnSync("taskset", ["-c", "0,1", "true"], { stdio: "ignore" }).status === 0) return;
  throw new GatewayError("The benchmark pins programs to the cores 0 and 1, and cannot here.", {
    hint: "It needs two cores and the program taskset (Debian, Ubuntu: apt-get install util-linux).",
  });
}
