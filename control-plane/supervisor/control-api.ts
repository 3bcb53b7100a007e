// The admin API on the control socket, for whoever can open it: the gateway's user.
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { ROLES, setActor } from "../admin/actor.ts";
import { accountName } from "./account-name.ts";

/** Returns what handles a request for the API. */
export function apiListener(
  api: Hono,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  const app = new Hono();
  app.use(async (context, next) => {
    setActor(context, { kind: "socket", name: accountName(), roles: ROLES });
    await next();
  });
  app.route("/", api);
  // With its own Request, the library can pass on a body of unknown length (hono/body-limit).
  return getRequestListener(app.fetch);
}
