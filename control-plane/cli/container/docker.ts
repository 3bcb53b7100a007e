// Calls of the docker command line, which finds its daemon by itself.
import { spawn, spawnSync } from "node:child_process";
import type { Environment } from "../../report/environment.ts";
import { GatewayError } from "../../report/gateway-error.ts";

export interface DockerReply {
  code: number;
  stdout: string;
  stderr: string;
}

/** Throws if docker is not installed or its daemon is unreachable; callers report all other failures. */
export function docker(words: readonly string[], environment: Environment): DockerReply {
  const { error, status, stdout, stderr } = spawnSync("docker", words, {
    encoding: "utf8",
    env: environment,
  });
  if (error !== undefined) {
    throw new GatewayError(`docker failed (${error.message}).`, {
      hint: "Install docker, or start the gateway without --docker, where there is an Envoy 1.40.",
    });
  }
  if (/cannot connect to the docker daemon|permission denied.*docker/i.test(stderr)) {
    throw new GatewayError(stderr.trim(), {
      hint: "Start docker, and check that your user may use it (often: group docker).",
    });
  }
  return { code: status ?? 1, stdout, stderr };
}

/** With this terminal as its own. Resolves with its exit code. */
export function dockerHere(words: readonly string[], environment: Environment): Promise<number> {
  const child = spawn("docker", words, { stdio: "inherit", env: { ...environment } });
  // Docker passes signals on to the container, and ends with it. A terminal's Ctrl-C reaches docker by itself.
  const wait = () => undefined;
  const pass = () => {
    child.kill("SIGTERM");
  };
  process.on("SIGINT", wait).on("SIGTERM", pass);
  return new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      resolve(code ?? 1);
    });
  }).finally(() => {
    process.off("SIGINT", wait).off("SIGTERM", pass);
  });
}
