// Checks whether the configured ports are free, and which process uses one that is not. Reads /proc; runs no other
// program.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { basename, relative } from "node:path";
import { commandFor } from "../report/command-name.ts";
import type { Environment } from "../report/environment.ts";
import { GatewayError } from "../report/gateway-error.ts";
import { placeOf } from "../../model/model.ts";
import type { Listener } from "../../model/model.ts";
import { findRunning, type RunningRecord } from "./state.ts";

/**
 * Throws if ports of listeners are in use, naming all of them. Envoy would not report it: it listens with SO_REUSEPORT,
 * so that two gateways on one port would each get a part of the requests.
 */
export async function checkPorts(
  listeners: readonly Listener[],
  environment: Environment,
): Promise<void> {
  const codes = await Promise.all(listeners.map(({ address, port }) => tryListen(address, port)));
  const problems = listeners.flatMap((listener, index): Problem[] => {
    const code = codes[index];
    return code === undefined ? [] : [problemOf(listener, code, environment)];
  });
  if (problems.length === 0) return;
  const messages = problems.map(({ message }) => message);
  const hints = new Set(problems.map(({ hint }) => hint));
  throw new GatewayError(messages.join("\n"), { hint: [...hints].join("\n") });
}

interface Problem {
  message: string;
  hint: string;
}

function tryListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? "unknown");
    });
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve(undefined);
      });
    });
  });
}

function problemOf(listener: Listener, code: string, environment: Environment): Problem {
  const { address, port } = listener;
  const place = placeOf(listener);
  const what = `Port ${String(port)} (${place})`;
  if (code === "EADDRINUSE") {
    const gateway = gatewayOn(port, environment);
    if (gateway !== undefined) return usedByGateway(what, gateway);
    const owner = findOwner(port) ?? "another process";
    return {
      message: `${what} is used by ${owner}.`,
      hint: "Stop that process, or change the port in the configuration.",
    };
  }
  if (code === "EACCES") {
    return {
      message: `No permission to listen on port ${String(port)} (${place}).`,
      hint: "Use a port of 1024 or more.",
    };
  }
  if (code === "EADDRNOTAVAIL") {
    return {
      message: `This machine has no address ${address} (${place}.address).`,
      hint: "Use 0.0.0.0 for all addresses, or 127.0.0.1 for this machine only.",
    };
  }
  return {
    message: `Cannot listen on ${address}:${String(port)} (${place}): ${code}.`,
    hint: "Check the address and the port in the configuration.",
  };
}

/**
 * Returns this user's gateway that uses the port: one with an Envoy, which this gateway, and any other that is still
 * starting, does not have yet.
 */
function gatewayOn(port: number, environment: Environment): RunningRecord | undefined {
  return findRunning(environment)
    .map(({ record }) => record)
    .find(
      ({ envoy, listeners }) =>
        envoy !== undefined && listeners.some((listener) => listener.port === port),
    );
}

function usedByGateway(what: string, { configuration, gateway }: RunningRecord): Problem {
  const file = relative(process.cwd(), configuration);
  const shown = file.startsWith("..") ? configuration : file;
  return {
    message: `${what} is used by another gateway (${shown}, pid ${String(gateway.pid)}).`,
    hint: `Stop it with ${commandFor(`down ${shown}`)}, or change the port.`,
  };
}

/** Returns `node server.js (pid 1234)`; undefined if /proc does not show it, as for a process of a different user. */
export function findOwner(port: number): string | undefined {
  const sockets = new Set([
    ...listening("/proc/net/tcp", port),
    ...listening("/proc/net/tcp6", port),
  ]);
  if (sockets.size === 0) return undefined;
  for (const pid of entries("/proc").filter((name) => /^\d+$/.test(name))) {
    for (const descriptor of entries(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(target(`/proc/${pid}/fd/${descriptor}`))?.[1];
      if (inode !== undefined && sockets.has(inode)) return `${programOf(pid)} (pid ${pid})`;
    }
  }
  return undefined;
}

/**
 * Returns the inodes of sockets in state LISTEN (0A) on the port.
 * @see https://docs.kernel.org/networking/proc_net_tcp.html
 */
function listening(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return read(table)
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) === true && fields[3] === "0A")
    .flatMap((fields) => fields[9] ?? []);
}

/** Returns the program, and the script that it runs, without their directories and without further arguments. */
function programOf(pid: string): string {
  const [program = "", script = ""] = read(`/proc/${pid}/cmdline`).split("\0");
  if (program === "") return read(`/proc/${pid}/comm`).trim();
  const isScript = script !== "" && !script.startsWith("-");
  return [basename(program), ...(isScript ? [basename(script)] : [])].join(" ");
}

function entries(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function target(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
