// A running gateway: started, watched, looked at and stopped by the command line, with the real Envoy.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { parseAccessLogLine } from "../../control-plane/cli/log/access-log-line.ts";
import type { Status } from "../../control-plane/cli/commands/status.ts";
import { checkPorts } from "../../control-plane/supervisor/ports.ts";
import { freePort } from "../free-port.ts";
import { identityOf, isAlive } from "../../control-plane/processes/process-identity.ts";
import { stateDirectory } from "../../control-plane/supervisor/state.ts";
import type { Listener } from "../../model/model.ts";
import {
  configurationOn,
  type Desk,
  freePorts,
  openDesk,
  type Ports,
  type Running,
} from "./gateway-command.ts";

const SECONDS = { timeout: 60_000, interval: 50 };
const KEY = "sk-not-to-be-seen-anywhere";

let desk: Desk;
let ports: Ports;
async function openAnother(): Promise<void> {
  ports = await freePorts();
  desk = openDesk({ "gateway.yaml": configurationOn(ports) });
}

/** A new directory for each test of a group. */
function useNewDesk(): void {
  beforeEach(openAnother);
  afterEach(() => desk.clear());
}

function ask(content: string, more: object = {}, headers: object = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${ports.egress}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "none", messages: [{ role: "user", content }], ...more }),
  });
}

async function status(): Promise<Status> {
  const { stdout } = await desk.run("status", "--json");
  return JSON.parse(stdout) as Status;
}

function upDetached(...words: string[]) {
  return desk.run("up", "--detach", "--concurrency", "1", ...words);
}

