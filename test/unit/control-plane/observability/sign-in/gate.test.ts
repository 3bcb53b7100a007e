// People sign in at a real identity provider (oidc-provider): roles, sessions, and what goes wrong.
import type { Hono } from "hono";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AuditEntry } from "../../../../../control-plane/audit/audit-line.ts";
import { adminApp } from "../../../../../control-plane/observability/admin-server.ts";
import { Gate } from "../../../../../control-plane/observability/sign-in/gate.ts";
import { IdentityProvider } from "../../../../../control-plane/observability/sign-in/identity-provider.ts";
import { EndedSessions } from "../../../../../control-plane/observability/sign-in/page-session.ts";
import { keysApi } from "../../../../../control-plane/keys/api/key-routes.ts";
import type { SignIn } from "../../../../../model/model.ts";
import {
  CLIENT_SECRET,
  startOidcServer,
  signInAt,
  type OidcServer,
} from "../../../../oidc-server.ts";

const URL_OF_PAGE = "http://127.0.0.1:9464";
const TOKEN = "a-long-random-token-0123456789";
const SECRETS = ["first-secret-of-sessions-0123456789", "second-secret-of-sessions-012345678"];

let server: OidcServer;
beforeAll(async () => {
  server = await startOidcServer(URL_OF_PAGE);
});
afterAll(() => server.stop());

interface Options {
  settings?: Partial<SignIn>;
  clientSecret?: string;
  secrets?: string[];
  now?: () => number;
  ended?: EndedSessions;
  knownGroups?: string[];
  api?: Hono;
}

const settingsOf = (more: Partial<SignIn> = {}): SignIn => ({
  issuer: server.issuer,
  clientId: "gateway",
  secretVariable: "OIDC_CLIENT_SECRET",
  sessionVariable: "SESSION_SECRET",
  url: URL_OF_PAGE,
  scopes: ["openid", "email", "groups"],
  claims: { name: "email", groups: "groups" },
  roles: { admin: ["platform"], viewer: ["leads"] },
  selfService: ["research"],
  maxKeys: 10,
  needsVerifiedEmail: true,
  sessionMs: 3_600_000,
  ...more,
});

function openPage({
  settings,
  clientSecret = CLIENT_SECRET,
  secrets = SECRETS,
  now,
  ended,
  knownGroups = [],
  api,
}: Options = {}) {
  const entries: AuditEntry[] = [];
  const audit = {
    problem: undefined as string | undefined,
    append: (entry: AuditEntry) => entries.push(entry) > 0,
    denied: (entry: AuditEntry) => void entries.push({ ...entry, result: "denied" }),
  };
  const gate = new Gate({
    settings: settingsOf(settings),
    clientSecret,
    secrets,
    audit,
    knownGroups: () => knownGroups,
    ...(now === undefined ? {} : { now }),
    ...(ended === undefined ? {} : { ended }),
  });
  const app = adminApp({
    ...{ address: "127.0.0.1", port: 9464, token: TOKEN, gate, audit, api },
    metrics: () => Promise.resolve("metrics"),
    page: {
      ...{
        model: () => undefined,
        budgets: () => [],
        parts: () => undefined,
        contentLog: () => undefined,
      },
      now: Date.now,
    },
  });
  const ask = (
    path: string,
    headers: Record<string, string> = {},
    method = "GET",
    body?: URLSearchParams,
  ) =>
    app.request(`${URL_OF_PAGE}${path}`, {
      method,
      ...(body === undefined ? {} : { body }),
      headers: { host: "127.0.0.1:9464", ...headers },
    });
  return { ask, app, entries, audit };
}

type OpenPage = ReturnType<typeof openPage>;

const cookiesOf = (response: Response) =>
  response.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");

async function comeBack({ ask }: OpenPage, login: string, change = (url: string) => url) {
  const begun = await ask("/sign-in?next=/keys");
  expect(begun.status).toBe(303);
  const back = new URL(change(await signInAt(begun.headers.get("location") ?? "", login)));
  return ask(`${back.pathname}${back.search}`, { cookie: cookiesOf(begun).join("; ") });
}

/** @returns the session's cookie */
async function signIn(page: OpenPage, login: string): Promise<string> {
  const response = await comeBack(page, login);
  expect(response.status).toBe(303);
  expect(response.headers.get("location")).toBe("/keys");
  return cookiesOf(response).find((cookie) => cookie.startsWith("gateway_person=")) ?? "";
}

