// Reads the admin API in the same process, for routes that show a person what the API would.
import type { Context, Hono } from "hono";

/** Reads a path as the caller of a request, who has signed in. */
export function readAs(app: Hono, context: Context, path: string): Response | Promise<Response> {
  const { cookie = "", host = "" } = context.req.header();
  return app.request(new URL(path, context.req.url), { headers: { cookie, host } });
}
