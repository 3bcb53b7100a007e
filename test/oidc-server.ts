// A real identity provider (oidc-provider) on a free port, with people in groups, and a browser that signs in at it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export const CLIENT_SECRET = "client-secret-not-to-be-seen-anywhere";

/** By account: its groups. */
const PEOPLE: Readonly<Record<string, string[]>> = {
  ann: ["platform", "research"],
  vera: ["leads"],
  sam: ["research"],
  nobody: [],
};

export interface OidcServer {
  issuer: string;
  /** Groups of an account from now on; undefined: it is gone. */
  change: (account: string, groups: string[] | undefined) => void;
  stop: () => Promise<void>;
}

/** @param pageUrl of the gateway's page */
export async function startOidcServer(pageUrl: string): Promise<OidcServer> {
  const people = new Map<string, string[] | undefined>(Object.entries(PEOPLE));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "gateway",
        client_secret: CLIENT_SECRET,
        grant_types: ["authorization_code", "refresh_token"],
        redirect_uris: [`${pageUrl}/sign-in/callback`],
        post_logout_redirect_uris: [`${pageUrl}/login`],
      },
    ],
    cookies: { keys: ["a-key-of-the-provider"] },
    scopes: ["openid", "profile", "email", "groups", "offline_access"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
    features: {
      devInteractions: { enabled: true },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    pkce: { required: () => true },
    findAccount: (_context, id) => {
      const groups = people.has(id) ? people.get(id) : [];
      if (groups === undefined) return undefined;
      const claims = { sub: id, email: `${id}@example.com`, email_verified: true, groups };
      return { accountId: id, claims: () => claims };
    },
  });
  const answer = provider.callback();
  server.on("request", (request, response) => {
    void answer(request, response);
  });
  return {
    issuer,
    change: (account, groups) => {
      people.set(account, groups);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** Follows the provider's pages as a browser does. @returns the URL that the provider leads back to */
export async function signInAt(start: string, login: string): Promise<string> {
  const jar = new Map<string, string>();
  let url = start;
  let form: string | undefined;
  for (let step = 0; step < 12; step++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
      ...(form === undefined ? {} : { method: "POST", body: form }),
    });
    form = undefined;
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const location = response.headers.get("location");
    if (location !== null) {
      url = new URL(location, url).href;
      if (url.includes("/sign-in/callback")) return url;
      continue;
    }
    const page = await response.text();
    const action = /action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined) throw new Error(`the provider has no form: ${page.slice(0, 500)}`);
    url = new URL(action, url).href;
    const isLogin = page.includes('name="login"');
    form = isLogin ? `prompt=login&login=${login}&password=x` : "prompt=consent";
  }
  throw new Error("the provider did not lead back");
}
