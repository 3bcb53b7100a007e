// Tokens by the vendors' libraries, from fakes of the identity providers at the providers' own names.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { minter } from "../../../../control-plane/credentials/mint.ts";
import { checkIdentities } from "../../../../control-plane/doctor/identities.ts";
import { tokenOf } from "../../../../model/cloud-credentials.ts";
import type { EntraSource, TokenSource } from "../../../../model/cloud-credentials.ts";
import { createAuthority } from "../../../gateway/certificates.ts";
import type { IdentityProviders } from "../../../providers/identity.ts";
import { claimsOf, startIdentityProviders } from "../../../providers/identity.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const HOUR = 3_600_000;

let directory: string;
let providers: IdentityProviders;
let trusted: string[];
const rsa = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

beforeAll(async () => {
  const authority = createAuthority();
  trusted = getCACertificates();
  setDefaultCACertificates([...trusted, authority.cert]);
  directory = mkdtempSync(join(tmpdir(), "gateway-credentials-"));
  providers = await startIdentityProviders(authority);
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await providers.stop();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(() => {
  providers.requests.length = 0;
  vi.stubEnv("HTTPS_PROXY", providers.proxyUrl);
  vi.stubEnv("NO_PROXY", "127.0.0.1");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function file(name: string, content: object | string): string {
  const path = join(directory, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** Requests a token, and checks that it is the one that was given out last, for an hour. */
async function mint(source: TokenSource, environment = {}): Promise<void> {
  const { token, expiresAt } = await minter(source, environment)();
  expect(token).toBe(providers.tokens.at(-1));
  expect(Math.abs(expiresAt - Date.now() - HOUR)).toBeLessThan(60_000);
}

const serviceAccount = () => ({
  type: "service_account",
  client_email: "gateway@test.iam.gserviceaccount.com",
  private_key: rsa.privateKey,
  private_key_id: "key-1",
});

describe("IBM Cloud", () => {
  const source: TokenSource = { type: "ibm_iam", secretVariable: "WATSONX_APIKEY" };

  it("IBM Cloud exchanges an API key", async () => {
    await mint(source, { WATSONX_APIKEY: "key&=+ x" });
    expect(providers.requests).toMatchObject([
      {
        where: "iam.cloud.ibm.com/identity/token",
        values: { grant_type: "urn:ibm:params:oauth:grant-type:apikey", apikey: "key&=+ x" },
      },
    ]);
  });

  it("IBM Cloud rejects with the status if the key is refused", async () => {
    providers.failures.push(400);
    await expect(minter(source, { WATSONX_APIKEY: "wrong" })()).rejects.toThrow(
      "IBM Cloud IAM responded with 400",
    );
  });
});

describe("Google Cloud", () => {
  it("exchanges a signed JWT of a service account's key", async () => {
    await mint({ type: "google", file: file("key.json", serviceAccount()) });
    const [{ where, values } = { where: "", values: {} }] = providers.requests;
    expect(where).toBe("oauth2.googleapis.com/token");
    const { grant_type: grant, assertion } = values as Record<string, string>;
    expect(grant).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const { iat, exp, ...claims } = claimsOf(assertion ?? "", rsa.publicKey);
    expect(Number(exp) - Number(iat)).toBe(3600);
    expect(claims).toMatchObject({
      alg: "RS256",
      iss: "gateway@test.iam.gserviceaccount.com",
      aud: "https://oauth2.googleapis.com/token",
      scope: SCOPE,
    });
  });

  it("Google Cloud exchanges the refresh token of a user", async () => {
    const user = { client_id: "id", client_secret: "secret", refresh_token: "refresh" };
    await mint({ type: "google", file: file("user.json", { type: "authorized_user", ...user }) });
    expect(providers.requests).toMatchObject([
      {
        where: "oauth2.googleapis.com/token",
        values: { grant_type: "refresh_token", refresh_token: "refresh" },
      },
    ]);
  });

  it("Google Cloud exchanges the token of another identity provider (workload identity federation)", async () => {
    const subject = file("subject.txt", "subject-token");
    const account = "projects/-/serviceAccounts/gateway@test.iam.gserviceaccount.com";
    const federation = file("federation.json", {
      type: "external_account",
      audience:
        "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: "https://sts.googleapis.com/v1/token",
      service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/${account}:generateAccessToken`,
      credential_source: { file: subject },
    });
    await mint({ type: "google", file: federation });
    expect(providers.requests.map(({ where }) => where)).toEqual([
      "sts.googleapis.com/v1/token",
      `iamcredentials.googleapis.com/v1/${account}:generateAccessToken`,
    ]);
    expect(providers.requests[0]?.values).toMatchObject({ subject_token: "subject-token" });
    expect(providers.requests[1]?.values).toMatchObject({ scope: [SCOPE] });
  });

  it("Google Cloud's token is requested from the metadata server of the machine", async () => {
    vi.stubEnv("GCE_METADATA_HOST", providers.metadata);
    await mint({ type: "google" });
    expect(providers.requests).toMatchObject([
      {
        where: `${providers.metadata}/computeMetadata/v1/instance/service-accounts/default/token`,
        headers: { "metadata-flavor": "Google" },
        values: { scopes: SCOPE },
      },
    ]);
  });

  it("Google Cloud's token impersonates a service account", async () => {
    const account = "other@test.iam.gserviceaccount.com";
    await mint({
      type: "google",
      file: file("key.json", serviceAccount()),
      impersonatedAccount: account,
    });
    expect(providers.requests.map(({ where }) => where)).toEqual([
      "oauth2.googleapis.com/token",
      `iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${account}:generateAccessToken`,
    ]);
  });

  it("each request for a token reaches the identity provider", async () => {
    const request = minter({ type: "google", file: file("key.json", serviceAccount()) }, {});
    const tokens = [await request(), await request()].map(({ token }) => token);
    expect(new Set(tokens).size).toBe(2);
  });

  it("a failure has the identity provider's reason", async () => {
    providers.failures.push(400);
    const request = minter({ type: "google", file: file("key.json", serviceAccount()) }, {});
    await expect(request()).rejects.toThrow("invalid_client");
  });
});

describe("Entra ID", () => {
  const entra = (more: Partial<EntraSource>): EntraSource => ({
    type: "entra_id",
    scope: "https://ai.azure.com/.default",
    from: "client_secret",
    tenantId: "tenant",
    clientId: "client",
    ...more,
  });

  it("Entra ID gets the secret of an application, and the scope of the provider", async () => {
    await mint(entra({ secretVariable: "SECRET" }), { SECRET: "s3&=+ x" });
    expect(providers.requests).toMatchObject([
      {
        where: "login.microsoftonline.com/tenant/oauth2/v2.0/token",
        values: {
          grant_type: "client_credentials",
          client_id: "client",
          client_secret: "s3&=+ x",
          scope: "https://ai.azure.com/.default",
        },
      },
    ]);
  });

  it("Entra ID gets the token of a workload identity, read again for each request", async () => {
    const source = entra({ from: "workload_identity", tokenFile: file("assertion", "first") });
    await mint(source);
    file("assertion", "second");
    await mint(source);
    expect(providers.requests.map(({ values }) => values["client_assertion"])).toEqual([
      "first",
      "second",
    ]);
    expect(providers.requests[0]?.values).toMatchObject({
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    });
  });

  it("Entra ID's token is requested from the endpoint of a managed identity", async () => {
    vi.stubEnv("IDENTITY_ENDPOINT", `http://${providers.metadata}/msi/token`);
    vi.stubEnv("IDENTITY_HEADER", "header-of-the-test");
    const { tenantId: _, clientId: __, ...source } = entra({ from: "managed_identity" });
    await mint(source);
    expect(providers.requests).toMatchObject([
      {
        where: `${providers.metadata}/msi/token`,
        headers: { "x-identity-header": "header-of-the-test" },
        values: { resource: "https://ai.azure.com" },
      },
    ]);
  });

  it("each request for a token reaches the identity provider", async () => {
    const request = minter(entra({ secretVariable: "SECRET" }), { SECRET: "x" });
    const tokens = [await request(), await request()].map(({ token }) => token);
    expect(new Set(tokens).size).toBe(2);
  });

  it("a failure has the identity provider's reason", async () => {
    providers.failures.push(401);
    const request = minter(entra({ secretVariable: "SECRET" }), { SECRET: "x" });
    await expect(request()).rejects.toThrow("AADSTS7000215");
  });
});

describe("gateway doctor --online", () => {
  it("gateway doctor --online requests each token once, and reports why there is none", async () => {
    const google: TokenSource = { type: "google", file: file("key.json", serviceAccount()) };
    const broken: TokenSource = { type: "google", file: file("broken.json", {}) };
    const targets = [google, google, broken].map((source) => ({
      auth: { kind: "none", token: tokenOf(source) },
    }));
    const found = await checkIdentities({ targets }, {});
    expect(providers.requests).toHaveLength(1);
    expect(found.map(({ check, level }) => [check, level])).toEqual([
      ["keys", "ok"],
      ["keys", "problem"],
    ]);
    expect(found[0]?.message).toMatch(/^Google credentials in \S+key\.json: a token until 20\d\d-/);
    expect(found[1]?.message).toMatch(/broken\.json: no access token \(/);
    expect(JSON.stringify(found)).not.toContain(providers.tokens.at(-1));
  });
});
