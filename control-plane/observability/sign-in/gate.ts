// Lets people in: the way to the identity provider and back, the session's cookie, and the way out.
import type { Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Actor } from "../../admin/actor.ts";
import type { AuditActor } from "../../audit/audit-line.ts";
import type { AuditWriter } from "../../audit/audit-log.ts";
import type { SignIn } from "../../../model/model.ts";
import { messagePage } from "../page/shell.ts";
import { addressOf } from "./page-address.ts";
import { IdentityProvider, SignInError } from "./identity-provider.ts";
import type { Checks } from "./identity-provider.ts";
import { nameOf, personOf, rolesOf } from "./person.ts";
import type { Person } from "./person.ts";
import {
  EndedSessions,
  newId,
  PERSON_COOKIE,
  sealed,
  TOKEN_COOKIE,
  unsealed,
} from "./page-session.ts";
import type { Session } from "./page-session.ts";

/** Where the browser is on its way to the provider. */
const JOURNEY_COOKIE = "gateway_sign_in";
const JOURNEY_S = 600;
const SESSION = "session";
const JOURNEY = "sign-in";
/** Browsers keep cookies of 4096 bytes, with the name and the attributes. */
const MAX_COOKIE = 3800;
/** Characters of an error's detail, which comes from the provider, or from whoever opens the callback. */
const MAX_DETAIL = 300;

interface Journey extends Checks {
  next: string;
  /** Seconds since 1970. */
  expires: number;
}

export interface GateOptions {
  settings: SignIn;
  clientSecret: string;
  /** The first one signs. */
  secrets: readonly string[];
  /** Sessions that were signed out; absent: none were before. */
  ended?: EndedSessions;
  audit?: AuditWriter | undefined;
  /** Groups of the configuration, which a session has before others. */
  knownGroups?: () => readonly string[];
  /** Milliseconds since 1970. */
  now?: () => number;
}

export class Gate {
  readonly settings: SignIn;
  readonly #options: GateOptions;
  readonly #provider: IdentityProvider;
  readonly #ended: EndedSessions;

  constructor(options: GateOptions) {
    this.settings = options.settings;
    this.#options = options;
    const { settings, clientSecret, now, ended = new EndedSessions() } = options;
    this.#ended = ended;
    this.#provider = new IdentityProvider(settings, clientSecret, now);
  }

  /** Adds what a browser without a session may ask for. @param pathOf returns a path of this server, never another address */
  addRoutes(app: Hono, pathOf: (next: string | undefined) => string): void {
    app.get("/sign-in", async (context) => {
      try {
        const { url, checks } = await this.#provider.begin();
        const expires = this.#now() + JOURNEY_S;
        const journey: Journey = { ...checks, next: pathOf(context.req.query("next")), expires };
        this.#setCookie(context, JOURNEY_COOKIE, this.#seal(journey, JOURNEY), JOURNEY_S);
        return context.redirect(url, 303);
      } catch (error) {
        return this.#refuse(context, error);
      }
    });
    app.get("/sign-in/callback", async (context) => {
      const journey = this.#unseal(getCookie(context, JOURNEY_COOKIE), JOURNEY) as
        Journey | undefined;
      deleteCookie(context, JOURNEY_COOKIE, { path: "/" });
      try {
        if (journey === undefined)
          throw new SignInError("The sign-in took too long, or began in another browser.", 400);
        const { claims } = await this.#provider.finish(new URL(context.req.url).search, journey);
        const person = personOf(claims, this.settings);
        if (typeof person === "string")
          return this.#refuse(context, new SignInError(person, 403), nameOf(claims));
        const session = this.#newSession(String(claims["sub"]), person);
        const { sessionMs } = this.settings;
        const sealedSession = this.#seal(session, SESSION);
        this.#setCookie(context, PERSON_COOKIE, sealedSession, Math.floor(sessionMs / 1000));
        deleteCookie(context, TOKEN_COOKIE, { path: "/" });
        this.#record(actorOfSession(session, context), "admin.sign_in");
        return context.redirect(journey.next, 303);
      } catch (error) {
        return this.#refuse(context, error);
      }
    });
  }

