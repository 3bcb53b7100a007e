// Access tokens by the real Envoy: requests while they are replaced, without one, and after an attempt elsewhere.
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { secretWith } from "../../../envoy/credential-filters.ts";
import { tokensOf } from "../../../model/cloud-credentials.ts";
import type { GatewayModel } from "../../../model/model.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { startGateway } from "../../gateway/gateway.ts";
import { ask, errorOf } from "../ask.ts";
import type { ScriptedProvider, Script } from "../../providers/scripted-provider.ts";
import { complete, startProvider } from "../../providers/scripted-provider.ts";

const ROTATIONS = 100;
const WORKERS = 2;

let cloud: ScriptedProvider;
let other: ScriptedProvider;
let gateway: Gateway;
let model: GatewayModel;
let behaveCloud: Script;

beforeAll(async () => {
  cloud = await startProvider((response, request) => behaveCloud(response, request));
  other = await startProvider(complete);
  const entry = (name: string, credential: string, more = "") => `
  - model: openai/${name}
    base_url: http://127.0.0.1:${cloud.port}/v1
    credential: ${credential}
${more}`;
  const google = "{type: google}";
  const fallback = "    fallbacks: [openai/plain]\n";
  const config = `
version: v0.1.0
llm_providers:${entry("google", google)}${entry("google-first", google, fallback)}${entry(
    "entra",
    "{type: entra_id, source: managed_identity}",
  )}
${entry("tokenless", "{type: entra_id, source: managed_identity, client_id: other}", fallback)}
  - model: openai/plain
    base_url: http://127.0.0.1:${other.port}/v1
    access_key: $OPENAI_API_KEY
  - model: openai/plain-first
    base_url: http://127.0.0.1:${other.port}/missing
    access_key: $OPENAI_API_KEY
    fallbacks: [openai/google]
`;
  gateway = await startGateway({
    config,
    environment: { OPENAI_API_KEY: "sk-other-provider" },
    concurrency: WORKERS,
    adapt: (loaded) => (model = loaded),
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([cloud.stop(), other.stop()]);
});
beforeEach(() => {
  behaveCloud = complete;
  cloud.requests.length = 0;
  other.requests.length = 0;
});

/** Gives Envoy a token, as the control plane does. */
function replaceToken(type: "google" | "entra_id", value: string): void {
  const token = tokensOf(model.targets).find(({ source }) => source.type === type);
  const { file, text } = secretWith(token?.secret ?? "", value, gateway.tokensDirectory);
  writeFileSync(`${file}.fresh`, text, { mode: 0o600 });
  renameSync(`${file}.fresh`, file);
}

const sent = (): (string | undefined)[] =>
  cloud.requests.map(({ headers }) => headers["authorization"]);

/** Waits until a request is sent with the token. */
async function arrives(model: string, token: string): Promise<void> {
  for (;;) {
    await (await ask(gateway, "chat", { model })).text();
    if (sent().at(-1) === `Bearer ${token}`) break;
    await sleep(5);
  }
  cloud.requests.length = 0;
}

it.each(["chat", "messages", "responses"] as const)(
  "a missing token gives a %s client 503 with the reason, and the provider nothing",
  async (dialect) => {
    for (const stream of [false, true]) {
      const response = await ask(gateway, dialect, { model: "entra", stream });
      expect(response.status).toBe(503);
      const { message } = await errorOf(response, dialect);
      expect(message).toContain("no valid credential for the provider of 'openai/entra'");
    }
    expect(cloud.requests).toEqual([]);
  },
);

it("a missing token is discovered once by each worker; the next requests use the fallback", async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 40; i++) {
    const response = await ask(gateway, "chat", { model: "tokenless" });
    await response.text();
    statuses.push(response.status);
  }
  const failed = statuses.filter((status) => status !== 200);
  expect(failed.every((status) => status === 503)).toBe(true);
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.length).toBeLessThanOrEqual(WORKERS);
  expect(cloud.requests).toEqual([]);
  expect(other.requests).toHaveLength(40 - failed.length);
});

describe("with a token", () => {
  beforeAll(async () => {
    behaveCloud = complete;
    replaceToken("google", "ya29.first");
    replaceToken("entra_id", "entra-first");
    await arrives("google", "ya29.first");
    await arrives("entra", "entra-first");
  });

  it("each provider gets that of its identity, in place of the client's key", async () => {
    const headers = { authorization: "Bearer the-clients-own", "x-api-key": "the-clients-own" };
    expect((await ask(gateway, "chat", { model: "google", headers })).status).toBe(200);
    expect((await ask(gateway, "messages", { model: "entra", headers })).status).toBe(200);
    expect(sent()).toEqual(["Bearer ya29.first", "Bearer entra-first"]);
    expect(JSON.stringify(cloud.requests)).not.toContain("the-clients-own");
  });

  it("a fallback of another provider gets its own key", async () => {
    behaveCloud = (response) => {
      response.writeHead(503).end();
    };
    expect((await ask(gateway, "chat", { model: "google-first" })).status).toBe(200);
    expect(sent()).toEqual(["Bearer ya29.first"]);
    expect(other.requests.map(({ headers }) => headers["authorization"])).toEqual([
      "Bearer sk-other-provider",
    ]);
  });

  it(`no request fails while it is replaced ${ROTATIONS} times`, async () => {
    let isOver = false;
    const statuses = new Map<number, number>();
    const load = Array.from({ length: 4 }, async (_, index) => {
      const names = ["google", "google-first"];
      while (!isOver) {
        const response = await ask(gateway, "chat", { model: names[index % 2] ?? "" });
        await response.text();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      }
    });
    for (let rotation = 1; rotation <= ROTATIONS; rotation++) {
      const token = `ya29.rotation-${rotation}`;
      replaceToken("google", token);
      const arrived = `Bearer ${token}`;
      while (!sent().includes(arrived)) await sleep(1);
      cloud.requests.length = 0;
    }
    isOver = true;
    await Promise.all(load);
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThanOrEqual(ROTATIONS);
  });

  it("a token is in no page of Envoy's administration, and in no rendered file", async () => {
    replaceToken("google", "ya29.secret-of-the-test");
    await arrives("google", "ya29.secret-of-the-test");
    const pages = ["/config_dump", "/config_dump?include_eds", "/stats", "/clusters"];
    const shown = await Promise.all(pages.map((page) => gateway.admin(page)));
    expect(shown[0]).toContain("generic_secret");
    expect(shown.join("\n") + readFileSync(gateway.envoyFile, "utf8")).not.toContain(
      "ya29.secret-of-the-test",
    );
    expect(gateway.envoyLog()).not.toContain("ya29");
  });
});

it("the files of tokens are for their user only", () => {
  for (const name of readdirSync(gateway.tokensDirectory)) {
    if (name.startsWith("google"))
      expect(statSync(join(gateway.tokensDirectory, name)).mode & 0o777).toBe(0o600);
  }
});
