// How providers are reached: TLS with a verified name, HTTP/2 where it is offered, names that do not resolve, addresses of both kinds.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createPlainServer } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer as createTlsServer } from "node:https";
import type { Server } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Address, Target } from "../../model/model.ts";
import { createAuthority } from "../gateway/certificates.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { listen } from "../providers/listen.ts";
import { echo } from "../providers/scripted-provider.ts";
import type { Listening } from "../providers/listen.ts";
import { host, targetAt } from "./models.ts";
import { chat, startTwoDialects } from "../gateway/two-dialects.ts";

const NAME = "api.provider.test";
const HAS_IPV6 = Object.values(networkInterfaces()).some((one) =>
  one?.some(({ address }) => address === "::1"),
);

let directory: string;
let gateway: Gateway;
const servers: Listening[] = [];
/** Connections that were closed at a provider which keeps them for a minute. */
const patience = { closed: 0 };
const targets: Target[] = [];

/** Makes a model called `<name>` at a server, under whatever name its certificate is expected to have. */
async function at(
  name: string,
  server: Server,
  address: Partial<Address> = {},
  loopback = "127.0.0.1",
): Promise<void> {
  const listening = await listen(server, undefined, { host: loopback });
  servers.push(listening);
  const place = {
    ...host("127.0.0.1", listening.port, { tls: true, serverName: NAME }),
    ...address,
  };
  targets.push(targetAt(`test/${name}`, place as Address));
}

beforeAll(async () => {
  const authority = createAuthority();
  directory = mkdtempSync(join(tmpdir(), "gateway-ca-"));
  const caFile = join(directory, "ca.pem");
  writeFileSync(caFile, authority.cert);
  const good = authority.issue(NAME, "127.0.0.1");
  const stranger = createAuthority();
  const old = {
    minVersion: "TLSv1",
    maxVersion: "TLSv1.1",
    ciphers: "DEFAULT@SECLEVEL=0",
  } as const;
  await at("good", createTlsServer(good, echo));
  await at("http2", createSecureServer({ ...good, allowHTTP1: true }, echo as never));
  await at("wildcard", createTlsServer(authority.issue("*.provider.test"), echo));
  await at("address", createTlsServer(good, echo), { serverName: "127.0.0.1" });
  await at("wrong-name", createTlsServer(authority.issue("other.test"), echo));
  await at("unknown-authority", createTlsServer(stranger.issue(NAME), echo));
  await at("old", createTlsServer({ ...good, ...old }, echo));
  await at("no-tls", createPlainServer(echo));
  await at("localhost", createPlainServer(echo), { host: "localhost", tls: false });
  if (HAS_IPV6)
    await at("localhost-ipv6", createPlainServer(echo), { host: "localhost", tls: false }, "::1");
  const patient = createPlainServer({ keepAliveTimeout: 60_000 }, echo);
  patient.on("connection", (socket) => socket.on("close", () => patience.closed++));
  await at("patient", patient, { tls: false });
  targets.push(targetAt("test/unresolvable", host("no-such-host.invalid")));
  targets.push(targetAt("test/refused", host("127.0.0.1", 1)));
  gateway = await startTwoDialects(1, {
    caFile,
    adapt(model) {
      model.targets = targets;
      model.upstream = { idleTimeoutMs: 300 };
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(directory, { recursive: true, force: true });
});

async function ask(name: string): Promise<{ status: number; version?: string; message?: string }> {
  const response = await chat(gateway, { model: `test/${name}` });
  const body = (await response.json()) as { version?: string; error?: { message: string } };
  const { version, error } = body;
  return {
    status: response.status,
    ...(version === undefined ? {} : { version }),
    ...(error === undefined ? {} : { message: error.message }),
  };
}

describe("a provider is trusted", () => {
  it.each([
    ["good", "1.1"],
    ["http2", "2.0"],
    ["wildcard", "1.1"],
    ["address", "1.1"],
    ["localhost", "1.1"],
    ...(HAS_IPV6 ? [["localhost-ipv6", "1.1"] as [string, string]] : []),
  ])("%s", async (name, version) => {
    expect(await ask(name)).toEqual({ status: 200, version });
  });

  it("a provider is trusted over HTTP/2 with the scheme of the provider's connection", async () => {
    const response = await chat(gateway, { model: "test/http2" });
    const { headers } = (await response.json()) as { headers: Record<string, string> };
    expect(headers).toMatchObject({ ":scheme": "https", ":path": "/v1/chat/completions" });
  });
});

it("a connection without a request is closed before the provider would close it", async () => {
  const before = patience.closed;
  expect((await ask("patient")).status).toBe(200);
  await expect.poll(() => patience.closed, { timeout: 60_000 }).toBe(before + 1);
});

describe("an untrusted provider is rejected, and the client gets the reason", () => {
  it.each([
    ["wrong-name", /certificate .* is for another name/],
    ["unknown-authority", /certificate .* authority is not trusted/],
    ["old", /TLS/],
    ["no-tls", /TLS/],
    ["unresolvable", /could not be resolved/],
    ["refused", /connection refused/],
  ])("%s", async (name, message) => {
    const response = await ask(name);
    expect(response.status).toBe(503);
    expect(response.message).toMatch(message);
  });
});
