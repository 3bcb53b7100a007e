// A tunnel through a proxy for the checks of providers, as Envoy opens them.
import { request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { isIP, type Socket } from "node:net";
import type { Proxy } from "../../model/model.ts";
import { authorization, hostPort, proxyUrl } from "../../model/proxy.ts";
import type { Environment } from "../report/environment.ts";

/** Why there is no tunnel: a sentence without a secret. */
export class TunnelError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** Returns a connection to a server through a proxy. Rejects with a TunnelError. */
export function openTunnel(
  proxy: Proxy,
  server: { host: string; port: number },
  environment: Environment,
  { ca, patienceMs }: { ca?: string; patienceMs: number },
): Promise<Socket> {
  const path = hostPort(server);
  const secret =
    proxy.credential === undefined ? "" : authorization(environment[proxy.credential] ?? "");
  const options = {
    host: proxy.host,
    port: proxy.port,
    method: "CONNECT",
    path,
    headers: { host: path, ...(secret === "" ? {} : { "proxy-authorization": secret }) },
    agent: false as const,
    signal: AbortSignal.timeout(patienceMs),
  };
  const where = `the proxy ${proxyUrl(proxy)}`;
  return new Promise((resolve, reject) => {
    const request = proxy.tls
      ? requestTls({
          ...options,
          servername: isIP(proxy.host) === 0 ? proxy.host : "",
          ...(ca === undefined ? {} : { ca }),
        })
      : requestPlain(options);
    request.once("connect", ({ statusCode: status = 0 }, socket) => {
      if (status >= 200 && status < 300) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(
        new TunnelError(
          `${where} refuses a tunnel to ${path} (${String(status)})`,
          status === 407 || status === 401
            ? "check the user and the password in the proxy's URL"
            : "check the rules and the log of the proxy",
        ),
      );
    });
    request.once("error", (error: NodeJS.ErrnoException) => {
      const reason =
        error.name === "AbortError" ? "no response in time" : (error.code ?? error.name);
      reject(
        new TunnelError(
          `${where} opens no tunnel to ${path} (${reason})`,
          "check its URL, and that it runs",
        ),
      );
    });
    request.end();
  });
}
