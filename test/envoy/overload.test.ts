// Too many requests, too little memory: new requests are turned away in the client's format, and those under way end.
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Bootstrap, Fields } from "../../envoy/envoy-types.ts";
import { typed } from "../../envoy/envoy-types.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask, errorOf, PATHS } from "./ask.ts";
import type { DialectName } from "./ask.ts";

const MEBIBYTE = 1024 ** 2;
const SOON = { timeout: 60_000 };
const DIALECTS: DialectName[] = ["chat", "messages"];

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("drain", resolve);
  });
}

function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** A stand-in for the memory in use, which the test writes: 0 is none, 1 all of it. */
class Pressure {
  readonly #directory = mkdtempSync(join(tmpdir(), "gateway-pressure-"));
  constructor() {
    this.set(0);
  }

  get file(): string {
    return join(this.#directory, "pressure");
  }

  /** Envoy looks when a file is moved in. */
  set(value: number): void {
    const fresh = join(this.#directory, "fresh");
    writeFileSync(fresh, String(value));
    renameSync(fresh, this.file);
  }

  /** In the place of the heap, whose name the triggers say. */
  replaceHeap(bootstrap: Bootstrap): void {
    const text = JSON.stringify(bootstrap.overload_manager).replaceAll(
      "envoy.resource_monitors.fixed_heap",
      "envoy.resource_monitors.injected_resource",
    );
    const manager = JSON.parse(text) as { resource_monitors: Fields[] };
    const [heap] = manager.resource_monitors;
    if (heap === undefined) throw new Error("there is no monitor");
    heap["typed_config"] = typed(
      "extensions.resource_monitors.injected_resource.v3.InjectedResourceConfig",
      { filename: this.file },
    );
    bootstrap.overload_manager = manager;
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true });
  }
}

describe("when memory runs out", () => {
  const pressure = new Pressure();
  let all: WithFakes;
  beforeAll(async () => {
    all = await startWithFakes({
      adaptBootstrap: (bootstrap) => {
        pressure.replaceHeap(bootstrap);
      },
    });
  });
  afterAll(async () => {
    await all.stop();
    pressure.remove();
  });

  async function press(value: number, isActive: boolean): Promise<void> {
    pressure.set(value);
    await expect
      .poll(() => all.gateway.admin("/stats?filter=stop_accepting_requests.active"), SOON)
      .toContain(isActive ? ": 1" : ": 0");
  }

  beforeEach(() => press(0, false));

  it.each(DIALECTS)("a request is rejected with retry-after: %s", async (dialect) => {
    await press(0.92, true);
    const asked = all.openai.requests.length;
    // Envoy makes no id for a request that it does not look at.
    const response = await ask(all.gateway, dialect, { headers: { "x-request-id": "mine" } });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("2");
    const error = await errorOf(response, dialect);
    expect(error.type).toBe("overloaded_error");
    expect(error.message).toMatch(/limits\.memory/);
    expect(all.openai.requests.length).toBe(asked);
    await press(0, false);
    expect((await ask(all.gateway, dialect)).status).toBe(200);
  });

  it("a request that is under way ends", async () => {
    const response = await ask(all.gateway, "chat", { text: "[pieces 20 pace 30]", stream: true });
    await press(0.92, true);
    expect(await response.text()).toMatch(/\[DONE\]\s*$/);
  });

  it("a gateway without free memory reports that it is alive, and the administration answers", async () => {
    await press(0.92, true);
    const headers = { "x-request-id": "health-id" };
    const health = await fetch(`${all.gateway.url}/healthz`, { headers });
    expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
    // Envoy gives no id of its own at this stage.
    expect(health.headers.get("x-gateway-request-id")).toBe("health-id");
    expect(await all.gateway.admin("/ready")).toMatch(/^LIVE/);
  });

  it.each(DIALECTS)(
    "a body that is still arriving is not read any further: %s",
    async (dialect) => {
      const body = JSON.stringify({ model: "fast", messages: [], padding: "x".repeat(1000) });
      const socket = connect({ port: all.gateway.ports.egress, host: "127.0.0.1" });
      let response = "";
      socket.on("data", (bytes: Buffer) => (response += bytes.toString()));
      socket.write(
        `POST ${PATHS[dialect]} HTTP/1.1\r\nhost: x\r\nx-request-id: mine\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 500)}`,
      );
      await expect
        .poll(() => all.gateway.admin("/stats?filter=http.egress.downstream_rq_active"), SOON)
        .toContain(": 1");
      await press(0.99, true);
      socket.write(body.slice(500));
      await expect.poll(() => response, SOON).toMatch(/\r\n\r\n[^]+/);
      expect(response).toMatch(/^HTTP\/1.1 503 /);
      expect(response).toMatch(/retry-after: 2\r\n/);
      const form = dialect === "chat" ? /^\{"error":\{"message"/m : /^\{"type":"error".*"mine"\}/m;
      expect(response).toMatch(form);
      expect(response).toMatch(/"type":"overloaded_error"/);
      const idHeaders = response.match(/^[a-z-]*request-id(?=: mine)/gm);
      const own = dialect === "chat" ? "x-request-id" : "request-id";
      expect(idHeaders?.sort()).toEqual([own, "x-gateway-request-id"].sort());
      socket.destroy();
    },
  );
});

describe("many large bodies at once", () => {
  let all: WithFakes;
  const SLICE = Buffer.alloc(MEBIBYTE, 0x20);
  beforeAll(async () => {
    all = await startWithFakes({ config: "limits: {request_body: 16MiB, memory: 96MiB}\n" });
  });
  afterAll(() => all.stop());

  /** Begins a request, and sends its body when it is told to. */
  function upload(): { send: () => Promise<number> } {
    const socket = connect({ port: all.gateway.ports.egress, host: "127.0.0.1" });
    socket.write(
      `POST ${PATHS.chat} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${15 * MEBIBYTE}\r\n\r\n`,
    );
    let response = "";
    socket.on("data", (bytes: Buffer) => (response += bytes.toString("latin1")));
    const ended = new Promise<number>((resolve) => {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        resolve(Number(/^HTTP\/1.1 (\d+)/.exec(response)?.[1] ?? 0));
      });
      socket.on("data", () => {
        if (response.includes("\r\n\r\n")) socket.end();
      });
    });
    return {
      send: async () => {
        for (let sent = 0; sent < 15 && !socket.destroyed; sent++) {
          // As fast as a network: 1.6 GB/s all together.
          const pace = sleep(50);
          if (!socket.write(SLICE)) await Promise.race([drained(socket), ended]);
          await pace;
        }
        return ended;
      },
    };
  }

  it("many large bodies at once do not take more memory than allowed, and the next request is served", async () => {
    const before = memoryOf(all.gateway.pid);
    // All are let in while memory is free: together they would be 1200 MiB.
    const uploads = Array.from({ length: 80 }, upload);
    let most = 0;
    expect(before).toBeGreaterThan(0);
    const timer = setInterval(() => (most = Math.max(most, memoryOf(all.gateway.pid))), 20);
    const responses = await Promise.all(uploads.map(({ send }) => send()));
    clearInterval(timer);
    // Turned away, or cut off while they were sent.
    for (const response of responses) expect([0, 200, 400, 503]).toContain(response);
    expect(responses).toContain(503);
    // The limit, the filter's own memory, and what comes in until Envoy looks again.
    expect((most - before) / MEBIBYTE).toBeLessThan(600);
    await expect
      .poll(async () => (await ask(all.gateway, "chat")).status, { timeout: 60_000, interval: 200 })
      .toBe(200);
  });
});

