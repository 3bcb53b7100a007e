// A response that a provider has compressed twice, of which Envoy's decompressors decode one encoding or none.
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway } from "../../gateway/gateway.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { ask } from "../ask.ts";
import { startProvider } from "../../providers/scripted-provider.ts";
import type { ScriptedProvider } from "../../providers/scripted-provider.ts";

let provider: ScriptedProvider;
let gateway: Gateway;

beforeAll(async () => {
  provider = await startProvider((response, { body }) => {
    const status = Number(/status (\d+)/.exec(body)?.[1]);
    const headers = { "content-type": "application/json", "content-encoding": "gzip, br" };
    response.writeHead(status, headers);
    response.end(brotliCompressSync(gzipSync('{"error":{"message":"no"}}')));
  });
  const config = `
llm_providers:
  - model: openai/m
    base_url: "http://127.0.0.1:${provider.port}/v1"
    access_key: $KEY
    decompress_responses: true
`;
  gateway = await startGateway({ config, environment: { KEY: "provider-key" } });
});
afterAll(() => Promise.all([gateway.stop(), provider.stop()]));

it.each([
  [200, 502],
  [400, 400],
  [500, 500],
])("a response of several encodings with status %i becomes an error %i", async (sent, status) => {
  const signal = AbortSignal.timeout(4000);
  const response = await ask(gateway, "chat", { model: "m", text: `status ${sent}`, signal });
  expect(response.status).toBe(status);
  expect(await response.text()).toContain("compressed");
});
