// Requests that are written without waiting for an answer: docs/decisions/2026-11-22-pipelined-requests.md.
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Gateway } from "../gateway/gateway.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";

let all: WithFakes;
let gateway: Gateway;
beforeAll(async () => {
  all = await startWithFakes();
  gateway = all.gateway;
});
afterAll(() => all.stop());

/** Writes a text and reads until the gateway closes. */
function readAll(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.setEncoding("utf8");
    socket.on("data", (part: string) => (received += part));
    // A reset is an end, too: what came before it counts.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      resolve(received);
    });
    socket.write(text);
  });
}

const GET = "GET /healthz HTTP/1.1\r\nhost: x\r\n";
const LAST = `${GET}connection: close\r\n\r\n`;

it("the gateway responds to all of twenty requests that are written at once", async () => {
  const received = await readAll(gateway.ports.egress, `${GET}\r\n`.repeat(19) + LAST);
  expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(20);
  expect(received.match(/\{"status":"ok"\}/g)).toHaveLength(20);
  expect(await gateway.admin("/stats?filter=^http1.response_flood")).toBe(
    "http1.response_flood: 0\n",
  );
});

const body = JSON.stringify({ model: "fast", messages: [{ role: "user", content: "hi" }] });
const POST = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`;

it("a provider responds to all of five requests that are written at once", async () => {
  const received = await readAll(gateway.ports.egress, POST.repeat(5) + LAST);
  expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(6);
});

it("Envoy closes at the request after a provider's response and one of the gateway", async () => {
  const received = await readAll(gateway.ports.egress, `${POST}${GET}\r\n${POST}${LAST}`);
  expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  expect(await gateway.admin("/stats?filter=^http1.response_flood")).toBe(
    "http1.response_flood: 1\n",
  );
});

it("one connection serves requests that are sent one after the other", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set<number | undefined>();
  const once = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get(`${gateway.url}/healthz`, { agent }, (response) => {
        ports.add(response.socket.localPort);
        response.resume().on("end", () => {
          resolve(response.statusCode);
        });
      }).on("error", reject);
    });
  expect(await Promise.all([1, 2, 3, 4, 5].map(once))).toEqual([200, 200, 200, 200, 200]);
  expect(ports.size).toBe(1);
  agent.destroy();
});
