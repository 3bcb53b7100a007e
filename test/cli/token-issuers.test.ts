// Issuers of tokens with a discovery document, with a real gateway: unreachable at the start, reachable later, unreachable again.
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { signingKey, startIssuer, type TestIssuer, tokenOf } from "../gateway/token-issuer.ts";
import { writeFileSync } from "node:fs";
import { type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";

const SOON = { timeout: 60_000, interval: 100 };
const KEY = signingKey("a", "ES256");

let issuer: TestIssuer;
let desk: Desk;
let ports: Ports;

beforeEach(async () => {
  issuer = await startIssuer(undefined, [KEY]);
  ports = await freePorts();
  desk = openDesk();
  configure(issuer.issuer, ports.egress);
});
afterEach(async () => {
  await desk.clear();
  await issuer.stop();
});

function configure(issuerUrl: string, port: number): void {
  const configuration = `
listeners:
  ingress: {address: 127.0.0.1, port: ${String(ports.ingress)}}
  egress:
    address: 127.0.0.1
    port: ${String(port)}
    jwt: {issuer: "${issuerUrl}", audiences: [llm]}
llm_providers:
  - model: demo/gateway-demo
`;
  writeFileSync(join(desk.directory, "gateway.yaml"), configuration);
}

async function ask(): Promise<[status: number, body: string]> {
  const exp = Math.floor(Date.now() / 1000) + 600;
  const token = tokenOf(KEY, { iss: issuer.issuer, aud: "llm", sub: "service", exp });
  const response = await fetch(`http://127.0.0.1:${String(ports.egress)}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ model: "gateway-demo", messages: [{ role: "user", content: "Hi" }] }),
  });
  return [response.status, await response.text()];
}

const up = async () => {
  const { code, stderr } = await desk.run("up", "--detach", "--concurrency", "1");
  expect(code, stderr).toBe(0);
};

it(
  "a gateway starts while the issuer cannot be reached, and accepts tokens when it can",
  { timeout: 240_000 },
  async () => {
    const { document } = issuer;
    issuer.document = undefined;
    await up();
    const [status, body] = await ask();
    expect([status, body]).toEqual([503, expect.stringContaining("keys of the token's issuer")]);
    const ready = await fetch(`http://127.0.0.1:${String(ports.egress)}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([
      200,
      expect.stringContaining(`Tokens of ${issuer.issuer} are not accepted yet`),
    ]);
    issuer.document = document;
    await expect.poll(async () => (await ask())[0], SOON).toBe(200);

    // The next start needs the document no more.
    issuer.document = undefined;
    expect((await desk.run("down")).code).toBe(0);
    await up();
    await expect.poll(async () => (await ask())[0], SOON).toBe(200);
  },
);

it(
  "the documents of the active configuration are read after a reload that fails",
  { timeout: 240_000 },
  async () => {
    const { document } = issuer;
    issuer.document = undefined;
    await up();
    // The port of the issuer is in use.
    configure("http://127.0.0.1:1", Number(new URL(issuer.issuer).port));
    const { code, stderr } = await desk.run("reload");
    expect([code, stderr]).toEqual([1, expect.stringContaining("port")]);
    issuer.document = document;
    await expect.poll(async () => (await ask())[0], SOON).toBe(200);
  },
);
