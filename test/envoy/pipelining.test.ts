// Requests that are written without waiting for an answer: docs/decisions/2026-11-22-pipelined-requests.md.
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Gateway } from "../gateway/gateway.ts";
import { startOneProvider } from "./one-provider.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startOneProvider(1);
});
afterAll(() => gateway.stop());

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

it("Envoy answers two at once, closes at the third, and counts it", async () => {
  const requests = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n".repeat(5);
  const received = await readAll(gateway.ports.egress, requests);
  expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  expect(received.match(/\{"status":"ok"\}/g)).toHaveLength(2);
  expect(await gateway.admin("/stats?filter=response_flood")).toBe("http1.response_flood: 1\n");
  const [line] = await gateway.waitForLog("ingress", ({ code }) => code === 0);
  expect(line?.flags).toBe("DPE");
});

it("one after the other they are all answered on one connection", async () => {
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
