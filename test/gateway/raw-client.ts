// A client that sends exactly what it is told, and keeps the reply as it came: no header of its own, no decoding.
import { request } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { HeaderPair } from "../../control-plane/wasm-host/header-map.ts";

export interface RawRequest {
  port: number;
  method: string;
  path: string;
  headers: readonly HeaderPair[];
  /** Written one after the other. */
  chunks?: readonly Uint8Array[];
}

export interface RawReply {
  status: number;
  headers: HeaderPair[];
  body: Buffer;
  /** Data events, as they came. */
  chunks: Buffer[];
  /** The connection broke before the end. */
  isReset: boolean;
}

/** Node writes `connection` only when asked; everything else is the caller's. */
export function open(raw: RawRequest, onReply: (message: IncomingMessage) => void): ClientRequest {
  const headers = Object.entries(Object.groupBy(raw.headers, ([name]) => name)).map(
    ([name, pairs]) => [name, (pairs ?? []).map(([, value]) => value)] as const,
  );
  const outgoing = request({
    host: "127.0.0.1",
    port: raw.port,
    method: raw.method,
    path: raw.path,
    agent: false,
    setDefaultHeaders: false,
  });
  for (const [name, values] of headers) {
    outgoing.setHeader(name, values.length === 1 ? (values[0] ?? "") : values);
  }
  outgoing.on("response", onReply);
  return outgoing;
}

export function exchange(raw: RawRequest): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const outgoing = open(raw, (message) => {
      const chunks: Buffer[] = [];
      const finish = (isReset: boolean): void => {
        resolve({
          status: message.statusCode ?? 0,
          headers: headerPairs(message.rawHeaders),
          body: Buffer.concat(chunks),
          chunks,
          isReset,
        });
        outgoing.destroy();
      };
      message.on("data", (chunk: Buffer) => chunks.push(chunk));
      message.on("end", () => {
        finish(false);
      });
      message.on("error", () => {
        finish(true);
      });
    });
    outgoing.on("error", reject);
    for (const chunk of raw.chunks ?? []) outgoing.write(chunk);
    outgoing.end();
  });
}

/** Node's flat list of names and values, as pairs. */
export function headerPairs(flat: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) pairs.push([flat[at] ?? "", flat[at + 1] ?? ""]);
  return pairs;
}
