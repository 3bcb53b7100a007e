// The steps of a login, as a terminal and a browser take them.
import { signInAt } from "./oidc-server.ts";

export interface Begun {
  device_code: string;
  user_code: string;
  verification_uri_complete: string;
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  email: string;
}

const post = (url: string, form: Record<string, string>) =>
  fetch(url, { method: "POST", body: new URLSearchParams(form) });

/** @param url of the gateway */
export async function beginLogin(url: string): Promise<Begun> {
  const response = await post(`${url}/oauth/device_authorization`, {});
  return (await response.json()) as Begun;
}

/** Confirms the code in a browser, which signs in at the identity provider. @returns the last page */
export async function confirmLogin(
  { verification_uri_complete: page }: Pick<Begun, "verification_uri_complete">,
  account: string,
): Promise<Response> {
  const { origin, searchParams } = new URL(page);
  const sent = await fetch(`${origin}/device`, {
    ...{ method: "POST", redirect: "manual", headers: { origin } },
    body: new URLSearchParams({
      user_code: searchParams.get("user_code") ?? "",
      answer: "continue",
    }),
  });
  const cookie = sent.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const back = await signInAt(sent.headers.get("location") ?? "", account);
  return fetch(back, { headers: { cookie } });
}

export function pollLogin(url: string, { device_code: code }: Begun): Promise<Response> {
  const type = "urn:ietf:params:oauth:grant-type:device_code";
  return post(`${url}/oauth/token`, { grant_type: type, device_code: code });
}

export function refreshLogin(url: string, token: string): Promise<Response> {
  return post(`${url}/oauth/token`, { grant_type: "refresh_token", refresh_token: token });
}
