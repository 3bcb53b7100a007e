// The admin API on the control socket, for whoever can open it: the gateway's user.
import type { IncomingMessage, ServerResponse } from "node:http";
import { userInfo } from "node:os";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { ROLES, setActor } from "../admin/actor.ts";

/** Returns what handles a request for the API. */
export function apiListener(
  api: Hono,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  const app = new Hono();
  app.use(async (context, next) => {
    setActor(context, { kind: "socket", name: userName(), roles: ROLES });
    await next();
  });
  app.route("/", api);
  // With its own Request, the library can pass on a body of unknown length (hono/body-limit).
  return getRequestListener(app.fetch);
}

/** Returns the account of this machine; its number if it has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "");
  }
}