it("a person signs in with PKCE and gets the roles of the groups", async () => {
  const page = openPage();
  const begun = await page.ask("/sign-in");
  const asked = new URL(begun.headers.get("location") ?? "").searchParams;
  expect(Object.fromEntries(asked)).toMatchObject({
    ...{ response_type: "code", code_challenge_method: "S256", client_id: "gateway" },
    scope: "openid email groups",
  });
  const response = await comeBack(page, "ann");
  const session = response.headers.getSetCookie().find((line) => line.includes("gateway_person="));
  expect(session).toMatch(/; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax/);
  const cookie = session?.split(";")[0] ?? "";
  expect(await (await page.ask("/api/me", { cookie })).json()).toMatchObject({
    ...{ kind: "user", name: "ann@example.com", roles: ["admin"] },
    groups: ["platform", "research"],
  });
  expect(page.entries).toMatchObject([
    { action: "admin.sign_in", actor: { name: "ann@example.com", roles: ["admin"] } },
  ]);
});

it("a role decides which pages a person gets", async () => {
  const page = openPage();
  const html = { accept: "text/html" };
  const [viewer, member] = [await signIn(page, "vera"), await signIn(page, "sam")];
  expect((await page.ask("/", { cookie: viewer, ...html })).status).toBe(200);
  expect((await page.ask("/requests/1", { cookie: viewer, ...html })).status).toBe(403);
  expect((await page.ask("/keys", { cookie: member })).status).not.toBe(403);
  expect((await page.ask("/", { cookie: member, ...html })).headers.get("location")).toBe("/keys");
  for (const path of ["/metrics", "/api/live", "/api/requests", "/api/history", "/playground"])
    expect((await page.ask(path, { cookie: member })).status, path).toBe(403);
  const own = { origin: URL_OF_PAGE, cookie: viewer };
  expect((await page.ask("/api/v1/groups", own, "POST")).status).toBe(403);
  expect((await page.ask("/metrics", { authorization: `Bearer ${TOKEN}` })).status).toBe(200);
});

it("a person without a role is told so, and gets no session", async () => {
  const page = openPage();
  const response = await comeBack(page, "nobody");
  expect(response.status).toBe(403);
  expect(await response.text()).toContain("nobody@example.com has no role here");
  expect(cookiesOf(response).filter((cookie) => cookie.startsWith("gateway_person="))).toEqual([]);
  const actor = { kind: "user", name: "nobody@example.com" };
  expect(page.entries).toMatchObject([{ action: "admin.sign_in", result: "denied", actor }]);
});

it("a session that was changed, is too old or is signed out is none", async () => {
  let now = Date.now();
  const page = openPage({ now: () => now });
  const cookie = await signIn(page, "ann");
  const statusOf = async (sent: string) => (await page.ask("/api/me", { cookie: sent })).status;
  expect(await statusOf(cookie)).toBe(200);
  const [name = "", value = ""] = cookie.split("=");
  for (let at = 0; at < value.length; at += 7) {
    const other = value[at] === "A" ? "B" : "A";
    const changed = `${name}=${value.slice(0, at)}${other}${value.slice(at + 1)}`;
    expect(await statusOf(changed), String(at)).toBe(401);
  }
  now += 3_600_000;
  expect(await statusOf(cookie)).toBe(401);
  now -= 3_600_000;
  const left = await page.ask("/sign-out", { cookie, origin: URL_OF_PAGE }, "POST");
  expect(((await left.json()) as { location: string }).location).toContain(
    `${server.issuer}/session/end?`,
  );
  expect(await statusOf(cookie)).toBe(401);
});

it("a browser has the session of a person or of the token, and none after signing out", async () => {
  const page = openPage();
  const isDeleted = (response: Response, name: string) =>
    response.headers.getSetCookie().some((line) => line.startsWith(`${name}=; Max-Age=0`));
  const signedIn = await comeBack(page, "ann");
  expect(isDeleted(signedIn, "gateway_session")).toBe(true);
  const person = cookiesOf(signedIn).find((cookie) => cookie.startsWith("gateway_person=")) ?? "";
  const own = { origin: URL_OF_PAGE };
  const form = new URLSearchParams({ token: TOKEN });
  const withToken = await page.ask("/login", { ...own, cookie: person }, "POST", form);
  expect(withToken.status).toBe(303);
  expect(isDeleted(withToken, "gateway_person")).toBe(true);
  expect((await page.ask("/api/me", { cookie: person })).status).toBe(401);
  const cookie = cookiesOf(withToken).find((one) => one.startsWith("gateway_session=")) ?? "";
  expect((await page.ask("/api/me", { cookie })).status).toBe(200);
  const left = await page.ask("/sign-out", { ...own, cookie }, "POST");
  expect(isDeleted(left, "gateway_session")).toBe(true);
  expect(isDeleted(left, "gateway_person")).toBe(true);
  const done = page.entries.filter(({ result }) => result === undefined);
  expect(done.map(({ action, actor }) => `${action} ${actor.kind}`)).toEqual([
    "admin.sign_in user",
    "admin.sign_out user",
    "admin.sign_in token",
    "admin.sign_out token",
  ]);
});

