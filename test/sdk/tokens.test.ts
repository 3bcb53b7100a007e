// The official Node SDKs with a token (JWT) of an issuer in place of an API key, whole and streamed, and what they make of one that is
// rejected.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { signingKey, startIssuer, type TestIssuer, tokenOf } from "../gateway/token-issuer.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";

const RSA = signingKey("rsa", "RS256");
const messages = [{ role: "user" as const, content: "hi" }];

let all: WithFakes;
let issuer: TestIssuer;

const token = (more: object = {}) => {
  const now = Math.floor(Date.now() / 1000);
  return tokenOf(RSA, { iss: issuer.issuer, aud: "llm", sub: "service", exp: now + 3600, ...more });
};
const openai = (apiKey: string) =>
  new OpenAI({ baseURL: `${all.gateway.url}/v1`, apiKey, maxRetries: 5 });
const anthropic = (credential: { apiKey: string } | { authToken: string }) =>
  new Anthropic({ baseURL: all.gateway.url, apiKey: null, ...credential, maxRetries: 5 });

beforeAll(async () => {
  issuer = await startIssuer("https://issuer.test", [RSA]);
  all = await startWithFakes({
    config: `
listeners:
  egress:
    jwt:
      issuer: ${issuer.issuer}
      audiences: [llm]
      jwks_uri: ${issuer.keySetUrl}
`,
    environment: {},
  });
});
afterAll(async () => {
  await all.stop();
  await issuer.stop();
});

it("openai: a token is its key", async () => {
  const client = openai(token());
  const whole = await client.chat.completions.create({ model: "fast", messages });
  expect(whole.choices[0]?.message.content).toBe("You said: hi");
  let text = "";
  const stream = await client.chat.completions.create({ model: "fast", messages, stream: true });
  for await (const part of stream) text += part.choices[0]?.delta.content ?? "";
  expect(text).toBe("You said: hi");
  expect((await client.models.list()).data.length).toBeGreaterThan(0);
});

it.each(["apiKey", "authToken"] as const)("anthropic: a token is its %s", async (member) => {
  const client = anthropic({ [member]: token() } as { apiKey: string });
  const request = { model: "careful", max_tokens: 100, messages };
  expect((await client.messages.create(request)).content).toMatchObject([{ text: "You said: hi" }]);
  const streamed = await client.messages.stream(request).finalMessage();
  expect(streamed.content).toMatchObject([{ text: "You said: hi" }]);
});

it("a token that has expired is an AuthenticationError of both, and one for another audience a PermissionDeniedError", async () => {
  const asked = (of: string) => [
    openai(of)
      .chat.completions.create({ model: "fast", messages })
      .catch((reason: unknown) => reason),
    anthropic({ authToken: of })
      .messages.create({ model: "careful", max_tokens: 100, messages })
      .catch((reason: unknown) => reason),
  ];
  const expired = await Promise.all(asked(token({ exp: 1_000_000_000 })));
  expect(expired[0]).toBeInstanceOf(OpenAI.AuthenticationError);
  expect(expired[1]).toBeInstanceOf(Anthropic.AuthenticationError);
  for (const error of expired) expect((error as Error).message).toContain("has expired");
  const foreign = await Promise.all(asked(token({ aud: "another" })));
  expect(foreign[0]).toBeInstanceOf(OpenAI.PermissionDeniedError);
  expect(foreign[1]).toBeInstanceOf(Anthropic.PermissionDeniedError);
});
