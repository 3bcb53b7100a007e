// The admin listener: `/metrics` for Prometheus. On a loopback address requests need no token, but must name a loopback host:
// the page of another origin could otherwise reach it by a DNS name that leads to this machine (DNS rebinding).
import { timingSafeEqual } from "node:crypto";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";

export interface AdminServerOptions {
  address: string;
  port: number;
  /** Undefined: requests need none. */
  token: string | undefined;
  /** Returns the page of the metrics. */
  metrics: () => Promise<string>;
}

export interface AdminServer {
  port: number;
  close: () => Promise<void>;
}

const TEXT = "text/plain; version=0.0.4; charset=utf-8";
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

/** Starts the listener. Rejects with the system's error if the address cannot be used. */
export function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const server = createAdaptorServer({ fetch: adminApp(options).fetch }) as Server;
  // A scraper that hangs keeps nothing for long.
  server.requestTimeout = 10_000;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.address, port: options.port }, () => {
      resolve({ port: portOf(server), close: () => close(server) });
    });
  });
}

/** Returns the routes. */
export function adminApp({ token, metrics }: AdminServerOptions): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    context.header("x-content-type-options", "nosniff");
    context.header("cache-control", "no-store");
    if (token === undefined) {
      if (!LOOPBACK_HOST.test(context.req.header("host") ?? ""))
        return context.text("The host of the URL must be a loopback address.\n", 403);
    } else if (!isToken(context.req.header("authorization") ?? "", token)) {
      context.header("www-authenticate", "Bearer");
      return context.text(
        "Send the token of observability.metrics as Authorization: Bearer.\n",
        401,
      );
    }
    await next();
    return undefined;
  });
  app.get("/metrics", async (context) => {
    const page = await metrics();
    return context.body(page, 200, { "content-type": TEXT });
  });
  return app;
}

function isToken(header: string, token: string): boolean {
  const [sent, own] = [Buffer.from(header), Buffer.from(`Bearer ${token}`)];
  return sent.length === own.length && timingSafeEqual(sent, own);
}

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
