// Ports for servers that a test starts by a configuration, such as a gateway.
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/**
 * Below the range from which Linux takes the ports of outgoing connections (32768 to 60999): a connection of another test
 * cannot take the port before the server listens on it.
 */
const FIRST = 12_000;
const LAST = 32_000;
/** A file per port with the id of the process that asked for it: test files run side by side, in several processes. */
const CLAIMS = join(tmpdir(), "gateway-test-ports");

let next = FIRST + Math.floor(Math.random() * (LAST - FIRST));

/** Returns a port on 127.0.0.1 that is free, and that no other call returns while this process runs. */
export async function freePort(): Promise<number> {
  mkdirSync(CLAIMS, { recursive: true });
  for (let tries = 0; tries < LAST - FIRST; tries++) {
    const port = next;
    next = next + 1 < LAST ? next + 1 : FIRST;
    if (claim(port) && (await listens(port))) return port;
  }
  throw new Error(`no free port from ${String(FIRST)} to ${String(LAST)}`);
}

function claim(port: number): boolean {
  const file = join(CLAIMS, String(port));
  try {
    const descriptor = openSync(file, "wx");
    writeSync(descriptor, String(process.pid));
    closeSync(descriptor);
    return true;
  } catch {
    // The file of a process that has ended is removed: the next round of the range can have the port.
    if (!runs(file)) rmSync(file, { force: true });
    return false;
  }
}

function runs(file: string): boolean {
  try {
    const owner = Number(readFileSync(file, "utf8"));
    // 0: the other process has created the file, and not written it yet.
    return owner === 0 || process.kill(owner, 0);
  } catch {
    return false;
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => {
      resolve(false);
    });
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
