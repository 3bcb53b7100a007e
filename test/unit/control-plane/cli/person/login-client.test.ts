// What a terminal does with the responses of a gateway about its login.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { refreshed, revoke } from "../../../../../control-plane/cli/person/login-client.ts";
import type { StoredLogin } from "../../../../../control-plane/cli/person/stored-logins.ts";

let server: Server;
let reply: { status: number; body: unknown };
let asked: string[] = [];

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    request.on("data", (bytes: Buffer) => asked.push(bytes.toString()));
    request.on("end", () => {
      response.writeHead(reply.status, { "content-type": "application/json" });
      response.end(JSON.stringify(reply.body));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

function login(): StoredLogin {
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    ...{ url, name: "ann", lifetime: 600, expires: 0, accessToken: "access" },
    ...{ refreshToken: "refresh", tokenUrl: `${url}/token`, revocationUrl: `${url}/revoke` },
  };
}

it.each([
  [400, { error: "invalid_grant" }],
  [401, {}],
])("a refresh that is answered with %s %o has ended the login", async (status, body) => {
  reply = { status, body };
  expect(await refreshed(login())).toBeUndefined();
});

it.each([404, 429, 503])(
  "a refresh that is answered with %s can be tried again",
  async (status) => {
    reply = { status, body: {} };
    await expect(refreshed(login())).rejects.toThrow("cannot refresh the login now");
  },
);

it("a logout revokes both tokens, and fails if the gateway does not", async () => {
  reply = { status: 200, body: {} };
  await revoke(login());
  expect(asked).toEqual(["token=access", "token=refresh"]);
  reply = { status: 503, body: {} };
  await expect(revoke(login())).rejects.toThrow("has not ended the session (status 503)");
});
