// The login of coding agents at a real identity provider (oidc-provider): a terminal, a browser, and what goes wrong.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEntry } from "../../../../control-plane/audit/audit-line.ts";
import { loginApp } from "../../../../control-plane/login/login-server.ts";
import { EndedSessions } from "../../../../control-plane/observability/sign-in/page-session.ts";
import type { Login } from "../../../../model/login.ts";
import type { SignIn } from "../../../../model/model.ts";
import { CLIENT_SECRET, startOidcServer, signInAt, type OidcServer } from "../../../oidc-server.ts";

const GATEWAY = "http://127.0.0.1:12000";
const SECRETS = ["first-secret-of-sessions-0123456789", "second-secret-of-sessions-012345678"];
const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";

let server: OidcServer;
beforeAll(async () => {
  server = await startOidcServer(GATEWAY);
});
afterAll(() => server.stop());

interface Options {
  login?: Partial<Login>;
  signIn?: Partial<SignIn>;
  secrets?: string[];
  knownGroups?: string[];
  clock?: { ms: number };
}

function openGateway({ login, signIn, secrets = SECRETS, knownGroups = [], clock }: Options = {}) {
  const entries: AuditEntry[] = [];
  const app = loginApp({
    login: {
      url: GATEWAY,
      allowedGroups: ["*"],
      scopes: ["openid", "email", "groups", "offline_access"],
      parameters: { prompt: "consent" },
      tokenMs: 3600_000,
      groupSettings: [],
      ...login,
    },
    signIn: {
      issuer: server.issuer,
      clientId: "gateway",
      secretVariable: "OIDC_CLIENT_SECRET",
      sessionVariable: "SESSION_SECRET",
      url: "https://page.example.com",
      scopes: ["openid", "email", "groups"],
      claims: { name: "email", groups: "groups" },
      roles: {},
      selfService: [],
      maxKeys: 10,
      needsVerifiedEmail: true,
      sessionMs: 3_600_000,
      ...signIn,
    },
    clientSecret: CLIENT_SECRET,
    secrets,
    isKnownGroup: (group) => knownGroups.includes(group),
    ended: new EndedSessions(),
    audit: {
      problem: undefined,
      append: (entry) => entries.push(entry) > 0,
      denied: (entry) => void entries.push({ ...entry, result: "denied" }),
    },
    now: () => clock?.ms ?? Date.now(),
  });
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.request(GATEWAY + path, { headers });
  const post = (
    path: string,
    form: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) => app.request(GATEWAY + path, { method: "POST", body: new URLSearchParams(form), headers });
  return { get, post, entries };
}

type Gateway = ReturnType<typeof openGateway>;

interface Begun {
  device_code: string;
  user_code: string;
  verification_uri_complete: string;
}

interface Tokens {
  access_token: string;
  refresh_token: string;
  email: string;
  expires_in: number;
}

const begin = async ({ post }: Gateway): Promise<Begun> =>
  (await (await post("/oauth/device_authorization", { surface: "claude_code" })).json()) as Begun;

const poll = ({ post }: Gateway, { device_code: code }: Pick<Begun, "device_code">) =>
  post("/oauth/token", { grant_type: DEVICE, device_code: code });

const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: string };
  return [response.status, error];
};

/** Answers the question of the page. @returns the response, which leads to the identity provider */
const answer = ({ post }: Gateway, userCode: string, word: string, origin = GATEWAY) =>
  post("/device", { user_code: userCode, answer: word }, { origin });

const cookieOf = (response: Response) => response.headers.getSetCookie()[0]?.split(";")[0] ?? "";

/** Goes to the identity provider and back. */
async function confirm(gateway: Gateway, { user_code: code }: Begun, account: string) {
  const sent = await answer(gateway, code, "continue");
  expect(sent.status).toBe(303);
  const back = new URL(await signInAt(sent.headers.get("location") ?? "", account));
  const path = back.pathname + back.search;
  return {
    path,
    cookie: cookieOf(sent),
    response: await gateway.get(path, { cookie: cookieOf(sent) }),
  };
}

async function logIn(gateway: Gateway, account: string): Promise<Tokens> {
  const begun = await begin(gateway);
  const { response } = await confirm(gateway, begun, account);
  expect(response.status).toBe(200);
  return (await (await poll(gateway, begun)).json()) as Tokens;
}

