// The admin listener: `/metrics` for Prometheus, and the live page.
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import type { AuditWriter } from "../audit/audit-log.ts";
import { protect } from "./access.ts";
import { addPage } from "./page/page-routes.ts";
import type { PageSource } from "./page/page-routes.ts";
import type { Gate } from "./sign-in/gate.ts";
import { limitToOwn } from "./sign-in/own-keys.ts";

export interface AdminServerOptions {
  address: string;
  port: number;
  /** Undefined: requests need none. */
  token: string | undefined;
  /** Lets people sign in; undefined: nobody can. */
  gate?: Gate | undefined;
  /** Records denials; undefined: nowhere. */
  audit?: AuditWriter | undefined;
  /** Returns the page of the metrics. */
  metrics: () => Promise<string>;
  page: PageSource;
  /** Routes below API_PATH that change the gateway; absent: there are none. */
  api?: Hono | undefined;
}

/** Where the admin API is. */
const API_PATH = "/api/v1/*";

export interface AdminServer {
  port: number;
  close: () => Promise<void>;
}

const IDLE_MS = 900_000;
const TEXT = "text/plain; version=0.0.4; charset=utf-8";

/** Starts the listener. Rejects with the system's error if the address cannot be used. */
export function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const server = createAdaptorServer({ fetch: adminApp(options).fetch }) as Server;
  // A scraper that hangs keeps nothing for long.
  server.requestTimeout = 10_000;
  // Nor does a tab that reads no more, or a playground whose model is silent for longer than any timeout.
  server.setTimeout(IDLE_MS);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.address, port: options.port }, () => {
      resolve({ port: portOf(server), close: () => close(server) });
    });
  });
}

/** Returns the routes. */
export function adminApp({ token, gate, audit, metrics, page, api }: AdminServerOptions): Hono {
  const app = new Hono();
  protect(app, { token, gate, audit });
  app.get("/metrics", async (context) => {
    const text = await metrics();
    return context.body(text, 200, { "content-type": TEXT });
  });
  if (api !== undefined) addApi(app, api, { token, gate });
  addPage(app, page);
  return app;
}

type Callers = Pick<AdminServerOptions, "token" | "gate">;

/** Adds the admin API. Without callers that are known, any program of this machine could create keys. */
function addApi(app: Hono, api: Hono, { token, gate }: Callers): void {
  if (token === undefined && gate === undefined) {
    app.use(API_PATH, (context) =>
      Promise.resolve(context.json({ error: { type: "forbidden", message: NEEDS_TOKEN } }, 403)),
    );
  }
  if (gate !== undefined) limitToOwn(app, gate.settings.maxKeys);
  app.route("/", api);
}

const NEEDS_TOKEN =
  "The admin API needs observability.metrics.token or sign_in; gateway keys works without it.";

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
