// Requests to Envoy's admin interface, which listens on a unix socket only.
import { request, type RequestOptions } from "node:http";
import { request as requestByTls } from "node:https";
import { toConnectAddress } from "../../model/listener-url.ts";
import type { Listener } from "../../model/model.ts";
import { VERSION } from "./package-version.ts";

export interface AdminResponse {
  status: number;
  body: string;
}

/** Sends one request. Rejects if Envoy does not respond within `timeoutMs`. */
export function callAdmin(
  socketPath: string,
  method: "GET" | "POST",
  path: string,
  timeoutMs = 2000,
): Promise<AdminResponse> {
  return call({ socketPath, method, path }, timeoutMs);
}

/** Sends a GET for a path on a listener, for readiness. Rejects if there is no response. */
export function callListener(
  { address, port, tls }: Pick<Listener, "address" | "port" | "tls">,
  path: string,
  timeoutMs = 2000,
): Promise<AdminResponse> {
  // The name appears in the access log, where it explains who sent the request.
  const headers = { "user-agent": `gateway/${VERSION} (readiness)` };
  const options = { host: toConnectAddress(address), port, method: "GET", path, headers };
  // The certificate is for the names that clients use, and the request contains nothing that needs verification.
  return tls === undefined
    ? call(options, timeoutMs)
    : call({ ...options, rejectUnauthorized: false }, timeoutMs, requestByTls);
}

function call(
  options: RequestOptions & { rejectUnauthorized?: boolean },
  timeoutMs: number,
  send = request,
): Promise<AdminResponse> {
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
