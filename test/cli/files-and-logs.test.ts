// Files that a running gateway writes: who can read them, and what happens when its access logs cannot be written.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Status } from "../../control-plane/cli/commands/status.ts";
import { callAdmin } from "../../control-plane/supervisor/admin.ts";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";

const SECONDS = { timeout: 60_000, interval: 50 };

let desk: Desk;
let ports: Ports;
beforeEach(async () => {
  ports = await freePorts();
  desk = openDesk({ "gateway.yaml": configurationOn(ports) });
});
afterEach(async () => {
  await desk.clear();
});

const logs = () => join(desk.environment["HOME"] ?? "", "gateway_logs");
const state = () => join(desk.environment["HOME"] ?? "", ".local/state/gateway");
const read = (name: string) => readFileSync(join(logs(), name), "utf8");

async function status(): Promise<Status> {
  return JSON.parse((await desk.run("status", "--json")).stdout) as Status;
}

/** Sends a request, which is always answered. */
async function ask(): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${ports.egress}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "none", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(reply.status).toBe(200);
}

async function up(): Promise<void> {
  expect((await desk.run("up", "--detach", "--concurrency", "1")).code).toBe(0);
}

describe("files of logs and state", () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const below = (directory: string): string[] =>
    readdirSync(directory, { recursive: true, encoding: "utf8" }).map((one) =>
      join(directory, one),
    );

  it("are for their user alone, whatever the umask is", async () => {
    const before = process.umask(0);
    try {
      await up();
    } finally {
      process.umask(before);
    }
    await ask();
    await vi.waitFor(() => {
      expect(read("access_llm.log")).not.toBe("");
    }, SECONDS);
    expect(modeOf(logs())).toBe(0o700);
    expect(
      Object.fromEntries(readdirSync(logs()).map((name) => [name, modeOf(join(logs(), name))])),
    ).toEqual({
      "access_ingress.log": 0o640,
      "access_llm.log": 0o640,
      "gateway.log": 0o640,
    });
    expect(below(state()).filter((path) => (modeOf(path) & 0o077) !== 0)).toEqual([]);
    expect(below(state()).filter((path) => path.endsWith("/gateway.pid"))).toHaveLength(1);
  });
});

describe("access logs", () => {
  const LOST = /Access logs cannot be written to .*gateway_logs \(Envoy reports failed writes\)/g;
  const llmLines = () => read("access_llm.log").split("\n").length - 1;

  /** Writes of Envoy that have failed so far. */
  async function failedWrites(): Promise<number> {
    const sockets = readdirSync(state()).map((name) => join(state(), name, "admin.sock"));
    const admin = sockets.find((path) => existsSync(path)) ?? "";
    const { body } = await callAdmin(admin, "GET", "/stats?filter=write_failed");
    return Number(/write_failed: (\d+)/.exec(body)?.[1]);
  }

  it("on a full disk: one warning, also in status, until there is room; requests are answered", async () => {
    mkdirSync(logs());
    symlinkSync("/dev/full", join(logs(), "access_llm.log"));
    await up();
    await vi.waitFor(async () => {
      await ask();
      expect(read("gateway.log")).toMatch(LOST);
    }, SECONDS);
    const failed = await failedWrites();
    await vi.waitFor(async () => {
      await ask();
      expect(await failedWrites()).toBeGreaterThan(failed + 2);
    }, SECONDS);
    expect((await status()).accessLogProblem).toMatch(LOST);
    expect((await desk.run("status")).stdout).toMatch(LOST);
    rmSync(join(logs(), "access_llm.log"));
    await vi.waitFor(async () => {
      await ask();
      expect(read("gateway.log")).toContain("Access logs are written to");
    }, SECONDS);
    expect(read("gateway.log").match(LOST)).toHaveLength(1);
    expect((await status()).accessLogProblem).toBeNull();
    expect(llmLines()).toBeGreaterThan(0);
  });

  it("whose directory was removed: it is created again, with the gateway's own log", async () => {
    await up();
    await ask();
    rmSync(logs(), { recursive: true });
    await vi.waitFor(async () => {
      await ask();
      expect(llmLines()).toBeGreaterThan(0);
    }, SECONDS);
    expect(statSync(logs()).mode & 0o777).toBe(0o700);
    expect(read("gateway.log")).toContain("was removed; it has been created again");
  });
});
