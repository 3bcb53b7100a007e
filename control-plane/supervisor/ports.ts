// Whether the configured ports are free, and which process has one that is not. Reads /proc; calls no other program.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { GatewayError } from "../errors.ts";
import { placeOf } from "../model.ts";
import type { Listener } from "../model.ts";

/**
 * Throws when a listener's port cannot be had. Envoy would not tell: it listens with SO_REUSEPORT, so that two
 * gateways on one port would each get a part of the requests.
 */
export async function checkPorts(listeners: readonly Listener[]): Promise<void> {
  for (const listener of listeners) {
    const code = await tryListen(listener.address, listener.port);
    if (code !== undefined) throw portError(listener, code);
  }
}

/** A port on 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
  });
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

function portError(listener: Listener, code: string): GatewayError {
  const { address, port } = listener;
  const place = placeOf(listener);
  if (code === "EADDRINUSE") {
    const by = findOwner(port) ?? "another process";
    return new GatewayError(`Port ${String(port)} (${place}) is taken by ${by}.`, {
      hint: `Stop that process, or set another ${place}.port in the configuration.`,
    });
  }
  if (code === "EACCES") {
    return new GatewayError(
      `You have no permission to listen on port ${String(port)} (${place}).`,
      {
        hint: `Set a ${place}.port of 1024 or more.`,
      },
    );
  }
  if (code === "EADDRNOTAVAIL") {
    return new GatewayError(`This machine has no address ${address} (${place}.address).`, {
      hint: "Use 0.0.0.0 for all addresses, or 127.0.0.1 for this machine alone.",
    });
  }
  return new GatewayError(`${address}:${String(port)} (${place}) cannot be listened on: ${code}.`);
}

/** `node server.js (process 1234)`; undefined when /proc does not tell, as for another user's process. */
export function findOwner(port: number): string | undefined {
  const sockets = new Set([
    ...listening("/proc/net/tcp", port),
    ...listening("/proc/net/tcp6", port),
  ]);
  if (sockets.size === 0) return undefined;
  for (const pid of entries("/proc").filter((name) => /^\d+$/.test(name))) {
    for (const descriptor of entries(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(target(`/proc/${pid}/fd/${descriptor}`))?.[1];
      if (inode !== undefined && sockets.has(inode)) return `${commandOf(pid)} (process ${pid})`;
    }
  }
  return undefined;
}

/** Inodes of sockets in state LISTEN (0A) on the port. @see https://docs.kernel.org/networking/proc_net_tcp.html */
function listening(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return read(table)
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) === true && fields[3] === "0A")
    .flatMap((fields) => fields[9] ?? []);
}

function commandOf(pid: string): string {
  const words = read(`/proc/${pid}/cmdline`).split("\0").join(" ").trim();
  const command = words === "" ? read(`/proc/${pid}/comm`).trim() : words;
  return command.length > 80 ? `${command.slice(0, 79)}…` : command;
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
