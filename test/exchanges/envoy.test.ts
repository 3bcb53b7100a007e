// Every case through a real Envoy: one for each distinct configuration, all providers at one scripted server.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { exchange, headerPairs } from "../gateway/raw-client.ts";
import { sendExactly, startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider } from "../providers/scripted-provider.ts";
import { encodeBody, environmentOf, gatewayIds, readCases, requestIdOf } from "./case.ts";
import type { ExchangeCase } from "./case.ts";
import { formatResponse, responseHeaders } from "./host-ring.ts";
import { formatMessage, headerOf, readable } from "./http-file.ts";

const groups = Object.values(Object.groupBy(readCases(), ({ configuration }) => configuration)).map(
  (members = []) => ({ members }),
);

/** The case under way: requests come one at a time. */
let current: ExchangeCase | undefined;
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await startProvider((outgoing) => {
    const response = current?.providerResponses[provider.requests.length - 1];
    if (response === undefined)
      return sendExactly(outgoing, { status: 599, headers: [], chunks: [] });
    const chunks = encodeBody(response);
    return sendExactly(outgoing, { ...response, headers: responseHeaders(response), chunks });
  });
});

afterAll(() => provider.stop());

function start(first: ExchangeCase): Promise<Gateway> {
  return startGateway({
    config: first.configuration,
    environment: environmentOf(first.configuration),
    adapt(model) {
      // No provider is ejected because of the cases before.
      model.upstream = { ...model.upstream, consecutiveFailures: 0 };
      for (const target of model.targets) {
        const { port } = provider;
        if (target.address.kind === "host")
          target.address = { kind: "host", host: "127.0.0.1", port, tls: false, serverName: "" };
      }
    },
  });
}

/** The host rewrites the expectations. */
const isUpdating = process.env["UPDATE_GOLDEN"] === "1";

describe.skipIf(isUpdating).each(groups)("exchanges through Envoy", ({ members }) => {
  let gateway: Gateway;
  beforeAll(async () => {
    const [first] = members;
    if (first !== undefined) gateway = await start(first);
  });
  afterAll(() => gateway.stop());

  it.each(members)("$name", async (one) => {
    current = one;
    provider.requests.length = 0;
    const { method, path, headers, chunks } = one.clientRequest;
    const port = gateway.ports[one.listener];
    const response = await exchange({ port, method, path, headers, chunks });
    const sent = provider.requests.map((request) =>
      formatMessage(
        `${request.method} ${request.path} HTTP/1.1`,
        headerPairs(request.rawHeaders),
        request.bytes,
      ),
    );
    const { status, body, isReset } = response;
    expect(sent.map(readable)).toEqual(one.providerRequests);
    expect(readable(formatResponse(status, response.headers, body, isReset))).toBe(
      one.clientResponse,
    );
    expect(gatewayIds(response.headers)).toEqual([requestIdOf(one)]);
    const length = headerOf(response, "content-length");
    if (length !== undefined && method !== "HEAD") expect(Number(length)).toBe(body.length);
  });
});