/** As the configuration has them. */
function listeners(): Listener[] {
  return (["ingress", "egress"] as const).map((name) => ({
    name,
    address: "127.0.0.1",
    port: ports[name],
    timeoutMs: 1000,
  }));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** `gateway up` in the foreground, until it says that it is ready. */
async function upInForeground(...words: string[]) {
  const gateway = desk.start("up", "--concurrency", "1", ...words);
  await vi.waitFor(() => {
    expect(gateway.stdout() + gateway.stderr()).toContain("Ctrl-C stops it.");
  }, SECONDS);
  return gateway;
}

describe("gateway up --detach", () => {
  useNewDesk();

  it("gateway up --detach returns when requests are answered; status, logs and down find the gateway", async () => {
    const up = await upDetached();
    expect(up.code).toBe(0);
    expect(up.stdout).toContain(`http://127.0.0.1:${ports.egress}/v1`);
    expect(up.stdout).toMatch(/demo\/gateway-demo +default, built-in demonstration/);
    expect(up.stdout.match(/^ {2}curl /gm)).toHaveLength(2);

    const response = await ask("Hello");
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("no language model");

    const found = await status();
    expect(found).toMatchObject({
      running: true,
      ready: true,
      configuration: join(desk.directory, "gateway.yaml"),
      models: ["demo/gateway-demo"],
    });
    const egress = found.listeners.find(({ name }) => name === "egress");
    expect(egress).toMatchObject({ address: "127.0.0.1", port: ports.egress });
    expect(egress?.statistics.requests).toBeGreaterThanOrEqual(1);
    expect((await desk.run("status")).stdout).toMatch(/^State +ready$/m);

    const rows = await vi.waitFor(async () => {
      const { stdout } = await desk.run("logs", "--json", "--access", "llm");
      const lines = stdout.trim().split("\n");
      expect(lines[0]).toContain("/v1/chat/completions");
      return lines.map((line) => JSON.parse(line) as { requestId: string; upstreamHost: string });
    }, SECONDS);
    // The demonstration model listens on a unix socket, which has no port.
    expect(rows[0]?.upstreamHost).toBe("127.0.0.1:0");
    const id = rows[0]?.requestId ?? "";
    const { stdout: lines } = await desk.run("logs", "--request-id", id);
    expect(lines).toMatch(/ client .* POST \/v1\/chat\/completions /);
    expect(lines).toMatch(/ llm .* demo\.gateway\.internal /);

    const again = await desk.run("up", "--detach");
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/is already running \(process \d+/);

    const down = await desk.run("down");
    expect(down).toMatchObject({ code: 0, stdout: "The gateway has stopped.\n" });
    await expect(ask("Hello")).rejects.toThrow();
    expect((await desk.run("status")).code).toBe(1);
  });

  it("a detached gateway keeps keys out of files, and gives Envoy only those that it needs", async () => {
    const providers = [
      "llm_providers:",
      "  - model: openai/gpt-4o",
      "    access_key: $OPENAI_API_KEY",
      "  - model: demo/gateway-demo",
      "    default: true",
    ].join("\n");
    writeFileSync(join(desk.directory, "gateway.yaml"), configurationOn(ports, providers));
    writeFileSync(join(desk.directory, ".env"), `OPENAI_API_KEY=${KEY}\nUNUSED=${KEY}-2\n`);
    expect((await upDetached()).code).toBe(0);
    const { envoyPid } = await status();
    const environment = readFileSync(`/proc/${envoyPid ?? 0}/environ`, "utf8");
    expect(environment).toContain(`OPENAI_API_KEY=${KEY}\0`);
    expect(environment).not.toContain("UNUSED");
    const home = desk.environment["HOME"] ?? "";
    const files = readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== ".env")
      .map((entry) => join(entry.parentPath, entry.name));
    expect(files.map((file) => file.split("/").at(-1))).toContain("envoy.yaml");
    for (const file of files) expect(readFileSync(file, "latin1")).not.toContain(KEY);
  });

  it("a detached start reports why Envoy did not start, and leaves no process or state", async () => {
    const envoy = join(desk.directory, "envoy");
    writeFileSync(envoy, "#!/bin/sh\necho the reason that Envoy gives >&2\nexit 3\n", {
      mode: 0o755,
    });
    const real = desk.environment["ENVOY_BIN"] ?? "";
    desk.environment["ENVOY_BIN"] = envoy;
    for (const words of [["--detach"], ["--foreground"]]) {
      const { code, stderr } = await desk.run("up", ...words);
      expect(code).toBe(1);
      expect(stderr).toContain("Envoy exited during start (exit code 3).");
      expect(stderr).toContain("the reason that Envoy gives");
    }
    desk.environment["ENVOY_BIN"] = real;
    expect((await upDetached()).code).toBe(0);
  });

  it("a detached start reports a log directory that cannot be written", async () => {
    const { code, stderr } = await upDetached("--log-dir", join(desk.directory, "gateway.yaml/x"));
    expect(code).toBe(1);
    expect(stderr).toMatch(/log directory .*gateway\.yaml\/x cannot be written/);
    // Where even making it fails in a way of its own.
    const below = await upDetached("--log-dir", "/proc/gateway/logs");
    expect(below.code).toBe(1);
    expect(below.stderr).toContain("/proc/gateway/logs cannot be written");
  });

  it("a killed gateway ends its Envoy, so that the ports are free", async () => {
    await upDetached();
    const { pid, envoyPid } = await status();
    const envoy = identityOf(envoyPid ?? 0);
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => {
      expect(isAlive(envoy)).toBe(false);
    }, SECONDS);
    await checkPorts(listeners(), {});
    expect(await desk.run("status")).toMatchObject({ code: 1, stdout: "No gateway is running.\n" });
    expect(await desk.run("health")).toMatchObject({ code: 1, stdout: "No gateway is running.\n" });
    expect((await upDetached()).code).toBe(0);

    const second = await status();
    process.kill(second.pid, "SIGKILL");
    // Its Envoy may be about to end.
    const up = await upDetached();
    expect(up.code, up.stderr).toBe(0);
    expect(isAlive(identityOf(second.envoyPid ?? 0))).toBe(false);
    expect((await status()).ready).toBe(true);
  });
});

