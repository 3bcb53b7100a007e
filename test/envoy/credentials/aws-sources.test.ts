// The sources of AWS credentials that change while Envoy runs: a profile's file, and the endpoint of a container.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Gateway } from "../../gateway/gateway.ts";
import { startGateway } from "../../gateway/gateway.ts";
import type { AwsKeys } from "../../providers/aws-signature.ts";
import { signatureFault } from "../../providers/aws-signature.ts";
import { ask } from "../ask.ts";
import type { Listening } from "../../providers/listen.ts";
import type { ScriptedProvider } from "../../providers/scripted-provider.ts";
import { listen } from "../../providers/listen.ts";
import { complete, startProvider } from "../../providers/scripted-provider.ts";

const SCOPE = { region: "eu-central-1", service: "bedrock" };
const CONTAINER: AwsKeys = {
  accessKeyId: "ASIACONTAINER",
  secretAccessKey: "secret-of-the-container",
  sessionToken: "session-of-the-container",
};

let aws: ScriptedProvider;
let endpoint: Listening;
let directory: string;
let gateway: Gateway;
/** The `authorization` headers that the endpoint of the container has got. */
const asked: (string | undefined)[] = [];

const keysOf = (version: number): AwsKeys => ({
  accessKeyId: `AKIDVERSION${version}`,
  secretAccessKey: `secret-of-version-${version}`,
});

/** Replaces the credentials file by renaming, with other profiles around the one that is used. */
function writeProfile(version: number): void {
  const { accessKeyId, secretAccessKey } = keysOf(version);
  const section = (name: string, id: string, secret: string): string =>
    `[${name}]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n\n`;
  const fresh = join(directory, "credentials.fresh");
  const text =
    section("default", "AKIDDEFAULT", "secret-of-the-default") +
    section("production", accessKeyId, secretAccessKey);
  writeFileSync(fresh, text, { mode: 0o600 });
  renameSync(fresh, join(directory, "credentials"));
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "gateway-aws-"));
  writeProfile(1);
  aws = await startProvider(complete);
  endpoint = await listen(
    createServer((incoming, outgoing) => {
      asked.push(incoming.headers.authorization);
      const { accessKeyId, secretAccessKey, sessionToken } = CONTAINER;
      outgoing.setHeader("content-type", "application/json").end(
        JSON.stringify({
          AccessKeyId: accessKeyId,
          SecretAccessKey: secretAccessKey,
          Token: sessionToken,
          Expiration: new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, ""),
        }),
      );
    }),
  );
  const entry = (name: string, credential: string): string => `
  - model: openai/${name}
    base_url: http://127.0.0.1:${aws.port}/v1
    credential: {type: aws, region: eu-central-1, ${credential}}`;
  const file = join(directory, "credentials");
  gateway = await startGateway({
    config: `
version: v0.1.0
llm_providers:${entry("profile", `credentials_file: ${file}, profile: production`)}${entry(
      "container",
      "source: container",
    )}
`,
    environment: {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${endpoint.port}/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "token-of-the-pod",
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([aws.stop(), endpoint.stop()]);
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(() => {
  aws.requests.length = 0;
});

it("the file of a profile is replaced under load, and no request fails", async () => {
  let isOver = false;
  const statuses = new Set<number>();
  const load = Array.from({ length: 2 }, async () => {
    while (!isOver) {
      const response = await ask(gateway, "chat", { model: "profile" });
      await response.text();
      statuses.add(response.status);
    }
  });
  for (let version = 2; version <= 20; version++) {
    writeProfile(version);
    const { accessKeyId } = keysOf(version);
    let request;
    while (request === undefined) {
      request = aws.requests.find(({ headers }) => headers.authorization?.includes(accessKeyId));
      await sleep(1);
    }
    expect(await signatureFault(request, keysOf(version), SCOPE)).toBeUndefined();
    aws.requests.length = 0;
  }
  isOver = true;
  await Promise.all(load);
  expect([...statuses]).toEqual([200]);
});

it("the endpoint of a container gives the credentials, and its session token is signed", async () => {
  while ((await ask(gateway, "chat", { model: "container" })).status !== 200) await sleep(10);
  const request = aws.requests.at(-1);
  if (request === undefined) throw new Error("no request");
  expect(await signatureFault(request, CONTAINER, SCOPE)).toBeUndefined();
  expect(asked).toContain("token-of-the-pod");
});
