// The login with a real gateway and a real identity provider: through Envoy, a person's token counts as that person.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../free-port.ts";
import { CLIENT_SECRET, type OidcServer, startOidcServer } from "../oidc-server.ts";
import { beginLogin, confirmLogin, pollLogin, refreshLogin, type Tokens } from "../login-steps.ts";
import { configurationOn, type Desk, freePorts, openDesk } from "./gateway-command.ts";

const SECONDS = { timeout: 60_000, interval: 100 };

let desk: Desk;
let oidc: OidcServer;
let url: string;
let configuration: (settings: string) => string;

beforeAll(async () => {
  const [ports, pagePort] = [await freePorts(), await freePort()];
  url = `http://127.0.0.1:${String(ports.egress)}`;
  oidc = await startOidcServer(url);
  configuration = (settings) =>
    configurationOn(
      ports,
      `llm_providers:
  - {model: demo/gateway-demo}
  - {model: openai/gpt-4o, access_key: $OPENAI_API_KEY}
groups:
  platform: {models: [demo/*]}
  research: {models: [openai/*]}
observability:
  metrics:
    port: ${String(pagePort)}
    sign_in:
      issuer: ${oidc.issuer}
      client_id: gateway
      client_secret: $OIDC_CLIENT_SECRET
      session_secret: $SESSION_SECRET
      url: http://127.0.0.1:${String(pagePort)}
      scopes: [openid, email, groups]
      self_service: ["*"]
claude_code:
  url: ${url}
  authorization_parameters: {prompt: consent}
  settings: ${settings}
`,
    );
  desk = openDesk({ "gateway.yaml": configuration("{model: opus}") });
  desk.environment["OPENAI_API_KEY"] = "sk-not-used";
  desk.environment["OIDC_CLIENT_SECRET"] = CLIENT_SECRET;
  useSecrets("first-secret-of-sessions-0123456789");
  const { code, stderr } = await desk.run("up", "--detach", "--concurrency", "1");
  expect(code, stderr).toBe(0);
}, 120_000);
afterAll(async () => {
  await desk.clear();
  await oidc.stop();
});

/** The variables of the process cannot change while it runs. */
function useSecrets(secrets: string): void {
  writeFileSync(join(desk.directory, ".env"), `SESSION_SECRET=${secrets}\n`);
}

const ask = (token: string) =>
  fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({
      ...{ model: "demo/gateway-demo", max_tokens: 10 },
      messages: [{ role: "user", content: "hi" }],
    }),
  });

const logIn = async (account: string): Promise<Tokens> => {
  const begun = await beginLogin(url);
  expect((await fetch(begun.verification_uri_complete)).status).toBe(200);
  expect((await confirmLogin(begun, account)).status).toBe(200);
  return (await (await pollLogin(url, begun)).json()) as Tokens;
};

it(
  "a person who has logged in uses models in the own name, and nobody else does",
  { timeout: 240_000 },
  async () => {
    const refused = await ask("any-key");
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([401, "false"]);
    const { access_token: token, refresh_token: refresh, email } = await logIn("ann");
    expect(email).toBe("ann@example.com");
    await expect.poll(async () => (await ask(token)).status, SECONDS).toBe(200);
    await expect
      .poll(() => readFileSync(join(desk.logs, "access_usage.log"), "utf8"), SECONDS)
      .toMatch(/"key":"jwt:ann@example\.com","group":"(platform,research|research,platform)"/);
    // The requests of the login itself are not usage.
    expect(readFileSync(join(desk.logs, "access_usage.log"), "utf8")).not.toMatch(/ -$/m);
    // The only group of this person allows another model.
    expect((await ask((await logIn("sam")).access_token)).status).toBe(403);
    const again = (await (await refreshLogin(url, refresh)).json()) as Tokens;
    expect((await ask(again.access_token)).status).toBe(200);

    const { stdout } = await desk.run("audit", "--json");
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual(
      expect.objectContaining({
        action: "login.sign_in",
        actor: { kind: "user", name: "ann@example.com", address: "127.0.0.1" },
      }),
    );
    expect((await desk.run("audit", "verify")).code).toBe(0);
    const written = readdirSync(desk.logs).map((file) =>
      readFileSync(join(desk.logs, file), "utf8"),
    );
    expect(written.join("") + stdout).not.toMatch(/eyJhbGciOi|gwr_[\w-]{20}|code=/);
  },
);

