// Sessions of people who have logged in: their tokens, the refresh at the identity provider, and the logout.
import { createHash } from "node:crypto";
import type { Login } from "../../model/login.ts";
import { type IdentityProvider, SignInError } from "../observability/sign-in/identity-provider.ts";
import type { EndedSessions } from "../observability/sign-in/page-session.ts";
import { loggedInOf, type Rules } from "./logged-in.ts";
import { Attempts } from "./attempts-by-address.ts";
import type { LoggedIn, Refreshable, TokenKeys } from "./token-keys.ts";

/** The response of the token endpoint (RFC 6749, section 5.1); `email` is Claude Code's extension. */
export interface TokenReply {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  /** Absent: the identity provider has issued none, and the person has to log in again. */
  refresh_token?: string;
  /** Who has logged in, which Claude Code shows for confirmation. */
  email: string;
}

/** What became of a logout. */
export interface Ended {
  name: string;
  /** Whether the session had not ended before. */
  isFirst: boolean;
  /** Why the identity provider has not ended its refresh token; once for a session. */
  problem?: SignInError;
}

export interface SessionsOptions extends Rules {
  login: Login;
  provider: Pick<IdentityProvider, "refresh" | "revoke">;
  keys: TokenKeys;
  ended: EndedSessions;
  /** Resolves when Envoy rejects the tokens of what has ended. */
  delivered?: (() => Promise<void>) | undefined;
  /** Seconds since 1970. */
  now: () => number;
}

/** How long an ended session is remembered: its tokens are refused here, whatever the identity provider returns. */
const REMEMBERED_S = 30 * 24 * 3600;
/**
 * How long a refresh is answered in the same way: two programs may have the same token, and an identity provider that replaces
 * refresh tokens ends the session of whoever uses one twice.
 */
const SAME_REPLY_S = 30;
const MAX_REPLIES = 10_000;

export class Sessions {
  readonly #options: SessionsOptions;
  /** By SHA-256 of the refresh token, the oldest first. */
  readonly #replies = new Map<string, { reply: Promise<TokenReply>; until: number }>();
  /** Revocations that failed, by session: a terminal that repeats its logout fills no log. */
  readonly #failures: Attempts;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#failures = new Attempts(1, options.now);
  }

  /** @param refreshToken of the identity provider */
  begin(loggedIn: LoggedIn, refreshToken: string | undefined): TokenReply {
    const { keys, now, login } = this.#options;
    const { name } = loggedIn;
    const lifetime = Math.floor(login.tokenMs / 1000);
    return {
      access_token: keys.accessToken(loggedIn, now(), lifetime),
      token_type: "Bearer",
      expires_in: lifetime,
      ...(refreshToken === undefined
        ? {}
        : { refresh_token: keys.refreshToken({ ...loggedIn, token: refreshToken }) }),
      email: name,
    };
  }

  /** Returns whose token it is; undefined if it is not valid, or its session has ended. */
  read(accessToken: string): LoggedIn | undefined {
    const { keys, now } = this.#options;
    const loggedIn = keys.readAccessToken(accessToken, now());
    return loggedIn === undefined || this.#hasEnded(loggedIn.session) ? undefined : loggedIn;
  }

  /** Returns whose refresh token it is; undefined if it was not issued here. */
  nameOf(refreshToken: string): string | undefined {
    return this.#options.keys.readRefreshToken(refreshToken)?.name;
  }

  /** Asks the identity provider for the person again. Rejects with a SignInError; with status 502 the session goes on. */
  async refresh(refreshToken: string): Promise<TokenReply> {
    const held = this.#options.keys.readRefreshToken(refreshToken);
    if (held === undefined || this.#hasEnded(held.session))
      throw new SignInError("The session has ended.", 403);
    const hash = createHash("sha256").update(refreshToken).digest("base64url");
    const now = this.#options.now();
    for (const [old, { until }] of this.#replies) {
      if (until > now && this.#replies.size < MAX_REPLIES) break;
      this.#replies.delete(old);
    }
    const known = this.#replies.get(hash);
    if (known !== undefined) return known.reply;
    const reply = this.#refresh(held);
    this.#replies.set(hash, { reply, until: now + SAME_REPLY_S });
    // The next try may be successful.
    reply.catch(() => this.#replies.delete(hash));
    return reply;
  }

  /** Ends the session of an access or refresh token, here and at the identity provider. */
  async end(token: string): Promise<Ended | undefined> {
    const { keys, now, ended, delivered } = this.#options;
    const held = keys.readRefreshToken(token);
    const found = held ?? keys.readAccessToken(token, now());
    if (found === undefined) return undefined;
    const isFirst = !this.#hasEnded(found.session);
    if (isFirst) ended.end({ id: found.session, expires: now() + REMEMBERED_S }, now());
    const [problem] = await Promise.all([held && this.#revoke(held), delivered?.()]);
    return { name: found.name, isFirst, ...(problem === undefined ? {} : { problem }) };
  }

  /** Returns why it failed: the provider may be down. The session has ended here. */
  async #revoke({ session, token }: Refreshable): Promise<SignInError | undefined> {
    try {
      await this.#options.provider.revoke(token);
      return undefined;
    } catch (error) {
      if (!(error instanceof SignInError)) throw error;
      if (this.#failures.isExhausted(session)) return undefined;
      this.#failures.count(session);
      return error;
    }
  }

  async #refresh({ token, ...before }: Refreshable): Promise<TokenReply> {
    const { session, subject } = before;
    const signedIn = await this.#options.provider.refresh(token, subject);
    const claims = { sub: subject, ...signedIn.claims };
    const loggedIn = loggedInOf(claims, session, this.#options, before);
    if (typeof loggedIn === "string") throw new SignInError(loggedIn, 403);
    return this.begin(loggedIn, signedIn.refreshToken ?? token);
  }

  #hasEnded(session: string): boolean {
    return this.#options.ended.has({ id: session });
  }
}
