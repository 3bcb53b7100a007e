// examples/kubernetes-service-accounts with tokens as the API server of a cluster issues them: who a pod is, and what it may use.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { pushAllKeys } from "../../control-plane/keys/push-keys.ts";
import { type Gateway, startGateway } from "../gateway/gateway.ts";
import { signingKey, startIssuer, type TestIssuer, tokenOf } from "../gateway/token-issuer.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { ask, errorOf } from "./ask.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/kubernetes-service-accounts");
const ISSUER = "https://kubernetes.default.svc.cluster.local";
const KEY = signingKey("9yZ0Vb6mHqk1c3uQ7l2XJf5s8wTgR4eN-aD_pKxMoEi", "RS256");
const SOON = { timeout: 60_000, interval: 100 };

interface Example {
  listeners: { egress: { address: string; jwt: { issuer: string; jwks_uri: string } } };
  groups: { research: { budget?: object } };
  llm_providers: { base_url?: string }[];
}

let apiServer: TestIssuer;
let provider: FakeProvider;
let gateway: Gateway;

/** Returns a projected token (TokenRequest API): the same members as a cluster's. */
function podToken(namespace: string, name: string, audience = "llm-gateway"): string {
  const now = Math.floor(Date.now() / 1000);
  return tokenOf(KEY, {
    aud: [audience],
    exp: now + 3607,
    iat: now,
    iss: ISSUER,
    jti: randomUUID(),
    "kubernetes.io": {
      namespace,
      node: { name: "node-1", uid: randomUUID() },
      pod: { name: `${name}-5d8f`, uid: randomUUID() },
      serviceaccount: { name, uid: randomUUID() },
      warnafter: now + 3600,
    },
    nbf: now,
    sub: `system:serviceaccount:${namespace}:${name}`,
  });
}

beforeAll(async () => {
  apiServer = await startIssuer(ISSUER, [KEY]);
  provider = await startOpenaiProvider({ key: "sk-provider" });
  const example = parse(readFileSync(join(EXAMPLE, "gateway.yaml"), "utf8")) as Example;
  expect(example.listeners.egress.jwt.issuer).toBe(ISSUER);
  example.listeners.egress.address = "127.0.0.1";
  example.listeners.egress.jwt.jwks_uri = apiServer.keySetUrl;
  // Its limit is the control plane's to set, which does not run here.
  delete example.groups.research.budget;
  for (const one of example.llm_providers) one.base_url = `${provider.url}/v1`;
  gateway = await startGateway({
    config: `observability: {metrics: {address: 127.0.0.1}}\n${stringify(example)}`,
    environment: { OPENAI_API_KEY: "sk-provider" },
  });
  const groups = { research: { models: ["openai/*"] } };
  await pushAllKeys(gateway.budgetsSocketPath, { keys: {}, groups, users: {} });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([apiServer.stop(), provider.stop()]);
});

const chat = (token: string) =>
  ask(gateway, "chat", { model: "openai/gpt-4o", headers: { authorization: `Bearer ${token}` } });

it("a pod of a namespace with a group uses its models, under the name of its service account", async () => {
  const token = podToken("research", "summarizer");
  await expect.poll(async () => (await chat(token)).status, SOON).toBe(200);
  await expect
    .poll(() => readFileSync(gateway.logFile("usage"), "utf8"), SOON)
    .toContain(
      '"key":"jwt:system:serviceaccount:research:summarizer","group":"research","user":"system:serviceaccount:research:summarizer"',
    );
  expect(JSON.stringify(provider.requests.map(({ headers }) => headers))).not.toContain("eyJ");
});

it("a pod of another namespace may use no model", async () => {
  const response = await chat(podToken("default", "summarizer"));
  expect(response.status).toBe(403);
});

it("a pod's usual token, which is for the API server, is rejected", async () => {
  const response = await chat(podToken("research", "summarizer", ISSUER));
  expect(response.status).toBe(403);
  expect((await errorOf(response, "chat")).message).toContain("audience");
});