it("a new secret signs, and the old one is accepted while it is listed", async () => {
  const cookie = await signIn(
    openPage({ secrets: ["old-secret-of-sessions-0123456789ab"] }),
    "ann",
  );
  const both = openPage({
    secrets: ["new-secret-of-sessions-0123456789ab", "old-secret-of-sessions-0123456789ab"],
  });
  expect((await both.ask("/api/me", { cookie })).status).toBe(200);
  const only = openPage({ secrets: ["new-secret-of-sessions-0123456789ab"] });
  expect((await only.ask("/api/me", { cookie })).status).toBe(401);
});

it("a change with a cookie needs to come from the page", async () => {
  const page = openPage();
  const cookie = await signIn(page, "ann");
  for (const headers of [
    {},
    { origin: "https://evil.example" },
    { "sec-fetch-site": "none" },
  ] as Record<string, string>[])
    expect((await page.ask("/sign-out", { cookie, ...headers }, "POST")).status).toBe(403);
  const own = { cookie, "sec-fetch-site": "same-origin" };
  expect((await page.ask("/sign-out", own, "POST")).status).toBe(200);
});

it("a change is refused while the audit log cannot be written", async () => {
  const page = openPage();
  page.audit.problem = "The audit log cannot be written (ENOSPC).";
  const headers = { authorization: `Bearer ${TOKEN}` };
  const refused = await page.ask("/api/v1/keys", headers, "POST");
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain("Nothing was changed");
  expect((await page.ask("/api/me", headers)).status).toBe(200);
});

it.each([
  ["a wrong client secret", { clientSecret: "x".repeat(40) }, undefined, 502, "client_secret"],
  [
    "a wrong state",
    {},
    (url: string) => url.replace(/state=[^&]*/, "state=x"),
    400,
    "Sign in again",
  ],
  ["a wrong code", {}, (url: string) => url.replace(/code=[^&]*/, "code=x"), 400, "Sign in again"],
  [
    "a person who denies it",
    {},
    (url: string) => url.replace(/code=[^&]*/, "error=access_denied"),
    403,
    "denied",
  ],
] as const)("%s has a page that says so", async (_what, options, change, status, text) => {
  const page = openPage(options);
  const response = await comeBack(page, "ann", change);
  expect(response.status).toBe(status);
  const body = await response.text();
  expect(body).toContain(text);
  expect(body + JSON.stringify(page.entries)).not.toContain(CLIENT_SECRET);
});

it("a provider that is down, and a callback of another browser, have a page that says so", async () => {
  const down = await openPage({ settings: { issuer: "http://127.0.0.1:9" } }).ask("/sign-in");
  expect(down.status).toBe(502);
  expect(await down.text()).toContain("127.0.0.1:9 does not respond");
  const page = openPage();
  const begun = await page.ask("/sign-in");
  const back = new URL(await signInAt(begun.headers.get("location") ?? "", "ann"));
  const stolen = await page.ask(`${back.pathname}${back.search}`);
  expect(stolen.status).toBe(400);
  expect(await stolen.text()).toContain("another browser");
});

it.each([
  ["a wrong nonce", { nonce: "x" }, "different sign-in"],
  ["a wrong state", { state: "x" }, "Sign in again"],
  ["a wrong PKCE verifier", { verifier: "x".repeat(43) }, "Sign in again"],
])("a callback with %s gives nobody a session", async (_what, wrong, text) => {
  const provider = new IdentityProvider(settingsOf(), CLIENT_SECRET);
  const { url, checks } = await provider.begin();
  const back = new URL(await signInAt(url, "ann"));
  const finished = provider.finish(back.search, { ...checks, ...wrong });
  await expect(finished).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(text) as string,
  });
});

/** The provider's tokens are valid for an hour. */
it.each([
  [30, undefined],
  [120, "The clocks of the identity provider and of this machine differ"],
])("a clock that is %i s later than a token's end: %s", async (seconds, message) => {
  const provider = new IdentityProvider(
    settingsOf(),
    CLIENT_SECRET,
    () => Date.now() + 3_600_000 + seconds * 1000,
  );
  const { url, checks } = await provider.begin();
  const back = new URL(await signInAt(url, "ann"));
  const finished = await provider.finish(back.search, checks).catch((error: unknown) => error);
  if (message === undefined) expect(finished).toMatchObject({ claims: { sub: "ann" } });
  else expect((finished as Error).message).toContain(message);
});

