// The identity providers of Google and Microsoft: a TLS server for all of their names, behind a proxy (CONNECT) that leads
// every connection to it, and the metadata servers of their machines.
import { createVerify, randomUUID } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect } from "node:net";
import type { AddressInfo, Server } from "node:net";
import type { Authority } from "../gateway/certificates.ts";

export interface TokenRequest {
  /** `oauth2.googleapis.com/token` */
  where: string;
  headers: IncomingMessage["headers"];
  /** A form or JSON, as its members; of a GET the query. */
  values: Record<string, unknown>;
}

export interface IdentityProviders {
  /** Of the proxy: value of HTTPS_PROXY. */
  proxyUrl: string;
  /** `127.0.0.1:<port>` of the metadata servers. */
  metadata: string;
  requests: TokenRequest[];
  /** Statuses of the next responses; 200 when there is none. */
  failures: number[];
  /** The tokens that were given out. */
  tokens: string[];
  stop(): Promise<void>;
}

const LOGIN = "login.microsoftonline.com";
const NAMES = [
  "oauth2.googleapis.com",
  "sts.googleapis.com",
  "iamcredentials.googleapis.com",
  LOGIN,
  "iam.cloud.ibm.com",
];

export async function startIdentityProviders(authority: Authority): Promise<IdentityProviders> {
  const found: Pick<IdentityProviders, "requests" | "failures" | "tokens"> = {
    requests: [],
    failures: [],
    tokens: [],
  };
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    void bodyOf(incoming).then((text) => {
      respond(incoming, text, outgoing, found);
    });
  };
  const login = await listening(createTlsServer(authority.issue(...NAMES), serve));
  const metadata = await listening(createHttpServer(serve));
  const proxy = createHttpServer();
  proxy.on("connect", (_request, socket) => {
    const onward = connect(login.port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    for (const one of [onward, socket]) one.on("error", () => onward.destroy());
  });
  const front = await listening(proxy);
  return {
    ...found,
    proxyUrl: `http://127.0.0.1:${front.port}`,
    metadata: `127.0.0.1:${metadata.port}`,
    stop: async () => {
      await Promise.all([front, metadata, login].map(({ stop }) => stop()));
    },
  };
}

function respond(
  incoming: IncomingMessage,
  text: string,
  outgoing: ServerResponse,
  { requests, failures, tokens }: Pick<IdentityProviders, "requests" | "failures" | "tokens">,
): void {
  const { pathname, searchParams } = new URL(incoming.url ?? "", "http://fake");
  const where = (incoming.headers.host ?? "") + pathname;
  const send = (status: number, body: object): void => {
    outgoing.writeHead(status, { "content-type": "application/json", "metadata-flavor": "Google" });
    outgoing.end(JSON.stringify(body));
  };
  const discovered = discovery(pathname, where);
  if (discovered !== undefined) {
    send(200, discovered);
    return;
  }
  const isJson = incoming.headers["content-type"]?.includes("json") === true;
  const values: Record<string, unknown> = isJson
    ? (JSON.parse(text) as Record<string, unknown>)
    : Object.fromEntries(text === "" ? searchParams : new URLSearchParams(text));
  requests.push({ where, headers: incoming.headers, values });
  const failure = failures.shift();
  if (failure !== undefined) {
    send(failure, { error: "invalid_client", error_description: "AADSTS7000215: no such secret" });
    return;
  }
  const token = `token-${randomUUID()}`;
  tokens.push(token);
  const seconds = 3600;
  send(
    200,
    pathname.endsWith(":generateAccessToken")
      ? { accessToken: token, expireTime: new Date(Date.now() + seconds * 1000).toISOString() }
      : {
          access_token: token,
          token_type: "Bearer",
          issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
          // A managed identity gives texts, and the time as well.
          ...(pathname.includes("/msi/") || pathname.includes("/metadata/identity")
            ? {
                expires_in: String(seconds),
                expires_on: String(Math.floor(Date.now() / 1000) + seconds),
              }
            : { expires_in: seconds }),
        },
  );
}

/** What Microsoft's library asks for before it requests a token. */
function discovery(pathname: string, where: string): object | undefined {
  if (pathname.endsWith("/discovery/instance")) {
    const tenant = `https://${LOGIN}/tenant/v2.0/.well-known/openid-configuration`;
    const metadata = [{ preferred_network: LOGIN, preferred_cache: LOGIN, aliases: [LOGIN] }];
    return { tenant_discovery_endpoint: tenant, "api-version": "1.1", metadata };
  }
  if (!pathname.endsWith("/.well-known/openid-configuration")) return undefined;
  const base = `https://${where.replace(/\/v2\.0\/.*$/, "")}`;
  return {
    token_endpoint: `${base}/oauth2/v2.0/token`,
    issuer: `${base}/v2.0`,
    authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
    jwks_uri: `${base}/discovery/v2.0/keys`,
  };
}

/** Returns the claims of a JWT, after checking its signature (RS256). Throws if it is wrong. */
export function claimsOf(jwt: string, publicKey: string): Record<string, unknown> {
  const [head = "", claims = "", signature = ""] = jwt.split(".");
  const isSigned = createVerify("RSA-SHA256")
    .update(`${head}.${claims}`)
    .verify(publicKey, signature, "base64url");
  if (!isSigned) throw new Error("the signature is wrong");
  return {
    ...(JSON.parse(Buffer.from(head, "base64url").toString()) as object),
    ...(JSON.parse(Buffer.from(claims, "base64url").toString()) as object),
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function listening(server: Server): Promise<{ port: number; stop: () => Promise<void> }> {
  const sockets = new Set<{ destroy: () => void }>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}
