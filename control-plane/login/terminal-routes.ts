// What a terminal asks for: a login (RFC 8628), its tokens, their refresh, and the logout (RFC 7009).
import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { LOGIN_PATHS } from "../../model/login.ts";
import { SignInError } from "../observability/sign-in/identity-provider.ts";
import { Attempts } from "./attempts-by-address.ts";
import { GRANT_S, INTERVAL_S } from "./device-grants.ts";
import { actorOf, addressOf, formOf, type LoginParts, recordDenial } from "./login-parts.ts";

/** Bytes of a form: a refresh token of an identity provider may have some thousand. */
export const MAX_FORM = 64 * 1024;
/** Logins that an address may begin in a minute: behind a load balancer all clients have the same one. */
const MAX_BEGUN = 300;
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

export function addTerminalRoutes(app: Hono, parts: LoginParts): void {
  const { login, grants, sessions, audit, now } = parts;
  const begun = new Attempts(MAX_BEGUN, now);
  const limited = bodyLimit({ maxSize: MAX_FORM });
  app.get(LOGIN_PATHS.metadata, (context) => context.json(metadataOf(login.url)));

  app.post(LOGIN_PATHS.device, limited, async (context) => {
    const address = addressOf(context);
    if (begun.isExhausted(address)) return slowDown(context);
    begun.count(address);
    const program = (await formOf(context)).get("surface") ?? "";
    const grant = grants.begin({
      address,
      program: /^[\w.-]{1,64}$/.test(program) ? program : "A program",
    });
    if (grant === undefined) return slowDown(context);
    const page = login.url + LOGIN_PATHS.page;
    return context.json({
      device_code: grant.deviceCode,
      user_code: grant.userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${grant.userCode}`,
      expires_in: GRANT_S,
      interval: INTERVAL_S,
      ...(login.notice === undefined ? {} : { login_notice: login.notice }),
    });
  });

  app.post(LOGIN_PATHS.token, limited, async (context) => {
    const form = await formOf(context);
    const type = form.get("grant_type");
    if (type === "refresh_token") return refresh(context, parts, form.get("refresh_token") ?? "");
    if (type !== DEVICE_GRANT)
      return oauthError(context, 400, "unsupported_grant_type", "Use one of the metadata.");
    const polled = grants.poll(form.get("device_code") ?? "");
    return typeof polled === "string"
      ? context.json({ error: polled }, 400)
      : context.json(polled.result);
  });

  app.post(LOGIN_PATHS.revoke, limited, async (context) => {
    const ended = await sessions.end((await formOf(context)).get("token") ?? "");
    const entry = { actor: actorOf(ended?.name, context), action: "login.sign_out" };
    if (ended?.isFirst === true) audit?.append(entry);
    if (ended?.problem !== undefined) {
      const { message, detail } = ended.problem;
      audit?.append({ ...entry, result: "failed", after: { message, detail } });
    }
    // Also for a token that nobody knows (RFC 7009, section 2.2).
    return context.body(null, 200);
  });
}

async function refresh(context: Context, parts: LoginParts, token: string) {
  try {
    return context.json(await parts.sessions.refresh(token));
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    if (error.status === 502) {
      context.header("retry-after", "5");
      return oauthError(context, 503, "temporarily_unavailable", error.message);
    }
    recordDenial(parts, context, "login.refresh", error, parts.sessions.nameOf(token));
    return oauthError(context, 401, "invalid_grant", `${error.message} Log in again.`);
  }
}

/** RFC 8414, and the version that Claude Code's protocol adds. */
function metadataOf(url: string) {
  return {
    issuer: url,
    device_authorization_endpoint: url + LOGIN_PATHS.device,
    token_endpoint: url + LOGIN_PATHS.token,
    revocation_endpoint: url + LOGIN_PATHS.revoke,
    grant_types_supported: [DEVICE_GRANT, "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    response_types_supported: [],
    gateway_protocol_version: 1,
  };
}

function slowDown(context: Context) {
  context.header("retry-after", "60");
  return oauthError(context, 429, "slow_down", "Too many logins have begun. Retry in a minute.");
}

/** RFC 6749, section 5.2. */
function oauthError(
  context: Context,
  status: 400 | 401 | 429 | 503,
  error: string,
  description: string,
) {
  return context.json({ error, error_description: description }, status);
}
