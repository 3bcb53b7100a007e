// Files that a running gateway writes: who can read them, and what happens when its access logs cannot be written.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Status } from "../../control-plane/cli/commands/status.ts";
import { callAdmin } from "../../control-plane/supervisor/admin.ts";
import {
  configurationOn,
  defaultLogs,
  type Desk,
  freePorts,
  openDesk,
  type Ports,
} from "./gateway-command.ts";

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

const logs = () => desk.logs;
const state = () => join(desk.environment["HOME"] ?? "", ".local/state/gateway");
const read = (name: string) => readFileSync(join(logs(), name), "utf8");

async function status(): Promise<Status> {
  return JSON.parse((await desk.run("status", "--json")).stdout) as Status;
}

/** Sends a request, which is always answered. */
async function ask(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${ports.egress}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "none", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(response.status).toBe(200);
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

  it("files of logs and state belong to their user alone, whatever the umask is", async () => {
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
      ".gateway.lock": 0o644,
      "access_ingress.log": 0o640,
      "access_llm.log": 0o640,
      "gateway.log": 0o640,
    });
    expect(below(state()).filter((path) => (modeOf(path) & 0o077) !== 0)).toEqual([]);
    expect(below(state()).filter((path) => path.endsWith("/gateway.pid"))).toHaveLength(1);
  });
});

describe("access logs", () => {
  const LOST =
    /Access logs cannot be written to .*gateway_logs\/work-\w+ \(Envoy reports failed writes\)/g;
  const llmLines = () => read("access_llm.log").split("\n").length - 1;

  /** Writes of Envoy that have failed so far. */
  async function failedWrites(): Promise<number> {
    const sockets = readdirSync(state()).map((name) => join(state(), name, "admin.sock"));
    const admin = sockets.find((path) => existsSync(path)) ?? "";
    const { body } = await callAdmin(admin, "GET", "/stats?filter=write_failed");
    return Number(/write_failed: (\d+)/.exec(body)?.[1]);
  }

  it("a full disk for access logs gives one warning, also in status, until there is room; requests are answered", async () => {
    mkdirSync(logs(), { recursive: true });
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

  it("a removed log directory is created again, with the gateway's log", async () => {
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

describe("the log directory", () => {
  /** Another configuration of the same user, on ports of its own. */
  async function writeOther(more = ""): Promise<{ file: string; egress: number }> {
    const others = await freePorts();
    const file = join(desk.directory, "other.yaml");
    writeFileSync(file, configurationOn(others) + more);
    return { file, egress: others.egress };
  }
  const upWith = (...words: string[]) => desk.run("up", "--detach", "--concurrency", "1", ...words);
  const home = () => desk.environment["HOME"] ?? "";

  it("a configuration has a separate log directory", async () => {
    const { file } = await writeOther();
    await up();
    expect((await upWith(file)).code).toBe(0);
    await ask();
    await vi.waitFor(() => {
      expect(read("access_llm.log")).not.toBe("");
    }, SECONDS);
    const others = defaultLogs(file, desk.environment);
    expect(readFileSync(join(others, "access_llm.log"), "utf8")).toBe("");
    expect((await desk.run("logs", "--json", "--access", "llm", file)).stdout).toBe("");
    expect((await desk.run("logs", "--json", "gateway.yaml")).stdout).toContain("chat/completions");
  });

  it("a log directory that a running gateway writes is refused until that gateway has ended", async () => {
    const { file } = await writeOther(`access_log: {directory: ${logs()}}\n`);
    await up();
    for (const words of [["--detach"], []]) {
      const { code, stderr } = await desk.run("up", ...words, file);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /Another gateway writes its logs to .*\/gateway_logs\/work-\w+ \(.*\/gateway\.yaml, process \d+\)/,
      );
      expect(stderr).toMatch(
        /access_log\.directory, or stop that gateway: .* down .*gateway\.yaml/,
      );
    }
    expect((await desk.run("up", "--detach")).stderr).toContain("is already running");
    expect((await desk.run("down", "gateway.yaml")).code).toBe(0);
    expect((await upWith(file)).code).toBe(0);
  });

  it("a log directory is used without a lock if none can be written, as on a full disk", async () => {
    mkdirSync(join(logs(), ".gateway.lock"), { recursive: true });
    await up();
    await ask();
    await vi.waitFor(() => {
      expect(read("access_llm.log")).not.toBe("");
    }, SECONDS);
  });

  /** As a version that had one directory for all. */
  async function leaveSharedLogs(): Promise<void> {
    expect((await upWith("--log-dir", join(home(), "gateway_logs"))).code).toBe(0);
    await ask();
    await vi.waitFor(() => {
      const log = join(home(), "gateway_logs/access_llm.log");
      expect(readFileSync(log, "utf8")).not.toBe("");
    }, SECONDS);
    await desk.run("down");
  }

  it("the log directory takes over the logs that an earlier version wrote for this configuration alone", async () => {
    await leaveSharedLogs();
    await up();
    expect(read("gateway.log")).toMatch(/The logs in \S+ were moved to \S+/);
    expect(read("access_llm.log")).toContain("chat/completions");
    expect(readdirSync(join(home(), "gateway_logs"))).toEqual([basename(logs())]);
  });

  it("the log directory leaves the logs of an earlier version that several configurations may have written", async () => {
    mkdirSync(join(state(), "another-project"), { recursive: true });
    await leaveSharedLogs();
    await up();
    expect(read("gateway.log")).toMatch(/The logs of an earlier version stay in \S+gateway_logs:/);
    expect(read("access_llm.log")).toBe("");
    expect(readdirSync(join(home(), "gateway_logs"))).toContain("access_llm.log");
  });
});
