// How commands reach the running gateway: HTTP on a unix socket that only the gateway's user can open.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Hono } from "hono";
import { GatewayError } from "../report/gateway-error.ts";
import { closeNow, fetchAt, listenAt } from "../model-server/unix-socket.ts";
import type { apiListener } from "./control-api.ts";
import type { ReloadResult } from "./reload.ts";

/** A reload may load models and restart Envoy. */
const MAX_MS = 120_000;
const RELOAD_PATH = "/reload";

export interface ControlServer {
  close: () => Promise<void>;
}

/** Starts the control server at `socketPath`. @param api returns the routes of the admin API */
export async function serveControl(
  socketPath: string,
  reload: (options: { restart: boolean }) => Promise<ReloadResult>,
  api: () => Promise<Hono>,
): Promise<ControlServer> {
  let listener: Promise<ReturnType<typeof apiListener>> | undefined;
  const callApi = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    listener ??= loadApi(api);
    await (
      await listener
    )(incoming, outgoing);
  };
  const server = createServer((incoming, outgoing) => {
    const { method, url = "" } = incoming;
    if (url.startsWith("/api/")) {
      void callApi(incoming, outgoing);
      return;
    }
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

async function loadApi(api: () => Promise<Hono>) {
  const { apiListener } = await import("./control-api.ts");
  return apiListener(await api());
}

/** Makes a running gateway reload its configuration. Rejects with a GatewayError if it does not respond. */
export async function requestReload(
  socketPath: string,
  { restart }: { restart: boolean },
): Promise<ReloadResult> {
  const url = `http://gateway${RELOAD_PATH}${restart ? "?restart" : ""}`;
  const signal = AbortSignal.timeout(MAX_MS);
  let why: string;
  try {
    const response = await fetchAt(socketPath, url, { method: "POST", headers: {}, signal });
    if (response.ok) return (await response.json()) as ReloadResult;
    why = await response.text();
  } catch (error) {
    why = error instanceof Error ? error.message : String(error);
  }
  throw new GatewayError(`The gateway did not respond to the reload: ${why}.`);
}
