// An attempt whose exchange the VM does not know: the VM trapped and was replaced between two attempts of a request.
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import { compileFilter, FilterHost } from "../../control-plane/wasm-host/filter-host.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const CONFIGURATION = `version: v0.1.0
listeners:
  egress: {address: 127.0.0.1, port: 12000}
llm_providers:
  - {model: openai/a, base_url: "http://127.0.0.1:1/v1", access_key: $KEY, fallbacks: [openai/b]}
  - {model: openai/b, base_url: "http://127.0.0.1:1/v1", access_key: $KEY}
`;

it("an attempt of an unknown exchange is not sent, because it may have another provider's credential", async () => {
  const environment = { KEY: "key-of-the-provider" };
  const loaded = loadConfiguration({ file: "gateway.yaml", text: CONFIGURATION }, environment);
  if (!loaded.ok) throw new Error("the configuration is not valid");
  const document = filterConfig(loaded.model);
  const host = await FilterHost.load(await compileFilter(FILTER), {
    filterConfig: document,
    environment,
  });
  const result = host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path: "/v1/chat/completions",
      headers: [["authorization", "Bearer client"]],
      body: Buffer.from('{"model":"openai/a","messages":[]}'),
    },
    // What the upstream filter reads instead of the id that the listener's filter has written.
    properties: { "wasm.gateway_exchange": "123456" },
    upstream: () => ({ status: 200, headers: [], chunks: [] }),
  });
  expect(result.sent).toEqual([]);
  expect(result.response.status).toBe(500);
});
