// What processes listen on, as the kernel says.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface Listening {
  /** `127.0.0.1:10000`; an IPv6 address in the kernel's digits. */
  tcp: string[];
  /** That take datagrams from anybody. */
  udp: string[];
  /** Paths; an abstract one begins with an @. */
  unix: string[];
}

/** @see https://docs.kernel.org/networking/proc_net_tcp.html: TCP_LISTEN, and TCP_CLOSE for a UDP socket without a peer. */
const LISTEN = "0A";
const UNCONNECTED = "07";
/** `__SO_ACCEPTCON` among the flags of /proc/net/unix. */
const ACCEPTS = 0x1_0000;

/** Sorted, each once. */
export function listeningOf(pids: readonly number[]): Listening {
  const own = new Set(pids.flatMap(socketsOf));
  const sorted = (found: string[]) => [...new Set(found)].sort();
  return {
    tcp: sorted(["tcp", "tcp6"].flatMap((table) => inetSockets(table, LISTEN, own))),
    udp: sorted(["udp", "udp6"].flatMap((table) => inetSockets(table, UNCONNECTED, own))),
    unix: sorted(unixSockets(own)),
  };
}

/** A process with all that it and its children have started. */
export function processTree(pid: number): number[] {
  const children = readdirSync("/proc")
    .map(Number)
    .filter((other) => parentOf(other) === pid);
  return [pid, ...children.flatMap(processTree)];
}

function parentOf(pid: number): number | undefined {
  const parent = /^PPid:\s+(\d+)$/m.exec(read(`/proc/${String(pid)}/status`))?.[1];
  return parent === undefined ? undefined : Number(parent);
}

function socketsOf(pid: number): string[] {
  const directory = `/proc/${String(pid)}/fd`;
  return readdirSync(directory).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${directory}/${name}`))?.[1] ?? [];
    } catch {
      return []; // closed meanwhile
    }
  });
}

function rows(table: string): string[][] {
  return read(`/proc/net/${table}`)
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
}

function inetSockets(table: string, state: string, own: ReadonlySet<string>): string[] {
  return rows(table)
    .filter((fields) => fields[3] === state && own.has(fields[9] ?? ""))
    .map((fields) => readable(fields[1] ?? ""));
}

/** An IPv4 address stands there as a number, whose bytes are in the machine's order. */
function readable(place: string): string {
  const [address = "", port = ""] = place.split(":");
  const bytes = address.match(/../g)?.map((digits) => Number.parseInt(digits, 16)) ?? [];
  const host = bytes.length === 4 ? bytes.reverse().join(".") : `[${address}]`;
  return `${host}:${String(Number.parseInt(port, 16))}`;
}

function unixSockets(own: ReadonlySet<string>): string[] {
  return rows("unix")
    .filter(([, , , flags = "0", , , inode = ""]) => own.has(inode) && accepts(flags))
    .map((fields) => fields.slice(7).join(" "));
}

function accepts(flags: string): boolean {
  return (Number.parseInt(flags, 16) & ACCEPTS) !== 0;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
