// Providers behind a proxy, with a real tinyproxy: the provider's TLS inside the tunnel, streams, credentials, failures, exceptions.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { GatewayModel } from "../../model/model.ts";
import { createAuthority } from "../gateway/certificates.ts";
import { type Gateway, startGateway } from "../gateway/gateway.ts";
import { startTinyproxy, type TestProxy } from "../gateway/tinyproxy.ts";
import { startConverseProvider } from "../providers/converse.ts";
import { startGeminiProvider } from "../providers/gemini.ts";
import { listen, type Listening } from "../providers/listen.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { ask, errorOf, parts } from "./ask.ts";

const NAMES = {
  openai: "api.openai.com",
  bedrock: "bedrock-runtime.us-east-1.amazonaws.com",
  gemini: "generativelanguage.googleapis.com",
  other: "llm.other.test",
} as const;
const PASSWORD = "secret-password-1";
const KEY = "sk-provider-key";

let directory: string;
let caFile: string;
let proxy: TestProxy;
let closedProxy: TestProxy;
let tlsProxy: TestProxy;
let mute: Listening;
const providers: Record<keyof typeof NAMES, FakeProvider> = {} as never;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "gateway-outgoing-"));
  const authority = createAuthority();
  caFile = join(directory, "ca.pem");
  writeFileSync(caFile, authority.cert);
  providers.openai = await startOpenaiProvider({ key: KEY, tls: authority.issue(NAMES.openai) });
  providers.other = await startOpenaiProvider({ key: KEY, tls: authority.issue(NAMES.other) });
  providers.bedrock = await startConverseProvider({
    key: KEY,
    tls: authority.issue(NAMES.bedrock),
  });
  providers.gemini = await startGeminiProvider({ key: KEY, tls: authority.issue(NAMES.gemini) });
  proxy = await startTinyproxy({ user: "gateway", password: PASSWORD });
  closedProxy = await startTinyproxy({ ports: [1] });
  tlsProxy = await startTinyproxy({
    user: "gateway",
    password: PASSWORD,
    certificate: authority.issue("127.0.0.1"),
  });
  mute = await listen(createServer((socket) => socket.on("error", () => undefined).resume()));
});

afterAll(async () => {
  await Promise.all(
    [...Object.values(providers), proxy, closedProxy, tlsProxy, mute].map((one) => one.stop()),
  );
  rmSync(directory, { recursive: true, force: true });
});

/** The names lead to this machine; `localhost` is what only the proxy resolves. */
function leadHere(model: GatewayModel): void {
  for (const { address } of model.targets) {
    if (address.kind !== "host") continue;
    const name = Object.entries(NAMES).find(([, host]) => host === address.host)?.[0];
    if (name === undefined) continue;
    address.host = "localhost";
    address.port = providers[name as keyof typeof NAMES].port;
  }
}

const PROVIDERS = `
llm_providers:
  - {model: openai/gpt-4o, access_key: $KEY}
  - {model: amazon_bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0, provider_interface: converse, region: us-east-1, access_key: $KEY}
  - {model: gemini/gemini-2.5-flash, access_key: $KEY}
  - {model: x/direct, base_url: "https://${NAMES.other}/v1", provider_interface: openai, access_key: $KEY, proxy: false}
`;

function start(
  config: string,
  environment: Record<string, string>,
  more: { concurrency?: number } = {},
): Promise<Gateway> {
  return startGateway({
    config: config + PROVIDERS,
    environment: { KEY, ...environment },
    caFile,
    adapt: leadHere,
    ...more,
  });
}