  /** Ends the session that the browser sends, if there is one. */
  signOut(context: Context): void {
    const session = this.#sessionOf(context);
    deleteCookie(context, PERSON_COOKIE, { path: "/" });
    if (session === undefined) return;
    this.#ended.end(session, this.#now());
    this.#record(actorOfSession(session, context), "admin.sign_out");
  }

  /** Returns where a browser ends its session at the provider; undefined if it cannot. */
  endOfProvider(): Promise<string | undefined> {
    return this.#provider.endSession();
  }

  /** Returns the person whose session the browser sends; undefined without a valid one. */
  actorOf(context: Context): Actor | undefined {
    const session = this.#sessionOf(context);
    return session && actorOfSession(session, context);
  }

  #sessionOf(context: Context): Session | undefined {
    const session = this.#unseal(getCookie(context, PERSON_COOKIE), SESSION) as Session | undefined;
    if (session === undefined || this.#ended.has(session)) return undefined;
    // What the configuration has taken away since the sign-in is gone at once; what it has given needs another one.
    const now = rolesOf(session.groups, this.settings);
    return now && { ...session, roles: session.roles.filter((role) => now.includes(role)) };
  }

  /** Returns the session, with the groups that matter if it would not fit into a cookie. */
  #newSession(subject: string, { name, roles, groups: all }: Person): Session {
    const expires = this.#now() + Math.floor(this.settings.sessionMs / 1000);
    const groups = this.#inOrder(all);
    const session = { id: newId(), subject: subject.slice(0, 200), name, roles, groups, expires };
    while (session.groups.length > 0 && this.#seal(session, SESSION).length > MAX_COOKIE)
      session.groups = session.groups.slice(0, Math.floor(session.groups.length * 0.9));
    return session;
  }

  /** Returns the groups, first those that give roles or own keys, then those of the configuration. */
  #inOrder(groups: readonly string[]): string[] {
    const { roles, selfService } = this.settings;
    const deciding = [...Object.values(roles).flat(), ...selfService];
    const first = new Set([...deciding, ...(this.#options.knownGroups?.() ?? [])]);
    const known = [...first].filter((group) => groups.includes(group));
    return [...new Set([...known, ...groups])];
  }

  /** @param name of the person that the provider has identified; undefined: it has identified nobody */
  #refuse(context: Context, error: unknown, name?: string) {
    if (!(error instanceof SignInError)) throw error;
    const kind = name === undefined ? "anonymous" : "user";
    const actor = { kind, name: name ?? "unknown", address: addressOf(context) };
    const { message, status } = error;
    const detail = error.detail.slice(0, MAX_DETAIL);
    this.#options.audit?.denied({
      actor,
      action: "admin.sign_in",
      after: { message, detail: detail === "" ? undefined : detail },
    });
    return context.html(messagePage("Sign-in failed", message), status);
  }

  #record(actor: AuditActor, action: string): void {
    this.#options.audit?.append({ actor, action });
  }

  #seal(value: { expires: number }, purpose: string): string {
    return sealed(value, this.#purposeOf(purpose), this.#options.secrets[0] ?? "");
  }

  /** Keeps a gateway with other people from accepting a session, should both have the same secret. */
  #purposeOf(purpose: string): string {
    const { issuer, clientId } = this.settings;
    return [purpose, issuer, clientId].join(" ");
  }

  /** Returns what `#seal` was given for the same purpose. */
  #unseal(text: string | undefined, purpose: string): { expires: number } | undefined {
    return text === undefined
      ? undefined
      : unsealed(text, this.#purposeOf(purpose), this.#options.secrets, this.#now());
  }

  /** The provider leads the browser here, so that cookies of `Strict` would be missing. */
  #setCookie(context: Context, name: string, value: string, maxAge: number): void {
    setCookie(context, name, value, {
      ...{ httpOnly: true, sameSite: "Lax", path: "/", maxAge },
      secure: this.settings.url.startsWith("https:"),
    });
  }

  #now(): number {
    return (this.#options.now ?? Date.now)() / 1000;
  }
}

function actorOfSession({ name, roles, groups }: Session, context: Context): Actor {
  const address = addressOf(context);
  return {
    ...{ kind: "user", name, roles, groups },
    ...(address === undefined ? {} : { address }),
  };
}
