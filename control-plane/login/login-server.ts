// The login of coding agents: a terminal begins it, a browser goes to the identity provider, and the terminal gets a token. Claude Code
// calls it the gateway protocol, which `claude gateway` describes at /protocol. docs/claude-code-login.md
import { Hono } from "hono";
import { LOGIN_KEYS_PATH, LOGIN_PATHS } from "../../model/login.ts";
import { addBearerRoutes, apiError } from "./bearer-routes.ts";
import { addBrowserRoutes } from "./browser-routes.ts";
import { type LoginOptions, loginParts } from "./login-parts.ts";
import { protocolText } from "./protocol.ts";
import { addTerminalRoutes } from "./terminal-routes.ts";

const MARKDOWN = "text/markdown; charset=utf-8";

/** Returns the routes. */
export function loginApp(options: LoginOptions): Hono {
  const parts = loginParts(options);
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    context.header("cache-control", "no-store");
    context.header("x-content-type-options", "nosniff");
  });
  app.get(LOGIN_KEYS_PATH, (context) => context.json(parts.keys.keySet()));
  app.get(LOGIN_PATHS.protocol, (context) =>
    context.body(protocolText(options.login.url), 200, { "content-type": MARKDOWN }),
  );
  addTerminalRoutes(app, parts);
  addBrowserRoutes(app, parts);
  addBearerRoutes(app, parts);
  app.notFound((context) =>
    context.json(apiError("not_found_error", "There is no such path."), 404),
  );
  return app;
}
