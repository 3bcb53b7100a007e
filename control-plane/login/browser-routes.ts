// The browser's part of a login: the code is confirmed, the identity provider signs the person in, and the terminal gets its token.
import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { LOGIN_PATHS } from "../../model/login.ts";
import { type Checks, SignInError } from "../observability/sign-in/identity-provider.ts";
import { newId, sealed, unsealed } from "../observability/sign-in/page-session.ts";
import { nameOf } from "../observability/sign-in/person.ts";
import { Attempts } from "./attempts-by-address.ts";
import { GRANT_S, type Waiting } from "./device-grants.ts";
import { loggedInOf } from "./logged-in.ts";
import { codePage, confirmPage, messagePage, type Page, PAGE_HEADERS } from "./login-page.ts";
import { actorOf, addressOf, formOf, type LoginParts, recordDenial } from "./login-parts.ts";
import { MAX_FORM } from "./terminal-routes.ts";

/** What a browser remembers while it is at the identity provider. */
interface Journey extends Checks {
  grant: string;
  /** Seconds since 1970. */
  expires: number;
}

const JOURNEY = "login";
const JOURNEY_COOKIE = "gateway_login";
/**
 * Unknown codes of an address in the time: a user code could be guessed, with 26 billion of them. Behind a load balancer all people
 * have one address.
 */
const MAX_UNKNOWN = 300;
const UNKNOWN_S = 600;

const FAILED = "Login failed";
const UNKNOWN_CODE = "No login waits for this code. It may have expired, or was used already.";
const TOO_MANY = "Too many wrong codes. Try again in ten minutes.";
const OTHER_PAGE = "The request does not come from this page.";
const OTHER_BROWSER = "The login took too long, or began in another browser.";

export function addBrowserRoutes(app: Hono, parts: LoginParts): void {
  const { login, signIn, grants, now } = parts;
  const unknown = new Attempts(MAX_UNKNOWN, now, UNKNOWN_S);

  /** Returns the login of a user code, or the page for a code that nothing waits for. */
  const find = (context: Context, userCode: string): Waiting | Response | Promise<Response> => {
    const address = addressOf(context);
    if (unknown.isExhausted(address)) return show(context, codePage(TOO_MANY), 429);
    const waiting = grants.waiting(userCode);
    if (waiting !== undefined) return waiting;
    unknown.count(address);
    return show(context, codePage(UNKNOWN_CODE), 400);
  };

  app.get(LOGIN_PATHS.page, async (context) => {
    const typed = context.req.query("user_code") ?? "";
    if (typed === "") return show(context, codePage());
    const found = await find(context, typed);
    return found instanceof Response ? found : show(context, confirmPage(found, signIn.issuer));
  });

  app.post(LOGIN_PATHS.page, bodyLimit({ maxSize: MAX_FORM }), async (context) => {
    if (!isOfOwnPage(context, login.url))
      return show(context, messagePage(FAILED, OTHER_PAGE), 403);
    const form = await formOf(context);
    const found = await find(context, form.get("user_code") ?? "");
    if (found instanceof Response) return found;
    if (form.get("answer") === "continue") return leave(context, parts, found);
    grants.deny(found.id);
    return show(context, messagePage("Login denied", "The terminal gets no token."));
  });

  app.get(LOGIN_PATHS.callback, (context) => comeBack(context, parts));
}

/** Sends the browser to the identity provider. */
async function leave(context: Context, parts: LoginParts, { id }: Waiting) {
  const { provider, login, secrets, now } = parts;
  try {
    const { url, checks } = await provider.begin(login.parameters);
    const journey: Journey = { ...checks, grant: id, expires: now() + GRANT_S };
    setCookie(context, JOURNEY_COOKIE, sealed(journey, JOURNEY, secrets[0] ?? ""), {
      // The provider leads the browser back, so that a cookie of `Strict` would be missing.
      ...{ httpOnly: true, sameSite: "Lax", path: LOGIN_PATHS.callback, maxAge: GRANT_S },
      secure: login.url.startsWith("https:"),
    });
    return context.redirect(url, 303);
  } catch (error) {
    return refuse(context, parts, error);
  }
}

async function comeBack(context: Context, parts: LoginParts) {
  const { provider, sessions, grants, audit, secrets, now } = parts;
  const sent = getCookie(context, JOURNEY_COOKIE) ?? "";
  const journey = unsealed(sent, JOURNEY, secrets, now()) as Journey | undefined;
  deleteCookie(context, JOURNEY_COOKIE, { path: LOGIN_PATHS.callback });
  if (journey === undefined) return refuse(context, parts, new SignInError(OTHER_BROWSER, 400));
  let name: string | undefined;
  try {
    const { claims, refreshToken } = await provider.finish(
      new URL(context.req.url).search,
      journey,
    );
    name = nameOf(claims);
    const loggedIn = loggedInOf(claims, newId(), parts);
    if (typeof loggedIn === "string") throw new SignInError(loggedIn, 403);
    if (!grants.approve(journey.grant, sessions.begin(loggedIn, refreshToken)))
      throw new SignInError("The login has ended in the meantime.", 400);
    audit?.append({ actor: actorOf(loggedIn.name, context), action: "login.sign_in" });
    const done = `You are ${loggedIn.name}. Return to the terminal; this page can be closed.`;
    return await show(context, messagePage("Logged in", done));
  } catch (error) {
    // The person may not log in, so that the terminal need not wait.
    if (error instanceof SignInError && error.status === 403) grants.deny(journey.grant);
    return refuse(context, parts, error, name);
  }
}

/** @param name of the person that the provider has identified; undefined: it has identified nobody */
function refuse(context: Context, parts: LoginParts, error: unknown, name?: string) {
  if (!(error instanceof SignInError)) throw error;
  recordDenial(parts, context, "login.sign_in", error, name);
  return show(context, messagePage(FAILED, error.message), error.status);
}

/** Browsers send the header with every form; that of another page has its own origin, or `null`. */
function isOfOwnPage({ req }: Context, url: string): boolean {
  const site = req.header("sec-fetch-site");
  const isSameSite = site === undefined || site === "same-origin";
  return isSameSite && req.header("origin") === new URL(url).origin;
}

function show(context: Context, page: Page, status: 200 | 400 | 403 | 429 | 502 = 200) {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) context.header(name, value);
  return context.html(page, status);
}
