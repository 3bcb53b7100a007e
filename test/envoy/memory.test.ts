// Bodies and events that want more memory than the filter has, through Envoy: no trap, and no other request or stream feels it.
// `npm run soak -- memory` is the long form, up to an event of 1 GB.
import { createServer } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import { nameOf, startMemoryRun } from "../soak/memory.ts";
import type { Case, MemoryRun } from "../soak/memory.ts";

const SECONDS = 1000;
const MIB = 1024 ** 2;
const cases: (Case & { allowed: string[] })[] = [
  // 16 of them ended the filter's machine, and with it every request of the worker.
  { kind: "requests", route: "fallback", shape: "values", mib: 7.6, count: 16, allowed: ["200"] },
  {
    kind: "requests",
    route: "other-format",
    shape: "values",
    mib: 7.6,
    count: 16,
    allowed: ["200"],
  },
  { kind: "requests", route: "plain", shape: "values", mib: 7.6, count: 16, allowed: ["200"] },
  { kind: "requests", route: "fallback", shape: "text", mib: 28, count: 12, allowed: ["200"] },
  { kind: "requests", route: "other-format", shape: "text", mib: 28, count: 12, allowed: ["200"] },
  { kind: "requests", route: "fallback", shape: "text", mib: 0.9, count: 60, allowed: ["200"] },
  // An event of 200 MB was held whole, and could end the machine.
  { kind: "event", reading: "stripped", mib: 200, count: 1, allowed: ["200"] },
  { kind: "event", reading: "limited", mib: 100, count: 2, allowed: ["200"] },
  { kind: "event", reading: "stripped", mib: 30, count: 8, allowed: ["200"] },
  { kind: "event", reading: "translated", mib: 33, count: 4, allowed: ["200 error"] },
  { kind: "event", reading: "translated", mib: 30, count: 16, allowed: ["200", "200 error"] },
  { kind: "reply", route: "plain", mib: 30, count: 8, allowed: ["200"] },
  { kind: "reply", route: "fallback", mib: 30, count: 8, allowed: ["200"] },
];

let memory: MemoryRun;
beforeAll(async () => {
  memory = await startMemoryRun([30, 33, 100, 200]);
});
afterAll(() => memory.stop());

describe("no trap, and no other response is cut", () => {
  it.each(cases.map((one) => ({ name: nameOf(one), one })))(
    "$name",
    async ({ one }) => {
      const row = await memory.run(one);
      expect(row).toMatchObject({ traps: 0, bystandersCut: 0, problems: [] });
      expect(one.allowed).toEqual(expect.arrayContaining(Object.keys(row.outcomes)));
    },
    120 * SECONDS,
  );
});

describe("a client that does not read its stream", () => {
  it("makes Envoy hold the body limit once, and not for the provider's connection too", async () => {
    const piece = Buffer.from(`: ${"a".repeat(65_532)}\n\n`);
    let sent = 0;
    const server = createServer((incoming, response) => {
      incoming.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      const write = (): void => {
        sent = response.socket?.bytesWritten ?? 0;
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", write);
      write();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const gateway = await startGateway({
      config: `llm_providers:\n  - {model: vllm/x, base_url: "http://127.0.0.1:${port}/v1"}\n`,
    });
    const client = connect(gateway.ports.egress, "127.0.0.1");
    try {
      const body = JSON.stringify({ model: "vllm/x", stream: true, messages: [] });
      client.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      client.pause();
      let before = -1;
      await expect
        .poll(
          () => {
            const isStill = sent > 20 * MIB && sent === before;
            before = sent;
            return isStill;
          },
          { interval: 1000, timeout: 30_000 },
        )
        .toBe(true);
      // What Envoy holds itself: the kernel's buffers grow as they like. 40 MiB of the listener, 1 MiB of the cluster.
      const stats = await gateway.admin("/stats?usedonly&filter=(rx|tx)_bytes_buffered$");
      const held = [...stats.matchAll(/: (\d+)$/gm)].map(([, bytes]) => Number(bytes));
      const all = held.reduce((sum, bytes) => sum + bytes, 0);
      expect(all, stats).toBeGreaterThan(20 * MIB);
      expect(all, stats).toBeLessThan(50 * MIB);
    } finally {
      client.destroy();
      await gateway.stop();
      server.closeAllConnections();
      server.close();
    }
  });
});
