// OpenID Connect's code flow with PKCE, by openid-client, which is loaded when the first person signs in.
import type * as OpenidClient from "openid-client";
import type { SignIn } from "../../../model/model.ts";
import { lacksClaims } from "./person.ts";
import type { Claims } from "./person.ts";

/** What a sign-in has to remember until the browser comes back. */
export interface Checks {
  state: string;
  nonce: string;
  verifier: string;
}

/** The claims of the provider about a person. */
export interface SignedIn {
  claims: Claims;
  /** Absent: the provider has issued none. */
  refreshToken?: string;
}

/** Why a sign-in failed, in words for the person and the operator. */
export class SignInError extends Error {
  readonly status: 400 | 403 | 502;
  /** For the audit log: the message of the library or the provider. */
  readonly detail: string;

  constructor(message: string, status: 400 | 403 | 502, cause = "") {
    super(message);
    this.status = status;
    this.detail = cause.slice(0, 300);
  }
}

const TIMEOUT_S = 10;
/** How far the clocks of the provider and of this machine may differ. */
const CLOCK_SKEW_S = 60;
/** How long a discovery document is used. */
const DISCOVERY_MS = 3600_000;

export class IdentityProvider {
  readonly #settings: SignIn;
  readonly #clientSecret: string;
  /** Milliseconds since 1970. */
  readonly #now: () => number;
  #found: { configuration: OpenidClient.Configuration; until: number } | undefined;

  constructor(settings: SignIn, clientSecret: string, now: () => number = Date.now) {
    this.#settings = settings;
    this.#clientSecret = clientSecret;
    this.#now = now;
  }

