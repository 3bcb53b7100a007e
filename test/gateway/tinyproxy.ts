// A real tinyproxy for tests of outgoing proxies: its own port, directory and user, and a server in front of it that counts.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../free-port.ts";
import { listen } from "../providers/listen.ts";
import type { Certificate } from "./certificates.ts";
import { ensureTinyproxy } from "../../scripts/tinyproxy.ts";

export interface TestProxy {
  port: number;
  /** `http://127.0.0.1:<port>`, with the user and the password if it has one. */
  url: string;
  /** The same with another password. */
  urlWith: (password: string) => string;
  /** The first lines of the requests so far. */
  requests: () => string[];
  /** The heads of the requests so far. */
  heads: () => string[];
  stop: () => Promise<void>;
}

export interface TestProxyOptions {
  /** User and password that it requires. */
  user?: string;
  password?: string;
  /** Ports to which it opens tunnels; absent: all. */
  ports?: number[];
  /** TLS to the proxy itself. */
  certificate?: Certificate;
}

/** Starts a tinyproxy. Throws with the reason if it is neither installed nor can be fetched. */
export async function startTinyproxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const found = await ensureTinyproxy();
  if ("missing" in found) throw new Error(found.missing);
  const { user, password, ports = [], certificate } = options;
  const directory = mkdtempSync(join(tmpdir(), "gateway-tinyproxy-"));
  const port = await freePort();
  const file = join(directory, "tinyproxy.conf");
  const log = join(directory, "tinyproxy.log");
  writeFileSync(
    file,
    [
      `Port ${String(port)}`,
      "Listen 127.0.0.1",
      "Timeout 600",
      "MaxClients 100",
      `LogFile "${log}"`,
      "LogLevel Connect",
      ...(user === undefined ? [] : [`BasicAuth ${user} ${password ?? ""}`]),
      ...ports.map((one) => `ConnectPort ${String(one)}`),
      "",
    ].join("\n"),
  );
  const child = spawn(found.program, ["-d", "-c", file], { cwd: directory, stdio: "ignore" });
  await waitForPort(port, child);
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const relay = (socket: Socket) => {
    sockets.add(socket);
    const upstream = connect(port, "127.0.0.1");
    socket.once("data", (bytes: Buffer) => heads.push(bytes.toString("latin1")));
    socket.pipe(upstream).pipe(socket);
    for (const one of [socket, upstream]) {
      one.on("error", () => {
        socket.destroy();
        upstream.destroy();
      });
    }
  };
  const front = await listen(
    certificate === undefined ? createServer(relay) : createTlsServer(certificate, relay),
    () => {
      for (const socket of sockets) socket.destroy();
    },
  );
  const urlWith = (secret: string | undefined) => {
    const credential = user === undefined ? "" : `${user}:${encodeURIComponent(secret ?? "")}@`;
    const scheme = certificate === undefined ? "http" : "https";
    return `${scheme}://${credential}127.0.0.1:${String(front.port)}`;
  };
  return {
    port: front.port,
    url: urlWith(password),
    urlWith,
    requests: () => heads.map((head) => head.split("\r\n")[0] ?? ""),
    heads: () => heads,
    async stop() {
      await front.stop();
      await end(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function waitForPort(port: number, child: ChildProcess): Promise<void> {
  const until = Date.now() + 60_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`tinyproxy ended with ${String(child.exitCode)}`);
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => {
        resolve(false);
      });
    });
    if (isOpen) return;
    if (Date.now() > until) throw new Error("tinyproxy does not listen");
    await sleep(20);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}
