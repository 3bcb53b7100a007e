// A request that Envoy sends again by itself, because the provider has refused it before reading it: its credential is attached twice.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, createSecureServer } from "node:http2";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createAuthority } from "../../gateway/certificates.ts";
import { startGateway } from "../../gateway/gateway.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { signatureFault } from "../../providers/aws-signature.ts";
import { ask } from "../ask.ts";
import { listen } from "../../providers/listen.ts";
import type { Listening } from "../../providers/listen.ts";
import { responseParts } from "../../providers/wire.ts";

const KEYS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "token" };
const REGION = "eu-central-1";

let directory: string;
let provider: Listening;
let gateway: Gateway;
const arrived: { headers: IncomingHttpHeaders; body: string }[] = [];

async function refuseFirst(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of stream as AsyncIterable<Buffer>) parts.push(part);
  arrived.push({ headers, body: Buffer.concat(parts).toString() });
  if (arrived.length === 1) {
    stream.on("error", () => undefined);
    stream.close(constants.NGHTTP2_REFUSED_STREAM);
    return;
  }
  const response = responseParts("chat", "complete");
  stream.respond({ ":status": response.status, "content-type": response.type });
  stream.end(response.parts.join(""));
}

beforeAll(async () => {
  const authority = createAuthority();
  directory = mkdtempSync(join(tmpdir(), "gateway-ca-"));
  const caFile = join(directory, "ca.pem");
  writeFileSync(caFile, authority.cert);
  const server = createSecureServer(authority.issue("127.0.0.1"));
  server.on("stream", (stream, headers) => {
    refuseFirst(stream, headers).catch(() => undefined);
  });
  provider = await listen(server);
  gateway = await startGateway({
    config: `
llm_providers:
  - model: openai/signed
    base_url: https://127.0.0.1:${provider.port}/v1
    credential: {type: aws, region: ${REGION}}
`,
    environment: {
      AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
      AWS_SESSION_TOKEN: KEYS.sessionToken,
    },
    caFile,
  });
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
  rmSync(directory, { recursive: true, force: true });
});

it("a resent request has one signature", async () => {
  expect((await ask(gateway, "chat", { model: "signed" })).status).toBe(200);
  expect(arrived).toHaveLength(2);
  for (const { headers, body } of arrived) {
    const { ":path": path = "", ":authority": host = "", ...others } = headers;
    const request = { path, headers: { ...others, host }, body };
    expect(await signatureFault(request, KEYS, { region: REGION, service: "bedrock" })).toBe(
      undefined,
    );
  }
});
