// Claude Code with the login of its own, and with `gateway token`: a person of a company, without any key.
// Its terminal's part, in which a person reads a code and answers questions, was tried by hand (docs/claude-code-login.md); here
// Claude Code finds the credential that it stores at the end.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { BINARY, configurationOn, type Desk, freePorts, openDesk } from "../cli/gateway-command.ts";
import { freePort } from "../free-port.ts";
import { beginLogin, confirmLogin, pollLogin, type Tokens } from "../login-steps.ts";
import { CLIENT_SECRET, type OidcServer, startOidcServer } from "../oidc-server.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { startClaudeCodeIn } from "./agent.ts";

const agents = inject("agents");
const canTest = inject("canTestAgents");
const SECONDS = { timeout: 60_000, interval: 100 };
const SETTINGS = { env: { CLAUDE_CODE_GATEWAY_HINT_HEADERS: "1" } };

let desk: Desk;
let oidc: OidcServer;
let provider: FakeProvider;
let url: string;

beforeAll(async () => {
  const [ports, pagePort] = [await freePorts(), await freePort()];
  url = `http://127.0.0.1:${String(ports.egress)}`;
  oidc = await startOidcServer(url);
  provider = await startOpenaiProvider({ key: "sk-provider", models: ["gpt-4o"] });
  desk = openDesk({
    "gateway.yaml": configurationOn(
      ports,
      `llm_providers:
  - {model: openai/gpt-4o, base_url: "${provider.url}/v1", access_key: $OPENAI_API_KEY, limits: {own_reasoning: false}}
model_aliases: {claude-*: {target: openai/gpt-4o}}
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
  settings: ${JSON.stringify(SETTINGS)}
`,
    ),
  });
  Object.assign(desk.environment, {
    ...{ OPENAI_API_KEY: "sk-provider", OIDC_CLIENT_SECRET: CLIENT_SECRET },
    SESSION_SECRET: "first-secret-of-sessions-0123456789",
  });
  const { code, stderr } = await desk.run("up", "--detach", "--concurrency", "1");
  expect(code, stderr).toBe(0);
}, 120_000);
afterAll(async () => {
  await desk.clear();
  await Promise.all([oidc.stop(), provider.stop()]);
});

async function logIn(account: string): Promise<Tokens> {
  const begun = await beginLogin(url);
  expect((await confirmLogin(begun, account)).status).toBe(200);
  return (await (await pollLogin(url, begun)).json()) as Tokens;
}

const usage = () => readFileSync(join(desk.logs, "access_usage.log"), "utf8");
const auditOf = async (action: string) =>
  (await desk.run("audit", "--action", action, "--json")).stdout;

describe.runIf(canTest)("a login", () => {
  it("Claude Code refreshes its login, gets its settings, works in the person's name, and logs out", async () => {
    if ("missing" in agents) throw new Error(agents.missing);
    const tokens = await logIn("ann");
    const claude = startClaudeCodeIn(agents.directory, (home) => {
      writeClaudeFile(home, "settings.json", {
        ...{ forceLoginMethod: "gateway", forceLoginGatewayUrl: url },
      });
      // As Claude Code 2.1.330 writes it; the token has ended, so that it has to be refreshed.
      writeClaudeFile(home, ".credentials.json", {
        gatewayTrust: { "127.0.0.1": "http-loopback" },
        enterpriseGateway: {
          ...{ url, jwt: tokens.access_token, expiresAt: 1, email: tokens.email },
          ...{ tokenEndpoint: `${url}/oauth/token`, revocationEndpoint: `${url}/oauth/revoke` },
          ...{ idpRefreshToken: tokens.refresh_token, vouchedAtLogin: false },
        },
      });
    });
    try {
      const output = await claude.run(["-p", "hello", "--output-format", "json"]);
      expect(JSON.parse(output)).toMatchObject({ is_error: false });
      await expect.poll(usage, SECONDS).toMatch(/"key":"jwt:ann@example\.com"/);
      const stored = JSON.parse(claude.read(".claude/.credentials.json")) as {
        enterpriseGateway: { jwt: string };
      };
      expect(stored.enterpriseGateway.jwt).not.toBe(tokens.access_token);
      const ingress = readFileSync(join(desk.logs, "access_ingress.log"), "utf8");
      for (const path of ["/oauth/token", "/managed/settings", "/v1/messages"])
        expect(ingress).toContain(path);
      await claude.run(["auth", "logout"]);
      await expect.poll(() => auditOf("login.sign_out"), SECONDS).toContain("ann@example.com");
    } finally {
      claude.remove();
    }
  });

  it("Claude Code with gateway token as its apiKeyHelper works in the person's name", async () => {
    if ("missing" in agents) throw new Error(agents.missing);
    const running = desk.start("login", url, "--no-browser");
    await expect.poll(running.stdout, SECONDS).toContain("Confirm the code");
    const [, code = ""] = /Confirm the code (\S+)/.exec(running.stdout()) ?? [];
    const page = `${url}/device?user_code=${code}`;
    expect((await confirmLogin({ verification_uri_complete: page }, "vera")).status).toBe(200);
    expect((await running.ended).code).toBe(0);
    // The desk's home has the login, and Claude Code a home of its own.
    const { HOME: home, XDG_CACHE_HOME: cache, ENVOY_BIN: envoy } = desk.environment;
    const environment = `HOME='${home ?? ""}' XDG_CACHE_HOME='${cache ?? ""}' ENVOY_BIN='${envoy ?? ""}'`;
    const claude = startClaudeCodeIn(agents.directory, (directory) => {
      writeClaudeFile(directory, "settings.json", {
        apiKeyHelper: `${environment} '${BINARY}' token`,
        env: { ANTHROPIC_BASE_URL: url },
      });
    });
    try {
      const output = await claude.run(["-p", "hello", "--output-format", "json"]);
      expect(JSON.parse(output)).toMatchObject({ is_error: false });
      await expect.poll(usage, SECONDS).toMatch(/"key":"jwt:vera@example\.com"/);
    } finally {
      claude.remove();
    }
  });
});

function writeClaudeFile(home: string, name: string, content: object): void {
  const directory = join(home, ".claude");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, name), JSON.stringify(content), { mode: 0o600 });
}
