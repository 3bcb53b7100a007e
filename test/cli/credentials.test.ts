// Credentials of clouds in a whole run: what validate and status report, a reload, and that no secret is anywhere else.
import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { callAdmin } from "../../control-plane/supervisor/admin.ts";
import type { ScriptedProvider } from "../providers/scripted-provider.ts";
import { complete, startProvider } from "../providers/scripted-provider.ts";
import { createAuthority } from "../gateway/certificates.ts";
import { signatureFault } from "../providers/aws-signature.ts";
import type { IdentityProviders } from "../providers/identity.ts";
import { startIdentityProviders } from "../providers/identity.ts";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";

const nonce = (): string => Math.random().toString(36).slice(2).padEnd(12, "x");
const AWS = { accessKeyId: `AKID${nonce()}`, secretAccessKey: `aws-secret-${nonce()}` };
const CLIENT_SECRET = `entra-secret-${nonce()}`;
const PRIVATE_KEY = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
}).privateKey;
const SECONDS = { timeout: 60_000, interval: 50 };

let desk: Desk;
let ports: Ports;
let provider: ScriptedProvider;
let identity: IdentityProviders;
const said: string[] = [];

const entry = (model: string, credential: string): string => `
  - model: ${model}
    provider_interface: openai
    base_url: http://127.0.0.1:${provider.port}/v1
    credential: ${credential}`;

function configuration(...more: string[]): string {
  return configurationOn(
    ports,
    `llm_providers:${entry("aws/a", "{type: aws, region: eu-central-1}")}${entry(
      "google/b",
      "{type: google, credentials_file: key.json}",
    )}${more.join("")}\n`,
  );
}

const ENTRA = "{type: entra_id, tenant_id: tenant, client_id: client, client_secret: $SECRET}";

async function ask(model: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${ports.egress}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  said.push(JSON.stringify([...response.headers]), await response.text());
  return response.status;
}

interface StatusOutput {
  credentials: {
    source: string;
    models: string[];
    validUntil: string | null;
    lastError: string | null;
    rejected: number;
  }[];
}

async function run(...words: string[]): Promise<string> {
  const { stdout, stderr } = await desk.run(...words);
  said.push(stdout, stderr);
  return stdout + stderr;
}

async function credentials(): Promise<StatusOutput["credentials"]> {
  return (JSON.parse(await run("status", "--json")) as StatusOutput).credentials;
}

beforeAll(async () => {
  const authority = createAuthority();
  identity = await startIdentityProviders(authority);
  provider = await startProvider(complete);
  ports = await freePorts();
  desk = openDesk({ "gateway.yaml": configuration() });
  writeFileSync(
    join(desk.directory, "key.json"),
    JSON.stringify({
      type: "service_account",
      client_email: "gateway@test.iam.gserviceaccount.com",
      private_key: PRIVATE_KEY,
    }),
  );
  writeFileSync(join(desk.directory, "ca.pem"), authority.cert);
  Object.assign(desk.environment, {
    AWS_ACCESS_KEY_ID: AWS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: AWS.secretAccessKey,
    SECRET: CLIENT_SECRET,
    HTTPS_PROXY: identity.proxyUrl,
    NO_PROXY: "127.0.0.1",
    NODE_EXTRA_CA_CERTS: join(desk.directory, "ca.pem"),
  });
});
afterAll(async () => {
  await desk.clear();
  await Promise.all([provider.stop(), identity.stop()]);
});

describe("before the start", () => {
  it("validate reports which credential each model uses", async () => {
    const file = join(desk.directory, "key.json");
    const shown = await run("validate");
    expect(shown).toContain("gateway.yaml is valid: 2 models");
    expect(shown).toContain("aws/a: AWS keys in the environment (AWS_ACCESS_KEY_ID)");
    expect(shown).toContain(`google/b: Google credentials in ${file}`);
    const { credentials: listed } = JSON.parse(await run("validate", "--json")) as StatusOutput;
    expect(listed).toEqual([
      { source: "AWS keys in the environment (AWS_ACCESS_KEY_ID)", models: ["aws/a"] },
      { source: `Google credentials in ${file}`, models: ["google/b"] },
    ]);
    expect(identity.requests).toEqual([]);
  });

  it("validate reports why a credential was not found", async () => {
    writeFileSync(
      join(desk.directory, "bad.yaml"),
      configuration(
        entry("google/missing", "{type: google, credentials_file: missing.json}"),
        entry("google/other", "{type: google, credentials_file: ca.pem}"),
        entry("aws/profile", "{type: aws, region: eu-central-1, profile: production}"),
      ),
    );
    const shown = await run("validate", "bad.yaml");
    expect(shown).toContain(`there is no such file: ${join(desk.directory, "missing.json")}`);
    expect(shown).toContain("ca.pem is not a credential file of Google Cloud");
    expect(shown).toMatch(/\.credential\.profile: there is no such file: \S+\/\.aws\/credentials/);
  });
});

