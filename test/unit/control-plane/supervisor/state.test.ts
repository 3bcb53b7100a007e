// The state directory of a gateway: its name, its sockets, its owner.
import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { identityOf, isAlive } from "../../../../control-plane/processes/process-identity.ts";
import * as state from "../../../../control-plane/supervisor/state.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-cli-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe("the state directory", () => {
  const file = (path: string, isBuiltIn = false) => ({ name: path, path, isBuiltIn });

  it("the state directory has a readable name, different for each configuration file", () => {
    const environment = { XDG_STATE_HOME: "/state" };
    const one = state.stateDirectory(file("/srv/shop/gateway.yaml"), environment);
    expect(one).toMatch(/^\/state\/gateway\/shop-[0-9a-f]{8}$/);
    expect(state.stateDirectory(file("/srv/shop/other.yaml"), environment)).not.toBe(one);
    expect(state.stateDirectory(file("/x", true), { HOME: "/home/me" })).toBe(
      "/home/me/.local/state/gateway/built-in",
    );
  });

  it("the state directory moves a socket to the temporary directory if its path would be too long", () => {
    expect(state.socketPath("/short", "admin")).toBe("/short/admin.sock");
    expect(state.socketPath("/short", "modelServer", 2)).toBe("/short/model-server-2.sock");
    // Bytes count, not characters.
    for (const long of [`/${"x".repeat(100)}`, `/${"ä".repeat(45)}`]) {
      const elsewhere = state.socketPath(long, "admin");
      expect(Buffer.byteLength(elsewhere)).toBeLessThanOrEqual(107);
      expect(dirname(dirname(elsewhere))).toBe(tmpdir());
      expect(dirname(state.socketPath(long, "modelServer", 7))).toBe(dirname(elsewhere));
      expect(dirname(state.socketPath(`${long}y`, "admin"))).not.toBe(dirname(elsewhere));
    }
  });

  it("the state directory reports a temporary directory whose path is too long as well", () => {
    vi.stubEnv("TMPDIR", `/${"t".repeat(100)}`);
    const long = `/${"x".repeat(100)}`;
    expect(() => state.socketPath(long, "admin")).toThrow(/unix sockets have at most 107 bytes/);
    vi.unstubAllEnvs();
  });

  it.runIf(process.getuid?.() === 0)(
    "the state directory is rejected if it or its socket directory belongs to another user",
    () => {
      const path = join(directory, "foreign");
      mkdirSync(path);
      chownSync(path, 65534, 65534);
      expect(() => {
        state.takeState(path);
      }).toThrow(`${path} belongs to another user (uid 65534).`);

      const long = join(directory, "x".repeat(100));
      const elsewhere = dirname(state.socketPath(long, "admin"));
      mkdirSync(elsewhere);
      chownSync(elsewhere, 65534, 65534);
      expect(() => {
        state.takeState(long);
      }).toThrow(`${elsewhere} belongs to another user (uid 65534).`);
      rmSync(elsewhere, { recursive: true });
    },
  );

  it("the state directory becomes private again if other users could enter it", () => {
    const long = join(directory, "x".repeat(100));
    const elsewhere = dirname(state.socketPath(long, "admin"));
    for (const open of [long, elsewhere]) {
      mkdirSync(open);
      chmodSync(open, 0o777);
    }
    state.takeState(long);
    expect([long, elsewhere].map((one) => statSync(one).mode & 0o777)).toEqual([0o700, 0o700]);
    writeFileSync(join(elsewhere, "left-over.sock"), "");
    state.leaveState(long);
    expect(existsSync(elsewhere)).toBe(false);
  });

  it("the state directory has one owner; a dead process does not count as owner", async () => {
    const path = join(directory, "state");
    state.takeState(path);
    expect(() => {
      state.takeState(path);
    }).toThrow(new RegExp(`is already running \\(process ${process.pid}\\)`));
    expect(statSync(path).mode & 0o777).toBe(0o700);
    state.leaveState(path);
    expect(readdirSync(path)).toEqual([]);

    const child = spawn(process.execPath, ["-e", ""]);
    const dead = identityOf(child.pid ?? 0);
    await new Promise((resolve) => child.once("exit", resolve));
    expect(isAlive(dead)).toBe(false);
    writeFileSync(join(path, "gateway.pid"), JSON.stringify(dead));
    state.takeState(path);
    expect(readFileSync(join(path, "gateway.pid"), "utf8")).toContain(String(process.pid));
  });

  it("the state directory does not accept a new process with the owner's id as the owner", () => {
    const self = identityOf(process.pid);
    expect(isAlive(self)).toBe(true);
    expect(isAlive({ ...self, startTime: "1" })).toBe(false);
  });
});
