// No connection to a provider: the client reads which server, why, and what to do, in one sentence each.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { TlsOptions } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createAuthority } from "../gateway/certificates.ts";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { ask, errorOf } from "./ask.ts";
import { listen } from "../providers/listen.ts";
import type { Listening } from "../providers/listen.ts";

const HOUR = 3_600_000;
/** For the name only: the address is 127.0.0.1. */
const NAME = "llm.test";

let directory: string;
let gateway: Gateway;
const servers: Record<string, Listening> = {};

/** A server that does this with every connection. */
function raw(act: (socket: Socket) => void): Server {
  return createServer((socket) => {
    socket.on("error", () => undefined);
    act(socket);
  });
}

function tls(options: TlsOptions): Server {
  return createTlsServer(options, (socket) => {
    socket.on("error", () => undefined);
  }).on("tlsClientError", () => undefined);
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "gateway-connections-"));
  const authority = createAuthority();
  const stranger = createAuthority("A stranger");
  const caFile = join(directory, "ca.pem");
  writeFileSync(caFile, authority.cert);
  const old = { maxVersion: "TLSv1.1", minVersion: "TLSv1", ciphers: "ALL:@SECLEVEL=0" } as const;
  const made: Record<string, Server> = {
    "another-name": tls(authority.issue("one.test", "two.test")),
    stranger: tls(stranger.issue(NAME)),
    "self-signed": tls(authority.issueSelfSigned(NAME)),
    expired: tls(authority.issueExpired(NAME)),
    future: tls(authority.issueFor([NAME], [HOUR, 2 * HOUR])),
    "old-tls": tls({ ...authority.issue(NAME), ...old }),
    "no-tls": raw((socket) => {
      socket.on("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    }),
    closing: raw((socket) => {
      socket.on("data", () => socket.end());
    }),
    resetting: raw((socket) => {
      socket.on("data", () => socket.resetAndDestroy());
    }),
    mute: raw(() => undefined),
  };
  for (const [name, server] of Object.entries(made)) {
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => sockets.add(socket));
    servers[name] = await listen(server, () => {
      for (const socket of sockets) socket.destroy();
    });
  }
  const entry = (model: string, url: string): string =>
    `  - {model: x/${model}, base_url: "${url}", provider_interface: openai}\n`;
  gateway = await startGateway({
    caFile,
    config: [
      "upstream: {connect_timeout: 300ms}\nllm_providers:\n",
      ...Object.entries(servers).map(([name, { port }]) =>
        entry(name, `https://${NAME}:${String(port)}/v1`),
      ),
      entry("refused", "http://127.0.0.1:1/v1"),
      entry("no-name", "http://no-such-host.invalid/v1"),
      entry("cut", `http://127.0.0.1:${String(servers["closing"]?.port)}/v1`),
    ].join(""),
    // In the place of a DNS server.
    adapt(model) {
      for (const { address } of model.targets)
        if (address.kind === "host" && address.host === NAME) address.host = "127.0.0.1";
    },
  });
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all(Object.values(servers).map((server) => server.stop()));
  rmSync(directory, { recursive: true, force: true });
});

const AUTHORITY = "Set SSL_CERT_FILE to a bundle that contains it.";
const CLOCK = "Check the certificate and the clock of the gateway's machine.";

it.each([
  [
    "another-name",
    "Cannot verify the certificate of AT, WHOM: it is for another name (one.test, two.test). Check base_url and http_host.",
  ],
  [
    "stranger",
    `Cannot verify the certificate of AT, WHOM: its authority is not trusted. ${AUTHORITY}`,
  ],
  ["self-signed", `Cannot verify the certificate of AT, WHOM: it is self-signed. ${AUTHORITY}`],
  ["expired", `Cannot verify the certificate of AT, WHOM: it has expired. ${CLOCK}`],
  ["future", `Cannot verify the certificate of AT, WHOM: it is not valid yet. ${CLOCK}`],
  [
    "old-tls",
    "No TLS connection to AT, WHOM: no common TLS version or cipher. The gateway uses TLS 1.2 and 1.3.",
  ],
  [
    "no-tls",
    "No TLS connection to AT, WHOM: the server does not use TLS. Write http:// if that is right, else check the port.",
  ],
  [
    "closing",
    "Cannot connect to AT, WHOM: the server closed the connection. Check the port and any proxy in between.",
  ],
  [
    "resetting",
    "No TLS connection to AT, WHOM: the server closed the connection during the handshake. Check the port and any proxy in between.",
  ],
  [
    "mute",
    "Cannot connect to AT, WHOM: no connection within connect_timeout. Check the network, DNS and proxy settings.",
  ],
  [
    "refused",
    "Cannot connect to 127.0.0.1:1, WHOM: connection refused. Check base_url, and that the server is running.",
  ],
  [
    "no-name",
    "No address for no-such-host.invalid, WHOM: its host name could not be resolved, or it is ejected after repeated failures. Check base_url and DNS, or retry later.",
  ],
  [
    "cut",
    "The provider of 'x/cut' closed the connection before it responded: REASON. Retry later.",
  ],
])("%s", async (name, message) => {
  const response = await ask(gateway, "chat", { model: `x/${name}` });
  expect(response.status).toBe(503);
  const wanted = message
    .replace("AT", `${NAME}:${String(servers[name]?.port)}`)
    .replace("WHOM", `the provider of 'x/${name}'`);
  const text = (await errorOf(response, "chat")).message;
  if (name === "cut") expect(text).toMatch(/closed the connection before it responded: [a-z ]+\. /);
  else expect(text).toBe(wanted);
});
