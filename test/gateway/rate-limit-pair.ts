// Envoy's rate limit service with a redis, as the gateways of a test share it: own ports, an own directory, no trace afterwards.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureRateLimitService } from "../../scripts/rate-limit-service.ts";
import { freePort } from "../free-port.ts";

const READY_WITHIN_MS = 60_000;

export interface RateLimitPair {
  /** For `ratelimit_service.address`. */
  address: string;
  /** Gives the running service another configuration. */
  configure(configuration: string): void;
  /** All that the service wrote. */
  log(): string;
  stop(): Promise<void>;
}

/** @param configuration what `gateway render --ratelimit-config` prints; known to the service from its start on */
export async function startRateLimitPair(configuration: string): Promise<RateLimitPair> {
  const programs = ensureRateLimitService(process.env, console.error);
  const directory = mkdtempSync(join(tmpdir(), "gateway-limits-"));
  const socket = join(directory, "redis.sock");
  mkdirSync(join(directory, "config"));
  const configure = (text: string): void => {
    writeFileSync(join(directory, "config/gateway.yaml"), text);
  };
  configure(configuration);
  const running: ChildProcess[] = [];
  let log = "";
  const start = (program: string, words: string[], environment: Record<string, string>): void => {
    const child = spawn(program, words, { cwd: directory, env: environment });
    child.stdout.on("data", (bytes: Buffer) => (log += bytes.toString()));
    child.stderr.on("data", (bytes: Buffer) => (log += bytes.toString()));
    running.push(child);
  };
  const [http, grpc, debug] = [await freePort(), await freePort(), await freePort()];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map(end));
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    start(programs.redis, ["--port", "0", "--unixsocket", socket, "--save", ""], {
      LD_LIBRARY_PATH: programs.libraries,
    });
    await until(() => existsSync(socket) && /ready to accept/i.test(log));
    start(programs.service, [], {
      ...{ RUNTIME_ROOT: directory, RUNTIME_SUBDIRECTORY: "", RUNTIME_APPDIRECTORY: "config" },
      ...{ RUNTIME_WATCH_ROOT: "false", USE_STATSD: "false", LOG_LEVEL: "debug" },
      ...{ REDIS_SOCKET_TYPE: "unix", REDIS_URL: socket },
      ...{ HOST: "127.0.0.1", PORT: String(http), GRPC_HOST: "127.0.0.1", GRPC_PORT: String(grpc) },
      ...{ DEBUG_HOST: "127.0.0.1", DEBUG_PORT: String(debug) },
    });
    await until(() => accepts(grpc));
  } catch (error) {
    await stop();
    throw new Error(`the rate limit service did not start: ${log}`, { cause: error });
  }
  return { address: `127.0.0.1:${String(grpc)}`, configure, log: () => log, stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => {
      resolve(false);
    });
  });
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const late = Date.now() + READY_WITHIN_MS;
  while (!(await condition())) {
    if (Date.now() > late) throw new Error("not ready in time");
    await sleep(50);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}