describe("while it runs", () => {
  beforeAll(async () => {
    // The first request for a token fails: the gateway starts without it.
    identity.failures.push(500, 500, 500, 500);
    await run("up", "--detach", "--concurrency", "1", "--log-level", "debug");
  });

  it("a token that was missing at the start is there when the identity provider works again", async () => {
    await vi.waitFor(async () => {
      expect(await ask("google/b")).toBe(200);
    }, SECONDS);
    expect(provider.requests.at(-1)?.headers["authorization"]).toBe(
      `Bearer ${identity.tokens.at(-1)}`,
    );
  });

  it("a running gateway signs requests for AWS", async () => {
    expect(await ask("aws/a")).toBe(200);
    const request = provider.requests.at(-1);
    if (request === undefined) throw new Error("no request");
    const scope = { region: "eu-central-1", service: "bedrock" };
    expect(await signatureFault(request, AWS, scope)).toBeUndefined();
  });

  it("status reports until when a token is valid", async () => {
    const [aws, google] = await credentials();
    expect(aws).toMatchObject({ models: ["aws/a"], validUntil: null, lastError: null });
    expect(google).toMatchObject({ models: ["google/b"], lastError: null });
    const rest = Date.parse(google?.validUntil ?? "") - Date.now();
    expect(rest).toBeGreaterThan(50 * 60_000);
    expect(await run("status")).toMatch(/Google credentials in \S+ +google\/b +\d{4}-/);
  });

  it("a reload keeps the tokens, and requests those of new entries", async () => {
    const before = identity.requests.length;
    const google = identity.tokens.at(-1);
    writeFileSync(join(desk.directory, "gateway.yaml"), configuration(entry("azure/c", ENTRA)));
    expect(await run("reload")).toContain("+ model azure/c");
    expect(identity.requests.slice(before)).toMatchObject([
      {
        where: "login.microsoftonline.com/tenant/oauth2/v2.0/token",
        values: { client_secret: CLIENT_SECRET },
      },
    ]);
    expect(await ask("azure/c")).toBe(200);
    expect(provider.requests.at(-1)?.headers["authorization"]).toBe(
      `Bearer ${identity.tokens.at(-1)}`,
    );
    expect(await ask("google/b")).toBe(200);
    expect(provider.requests.at(-1)?.headers["authorization"]).toBe(`Bearer ${google}`);
  });

  it("status reports why a token is missing, and how many requests had none", async () => {
    identity.failures.push(...Array.from({ length: 50 }, () => 401));
    writeFileSync(
      join(desk.directory, "gateway.yaml"),
      configuration(
        entry("azure/c", ENTRA),
        entry("azure/d", ENTRA.replace("client_id: client", "client_id: other")),
      ),
    );
    await run("reload");
    expect(await ask("azure/d")).toBe(503);
    await vi.waitFor(async () => {
      const found = (await credentials()).find(({ models }) => models.includes("azure/d"));
      expect(found).toMatchObject({ validUntil: null, rejected: 1 });
      expect(found?.lastError).toContain("AADSTS7000215");
    }, SECONDS);
    expect(await run("status")).toMatch(
      /azure\/d +- +.*AADSTS7000215.*; 1 request had no credential/,
    );
    identity.failures.length = 0;
  });

  it("no secret and no token is in a file, a log, a response, or on the screen", async () => {
    said.push(await run("render"), await run("logs", "--no-follow").catch(String));
    const state = join(desk.directory, "..", ".local/state/gateway");
    const files = filesIn(join(desk.directory, ".."));
    const socket = files.find((file) => file.endsWith("admin.sock"));
    for (const page of ["/config_dump", "/stats", "/clusters", "/server_info"]) {
      said.push((await callAdmin(socket ?? "", "GET", page)).body);
    }
    const secrets = [AWS.secretAccessKey, CLIENT_SECRET, ...identity.tokens];
    expect(identity.tokens.length).toBeGreaterThan(1);
    const tokenFiles = files.filter((file) => file.startsWith(state) && file.includes("/tokens/"));
    for (const file of tokenFiles) expect(statSync(file).mode & 0o777).toBe(0o600);
    const others = files.filter(
      (file) => !tokenFiles.includes(file) && !file.endsWith(".sock") && !file.endsWith("key.json"),
    );
    for (const text of [...said, ...others.map((file) => readFileSync(file, "latin1"))]) {
      for (const secret of secrets) expect(text.includes(secret)).toBe(false);
      expect(text).not.toContain(PRIVATE_KEY.split("\n")[3]);
    }
    expect(tokenFiles.length).toBeGreaterThan(2);
  });

  it("a stop removes the tokens", async () => {
    await run("down");
    const left = filesIn(join(desk.directory, "..")).filter((file) => file.includes("/tokens/"));
    expect(left).toEqual([]);
  });
});

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((one) => !one.isDirectory())
    .map((one) => join(one.parentPath, one.name));
}
