// Calls of Envoy's admin interface, which listens on a unix socket only.
import { request, type RequestOptions } from "node:http";
import { request as requestByTls } from "node:https";
import type { Listener } from "../ir/model.ts";
import { VERSION } from "./version.ts";

export interface AdminReply {
  status: number;
  body: string;
}

/** One request. Rejects when Envoy does not answer within `timeoutMs`. */
export function callAdmin(
  socketPath: string,
  method: "GET" | "POST",
  path: string,
  timeoutMs = 2000,
): Promise<AdminReply> {
  return call({ socketPath, method, path }, timeoutMs);
}

/** GET of a path on a listener, for readiness. Rejects when nothing answers. */
export function callListener(
  { address, port, tls }: Pick<Listener, "address" | "port" | "tls">,
  path: string,
  timeoutMs = 2000,
): Promise<AdminReply> {
  // The name stands in the access log, where somebody may wonder who asked.
  const headers = { "user-agent": `gateway/${VERSION} (readiness)` };
  const options = { host: reachable(address), port, method: "GET", path, headers };
  // The certificate is for the names that clients use, and nothing is sent that is worth a check.
  return tls === undefined
    ? call(options, timeoutMs)
    : call({ ...options, rejectUnauthorized: false }, timeoutMs, requestByTls);
}

/** An address to call for one to listen on: any address means this machine's own. */
export function reachable(address: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  return address === "::" ? "::1" : address;
}

function call(
  options: RequestOptions & { rejectUnauthorized?: boolean },
  timeoutMs: number,
  send = request,
): Promise<AdminReply> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const outgoing = send({ ...options, agent: false, signal }, (incoming) => {
      let body = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (text: string) => (body += text));
      incoming.on("end", () => {
        resolve({ status: incoming.statusCode ?? 0, body });
      });
      incoming.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}