const refresh = ({ post }: Gateway, { refresh_token: token }: Pick<Tokens, "refresh_token">) =>
  post("/oauth/token", { grant_type: "refresh_token", refresh_token: token });

const settings = ({ get }: Gateway, { access_token: token }: Tokens, tag?: string) =>
  get("/managed/settings", {
    authorization: `Bearer ${token}`,
    ...(tag === undefined ? {} : { "if-none-match": tag }),
  });

function claimsOf({ access_token: token }: Tokens): Record<string, unknown> {
  const text = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
  return JSON.parse(text) as Record<string, unknown>;
}

describe("a login", () => {
  it("a terminal gets a token with name and groups after the browser has confirmed it", async () => {
    const gateway = openGateway({ login: { notice: "Only for work." } });
    const begun = await begin(gateway);
    expect(begun).toMatchObject({
      ...{ verification_uri: `${GATEWAY}/device`, expires_in: 600, interval: 5 },
      login_notice: "Only for work.",
    });
    expect(begun.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(begun.device_code.length).toBeGreaterThanOrEqual(43);
    expect(await errorOf(await poll(gateway, begun))).toEqual([400, "authorization_pending"]);
    const page = await gateway.get(`/device?user_code=${begun.user_code.toLowerCase()}`);
    expect(await page.text()).toContain(begun.user_code);
    const { response } = await confirm(gateway, begun, "ann");
    expect(await response.text()).toContain("ann@example.com");
    const tokens = (await (await poll(gateway, begun)).json()) as Tokens;
    expect(tokens).toMatchObject({ email: "ann@example.com", expires_in: 3600 });
    expect(claimsOf(tokens)).toMatchObject({
      ...{ iss: "gateway-login", aud: "gateway-login", sub: "ann", name: "ann@example.com" },
      groups: ["platform", "research"],
    });
    expect(await errorOf(await poll(gateway, begun))).toEqual([400, "expired_token"]);
    expect(gateway.entries).toMatchObject([
      { action: "login.sign_in", actor: { kind: "user", name: "ann@example.com" } },
    ]);
    expect(JSON.stringify(gateway.entries)).not.toMatch(/eyJ|gwr_/);
  });

  it("a denial in the browser ends the terminal's wait, and needs no sign-in", async () => {
    const gateway = openGateway();
    const begun = await begin(gateway);
    expect((await answer(gateway, begun.user_code, "deny")).status).toBe(200);
    expect(await errorOf(await poll(gateway, begun))).toEqual([400, "access_denied"]);
  });

  it("somebody in none of the allowed groups is denied, in the browser and the terminal", async () => {
    const gateway = openGateway({ login: { allowedGroups: ["platform"] } });
    const begun = await begin(gateway);
    const { response } = await confirm(gateway, begun, "sam");
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("allowed_groups");
    expect(await errorOf(await poll(gateway, begun))).toEqual([400, "access_denied"]);
    expect(gateway.entries).toMatchObject([
      { action: "login.sign_in", result: "denied", actor: { name: "sam@example.com" } },
    ]);
  });

  it("a token has the groups of the configuration first, and no group that the filter would reject", async () => {
    server.change("many", ["a,b", ...Array.from({ length: 40 }, (_, at) => `group-${at}`)]);
    const gateway = openGateway({ knownGroups: ["group-39"] });
    const { groups } = claimsOf(await logIn(gateway, "many")) as { groups: string[] };
    expect(groups).toHaveLength(32);
    expect(groups.slice(0, 2)).toEqual(["group-39", "group-0"]);
    server.change("odd", ["a,b"]);
    const { response } = await confirm(gateway, await begin(gateway), "odd");
    expect(response.status).toBe(403);
  });

  it("a login without a refresh token of the identity provider has none", async () => {
    const gateway = openGateway({ login: { scopes: ["openid", "email", "groups"] } });
    expect(await logIn(gateway, "ann")).not.toHaveProperty("refresh_token");
  });
});

describe("a browser", () => {
  it("a browser with another state, or without the cookie, is refused", async () => {
    const gateway = openGateway();
    const begun = await begin(gateway);
    expect((await gateway.get("/sign-in/callback?code=x&state=y")).status).toBe(400);
    const sent = await answer(gateway, begun.user_code, "continue");
    const own = cookieOf(sent);
    const wrong = "/sign-in/callback?code=x&state=another";
    expect((await gateway.get(wrong, { cookie: own })).status).toBe(400);
    expect(await errorOf(await poll(gateway, begun))).toEqual([400, "authorization_pending"]);
    expect(gateway.entries.every(({ result }) => result === "denied")).toBe(true);
  });

  it("a browser that comes back twice is refused the second time", async () => {
    const gateway = openGateway();
    const { path, cookie } = await confirm(gateway, await begin(gateway), "ann");
    expect((await gateway.get(path, { cookie })).status).toBe(400);
  });

  it("a form of another page is refused", async () => {
    const gateway = openGateway();
    const { user_code: code } = await begin(gateway);
    for (const origin of ["https://evil.example", "null"])
      expect((await answer(gateway, code, "continue", origin)).status).toBe(403);
    const form = { user_code: code, answer: "continue" };
    expect((await gateway.post("/device", form)).status).toBe(403);
    const site = { origin: GATEWAY, "sec-fetch-site": "cross-site" };
    expect((await gateway.post("/device", form, site)).status).toBe(403);
  });

  it("the page cannot be framed, and no script can read its cookie", async () => {
    const gateway = openGateway();
    const { user_code: code } = await begin(gateway);
    const page = await gateway.get(`/device?user_code=${code}`);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    const sent = await answer(gateway, code, "continue");
    expect(sent.headers.getSetCookie()[0]).toMatch(/HttpOnly; SameSite=Lax/);
    expect(new URL(sent.headers.get("location") ?? "").origin).toBe(server.issuer);
  });

  it("a browser that guesses codes is stopped, and the others are not", async () => {
    const gateway = openGateway({ clock: { ms: 1_800_000_000_000 } });
    const from = (address: string) => ({ "x-gateway-client-address": address });
    const statuses = [];
    for (let at = 0; at < 302; at++)
      statuses.push(
        (await gateway.get(`/device?user_code=BBBB-BBB${at}`, from("192.0.2.1"))).status,
      );
    expect(statuses.slice(0, 300)).toEqual(Array(300).fill(400));
    expect(statuses.slice(300)).toEqual([429, 429]);
    const { user_code: code } = await begin(gateway);
    expect((await gateway.get(`/device?user_code=${code}`, from("192.0.2.2"))).status).toBe(200);
  });

  it("the page says that the identity provider is down, and the login goes on", async () => {
    const gateway = openGateway({ signIn: { issuer: "http://127.0.0.1:9" } });
    const begun = await begin(gateway);
    const sent = await answer(gateway, begun.user_code, "continue");
    expect(sent.status).toBe(502);
    expect(await sent.text()).toContain("127.0.0.1:9 does not respond");
    expect(await errorOf(await poll(gateway, begun))).toEqual([400, "authorization_pending"]);
  });
});

describe("a terminal", () => {
  it("a terminal that polls too fast is slowed down, and one that waits too long is told", async () => {
    const clock = { ms: 1_800_000_000_000 };
    const gateway = openGateway({ clock });
    const begun = await begin(gateway);
    const errors = [];
    for (const seconds of [0, 5, 1, 5, 10, 600]) {
      clock.ms += seconds * 1000;
      errors.push((await errorOf(await poll(gateway, begun)))[1]);
    }
    const [pending, slow] = ["authorization_pending", "slow_down"];
    expect(errors).toEqual([pending, pending, slow, slow, slow, "expired_token"]);
  });

  it("an unknown code, another grant and a large form get an error of OAuth", async () => {
    const gateway = openGateway();
    expect(await errorOf(await poll(gateway, { device_code: "x" }))).toEqual([
      400,
      "expired_token",
    ]);
    expect(await errorOf(await gateway.post("/oauth/token"))).toEqual([
      400,
      "unsupported_grant_type",
    ]);
    const large = await gateway.post("/oauth/token", { grant_type: "x".repeat(70_000) });
    expect(large.status).toBe(413);
  });

  it("an address that begins logins without end is refused, and no other", async () => {
    const gateway = openGateway();
    const flood = async (address: string) =>
      (
        await gateway.post(
          "/oauth/device_authorization",
          {},
          { "x-gateway-client-address": address },
        )
      ).status;
    for (let at = 0; at < 300; at++) expect(await flood("192.0.2.1")).toBe(200);
    expect(await flood("192.0.2.1")).toBe(429);
    expect(await flood("192.0.2.2")).toBe(200);
  });
});

describe("a refresh", () => {
  it("a refresh returns the person's groups of now, by every gateway with the secret", async () => {
    server.change("rita", ["research"]);
    const first = await logIn(openGateway(), "rita");
    server.change("rita", ["platform"]);
    const second = (await (await refresh(openGateway(), first)).json()) as Tokens;
    expect(claimsOf(second)["groups"]).toEqual(["platform"]);
    expect(claimsOf(second)["sid"]).toBe(claimsOf(first)["sid"]);
    // After a change of the secret, in which the old one is the second.
    const turned = openGateway({ secrets: ["third-secret-of-sessions-01234567890", ...SECRETS] });
    expect((await refresh(turned, second)).status).toBe(200);
  });

  it("a refresh that is sent twice at once gets the same tokens", async () => {
    const gateway = openGateway();
    const tokens = await logIn(gateway, "ann");
    const [one, other] = await Promise.all([refresh(gateway, tokens), refresh(gateway, tokens)]);
    expect(await one.text()).toBe(await other.text());
  });

  it("the refresh of somebody who has left, or is no longer allowed, ends the session", async () => {
    const gateway = openGateway({ login: { allowedGroups: ["research"] } });
    server.change("leo", ["research"]);
    const tokens = await logIn(gateway, "leo");
    server.change("leo", []);
    expect(await errorOf(await refresh(gateway, tokens))).toEqual([401, "invalid_grant"]);
    server.change("lea", ["research"]);
    const others = await logIn(gateway, "lea");
    server.change("lea", undefined);
    expect(await errorOf(await refresh(gateway, others))).toEqual([401, "invalid_grant"]);
    expect(gateway.entries.at(-1)).toMatchObject({
      ...{ action: "login.refresh", result: "denied", actor: { name: "lea@example.com" } },
    });
  });

  it("a refresh token that was not issued here is refused", async () => {
    const gateway = openGateway();
    const { refresh_token: token } = await logIn(gateway, "ann");
    for (const wrong of ["", "gwr_", "x", `${token.slice(0, -2)}AA`, `gwr_${"A".repeat(4000)}`])
      expect((await refresh(gateway, { refresh_token: wrong })).status).toBe(401);
    const stranger = openGateway({ secrets: ["another-secret-of-sessions-0123456789"] });
    expect((await refresh(stranger, { refresh_token: token })).status).toBe(401);
  });

  it("a refresh can be tried again while the identity provider is down", async () => {
    const other = await startOidcServer(GATEWAY);
    const gateway = openGateway({ signIn: { issuer: other.issuer } });
    const tokens = await logIn(gateway, "ann");
    await other.stop();
    const response = await refresh(gateway, tokens);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(await errorOf(response)).toEqual([503, "temporarily_unavailable"]);
  });
});

describe("a logout", () => {
  it("a logout ends the session here and at the identity provider", async () => {
    const gateway = openGateway({ login: { settings: {} } });
    const tokens = await logIn(gateway, "ann");
    expect((await settings(gateway, tokens)).status).toBe(200);
    const { access_token: access, refresh_token: token } = tokens;
    expect((await gateway.post("/oauth/revoke", { token: access })).status).toBe(200);
    const hint = { token_type_hint: "refresh_token" };
    expect((await gateway.post("/oauth/revoke", { token, ...hint })).status).toBe(200);
    const refused = await settings(gateway, tokens);
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([401, "false"]);
    expect((await refresh(gateway, tokens)).status).toBe(401);
    // Another gateway knows nothing of it, but the identity provider refuses.
    expect((await refresh(openGateway(), tokens)).status).toBe(401);
    const outs = gateway.entries.filter(({ action }) => action === "login.sign_out");
    expect(outs).toMatchObject([{ actor: { name: "ann@example.com" } }]);
  });

  it("a logout with an unknown token succeeds, and does nothing", async () => {
    const gateway = openGateway();
    expect((await gateway.post("/oauth/revoke", { token: "x" })).status).toBe(200);
    expect(gateway.entries).toEqual([]);
  });
});

it("a logout that the identity provider does not hear of is in the audit log", async () => {
  const other = await startOidcServer(GATEWAY);
  const gateway = openGateway({ signIn: { issuer: other.issuer } });
  const { refresh_token: token } = await logIn(gateway, "ann");
  await other.stop();
  expect((await gateway.post("/oauth/revoke", { token })).status).toBe(200);
  expect(gateway.entries.slice(1)).toMatchObject([
    { action: "login.sign_out", actor: { name: "ann@example.com" } },
    {
      action: "login.sign_out",
      result: "failed",
      after: { message: expect.any(String) as string },
    },
  ]);
  expect(JSON.stringify(gateway.entries)).not.toContain(token);
});

describe("managed settings", () => {
  const login = {
    settings: { model: "opus", env: { A: "1", B: "1" } },
    groupSettings: [
      { groups: ["leads"], settings: { model: "sonnet" } },
      { groups: ["research"], settings: { env: { B: "2" }, availableModels: ["opus"] } },
    ],
  };

  it("managed settings are those of everybody with those of the person's groups over them", async () => {
    const gateway = openGateway({ login });
    const tokens = await logIn(gateway, "sam");
    const response = await settings(gateway, tokens);
    const served = (await response.json()) as { checksum: string; uuid: string };
    expect(served).toMatchObject({
      settings: { model: "opus", env: { A: "1", B: "2" }, availableModels: ["opus"] },
    });
    // Names in order, no white space: printf '…' | sha256sum
    expect(served.checksum).toBe(
      "sha256:7f4fee9df11ac0670b9828b2f7653db5de8f86bd4e77401b9318b3c0ba75b616",
    );
    expect(response.headers.get("etag")).toBe(`"${served.checksum}"`);
    expect((await settings(gateway, tokens, `"${served.checksum}"`)).status).toBe(304);
    expect((await settings(gateway, tokens, '"sha256:0"')).status).toBe(200);
    expect((await settings(gateway, tokens, "*")).status).toBe(200);
  });

  it("managed settings are 404 if there are none, and need a token that is valid", async () => {
    const clock = { ms: Date.now() };
    const gateway = openGateway({ clock });
    const tokens = await logIn(gateway, "ann");
    expect((await settings(gateway, tokens)).status).toBe(404);
    clock.ms += 3_601_000;
    expect((await settings(gateway, tokens)).status).toBe(401);
    const [head, , proof] = tokens.access_token.split(".");
    const forged = Buffer.from(JSON.stringify({ ...claimsOf(tokens), exp: 9e9 })).toString(
      "base64url",
    );
    for (const token of ["", "x.y.z", `${head}.${forged}.${proof}`])
      expect((await settings(gateway, { ...tokens, access_token: token })).status).toBe(401);
    expect(gateway.entries.at(-1)).toMatchObject({ action: "login.request", result: "denied" });
  });
});

describe("telemetry", () => {
  it("telemetry is accepted with a token, and not kept", async () => {
    const gateway = openGateway();
    const { access_token: token } = await logIn(gateway, "ann");
    for (const path of ["/v1/metrics", "/v1/logs", "/v1/traces"]) {
      expect((await gateway.post(path)).status).toBe(401);
      const sent = await gateway.post(path, { a: "b" }, { authorization: `Bearer ${token}` });
      expect(sent.status).toBe(200);
    }
  });
});

describe("the protocol", () => {
  it("the protocol names the endpoints in its metadata, and describes them", async () => {
    const gateway = openGateway();
    const path = "/.well-known/oauth-authorization-server";
    expect(await (await gateway.get(path)).json()).toMatchObject({
      ...{ issuer: GATEWAY, token_endpoint: `${GATEWAY}/oauth/token` },
      revocation_endpoint: `${GATEWAY}/oauth/revoke`,
    });
    expect(await (await gateway.get("/protocol")).text()).toContain("GET /managed/settings");
  });
});
