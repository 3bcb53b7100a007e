// The terminal's side of a login at a gateway: OAuth 2.0 device authorization (RFC 8628), refresh and revocation.
import { setTimeout as sleep } from "node:timers/promises";
import { LOGIN_PATHS } from "../../../model/login.ts";
import { isLoopback } from "../../../model/listener-url.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import type { StoredLogin } from "./stored-logins.ts";

export interface Device {
  /** Page on which the person confirms the code. */
  page: string;
  pageWithCode: string;
  userCode: string;
  notice: string | undefined;
}

const TIMEOUT_MS = 30_000;
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const SLOWER_S = 5;

/** Returns the gateway's origin. Throws if tokens would be sent in plain text. */
export function originOf(written: string): string {
  const url = URL.parse(written.includes("://") ? written : `https://${written}`);
  const isLocal = url !== null && (url.hostname === "localhost" || isLoopback(url.hostname));
  if (url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isLocal)))
    return url.origin;
  throw new GatewayError(`${written} is not an https:// URL of a gateway.`, {
    hint: "http:// is allowed on this machine only.",
  });
}

/** Logs in. @param show called with the code as soon as the login has begun */
export async function logIn(url: string, show: (device: Device) => void): Promise<StoredLogin> {
  const endpoints = await endpointsOf(url);
  const { body, status } = await post(endpoints.device, { surface: "gateway_cli" });
  const code = textOf(body["device_code"]);
  const page = pageOf(url, body["verification_uri"]);
  const pageWithCode = pageOf(url, body["verification_uri_complete"]) ?? page;
  if (code === undefined || page === undefined || pageWithCode === undefined)
    throw new GatewayError(`${url} does not begin a login (status ${String(status)}).`, {
      hint: textOf(body["error_description"]) ?? "Is it a gateway with claude_code?",
    });
  const userCode = textOf(body["user_code"]) ?? "";
  show({ page, pageWithCode, userCode, notice: textOf(body["login_notice"]) });
  let interval = numberOf(body["interval"]) ?? SLOWER_S;
  const until = Date.now() + (numberOf(body["expires_in"]) ?? 600) * 1000;
  while (Date.now() < until) {
    await sleep(interval * 1000);
    const form = { grant_type: DEVICE_GRANT, device_code: code };
    const polled = await post(endpoints.token, form);
    if (polled.status === 200) return loginOf(url, endpoints, polled.body);
    const { error } = polled.body;
    if (error === "slow_down") interval += SLOWER_S;
    else if (error === "access_denied") throw new GatewayError("The login was denied.");
    else if (error !== "authorization_pending") break;
  }
  throw new GatewayError("The login was not confirmed in time.", { hint: "Try again." });
}

/** Returns the login with new tokens; undefined if the session has ended. */
export async function refreshed(login: StoredLogin): Promise<StoredLogin | undefined> {
  const { url, refreshToken, tokenUrl, revocationUrl } = login;
  if (refreshToken === undefined) return undefined;
  const form = { grant_type: "refresh_token", refresh_token: refreshToken };
  const { status, body } = await post(tokenUrl, form);
  if (status === 200) return loginOf(url, { token: tokenUrl, revocation: revocationUrl }, body);
  if (status === 401 || body["error"] === "invalid_grant") return undefined;
  const reason = textOf(body["error_description"]) ?? `status ${String(status)}`;
  throw new GatewayError(`${url} cannot refresh the login now: ${reason}`, { hint: "Try again." });
}

/** Has the gateway end the session. Throws if it does not. */
export async function revoke({ url, revocationUrl, accessToken, refreshToken }: StoredLogin) {
  if (revocationUrl === undefined) return;
  for (const token of [accessToken, refreshToken]) {
    if (token === undefined) continue;
    const { status } = await post(revocationUrl, { token });
    // RFC 7009, section 2.2: 200 also for a token that is not valid any more.
    if (status === 200) continue;
    throw new GatewayError(`${url} has not ended the session (status ${String(status)}).`, {
      hint: "Try again. --local only forgets the tokens on this machine.",
    });
  }
}

interface Endpoints {
  token: string;
  revocation: string | undefined;
}

/** Returns the endpoints of the metadata, as far as they are of the same origin: a token goes nowhere else. */
async function endpointsOf(url: string): Promise<Endpoints & { device: string }> {
  const { body } = await send(url + LOGIN_PATHS.metadata, {});
  return {
    device: pageOf(url, body["device_authorization_endpoint"]) ?? url + LOGIN_PATHS.device,
    token: pageOf(url, body["token_endpoint"]) ?? url + LOGIN_PATHS.token,
    revocation: pageOf(url, body["revocation_endpoint"]),
  };
}

/** Returns a URL of the gateway; undefined for any other value. */
function pageOf(url: string, value: unknown): string | undefined {
  const text = textOf(value);
  return text !== undefined && URL.parse(text)?.origin === url ? text : undefined;
}

function loginOf(url: string, { token, revocation }: Endpoints, body: Body): StoredLogin {
  const accessToken = textOf(body["access_token"]);
  if (accessToken === undefined) throw new GatewayError(`${url} has returned no token.`);
  const lifetime = numberOf(body["expires_in"]) ?? 3600;
  return {
    ...{ url, accessToken, lifetime, tokenUrl: token, revocationUrl: revocation },
    name: textOf(body["email"]) ?? "unknown",
    expires: Math.floor(Date.now() / 1000) + lifetime,
    refreshToken: textOf(body["refresh_token"]),
  };
}

type Body = Readonly<Record<string, unknown>>;

function post(url: string, form: Record<string, string>) {
  return send(url, { method: "POST", body: new URLSearchParams(form) });
}

async function send(url: string, init: RequestInit): Promise<{ status: number; body: Body }> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, { ...init, signal, redirect: "error" });
    const body = (await response.json().catch(() => ({}))) as Body;
    return { status: response.status, body };
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new GatewayError(`${new URL(url).origin} cannot be reached: ${reason}`);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}