describe("with HTTPS_PROXY", () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await start("", { HTTPS_PROXY: proxy.url }, { concurrency: 1 });
  });
  afterAll(() => gateway.stop());

  it("a request reaches the provider by a tunnel that is reused", async () => {
    const before = proxy.requests().length;
    for (let count = 0; count < 5; count += 1) {
      const response = await ask(gateway, "chat", { model: "openai/gpt-4o" });
      expect(response.status, gateway.envoyLog()).toBe(200);
      await response.text();
    }
    const tunnels = proxy.requests().slice(before);
    expect(tunnels).toEqual([`CONNECT localhost:${String(providers.openai.port)} HTTP/1.1`]);
    const [request] = providers.openai.requests;
    expect(request?.headers["host"]).toBe(NAMES.openai);
    expect(providers.openai.violations()).toEqual([]);
  });

  it("the access log shows the provider", async () => {
    const lines = await gateway.waitForLog("llm", ({ code }) => code === 200);
    expect(lines[0]?.upstreamHost).toBe(`localhost:${String(providers.openai.port)}`);
  });

  it("a stream passes event by event", async () => {
    const response = await ask(gateway, "chat", {
      model: "openai/gpt-4o",
      stream: true,
      text: "[stall 3]",
    });
    expect(response.status).toBe(200);
    let text = "";
    for await (const part of parts(response)) {
      text += part;
      // The provider sends no more: what it has sent arrived.
      if (text.split("\n\n").filter((event) => event !== "").length === 3) break;
    }
    expect(text).toContain("data: ");
  });

  it.each([
    ["bedrock", "amazon_bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0"],
    ["gemini", "gemini/gemini-2.5-flash"],
  ] as const)("%s is reached through it", async (name, model) => {
    const response = await ask(gateway, "chat", { model });
    expect(response.status, await response.text()).toBe(200);
    expect(proxy.requests()).toContain(
      `CONNECT localhost:${String(providers[name].port)} HTTP/1.1`,
    );
  });

  it("an entry with proxy: false is reached directly", async () => {
    const before = proxy.requests().length;
    const response = await ask(gateway, "chat", { model: "x/direct" });
    expect(response.status).toBe(200);
    expect(proxy.requests()).toHaveLength(before);
  });

  it("no file of Envoy has the password", () => {
    const file = readFileSync(gateway.envoyFile, "utf8");
    expect(file).toContain("%ENVIRONMENT(GATEWAY_PROXY_AUTHORIZATION_HTTPS_PROXY)%");
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), "Basic "])
      expect(file).not.toContain(secret);
  });
});

describe("upstream.proxy", () => {
  it("the configured proxy is used in place of HTTPS_PROXY, with TLS to the proxy", async () => {
    const gateway = await start("upstream: {proxy: {url: $OTHER_PROXY}}\n", {
      HTTPS_PROXY: "http://127.0.0.1:1",
      OTHER_PROXY: tlsProxy.url,
    });
    const response = await ask(gateway, "chat", { model: "openai/gpt-4o" });
    expect(response.status, gateway.envoyLog()).toBe(200);
    expect(tlsProxy.requests()).not.toEqual([]);
    await gateway.stop();
  });

  it.each([
    ["upstream.proxy: false", "upstream: {proxy: false}\n", { HTTPS_PROXY: "http://127.0.0.1:1" }],
    ["NO_PROXY", "", { HTTPS_PROXY: "http://127.0.0.1:1", NO_PROXY: "openai.com" }],
    ["no_proxy", 'upstream: {proxy: {url: "http://127.0.0.1:1", no_proxy: [.openai.com]}}\n', {}],
  ])("a provider is reached directly by %s", async (_name, config, environment) => {
    const gateway = await start(config, environment);
    const response = await ask(gateway, "chat", { model: "openai/gpt-4o" });
    expect(response.status, gateway.envoyLog()).toBe(200);
    await gateway.stop();
  });
});

describe("a proxy that opens no tunnel", () => {
  it.each([
    ["a wrong password", () => proxy.urlWith("wrong"), /\ttunnel\t.* tunnel_response:40[17]\b/],
    ["a forbidden port", () => closedProxy.url, /\ttunnel\t.* tunnel_response:403\b/],
    ["a closed port", () => "http://127.0.0.1:1", /\ttunnel\t.*Connection_refused/],
    ["silence", () => `http://127.0.0.1:${String(mute.port)}`, /\ttunnel\t\S+ \S+ - /],
  ])("%s is a 503, and Envoy's log has the reason", async (_name, url, reason) => {
    const gateway = await start("upstream: {connect_timeout: 500ms, proxy: {url: $PROXY}}\n", {
      PROXY: url(),
    });
    onTestFinished(() => gateway.stop());
    const response = await ask(gateway, "chat", { model: "openai/gpt-4o" });
    expect(response.status).toBe(503);
    expect((await errorOf(response, "chat")).message).toContain("api.openai.com");
    await expect.poll(() => gateway.envoyLog(), { timeout: 20_000 }).toMatch(reason);
  });
});
