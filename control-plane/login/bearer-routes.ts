// What Claude Code asks for with its token, besides models: its managed settings, and a place for its telemetry.
import type { Context, Hono } from "hono";
import { LOGIN_PATHS } from "../../model/login.ts";
import { settingsOf } from "./agent-settings.ts";
import { actorOf, type LoginParts } from "./login-parts.ts";
import type { LoggedIn } from "./token-keys.ts";

/** Bytes of a request with telemetry, which is not kept. */
const MAX_TELEMETRY = 32 * 1024 * 1024;

export function addBearerRoutes(app: Hono, { login, sessions, audit }: LoginParts): void {
  /** Returns who sends the request, or the error for nobody. */
  const identify = (context: Context): LoggedIn | Response => {
    const loggedIn = sessions.read(bearerOf(context));
    if (loggedIn !== undefined) return loggedIn;
    const { path: subject } = context.req;
    audit?.denied({ actor: actorOf(undefined, context), action: "login.request", subject });
    // Claude Code would retry for three minutes before it asks for the login.
    context.header("x-should-retry", "false");
    context.header("www-authenticate", "Bearer");
    const message = "The token is missing, has expired or was revoked. Log in again.";
    return context.json(apiError("authentication_error", message), 401);
  };

  app.get(LOGIN_PATHS.settings, (context) => {
    const loggedIn = identify(context);
    if (loggedIn instanceof Response) return loggedIn;
    const served = settingsOf(login, loggedIn.groups);
    if (served === undefined)
      return context.json(apiError("not_found_error", "There are no settings for you."), 404);
    const tag = `"${served.checksum}"`;
    context.header("etag", tag);
    const held = (context.req.header("if-none-match") ?? "").split(",").map((one) => one.trim());
    return held.includes(tag) ? context.body(null, 304) : context.json(served);
  });

  for (const path of [LOGIN_PATHS.metrics, LOGIN_PATHS.logs, LOGIN_PATHS.traces])
    app.post(path, async (context) => {
      const loggedIn = identify(context);
      if (loggedIn instanceof Response) return loggedIn;
      // A response before the end of a request would close the connection.
      let bytes = 0;
      const body: AsyncIterable<Uint8Array> | null = context.req.raw.body;
      for await (const part of body ?? []) {
        bytes += part.byteLength;
        if (bytes > MAX_TELEMETRY)
          return context.json(apiError("request_too_large", "The telemetry is too large."), 413);
      }
      const isJson = (context.req.header("content-type") ?? "").includes("json");
      return isJson ? context.json({}) : context.body(null, 200);
    });
}

/** Returns an error in the form of Anthropic's API, which Claude Code shows. */
export function apiError(type: string, message: string) {
  return { type: "error", error: { type, message } };
}

function bearerOf({ req }: Context): string {
  return /^Bearer (\S+)$/i.exec(req.header("authorization") ?? "")?.[1] ?? "";
}
