// Tokens of clients, verified by the real Envoy with two workers: who the client is, what is rejected, keys of the issuer.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { type Gateway, startGateway } from "../gateway/gateway.ts";
import {
  confusedToken,
  signingKey,
  startIssuer,
  type TestIssuer,
  tokenOf,
  unsignedToken,
} from "../gateway/token-issuer.ts";
import { ask, errorOf } from "./ask.ts";

const RSA = signingKey("rsa", "RS256");
const EC = signingKey("ec", "ES256");
const NEW_KEY = signingKey("new", "RS256");
const SECOND = "https://second.test";
const TEAM_KEY = "team-key-0123456789abcdef";

let issuer: TestIssuer;
let provider: FakeProvider;
let gateway: Gateway;

const now = () => Math.floor(Date.now() / 1000);
const claims = (more: object = {}) => ({
  iss: issuer.issuer,
  aud: "llm",
  sub: "service-a",
  exp: now() + 3600,
  ...more,
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

beforeAll(async () => {
  issuer = await startIssuer("https://issuer.test", [RSA, EC]);
  provider = await startOpenaiProvider({ key: "sk-provider" });
  gateway = await startGateway({
    config: `
observability: {metrics: {address: 127.0.0.1}}
listeners:
  egress:
    api_keys: [$TEAM_KEY]
    jwt:
      - issuer: ${issuer.issuer}
        audiences: [llm]
        jwks_uri: ${issuer.keySetUrl}
        claims: {user: email, groups: [access, groups], models: models}
      - issuer: ${SECOND}
        audiences: [llm]
        jwks_uri: ${issuer.keySetUrl}
llm_providers:
  - {model: openai/gpt-4o, base_url: "${provider.url}/v1", access_key: $OPENAI_API_KEY}
`,
    environment: { TEAM_KEY, OPENAI_API_KEY: "sk-provider" },
    adaptBootstrap(bootstrap) {
      // In place of 30 s.
      const text = JSON.stringify(bootstrap).replaceAll(
        '"cache_duration":"30s"',
        '"cache_duration":"1s"',
      );
      Object.assign(bootstrap, JSON.parse(text));
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([issuer.stop(), provider.stop()]);
});

const chat = (headers: Record<string, string>) =>
  ask(gateway, "chat", { model: "openai/gpt-4o", headers });
const user = { email: "a@example.com" };

describe("a valid token", () => {
  it.each([
    ["RS256 as Bearer", () => bearer(tokenOf(RSA, claims(user)))],
    ["ES256 as Bearer", () => bearer(tokenOf(EC, claims(user)))],
    [
      "RS256 as bearer",
      () => ({ authorization: `bearer ${tokenOf(RSA, claims({ ...user, jti: "lower" }))}` }),
    ],
    ["RS256 as x-api-key", () => ({ "x-api-key": tokenOf(RSA, claims(user)) })],
    ["an API key beside it", () => bearer(TEAM_KEY)],
  ])("%s is accepted", async (_name, headers) => {
    await expect.poll(async () => (await chat(headers())).status, { timeout: 60_000 }).toBe(200);
    expect(provider.violations()).toEqual([]);
    expect(JSON.stringify(provider.requests.map((one) => one.headers))).not.toContain("eyJ");
  });

  it("the usage record has name, user and groups of the claims", async () => {
    const more = { ...user, sub: "recorded", access: { groups: ["research", "eu"] } };
    expect((await chat(bearer(tokenOf(RSA, claims(more))))).status).toBe(200);
    await expect
      .poll(() => readFileSync(gateway.logFile("usage"), "utf8"), { timeout: 60_000 })
      .toMatch(/"key":"jwt:recorded","group":"research,eu","user":"a@example\.com"/);
  });

  it("models of the claim are the only ones", async () => {
    const allowed = tokenOf(RSA, claims({ ...user, models: ["openai/*"] }));
    expect((await chat(bearer(allowed))).status).toBe(200);
    const other = tokenOf(RSA, claims({ ...user, models: ["anthropic/*"] }));
    expect((await chat(bearer(other))).status).toBe(403);
    const none = tokenOf(RSA, claims({ ...user, models: [], access: { groups: [] } }));
    const error = await errorOf(await chat(bearer(none)), "chat");
    expect(error.message).toMatch(/may not be used/);
  });
});

describe("a token beside something else", () => {
  const forged = Buffer.from(JSON.stringify({ sub: "forged", email: "forged@example.com" }));
  const headers = {
    "x-gateway-payload-0-token": forged.toString("base64url"),
    "x-gateway-payload-1-token": forged.toString("base64url"),
  };
  const record = () => readFileSync(gateway.logFile("usage"), "utf8");

  it("a payload that the client writes is never read", async () => {
    const forgers: [Record<string, string>, number][] = [
      [{}, 401],
      [bearer("sk-wrong"), 401],
      [bearer(TEAM_KEY), 200],
      [bearer(tokenOf(RSA, claims({ ...user, exp: now() - 3600 }))), 401],
      [bearer(tokenOf(RSA, claims({ ...user, sub: "first-issuer" }))), 200],
      [bearer(tokenOf(RSA, claims({ iss: SECOND, sub: "second-issuer" }))), 200],
      [{ "x-api-key": tokenOf(RSA, claims({ iss: SECOND, sub: "in-x-api-key" })) }, 200],
    ];
    for (const [credential, status] of forgers)
      expect((await chat({ ...headers, ...credential })).status).toBe(status);
    for (const name of ["first-issuer", "second-issuer", "in-x-api-key"])
      await expect.poll(record, { timeout: 60_000 }).toContain(`"key":"jwt:${name}"`);
    expect(record()).not.toContain("forged");
    expect(JSON.stringify(provider.requests.map((one) => one.headers))).not.toMatch(/payload|eyJ/);
  });

  it.each<[string, string | undefined, string | undefined]>([
    ["x-api-key, and a key of a provider in authorization", "token", "sk-other"],
    ["x-api-key, and a foreign token in authorization", "token", "foreign"],
    ["x-api-key, and an expired one in authorization", "token", "expired"],
    ["both headers", "token", "token"],
  ])("a valid token in %s is accepted, and sent nowhere", async (name, apiKey, authorization) => {
    const values: Record<string, string> = {
      token: tokenOf(RSA, claims({ ...user, sub: "beside", jti: name })),
      foreign: tokenOf(RSA, claims({ ...user, iss: "https://foreign.test" })),
      expired: tokenOf(RSA, claims({ ...user, exp: now() - 3600 })),
    };
    const value = (key = "") => values[key] ?? key;
    const response = await chat({
      "x-api-key": value(apiKey),
      ...bearer(value(authorization)),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
    await expect.poll(record, { timeout: 60_000 }).toContain('"key":"jwt:beside"');
    expect(JSON.stringify(provider.requests.map((one) => one.headers))).not.toContain("eyJ");
  });
});

describe("a rejected token", () => {
  it.each<[string, number, RegExp, () => string]>([
    ["expired", 401, /has expired/, () => tokenOf(RSA, claims({ ...user, exp: now() - 3600 }))],
    [
      "not valid yet",
      401,
      /not valid yet/,
      () => tokenOf(RSA, claims({ ...user, nbf: now() + 600 })),
    ],
    ["without exp", 401, /token|expir/i, () => tokenOf(RSA, claims({ ...user, exp: undefined }))],
    ["for another audience", 403, /audience/, () => tokenOf(RSA, claims({ ...user, aud: "x" }))],
    ["of another issuer", 401, /token|API key/i, () => tokenOf(RSA, claims({ ...user, iss: "x" }))],
    ["with an unknown kid", 401, /kid/, () => tokenOf(signingKey("?", "RS256"), claims(user))],
    [
      "with another key of the same kid",
      401,
      /signature/,
      () => tokenOf(signingKey("rsa", "RS256"), claims(user)),
    ],
    ["without a signature", 401, /token|API key/i, () => unsignedToken(claims(user))],
    ["with HS256 and the public key", 401, /token|kid/i, () => confusedToken(RSA, claims(user))],
    ["without the claim of the user", 403, /claim 'email'/, () => tokenOf(RSA, claims())],
    [
      "with a long name",
      403,
      /claim 'sub'/,
      () => tokenOf(RSA, claims({ ...user, sub: "x".repeat(201) })),
    ],
    [
      "with a control character",
      403,
      /claim 'sub'/,
      () => tokenOf(RSA, claims({ ...user, sub: "a\u0001b" })),
    ],
    [
      "with 33 groups",
      403,
      /access\.groups/,
      () =>
        tokenOf(
          RSA,
          claims({
            ...user,
            access: { groups: Array.from({ length: 33 }, (_, at) => `g${String(at)}`) },
          }),
        ),
    ],
    ...[null, "", 1, 0, false, { a: "b" }, ["a", null], [""], ["a", "", "b"], [["a"]]].flatMap<
      [string, number, RegExp, () => string]
    >((value) => [
      [
        `with ${JSON.stringify(value)} as groups`,
        403,
        /access\.groups/,
        () => tokenOf(RSA, claims({ ...user, access: { groups: value } })),
      ],
      [
        `with ${JSON.stringify(value)} as models`,
        403,
        /claim 'models'/,
        () => tokenOf(RSA, claims({ ...user, models: value })),
      ],
    ]),
  ])("a token %s is %i", async (_name, status, message, token) => {
    const response = await chat(bearer(token()));
    const error = await errorOf(response, "chat");
    expect(error.message).toMatch(message);
    expect(response.status).toBe(status);
  });

  it("a token of 64 KiB is rejected, and the gateway goes on", async () => {
    const token = tokenOf(RSA, claims({ ...user, filler: "x".repeat(65_536) }));
    expect(
      (await chat(bearer(token)).catch(() => undefined))?.status ?? 431,
    ).toBeGreaterThanOrEqual(200);
    expect((await chat(bearer(TEAM_KEY))).status).toBe(200);
  });

  it.each<[string, Record<string, string>, string]>([
    ["no key", {}, "Missing API key."],
    ["another key", { "x-api-key": "sk-wrong" }, "Invalid API key."],
    ["another key as Bearer", bearer("sk-wrong"), "Invalid API key."],
  ])("a request with %s and no token gets the error of keys", async (_name, headers, message) => {
    const response = await chat(headers);
    expect(response.status).toBe(401);
    expect((await errorOf(response, "chat")).message).toContain(message);
  });

  it("a messages client gets the error in its own form", async () => {
    const headers = { "x-api-key": tokenOf(RSA, claims({ ...user, exp: now() - 3600 })) };
    const response = await ask(gateway, "messages", { model: "openai/gpt-4o", headers });
    expect(response.status).toBe(401);
    expect((await errorOf(response, "messages")).type).toBe("authentication_error");
  });
});

describe("keys of the issuer", () => {
  it("an outage keeps the last ones, and a new one is accepted without a restart", async () => {
    issuer.isDown = true;
    const before = issuer.fetches;
    await expect.poll(() => issuer.fetches, { timeout: 60_000 }).toBeGreaterThan(before + 2);
    expect((await chat(bearer(tokenOf(RSA, claims({ ...user, jti: "outage" }))))).status).toBe(200);
    issuer.isDown = false;
    issuer.published = [NEW_KEY];
    await expect
      .poll(async () => (await chat(bearer(tokenOf(NEW_KEY, claims(user))))).status, {
        timeout: 60_000,
      })
      .toBe(200);
  });
});