describe("gateway down", () => {
  useNewDesk();

  /** The directory that the gateway of `gateway.yaml` has. */
  function directory(): string {
    const path = join(desk.directory, "gateway.yaml");
    return stateDirectory({ name: "gateway.yaml", path, isBuiltIn: false }, desk.environment);
  }

  it("gateway down stops the owner of the state directory, also if the record is of a killed gateway", async () => {
    await upDetached();
    const { pid, envoyPid } = await status();
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => {
      expect(isAlive(identityOf(envoyPid ?? 0))).toBe(false);
    }, SECONDS);
    // As for a moment when an `up` has taken it.
    const next = spawn("sleep", ["600"]);
    const owner = identityOf(next.pid ?? 0);
    writeFileSync(join(directory(), "gateway.pid"), JSON.stringify(owner));
    try {
      expect((await status()).ready).toBe(false);
      expect((await desk.run("up", "--detach")).stderr).toContain(`process ${owner.pid}`);
      expect((await desk.run("down")).stdout).toBe("The gateway has stopped.\n");
      expect(isAlive(owner)).toBe(false);
      expect(readdirSync(directory()).filter((name) => /pid|json/.test(name))).toEqual([]);
    } finally {
      next.kill("SIGKILL");
    }
  });

  it("gateway down stops a gateway that is starting in place of a killed one", async () => {
    await upDetached();
    const { pid } = await status();
    process.kill(pid, "SIGKILL");
    // One that never becomes ready.
    const envoy = join(desk.directory, "envoy");
    writeFileSync(envoy, "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
    desk.environment["ENVOY_BIN"] = envoy;
    const up = desk.start("up", "--concurrency", "1");
    await vi.waitFor(async () => {
      const found = await status();
      expect(found).toMatchObject({ running: true, ready: false });
      expect(found.pid).not.toBe(pid);
    }, SECONDS);
    expect((await desk.run("down")).stdout).toBe("The gateway has stopped.\n");
    await up.ended;
    expect((await desk.run("status")).stdout).toBe("No gateway is running.\n");
  });
});

describe("one gateway in the foreground", () => {
  let gateway: Running;
  let logs: string;
  beforeAll(async () => {
    await openAnother();
    desk.environment["GATEWAY_ACCESS_LOG"] = "stdout";
    logs = join(desk.directory, "logs");
    gateway = await upInForeground("--log-dir", logs);
  });
  afterAll(() => desk.clear());

  it("a gateway in the foreground writes access log lines to standard output with access_log.stdout", async () => {
    await ask("Hello", {}, { "x-request-id": "wanted-twice" });
    await vi.waitFor(() => {
      const lines = gateway.stdout().split("\n");
      for (const log of ["ingress", "llm"]) {
        const inFile = readFileSync(join(logs, `access_${log}.log`), "utf8")
          .split("\n")
          .find((line) => line.includes("wanted-twice"));
        expect(inFile).toBeDefined();
        expect(lines).toContain(`${log} ${inFile}`);
      }
    }, SECONDS);
  });

  it("a gateway in the foreground reopens its log files on SIGHUP after they were renamed", async () => {
    const log = join(logs, "access_ingress.log");
    renameSync(log, `${log}.old`);
    gateway.process.kill("SIGHUP");
    let asked = 1; // by the test before
    await vi.waitFor(async () => {
      asked += 1;
      await ask("Hello");
      expect(existsSync(log) && readFileSync(log, "utf8")).toContain("/v1/chat/completions");
    }, SECONDS);
    await vi.waitFor(() => {
      const lines = readFileSync(log, "utf8") + readFileSync(`${log}.old`, "utf8");
      expect(lines.match(/\/v1\/chat\/completions/g)).toHaveLength(asked);
    }, SECONDS);
  });

  it("a gateway in the foreground restarts Envoy after a crash", async () => {
    const { envoyPid } = await status();
    process.kill(envoyPid ?? 0, "SIGKILL");
    await vi.waitFor(() => {
      expect(gateway.stderr()).toContain("Envoy stopped unexpectedly (signal SIGKILL)");
      expect(gateway.stderr()).toContain("Envoy is ready again.");
    }, SECONDS);
    expect((await ask("Hello")).status).toBe(200);
    expect((await status()).envoyPid).not.toBe(envoyPid);
  });

  it("a gateway in the foreground keeps running when the reader of its output is gone", async () => {
    gateway.process.stdout?.destroy();
    gateway.process.stderr?.destroy();
    const { envoyPid } = await status();
    process.kill(envoyPid ?? 0, "SIGKILL"); // which it reports
    await vi.waitFor(async () => {
      const found = await status();
      expect(found.ready && found.envoyPid !== envoyPid).toBe(true);
    }, SECONDS);
    expect((await ask("Hello")).status).toBe(200);
  });

  it("a gateway in the foreground stops after an open stream has ended, with exit code 0", async () => {
    const response = await ask("a ".repeat(100), { stream: true });
    const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
    let text = Buffer.from((await reader.read()).value ?? []).toString();
    gateway.process.kill("SIGINT");
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      text += Buffer.from(read.value).toString();
    }
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(await gateway.ended).toMatchObject({ code: 0 });
    await expect(ask("Hello")).rejects.toThrow();
  });
});