it("a provider that goes down ends no session, and its way out is the page's", async () => {
  const own = await startOidcServer(URL_OF_PAGE);
  const page = openPage({ settings: { issuer: own.issuer } });
  const cookie = await signIn(page, "ann");
  const begun = await page.ask("/sign-in");
  const back = new URL(await signInAt(begun.headers.get("location") ?? "", "ann"));
  await own.stop();
  expect((await page.ask("/api/me", { cookie })).status).toBe(200);
  const sent = { cookie: cookiesOf(begun).join("; ") };
  const failed = await page.ask(`${back.pathname}${back.search}`, sent);
  expect(failed.status).toBe(502);
  expect(await failed.text()).toContain("failed");
  const left = await page.ask("/sign-out", { cookie, origin: URL_OF_PAGE }, "POST");
  expect(left.status).toBe(200);
  expect((await page.ask("/api/me", { cookie })).status).toBe(401);
});

it("a role that the configuration takes away is gone at once, also from people who have signed in", async () => {
  const cookie = await signIn(openPage(), "ann");
  const me = async (settings: Partial<SignIn>) => {
    const response = await openPage({ settings }).ask("/api/me", { cookie });
    return response.ok ? ((await response.json()) as { roles: string[] }).roles : response.status;
  };
  expect(await me({})).toEqual(["admin"]);
  // What it gives needs another sign-in.
  expect(await me({ roles: { admin: ["platform"], operator: ["research"] } })).toEqual(["admin"]);
  expect(await me({ roles: { admin: ["others"] } })).toEqual([]);
  expect(await me({ roles: {}, selfService: [] })).toBe(401);
});

it("a session that was signed out stays ended after a reload of the configuration", async () => {
  const ended = new EndedSessions();
  const page = openPage({ ended });
  const cookie = await signIn(page, "ann");
  await page.ask("/sign-out", { cookie, origin: URL_OF_PAGE }, "POST");
  const reloaded = openPage({ ended, settings: { maxKeys: 11 } });
  expect((await reloaded.ask("/api/me", { cookie })).status).toBe(401);
});

it("the session of a gateway with another issuer or client is none, though the secret is the same", async () => {
  const cookie = await signIn(openPage(), "ann");
  for (const settings of [{ issuer: "https://login.example.com" }, { clientId: "staging" }])
    expect((await openPage({ settings }).ask("/api/me", { cookie })).status).toBe(401);
  expect((await openPage().ask("/api/me", { cookie })).status).toBe(200);
});

it("no change is made for a browser that a page of another origin sends", async () => {
  const page = openPage({ api: keysApi({ keys: () => undefined, version: "1" }) });
  const cookie = await signIn(page, "ann");
  const changes = page.app.routes.flatMap(({ method, path }) =>
    (method === "ALL" ? ["POST", "PUT", "PATCH", "DELETE"] : [method])
      .filter((word) => !["GET", "HEAD", "OPTIONS"].includes(word))
      .map((word) => ({ method: word, path: path.replaceAll(/[:*][a-z]*/g, "x") })),
  );
  const paths = changes.map(({ method, path }) => `${method} ${path}`);
  for (const known of [
    "POST /login",
    "POST /sign-out",
    "POST /api/v1/keys",
    "DELETE /api/v1/groups/x",
  ])
    expect(paths).toContain(known);
  for (const { method, path } of changes) {
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
      { origin: "null" },
    ] as Record<string, string>[]) {
      const response = await page.ask(path, { cookie, ...headers }, method);
      expect(response.status, `${method} ${path} ${JSON.stringify(headers)}`).toBe(403);
    }
  }
  expect((await page.ask("/api/me", { cookie })).status).toBe(200);
});

it("a person with many groups has those that decide, and those of the configuration, in the session", async () => {
  const others = Array.from({ length: 400 }, (_, at) => `a-group-with-a-long-name-${String(at)}`);
  server.change("max", [...others, "budget", "research", "platform"]);
  const page = openPage({ knownGroups: ["budget"] });
  const cookie = await signIn(page, "max");
  expect(cookie.length).toBeLessThan(4096);
  const me = (await (await page.ask("/api/me", { cookie })).json()) as { groups: string[] };
  expect(me).toMatchObject({ name: "max@example.com", roles: ["admin"] });
  expect(me.groups.slice(0, 4)).toEqual(["platform", "research", "budget", others[0]]);
});