it("a reload changes the settings, and no session ends", { timeout: 240_000 }, async () => {
  const { access_token: token } = await logIn("vera");
  const settings = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/managed/settings`, { headers });
    return response.status === 200 ? await response.json() : response.status;
  };
  expect(await settings()).toMatchObject({ settings: { model: "opus" } });
  writeFileSync(join(desk.directory, "gateway.yaml"), configuration("{model: sonnet}"));
  expect((await desk.run("reload")).code).toBe(0);
  await expect.poll(settings, SECONDS).toMatchObject({ settings: { model: "sonnet" } });
});

it("a new secret ends tokens that Envoy has accepted", { timeout: 240_000 }, async () => {
  const statusOf = async (token: string) => (await ask(token)).status;
  const old = (await logIn("ann")).access_token;
  await expect.poll(() => statusOf(old), SECONDS).toBe(200);
  useSecrets("second-secret-of-sessions-012345678,first-secret-of-sessions-0123456789");
  expect((await desk.run("reload")).code).toBe(0);
  const fresh = (await logIn("ann")).access_token;
  // Before Envoy fetches the keys of a remote issuer again.
  await expect.poll(() => statusOf(fresh), { timeout: 20_000, interval: 100 }).toBe(200);
  expect(await statusOf(old)).toBe(200);
  useSecrets("second-secret-of-sessions-012345678");
  expect((await desk.run("reload")).code).toBe(0);
  await expect.poll(() => statusOf(old), { timeout: 20_000, interval: 100 }).toBe(401);
  expect(await statusOf(fresh)).toBe(200);
});

it(
  "gateway login, token and logout give any program a person's token",
  { timeout: 240_000 },
  async () => {
    const none = await desk.run("token");
    expect([none.code, none.stdout]).toEqual([1, ""]);
    expect(none.stderr).toContain("gateway login");
    const running = desk.start("login", url, "--no-browser");
    await expect.poll(running.stdout, SECONDS).toContain("Confirm the code");
    const [, code = ""] = /Confirm the code (\S+)/.exec(running.stdout()) ?? [];
    const page = `${url}/device?user_code=${code}`;
    expect((await confirmLogin({ verification_uri_complete: page }, "ann")).status).toBe(200);
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain("as ann@example.com");
    expect(ended.stdout).not.toContain("eyJ");
    const file = join(desk.environment["HOME"] ?? "", ".config/gateway/logins.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { stdout: token } = await desk.run("token");
    expect((await ask(token.trim())).status).toBe(200);
    // It has ended, and is refreshed.
    const stored = readFileSync(file, "utf8").replace(/"expires": \d+/, '"expires": 1');
    writeFileSync(file, stored);
    const { stdout: fresh } = await desk.run("token", url);
    expect(fresh).toMatch(/^eyJ/);
    expect(readFileSync(file, "utf8")).not.toContain('"expires": 1,');
    expect((await ask(fresh.trim())).status).toBe(200);
    expect((await desk.run("logout")).code).toBe(0);
    expect((await desk.run("token")).code).toBe(1);
    // Envoy rejects what it has verified before: soon, if it did not respond within a second.
    for (const ended of [token, fresh]) {
      await expect.poll(async () => (await ask(ended.trim())).status, SECONDS).toBe(401);
      const refused = await ask(ended.trim());
      expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([401, "false"]);
      expect(await refused.text()).toContain("session of the token has ended");
    }
    const { stdout } = await desk.run("audit", "--action", "login.sign_out", "--json");
    expect(stdout).toContain("ann@example.com");
  },
);

it("a token of a session that has ended stays refused when Envoy and the gateway start again", async () => {
  const [ended, other] = [await logIn("ann"), await logIn("ann")];
  expect((await ask(ended.access_token)).status).toBe(200);
  const body = new URLSearchParams({ token: ended.access_token });
  expect((await fetch(`${url}/oauth/revoke`, { method: "POST", body })).status).toBe(200);
  // A logout waits a second for Envoy.
  await expect.poll(async () => (await ask(ended.access_token)).status, SECONDS).toBe(401);
  expect((await desk.run("reload", "--restart")).code).toBe(0);
  expect((await ask(other.access_token)).status).toBe(200);
  expect((await ask(ended.access_token)).status).toBe(401);
  expect((await desk.run("down")).code).toBe(0);
  const { code, stderr } = await desk.run("up", "--detach", "--concurrency", "1");
  expect(code, stderr).toBe(0);
  await expect.poll(async () => (await ask(other.access_token)).status, SECONDS).toBe(200);
  expect((await ask(ended.access_token)).status).toBe(401);
});

// The last one: further codes of this address are refused for ten minutes.
it("the keys of tokens are Envoy's alone, and no client writes its address", async () => {
  expect((await fetch(`${url}/keys`)).status).toBe(404);
  const statuses = [];
  // Two times of 300 wrong codes, at most, and one more.
  for (let at = 0; at < 601; at++) {
    const headers = { "x-gateway-client-address": `192.0.2.${String(at % 250)}` };
    statuses.push((await fetch(`${url}/device?user_code=BBBB-BBBB`, { headers })).status);
  }
  expect(statuses).toContain(429);
  expect((await fetch(`${url}/protocol`)).status).toBe(200);
});
