// A real redis-server for tests: its own directory and port, nothing on disk unless asked.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import type { Certificate } from "./certificates.ts";
import { ensureRateLimitService } from "../../scripts/rate-limit-service.ts";

export interface TestRedis {
  url: string;
  /** Kills it, and with it all of its data. */
  kill: () => Promise<void>;
  /** Starts it again, without data, at the same port. */
  start: () => Promise<void>;
  /** Stops it for a while, and lets it go on: connections stay, and nothing responds. */
  pause: () => void;
  resume: () => void;
  stop: () => Promise<void>;
}

export interface TestRedisOptions {
  user?: string;
  password?: string;
  /** For TLS. */
  certificate?: Certificate;
}

export async function startRedis({
  user,
  password,
  certificate,
}: TestRedisOptions = {}): Promise<TestRedis> {
  const programs = ensureRateLimitService(process.env, console.error);
  const directory = mkdtempSync(join(tmpdir(), "gateway-redis-"));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const rules =
    password === undefined
      ? []
      : user === undefined
        ? ["--requirepass", password]
        : ["--user", user, "on", `>${password}`, "~*", "&*", "+@all", "--user", "default", "off"];
  const tls = certificate === undefined ? [] : writeCertificate(directory, certificate);
  const portWords = [tls.length === 0 ? "--port" : "--tls-port", String(port)];
  if (tls.length > 0) portWords.push("--port", "0");
  const start = async () => {
    const words = [...portWords, ...tls, "--bind", "127.0.0.1", "--save", "", ...rules];
    const started = spawn(programs.redis, words, {
      cwd: directory,
      env: { LD_LIBRARY_PATH: programs.libraries },
      stdio: ["ignore", "pipe", "inherit"],
    });
    child = started;
    await new Promise<void>((resolve, reject) => {
      let log = "";
      started.stdout.on("data", (bytes: Buffer) => {
        log += bytes.toString();
        if (/ready to accept/i.test(log)) resolve();
      });
      started.once("exit", () => {
        reject(new Error(`redis did not start: ${log}`));
      });
    });
  };
  const kill = async () => {
    const running = child;
    child = undefined;
    if (running === undefined) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await ended;
  };
  await start();
  const credential = password === undefined ? "" : `${user ?? ""}:${password}@`;
  return {
    url: `${tls.length === 0 ? "redis" : "rediss"}://${credential}127.0.0.1:${String(port)}`,
    start,
    kill,
    pause: () => child?.kill("SIGSTOP"),
    resume: () => child?.kill("SIGCONT"),
    async stop() {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Writes the files of a certificate, and returns redis-server's words for them. */
function writeCertificate(directory: string, { cert, key }: Certificate): string[] {
  const [certFile, keyFile] = [join(directory, "cert.pem"), join(directory, "key.pem")];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  return ["--tls-cert-file", certFile, "--tls-key-file", keyFile, "--tls-auth-clients", "no"];
}
