// Trailers of a request, which only clients over HTTP/2 can send: no API of a model has any, and the gateway rejects them.
import { connect } from "node:http2";
import type { OutgoingHttpHeaders } from "node:http2";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { complete, startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider } from "../providers/scripted-provider.ts";

let provider: ScriptedProvider;
let gateway: Gateway;

beforeAll(async () => {
  provider = await startProvider(complete);
  const at = `base_url: "http://127.0.0.1:${provider.port}/v1", access_key: $KEY`;
  const config = `
llm_providers:
  - {model: openai/alone, ${at}}
  - {model: openai/safe, ${at}, fallbacks: [openai/alone]}
`;
  gateway = await startGateway({ config, environment: { KEY: "provider-key" } });
});
afterAll(() => Promise.all([gateway.stop(), provider.stop()]));
beforeEach(() => {
  provider.requests.length = 0;
});

/** Sends a request that trailers end. Returns the status and the body of the response. */
function send(path: string, headers: OutgoingHttpHeaders, body: string): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const session = connect(gateway.url);
    session.on("error", reject);
    const request = session.request(
      { ":method": "POST", ":path": path, "content-type": "application/json", ...headers },
      { waitForTrailers: true },
    );
    let status = 0;
    let text = "";
    request.on("wantTrailers", () => {
      request.sendTrailers({ authorization: "Bearer foreign", "x-gateway-cluster": "foreign" });
    });
    request.on("response", (head) => (status = Number(head[":status"])));
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      session.close();
      resolve([status, text]);
    });
    request.on("error", reject);
    request.end(body);
  });
}

const CHAT = (model: string) =>
  JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] });

it.each(["alone", "safe"])("a request for '%s' is rejected with the reason", async (model) => {
  const [status, body] = await send("/v1/chat/completions", {}, CHAT(model));
  expect(body).toContain("trailers");
  expect(status).toBe(400);
  expect(provider.requests).toHaveLength(0);
});

it("trailers after a body that passes are removed", async () => {
  const headers = { "x-gateway-llm-provider-hint": "openai", "content-type": "text/plain" };
  expect((await send("/v1/files", headers, "a file"))[0]).toBe(200);
  expect(provider.requests.map(({ body }) => body)).toEqual(["a file"]);
  expect(JSON.stringify(provider.requests)).not.toContain("foreign");
});

it.each(["x-gateway-cluster", "x-gateway-stream-cluster"])(
  "a client cannot choose the cluster by %s",
  async (name) => {
    const cluster = `127.0.0.1:${provider.port}/bearer`;
    const headers = { [name]: cluster, cookie: "foreign", authorization: "Bearer foreign" };
    expect((await send("/v1/chat/completions", headers, CHAT("unknown")))[0]).toBe(400);
    expect(provider.requests).toHaveLength(0);
  },
);
