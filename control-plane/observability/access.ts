// Who may use the admin listener. On a loopback address requests need no token, but must name a loopback host: the page of
// another origin could otherwise reach it by a DNS name that leads to this machine (DNS rebinding). With a token, programs send
// it as Authorization: Bearer; browsers get a cookie for it from the form at /login. No page of another origin may make a browser
// read or change anything here.
import type { Context, Hono, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AuditWriter } from "../audit/audit-log.ts";
import { actorOf, setActor } from "../admin/actor.ts";
import type { Actor } from "../admin/actor.ts";
import { loginPage } from "./page/shell.ts";
import type { LoginForm } from "./page/shell.ts";
import { addressOf } from "./sign-in/page-address.ts";
import type { Gate } from "./sign-in/gate.ts";
import { hasRole, neededRole } from "../admin/permissions.ts";
import { isSame, sealed, TOKEN_COOKIE, unsealed } from "./sign-in/page-session.ts";

const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;
const SESSION_S = 12 * 3600;
const TOKEN_SESSION = "token session";
const MAX_FORM = 4096;
/** Where changes are made. */
const API_PATH = "/api/v1/";

/** Headers of every response. Scripts, styles and requests of the page are its own; nothing may show it in a frame. */
const HEADERS = {
  "content-security-policy":
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

export interface AccessOptions {
  /** Undefined: requests need none. */
  token: string | undefined;
  /** Lets people sign in; undefined: nobody can. */
  gate?: Gate | undefined;
  /** Records denials; undefined: nowhere. */
  audit?: AuditWriter | undefined;
}

/** Adds the checks, and the page to log in. */
export function protect(app: Hono, { token, gate, audit }: AccessOptions): void {
  if (audit !== undefined) app.use(recordDenials(audit));
  app.use(setHeaders);
  app.use(refuseOtherOrigins);
  if (token === undefined && gate === undefined) {
    app.use(requireLoopbackHost);
    return;
  }
  const form = { hasToken: token !== undefined, issuer: gate?.settings.issuer };
  app.get("/login", (context) =>
    logIn(context, { ...form, next: pathOf(context.req.query("next")) }),
  );
  if (token !== undefined) addTokenForm(app, token, form, { gate, audit });
  gate?.addRoutes(app, pathOf);
  app.use((context, next) =>
    // The form has the page's style.
    context.req.path.startsWith("/assets/") ? next() : identify({ token, gate }, context, next),
  );
  app.use(refuseUnlessAllowed(audit));
  app.post("/sign-out", async (context) => {
    const actor = actorOf(context);
    // Both: what is left would sign the browser in again.
    deleteCookie(context, TOKEN_COOKIE, { path: "/" });
    gate?.signOut(context);
    if (actor?.kind === "token") audit?.append({ actor, action: "admin.sign_out" });
    const next = actor?.kind === "user" ? await gate?.endOfProvider() : undefined;
    return context.json({ location: next ?? "/login" });
  });
}

/** Adds what the form with the token is sent to. */
function addTokenForm(
  app: Hono,
  token: string,
  form: Pick<LoginForm, "hasToken" | "issuer">,
  { gate, audit }: Pick<AccessOptions, "gate" | "audit">,
): void {
  app.post("/login", bodyLimit({ maxSize: MAX_FORM }), async (context) => {
    const sent = new URLSearchParams(await context.req.text());
    const next = pathOf(sent.get("next") ?? undefined);
    if (!isSame(sent.get("token") ?? "", token))
      return logIn(context, { ...form, next, isWrong: true });
    gate?.signOut(context);
    audit?.append({ actor: tokenActor(context), action: "admin.sign_in" });
    setCookie(context, TOKEN_COOKIE, newSession(token), {
      httpOnly: true,
      sameSite: "Strict",
      path: "/",
      maxAge: SESSION_S,
      secure: new URL(context.req.url).protocol === "https:",
    });
    return context.redirect(next, 303);
  });
}

function recordDenials(audit: AuditWriter): MiddlewareHandler {
  return async (context, next) => {
    await next();
    const { status } = context.res;
    if (status !== 401 && status !== 403) return;
    const { method, path } = context.req;
    // It has its own line.
    if (path === "/sign-in/callback") return;
    audit.denied({
      actor: actorOf(context) ?? {
        ...{ kind: "anonymous", name: "unknown", address: addressOf(context) },
      },
      action: "admin.request",
      subject: path,
      after: { method, status },
    });
  };
}

const setHeaders: MiddlewareHandler = async (context, next) => {
  for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
  await next();
};

/**
 * A browser sends `sec-fetch-site` to addresses that it trusts, and `origin` with whatever could change something; programs send
 * neither. A link on another page may lead here, and nothing more.
 */
const refuseOtherOrigins: MiddlewareHandler = async (context, next) => {
  const { req } = context;
  const [site, origin] = [req.header("sec-fetch-site"), req.header("origin")];
  const isOwn =
    site === undefined
      ? origin === undefined || hostOf(origin) === req.header("host")
      : site === "same-origin" || site === "none";
  const isLink = req.method === "GET" && req.header("sec-fetch-mode") === "navigate";
  if (isOwn || isLink) return next();
  return context.text("A page of another origin cannot use this address.\n", 403);
};

const requireLoopbackHost: MiddlewareHandler = async (context, next) => {
  if (LOOPBACK_HOST.test(context.req.header("host") ?? "")) return next();
  return context.text("The host of the URL must be a loopback address.\n", 403);
};

/** Finds out who sends a request, by the token, the token's session or a person's. Rejects the others. */
async function identify(
  { token, gate }: Pick<AccessOptions, "token" | "gate">,
  context: Context,
  next: () => Promise<void>,
) {
  const header = context.req.header("authorization");
  const hasToken =
    token !== undefined &&
    (header === undefined
      ? isSession(getCookie(context, TOKEN_COOKIE) ?? "", token)
      : isSame(header, `Bearer ${token}`));
  const actor = hasToken
    ? tokenActor(context)
    : header === undefined
      ? gate?.actorOf(context)
      : undefined;
  if (actor !== undefined) {
    // A browser attaches a cookie to whatever leads here; it also sends which page a change comes from.
    if (header === undefined && !isReading(context) && !isOfOwnPage(context))
      return context.text("The request does not say which page it comes from.\n", 403);
    setActor(context, actor);
    return next();
  }
  const { req } = context;
  if (req.method === "GET" && (req.header("accept") ?? "").includes("text/html")) {
    const { pathname, search } = new URL(req.url);
    return context.redirect(`/login?next=${encodeURIComponent(pathname + search)}`, 303);
  }
  context.header("www-authenticate", "Bearer");
  return context.text("Send the token of observability.metrics as Authorization: Bearer.\n", 401);
}

/** Rejects what the caller's roles do not allow, and changes that could not be recorded. */
function refuseUnlessAllowed(audit: AuditWriter | undefined): MiddlewareHandler {
  return async (context, next) => {
    const { method, path } = context.req;
    const actor = actorOf(context);
    const role = neededRole(method, path);
    if (actor !== undefined && !hasRole(actor, role)) {
      const isPage = method === "GET" && (context.req.header("accept") ?? "").includes("text/html");
      if (isPage && path === "/") return context.redirect("/keys", 303);
      return context.text(`${actor.name} lacks the role ${role ?? ""}, which this needs.\n`, 403);
    }
    if (path.startsWith(API_PATH) && !isReading(context) && audit?.problem !== undefined) {
      // The log finds out each second whether it can be written.
      context.header("retry-after", "1");
      return context.text(`${audit.problem} Nothing was changed.\n`, 503);
    }
    return next();
  };
}

function tokenActor(context: Context): Actor {
  const address = addressOf(context);
  return {
    ...{ kind: "token", name: "token", roles: ["admin"] },
    ...(address === undefined ? {} : { address }),
  };
}

const isReading = ({ req }: Context) => req.method === "GET" || req.method === "HEAD";

function isOfOwnPage({ req }: Context): boolean {
  const origin = req.header("origin");
  return (
    req.header("sec-fetch-site") === "same-origin" ||
    (origin !== undefined && hostOf(origin) === req.header("host"))
  );
}

function logIn(context: Context, form: LoginForm) {
  // Without a referrer, a browser sends the form with `origin: null`.
  context.header("referrer-policy", "same-origin");
  return context.html(loginPage(form), form.isWrong === true ? 401 : 200);
}

/** Returns a session that is signed with the token: a new token ends all sessions. */
function newSession(token: string): string {
  return sealed({ expires: nowSeconds() + SESSION_S }, TOKEN_SESSION, token);
}

function isSession(session: string, token: string): boolean {
  return unsealed(session, TOKEN_SESSION, [token], nowSeconds()) !== undefined;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Returns a path of this server, never another address. */
function pathOf(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : "/";
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
