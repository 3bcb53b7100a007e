// The URL at which this machine reaches a listener.
import type { Listener } from "./model.ts";

/** Returns an address to connect to for a listening address: the wildcard address becomes the loopback address. */
export function toConnectAddress(address: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  return address === "::" ? "::1" : address;
}

/** Returns `http://127.0.0.1:12000`. */
export function urlOf({ address, port, tls }: Pick<Listener, "address" | "port" | "tls">): string {
  const host = toConnectAddress(address);
  return `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${String(port)}`;
}

/** Whether only this machine can connect to an IP address. */
export function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}
