// Every golden folder through a real Envoy: one for each distinct configuration, all providers at one scripted server.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { exchange } from "../gateway/raw-client.ts";
import { startScriptedProvider } from "../gateway/scripted-provider.ts";
import type { ScriptedProvider } from "../gateway/scripted-provider.ts";
import {
  encodeBody,
  environmentOf,
  gatewayIds,
  readCases,
  requestIdOf,
  writeGoldens,
} from "./case.ts";
import type { ExchangeCase } from "./case.ts";
import { formatAnswer, replyHeaders } from "./host-ring.ts";
import { formatMessage, headerOf, readable } from "./http-file.ts";

const isUpdating = process.env["UPDATE_GOLDEN"] === "1";
/** When goldens are rewritten, the host writes those that it can run. */
const cases = readCases().filter(({ only }) => (isUpdating ? only === "envoy" : only !== "host"));
const groups = Object.values(Object.groupBy(cases, ({ configuration }) => configuration)).map(
  (members = []) => ({ members }),
);

/** The case under way: requests come one at a time. */
let current: ExchangeCase | undefined;
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await startScriptedProvider(() => {
    const reply = current?.replies[provider.requests.length - 1];
    if (reply === undefined) return { status: 599, headers: [], chunks: [] };
    return { ...reply, headers: replyHeaders(reply), chunks: encodeBody(reply) };
  });
});

afterAll(() => provider.stop());

function start(first: ExchangeCase): Promise<Gateway> {
  return startGateway({
    config: first.configuration,
    environment: environmentOf(first.configuration),
    adapt(model) {
      for (const target of model.targets) {
        const { port } = provider;
        if (target.address.kind === "host")
          target.address = { kind: "host", host: "127.0.0.1", port, tls: false, serverName: "" };
      }
    },
  });
}

describe.each(groups)("golden exchanges through Envoy", ({ members }) => {
  let gateway: Gateway;
  beforeAll(async () => {
    const [first] = members;
    if (first !== undefined) gateway = await start(first);
  });
  afterAll(() => gateway.stop());

  it.each(members)("$name", async (one) => {
    current = one;
    provider.requests.length = 0;
    const { method, path, headers, chunks } = one.client;
    const port = gateway.ports[one.listener];
    const reply = await exchange({ port, method, path, headers, chunks });
    const sent = provider.requests.map((request) =>
      formatMessage(`${request.method} ${request.path} HTTP/1.1`, request.headers, request.body),
    );
    const answer = formatAnswer(reply.status, reply.headers, reply.body, reply.isReset);
    if (isUpdating) {
      writeGoldens(one, sent, answer);
      return;
    }
    expect(sent.map(readable)).toEqual(one.upstream);
    expect(readable(answer)).toBe(one.answer);
    expect(gatewayIds(reply.headers)).toEqual([requestIdOf(one)]);
    const length = headerOf(reply, "content-length");
    if (length !== undefined && method !== "HEAD") expect(Number(length)).toBe(reply.body.length);
  });
});