describe("a running gateway", () => {
  useNewDesk();

  it("a running gateway rotates its logs by size, loses no line, and finds a request in an older file", async () => {
    const rules = "access_log: {max_file_size: 64KiB, keep_files: 50}\n";
    const providers = `${rules}llm_providers:\n  - model: demo/gateway-demo\n`;
    writeFileSync(join(desk.directory, "gateway.yaml"), configurationOn(ports, providers));
    expect((await upDetached()).code).toBe(0);
    const all = ["logs", "--json", "--access", "llm", "-n", "9999"];
    const following = desk.start(...all, "--follow");
    const log = join(desk.logs, "access_llm.log");
    const longLine = { "user-agent": "long ".repeat(2000) };
    let sent = 0;
    await vi.waitFor(async () => {
      for (let index = 0; index < 10; index += 1, sent += 1) await ask("Hello", {}, longLine);
      expect(existsSync(`${log}.2`)).toBe(true);
    }, SECONDS);
    await vi.waitFor(async () => {
      const { stdout } = await desk.run(...all);
      expect(stdout.trim().split("\n")).toHaveLength(sent);
      expect(following.stdout().trim().split("\n")).toHaveLength(sent);
    }, SECONDS);
    following.process.stdout?.destroy(); // as in `gateway logs --follow | head`
    await ask("Hello");
    expect((await following.ended).code).toBe(0);
    const oldest = parseAccessLogLine(readFileSync(`${log}.2`, "utf8").split("\n")[0] ?? "");
    const { stdout } = await desk.run("logs", "--json", "--request-id", oldest?.requestId ?? "");
    expect(stdout.trim().split("\n")).toHaveLength(2);
  });
});

describe("gateway up", () => {
  useNewDesk();
  let server: Server;
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  it("gateway up reports the process that uses the port, and what to do", async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(ports.egress, "127.0.0.1", resolve));
    for (const words of [["--detach"], ["--foreground"]]) {
      const { code, stderr } = await desk.run("up", ...words);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        new RegExp(
          `Port ${ports.egress} \\(listeners.egress\\) is used by .* \\(pid ${process.pid}\\)\\.`,
        ),
      );
      expect(stderr).toContain("change the port in the configuration");
    }
  });

  it("gateway up stops at once at the second signal", async () => {
    const { gateway, lost } = await upWithHangingRequest();
    gateway.process.kill("SIGINT");
    await vi.waitFor(() => {
      expect(gateway.stderr()).toContain("Waiting for 1 open request");
    }, SECONDS);
    // One that comes too soon is taken for the first; the one after that may not meet a process that is ending.
    const end = vi.waitFor(
      () => {
        gateway.process.kill("SIGINT");
        expect(gateway.stderr()).toContain("Stopping at once");
      },
      { ...SECONDS, interval: 1000 },
    );
    await Promise.all([end, lost]);
    expect((await gateway.ended).code).toBe(0);
  });

  it("gateway up waits for in-flight requests until --drain-time ends, and no longer", async () => {
    const { gateway, lost } = await upWithHangingRequest("--drain-time", "1.5s");
    const took = await timed(async () => {
      gateway.process.kill("SIGTERM");
      await lost;
      expect((await gateway.ended).code).toBe(0);
    });
    expect(took).toBeGreaterThan(1500);
    expect(gateway.stderr()).not.toContain("Stopping at once");
  });

  /** A gateway with one request that its provider never answers; `lost` passes when the request fails. */
  async function upWithHangingRequest(...words: string[]) {
    server = createServer(() => undefined);
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    const providers = [
      "llm_providers:",
      "  - model: slow/model",
      `    base_url: http://127.0.0.1:${port}/v1`,
      "    provider_interface: openai",
    ].join("\n");
    writeFileSync(join(desk.directory, "gateway.yaml"), configurationOn(ports, providers));
    const gateway = await upInForeground(...words);
    const lost = expect(ask("Hello").then((response) => response.text())).rejects.toThrow();
    await vi.waitFor(async () => {
      const { listeners } = await status();
      expect(listeners.some(({ statistics }) => statistics.active > 0)).toBe(true);
    }, SECONDS);
    return { gateway, lost };
  }
});