  /** Returns where the browser signs in, and what has to be remembered. @param parameters more of the provider's own */
  async begin(
    parameters: Readonly<Record<string, string>> = {},
  ): Promise<{ url: string; checks: Checks }> {
    const client = await import("openid-client");
    const configuration = await this.#discover(client);
    const checks = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      ...parameters,
      redirect_uri: callbackUrl(this.#settings),
      scope: this.#settings.scopes.join(" "),
      response_mode: "query",
      code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: "S256",
      state: checks.state,
      nonce: checks.nonce,
    });
    return { url: url.href, checks };
  }

  /** Returns the person who came back. @param query of the callback's URL */
  async finish(query: string, checks: Checks): Promise<SignedIn> {
    const client = await import("openid-client");
    const configuration = await this.#discover(client);
    try {
      const tokens = await client.authorizationCodeGrant(
        configuration,
        new URL(`${callbackUrl(this.#settings)}${query}`),
        {
          pkceCodeVerifier: checks.verifier,
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          idTokenExpected: true,
        },
      );
      return await this.#signedIn(client, configuration, tokens, undefined);
    } catch (error) {
      throw signInError(error, this.#host);
    }
  }

  /** Returns the claims of the provider about a person now. @param subject the claim `sub` of the sign-in */
  async refresh(refreshToken: string, subject: string): Promise<SignedIn> {
    const client = await import("openid-client");
    const configuration = await this.#discover(client);
    try {
      const tokens = await client.refreshTokenGrant(configuration, refreshToken);
      return await this.#signedIn(client, configuration, tokens, subject);
    } catch (error) {
      throw signInError(error, this.#host);
    }
  }

  /** Has the provider end a refresh token, if it can. Rejects with a SignInError. */
  async revoke(refreshToken: string): Promise<void> {
    const client = await import("openid-client");
    const configuration = await this.#discover(client);
    if (configuration.serverMetadata().revocation_endpoint === undefined) return;
    const hint = { token_type_hint: "refresh_token" };
    try {
      await client.tokenRevocation(configuration, refreshToken, hint);
    } catch (error) {
      throw signInError(error, this.#host, "The identity provider did not end its refresh token.");
    }
  }

  /** @param subject that the tokens must be of; undefined: that of the ID token, which has been checked */
  async #signedIn(
    client: typeof OpenidClient,
    configuration: OpenidClient.Configuration,
    tokens: OpenidClient.TokenEndpointResponse & OpenidClient.TokenEndpointResponseHelpers,
    subject: string | undefined,
  ): Promise<SignedIn> {
    const { access_token: accessToken, refresh_token: refreshToken } = tokens;
    const more = refreshToken === undefined ? {} : { refreshToken };
    const claims: Claims = { ...tokens.claims() };
    const sub = subject ?? String(claims["sub"]);
    if (claims["sub"] !== undefined && claims["sub"] !== sub)
      throw new SignInError("The identity provider has returned another person.", 403);
    const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
    if (!hasMore || !lacksClaims(claims, this.#settings)) return { claims, ...more };
    const found = await client.fetchUserInfo(configuration, accessToken, sub);
    return { claims: { ...found, ...claims }, ...more };
  }

  /** Returns where the provider ends its own session; undefined if it cannot. */
  async endSession(): Promise<string | undefined> {
    try {
      const client = await import("openid-client");
      const configuration = await this.#discover(client);
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      const after = { post_logout_redirect_uri: `${this.#settings.url}/login` };
      return client.buildEndSessionUrl(configuration, after).href;
    } catch {
      return undefined;
    }
  }

  get #host(): string {
    return new URL(this.#settings.issuer).host;
  }

  async #discover(client: typeof OpenidClient): Promise<OpenidClient.Configuration> {
    if (this.#found !== undefined && this.#found.until > this.#now())
      return this.#found.configuration;
    const { issuer, clientId } = this.#settings;
    const url = new URL(issuer);
    try {
      const configuration = await client.discovery(
        url,
        clientId,
        {
          client_secret: this.#clientSecret,
          [client.clockTolerance]: CLOCK_SKEW_S,
          // The library has a clock of its own.
          [client.clockSkew]: Math.round((this.#now() - Date.now()) / 1000),
        },
        undefined,
        {
          timeout: TIMEOUT_S,
          // The configuration allows it on loopback addresses only.
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it stands out; http is for tests
          execute: url.protocol === "http:" ? [client.allowInsecureRequests] : [],
        },
      );
      this.#found = { configuration, until: this.#now() + DISCOVERY_MS };
      return configuration;
    } catch (error) {
      throw new SignInError(
        `The identity provider ${this.#host} does not respond, or is not the configured issuer. Try again in a moment.`,
        502,
        causeOf(error),
      );
    }
  }
}

/** Returns where the identity provider sends the browser back to. */
function callbackUrl({ url }: SignIn): string {
  return `${url}/sign-in/callback`;
}

/** Messages by the error code of the library or the provider. */
const MESSAGES: Readonly<Record<string, { message: string; status: 400 | 403 | 502 }>> = {
  access_denied: { message: "The identity provider denied the sign-in.", status: 403 },
  invalid_client: {
    message:
      "The identity provider rejected this gateway: client_id or client_secret of sign_in is wrong.",
    status: 502,
  },
  unauthorized_client: {
    message: "The identity provider does not allow this gateway to sign people in.",
    status: 502,
  },
  invalid_grant: {
    message: "The sign-in took too long, or its address was used twice. Sign in again.",
    status: 400,
  },
  OAUTH_INVALID_RESPONSE: {
    message: "The response does not belong to a sign-in of this browser. Sign in again.",
    status: 400,
  },
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: {
    message:
      "The identity provider's token belongs to a different sign-in or client. Sign in again.",
    status: 400,
  },
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: {
    message:
      "The clocks of the identity provider and of this machine differ by more than a minute. Set them by NTP.",
    status: 502,
  },
  OAUTH_TIMEOUT: { message: "The identity provider did not respond in time.", status: 502 },
};

/** @param otherwise the message for an error that is not known */
function signInError(
  error: unknown,
  host: string,
  otherwise = `The sign-in at ${host} failed.`,
): SignInError {
  if (error instanceof SignInError) return error;
  const { error: word, code } = error as { error?: string; code?: string };
  const known = MESSAGES[word ?? ""] ?? MESSAGES[code ?? ""];
  const { message, status } = known ?? { message: otherwise, status: 502 as const };
  return new SignInError(message, status, causeOf(error));
}

function causeOf(error: unknown): string {
  const { error: word, code, cause, message } = error as Error & { error?: string; code?: string };
  const inner = cause instanceof Error ? cause.message : "";
  return [word, code, message, inner]
    .filter((text) => text !== undefined && text !== "")
    .join(": ");
}
