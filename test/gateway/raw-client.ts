// Clients that send exactly the given headers or bytes, and return the response as it is on the wire: no added header, no decoding.
import { request } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { HeaderPair } from "../../control-plane/wasm-host/header-map.ts";

export interface RawRequest {
  port: number;
  method: string;
  path: string;
  headers: readonly HeaderPair[];
  /** Written one after the other. */
  chunks?: readonly Uint8Array[];
}

export interface RawResponse {
  status: number;
  headers: HeaderPair[];
  body: Buffer;
  /** Data events, as they came. */
  chunks: Buffer[];
  /** The connection broke before the end. */
  isReset: boolean;
}

/** Starts a request. Node adds no header but `connection`, and that only if it is given. */
export function open(
  raw: RawRequest,
  onResponse: (message: IncomingMessage) => void,
): ClientRequest {
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
  outgoing.on("response", onResponse);
  return outgoing;
}

export function exchange(raw: RawRequest): Promise<RawResponse> {
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

/** A response to bytes of the caller. */
export interface TextResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Writes bytes, HTTP or not, then reads until the response is whole or the gateway closes. Rejects if there is no response. */
export function sendRaw(port: number, text: string): Promise<TextResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    const finish = (): void => {
      socket.destroy();
      const response = parse(received);
      if (response === undefined) reject(new Error(`no response: ${JSON.stringify(received)}`));
      else resolve(response);
    };
    socket.setEncoding("utf8");
    socket.on("data", (part: string) => {
      received += part;
      const response = parse(received);
      if (response !== undefined && isWhole(response)) finish();
    });
    socket.on("close", finish);
    socket.on("error", reject);
    socket.write(text);
  });
}

function isWhole({ headers, body }: TextResponse): boolean {
  if (headers["transfer-encoding"] === "chunked") return body.endsWith("0\r\n\r\n");
  const length = headers["content-length"];
  return length !== undefined && Buffer.byteLength(body) >= Number(length);
}

/** Returns the final response, its body as on the wire. */
function parse(text: string): TextResponse | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const status = Number(first.split(" ")[1]);
  if (status < 200) return parse(text.slice(end + 4));
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status,
    headers: Object.fromEntries(headers),
    body: text.slice(end + 4),
  };
}
