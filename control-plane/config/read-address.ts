// Addresses: `<host>:<port>`, where something listens that is no provider, and IP addresses of this machine alone.
import { isIP } from "node:net";
import type { Path } from "../report/problem.ts";
import type { Reading } from "./reading.ts";

const ADDRESS = /^([A-Za-z0-9_][\w.-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::(\d{1,5}))?$/;

export function readAddress(
  reading: Reading,
  path: Path,
  written: string | undefined,
  usualPort: number,
  /** What to do where a URL stands. */ urlHint = "write it without http://",
): { host: string; port: number } | undefined {
  if (written === undefined) return undefined;
  const match = ADDRESS.exec(written);
  const port = match?.[2] === undefined ? usualPort : Number(match[2]);
  const host = match?.[1]?.replace(/^\[|\]$/g, "");
  const isBracketed = written.startsWith("[");
  if (host !== undefined && port >= 1 && port <= 65535 && (!isBracketed || isIP(host) === 6)) {
    return { host, port };
  }
  const isUrl = /^https?:\/\//.test(written);
  reading.problem(path, `expected <host>:<port>, not ${reading.show(path, written)}`, {
    hint: isUrl ? urlHint : undefined,
  });
  return undefined;
}

/** `127.0.0.1:80`, `[::1]:80`. */
export function socketText(address: string, port: number): string {
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}
