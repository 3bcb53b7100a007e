// The docker of this machine, started where none runs, and the image of this checkout in it.
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export const ROOT = join(import.meta.dirname, "../..");
const SCRIPTS = join(ROOT, "scripts/container");
export const IMAGE = "gateway:test";
export const EXAMPLE_API_IMAGE = "gateway-example-api:test";

/** Runs it to its end, whatever its exit code. */
export function run(
  program: string,
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<Outcome> {
  const options = {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise((resolve) => {
    execFile(program, words, options, (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : 1;
      resolve({ code: error === null ? 0 : code, stdout, stderr });
    });
  });
}

export function docker(...words: string[]): Promise<Outcome> {
  return run("docker", words);
}

/** Standard output of a command that has to work. */
export async function dockerOutput(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await docker(...words);
  if (code !== 0) throw new Error(`docker ${words.join(" ")}: ${stderr}`);
  return stdout.trim();
}

export function isDockerRunning(): boolean {
  return spawnSync("docker", ["version"], { stdio: "ignore" }).status === 0;
}

export function runningContainers(): number {
  const { stdout } = spawnSync("docker", ["ps", "--quiet"], { encoding: "utf8" });
  return stdout.split("\n").filter((id) => id !== "").length;
}

/** Returns why there is none, in one line; undefined when it runs. */
export function startDocker(): string | undefined {
  const { status, stderr } = spawnSync(join(SCRIPTS, "docker-up.sh"), { encoding: "utf8" });
  return status === 0 ? undefined : (stderr.trim().split("\n").at(-1) ?? "docker does not start");
}

/** Only the one that `startDocker` started. */
export function stopDocker(): void {
  spawnSync(join(SCRIPTS, "docker-down.sh"), { stdio: ["ignore", "inherit", "inherit"] });
}

/** The one that the Dockerfile pins, or where no registry can be reached one that is made of Debian's packages. */
export async function baseImage(): Promise<string> {
  const { code, stdout, stderr } = await run(join(SCRIPTS, "base-image.sh"), []);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Builds IMAGE (or another stage of the Dockerfile) as it is now; a second or two when nothing has changed. */
export async function buildImage(tag = IMAGE, target = "gateway"): Promise<void> {
  const environment = { BASE_IMAGE: await baseImage() };
  const build = await run(join(SCRIPTS, "build-image.sh"), [tag, "--target", target], environment);
  if (build.code !== 0) throw new Error(build.stderr);
}
