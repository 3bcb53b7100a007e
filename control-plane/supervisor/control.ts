// How a command talks to the gateway that runs: HTTP on a unix socket that only its user can open.
import { createServer, request } from "node:http";
import { GatewayError } from "../config/diagnostics/gateway-error.ts";
import { closeNow, listenAt } from "../model-server/unix-socket.ts";
import type { ReloadResult } from "./reload.ts";

/** A model server may have to load its models, and Envoy to be started anew. */
const MAX_MS = 120_000;
const RELOAD_PATH = "/reload";

export interface ControlServer {
  close: () => Promise<void>;
}

/** Listens at `socketPath`. */
export async function serveControl(
  socketPath: string,
  reload: (options: { restart: boolean }) => Promise<ReloadResult>,
): Promise<ControlServer> {
  const server = createServer((incoming, outgoing) => {
    const { method, url = "" } = incoming;
    const { pathname, searchParams } = new URL(url, "http://gateway");
    if (method !== "POST" || pathname !== RELOAD_PATH) {
      outgoing.writeHead(404).end();
      return;
    }
    reload({ restart: searchParams.has("restart") }).then(
      (result) => {
        outgoing.writeHead(200, { "content-type": "application/json" });
        outgoing.end(JSON.stringify(result));
      },
      (error: unknown) => {
        outgoing.writeHead(500).end(String(error));
      },
    );
  });
  await listenAt(server, socketPath);
  return { close: () => closeNow(server) };
}

/** Asks a running gateway to read its configuration anew. Rejects when it does not answer. */
export function askReload(
  socketPath: string,
  { restart }: { restart: boolean },
): Promise<ReloadResult> {
  return new Promise((resolve, reject) => {
    const path = restart ? `${RELOAD_PATH}?restart` : RELOAD_PATH;
    const fail = (why: string) => {
      reject(new GatewayError(`The gateway does not answer: ${why}.`));
    };
    const outgoing = request(
      { socketPath, path, method: "POST", agent: false, signal: AbortSignal.timeout(MAX_MS) },
      (incoming) => {
        let body = "";
        incoming.setEncoding("utf8").on("data", (text: string) => (body += text));
        incoming.on("error", ({ message }) => {
          fail(message);
        });
        incoming.on("end", () => {
          if (incoming.statusCode === 200) resolve(JSON.parse(body) as ReloadResult);
          else fail(body);
        });
      },
    );
    outgoing.on("error", ({ message }) => {
      fail(message);
    });
    outgoing.end();
  });
}
