// What the routes of the login share: the settings, the logins that wait, the sessions, and the records of denials.
import type { Context } from "hono";
import type { AuditActor } from "../audit/audit-line.ts";
import type { AuditWriter } from "../audit/audit-log.ts";
import { LOGIN_CLIENT_HEADER, type Login } from "../../model/login.ts";
import type { SignIn } from "../../model/model.ts";
import { IdentityProvider, type SignInError } from "../observability/sign-in/identity-provider.ts";
import type { EndedSessions } from "../observability/sign-in/page-session.ts";
import { DeviceGrants } from "./device-grants.ts";
import { Sessions, type TokenReply } from "./sessions.ts";
import { TokenKeys } from "./token-keys.ts";

export interface LoginOptions {
  login: Login;
  signIn: SignIn;
  clientSecret: string;
  /** The first one signs and encrypts. */
  secrets: readonly string[];
  /** Whether something is set for a group: its models, limits, budgets or settings. */
  isKnownGroup: (group: string) => boolean;
  audit?: AuditWriter | undefined;
  /** Sessions that were ended, also before a reload. */
  ended: EndedSessions;
  /** Resolves when Envoy rejects the tokens of what has ended. */
  delivered?: () => Promise<void>;
  /** Milliseconds since 1970. */
  now?: () => number;
}

export interface LoginParts extends Omit<LoginOptions, "now"> {
  provider: IdentityProvider;
  keys: TokenKeys;
  sessions: Sessions;
  grants: DeviceGrants<TokenReply>;
  /** Seconds since 1970. */
  now: () => number;
}

export function loginParts(options: LoginOptions): LoginParts {
  const { login, signIn, clientSecret, secrets } = options;
  const now = () => (options.now ?? Date.now)() / 1000;
  const settings = { ...signIn, url: login.url, scopes: login.scopes };
  const provider = new IdentityProvider(settings, clientSecret);
  const keys = new TokenKeys(secrets);
  const sessions = new Sessions({ ...options, provider, keys, now });
  return { ...options, provider, keys, sessions, grants: new DeviceGrants(now), now };
}

export async function formOf(context: Context): Promise<URLSearchParams> {
  return new URLSearchParams(await context.req.text());
}

/** Returns the address of the client, which Envoy has set; undefined in tests. */
export function addressOf(context: Context): string | undefined {
  return context.req.header(LOGIN_CLIENT_HEADER);
}

/** @param name undefined: nobody is known */
export function actorOf(name: string | undefined, context: Context): AuditActor {
  const kind = name === undefined ? "anonymous" : "user";
  return { kind, name: name ?? "unknown", address: addressOf(context) };
}

/** Records why somebody may not log in. @param name undefined: the identity provider has identified nobody */
export function recordDenial(
  { audit }: Pick<LoginParts, "audit">,
  context: Context,
  action: string,
  { message, detail }: SignInError,
  name: string | undefined,
): void {
  audit?.denied({
    actor: actorOf(name, context),
    action,
    after: { message, detail: detail === "" ? undefined : detail },
  });
}