describe("more requests than limits.concurrent_requests", () => {
  const stop = new AbortController();
  let all: WithFakes;
  beforeAll(async () => {
    all = await startWithFakes({ config: "limits: {concurrent_requests: 2}\n" });
  });
  afterAll(async () => {
    stop.abort();
    await all.stop();
  });

  it.each(DIALECTS)("the next request is rejected with retry-after: %s", async (dialect) => {
    const holding = [1, 2].map(() =>
      ask(all.gateway, dialect, { text: "[hang]", stream: true, signal: stop.signal }),
    );
    for (const held of holding) held.catch(() => undefined);
    const provider = dialect === "chat" ? all.openai : all.anthropic;
    await expect.poll(() => provider.requests.length, SOON).toBe(2);
    // The other provider has places of its own: its turn is the next.
    const response = await ask(all.gateway, dialect);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("2");
    expect((await errorOf(response, dialect)).type).toBe("overloaded_error");
    expect(provider.requests.length).toBe(2);
  });
});

describe("more connections than limits.connections", () => {
  it("one more is closed at once, and Envoy has nothing to warn of at its start", async () => {
    const all = await startWithFakes({ config: "limits: {connections: 3}\n" });
    try {
      expect(all.gateway.envoyLog()).toBe("");
      const closed = (): Promise<boolean> =>
        new Promise((resolve) => {
          const agent = request({ port: all.gateway.ports.egress, path: "/healthz", agent: false });
          agent.on("response", (response) => {
            response.resume();
            resolve(false);
          });
          agent.on("error", () => {
            resolve(true);
          });
          agent.end();
        });
      const held = [1, 2, 3].map(() =>
        connect({ port: all.gateway.ports.egress, host: "127.0.0.1" }),
      );
      await expect
        .poll(() => all.gateway.admin("/stats?filter=http.egress.downstream_cx_active"), SOON)
        .toContain(": 3");
      await expect.poll(closed, SOON).toBe(true);
      expect(await all.gateway.admin("/ready")).toMatch(/^LIVE/);
      for (const socket of held) socket.destroy();
      await expect.poll(closed, SOON).toBe(false);
    } finally {
      await all.stop();
    }
  });
});
