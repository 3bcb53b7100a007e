// Parts of the command line that need no Envoy: colours, tables, finding the configuration, ports, state and rotation.
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
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { commandFor } from "../../control-plane/config/diagnostics/command-name.ts";
import { readConfiguration } from "../../control-plane/supervisor/configuration-file.ts";
import {
  findConfiguration,
  findConfigurationOrBuiltIn,
} from "../../control-plane/cli/find-configuration.ts";
import { ConfigurationProblems } from "../../control-plane/config/diagnostics/configuration-problems.ts";
import type { Listener } from "../../control-plane/ir/model.ts";
import { envoyEnvironment, logArguments } from "../../control-plane/supervisor/envoy-process.ts";
import { findCaFile, requireCaFile } from "../../control-plane/supervisor/place.ts";
import { checkPorts, findOwner, freePort } from "../../control-plane/supervisor/ports.ts";
import { identityOf, isAlive } from "../../control-plane/supervisor/process-identity.ts";
import { createRotation } from "../../control-plane/supervisor/rotation.ts";
import * as state from "../../control-plane/supervisor/state.ts";
import { duration, table, wantsColor } from "../../control-plane/config/diagnostics/terminal.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-cli-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe("the terminal", () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
    [{ TERM: "dumb" }, true, false],
    [{ CI: "true" }, false, false],
  ])("has colours with %o and a terminal %s: %s", (environment, isTTY, expected) => {
    expect(wantsColor(environment, { isTTY })).toBe(expected);
  });

  it("aligns columns, not counting colours", () => {
    expect(
      table([
        ["a", "b"],
        ["\x1b[31mlong\x1b[39m", "c"],
        ["d", ""],
      ]),
    ).toEqual(["a     b", "\x1b[31mlong\x1b[39m  c", "d"]);
  });

  it.each([
    [0.4, "0s"],
    [42, "42s"],
    [187, "3m 07s"],
    [3600 * 5 + 720, "5h 12m"],
    [86400 * 2 + 3 * 3600, "2d 3h"],
  ])("says %s seconds as %s", (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});

describe("the configuration file", () => {
  const yaml = "llm_providers:\n  - model: openai/gpt-4o\n    access_key: $OPENAI_API_KEY\n";

  it("is the argument, else the first of the usual names", () => {
    for (const name of ["arch_config.yaml", "config.yaml"])
      writeFileSync(join(directory, name), "");
    expect(findConfiguration(undefined, directory).name).toBe("config.yaml");
    writeFileSync(join(directory, "gateway.yaml"), "");
    expect(findConfiguration(undefined, directory).name).toBe("gateway.yaml");
    expect(findConfiguration("other.yaml", directory)).toEqual({
      name: "other.yaml",
      path: join(directory, "other.yaml"),
      isBuiltIn: false,
    });
  });

  it("has to be there for validate; else there is the built-in one, which is valid", () => {
    expect(() => findConfiguration(undefined, directory)).toThrow(/no configuration in/);
    const file = findConfigurationOrBuiltIn(undefined, directory);
    expect(file.isBuiltIn).toBe(true);
    const { model } = readConfiguration(file, {});
    expect(model.targets[0]?.address.kind).toBe("embedded");
  });

  it("gets .env beside it, and the process environment wins", () => {
    writeFileSync(join(directory, "gateway.yaml"), yaml);
    writeFileSync(join(directory, ".env"), "OPENAI_API_KEY='from-file'\nOTHER=x # note\n");
    const file = findConfiguration(undefined, directory);
    expect(readConfiguration(file, {}).environment).toEqual({
      OPENAI_API_KEY: "from-file",
      OTHER: "x",
    });
    const { environment } = readConfiguration(file, { OPENAI_API_KEY: "from-shell" });
    expect(environment["OPENAI_API_KEY"]).toBe("from-shell");
  });

  it("with problems is exit code 2 with all of them, and so is one that cannot be read", () => {
    writeFileSync(join(directory, "gateway.yaml"), yaml);
    const read = (name: string) => readConfiguration(findConfiguration(name, directory), {});
    expect(() => read("gateway.yaml")).toThrow(ConfigurationProblems);
    expect(() => read("none.yaml")).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringContaining("there is no") as string,
      }),
    );
    expect(() => read(".")).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringContaining("a directory") as string,
      }),
    );
  });
});

describe("ports", () => {
  /** No state of any gateway. */
  const nowhere = { XDG_STATE_HOME: "/nowhere" };
  let server: Server | undefined;
  const listener = (port: number, address = "127.0.0.1"): Listener => ({
    name: "egress",
    address,
    port,
    timeoutMs: 1,
  });
  afterEach(() => {
    server?.close();
    server = undefined;
  });

  it("that are taken are named with the process that has them", async () => {
    const port = await freePort();
    await checkPorts([listener(port)], nowhere);
    server = createServer();
    await new Promise<void>((resolve) => server?.listen(port, "127.0.0.1", resolve));
    // The program by its name, without its directory.
    const owner = new RegExp(String.raw`^[^/]+ \(pid ${process.pid}\)$`);
    expect(findOwner(port)).toMatch(owner);
    await expect(checkPorts([listener(port)], nowhere)).rejects.toMatchObject({
      message: `Port ${port} (listeners.egress) is used by ${findOwner(port)}.`,
      hint: "Stop that process, or change the port in the configuration.",
    });
    await expect(checkPorts([listener(port, "0.0.0.0")], nowhere)).rejects.toThrow(/is used by/);
  });

  it("that are taken are all named, by the names that the file has for the listeners", async () => {
    const port = await freePort();
    server = createServer();
    await new Promise<void>((resolve) => server?.listen(port, "127.0.0.1", resolve));
    const place = "listeners.prompts";
    const both = [{ ...listener(port), name: "ingress" as const, place }, listener(port)];
    const owner = findOwner(port);
    await expect(checkPorts(both, nowhere)).rejects.toThrow(
      [place, "listeners.egress"]
        .map((at) => `Port ${port} (${at}) is used by ${owner}.`)
        .join("\n"),
    );
  });

  it("of another gateway are named with its configuration", async () => {
    const port = await freePort();
    server = createServer();
    await new Promise<void>((resolve) => server?.listen(port, "127.0.0.1", resolve));
    const state = mkdtempSync(join(tmpdir(), "gateway-state-"));
    const directory = join(state, "gateway/other");
    mkdirSync(directory, { recursive: true });
    const configuration = join(directory, "other.yaml");
    const gateway = identityOf(process.pid);
    const record = {
      gateway,
      envoy: gateway,
      otherEnvoys: [gateway],
      listeners: [listener(port)],
      configuration,
    };
    writeFileSync(join(directory, "gateway.json"), JSON.stringify(record));
    await expect(checkPorts([listener(port)], { XDG_STATE_HOME: state })).rejects.toMatchObject({
      message: `Port ${port} (listeners.egress) is used by another gateway (${configuration}, pid ${process.pid}).`,
      hint: `Stop it with ${commandFor(`down ${configuration}`)}, or change the port.`,
    });
    rmSync(state, { recursive: true });
  });

  it("of an address that the machine does not have are refused", async () => {
    await expect(checkPorts([listener(await freePort(), "192.0.2.77")], nowhere)).rejects.toThrow(
      /no address 192.0.2.77/,
    );
  });
});

describe("what Envoy is started with", () => {
  it("is the environment that the configuration refers to, and what Envoy itself needs", () => {
    const all = { PATH: "/bin", OPENAI_API_KEY: "k", AWS_SECRET_ACCESS_KEY: "s", HOME: "/root" };
    expect(envoyEnvironment(all, ["OPENAI_API_KEY", "UNSET"])).toEqual({
      PATH: "/bin",
      HOME: "/root",
      OPENAI_API_KEY: "k",
    });
  });

  it("never makes Envoy write request heads, in which keys stand", () => {
    expect(logArguments("warning")).toEqual(["--log-level", "warning"]);
    expect(logArguments("debug").join(" ")).toBe(
      "--log-level info --component-log-level wasm:debug,upstream:debug,dns:debug",
    );
  });

  it("is the CA file of SSL_CERT_FILE, and none where no provider is called by https", () => {
    const file = join(directory, "ca.pem");
    expect(() => findCaFile({ SSL_CERT_FILE: file })).toThrow(/does not exist/);
    writeFileSync(file, "");
    expect(findCaFile({ SSL_CERT_FILE: file })).toBe(file);
    const builtIn = readConfiguration(findConfigurationOrBuiltIn(undefined, directory), {}).model;
    expect(() => requireCaFile(builtIn, { SSL_CERT_FILE: "/none" })).not.toThrow();
  });
});

describe("the state directory", () => {
  const file = (path: string, isBuiltIn = false) => ({ name: path, path, isBuiltIn });

  it("is one for each configuration file, and readable", () => {
    const environment = { XDG_STATE_HOME: "/state" };
    const one = state.stateDirectory(file("/srv/shop/gateway.yaml"), environment);
    expect(one).toMatch(/^\/state\/gateway\/shop-[0-9a-f]{8}$/);
    expect(state.stateDirectory(file("/srv/shop/other.yaml"), environment)).not.toBe(one);
    expect(state.stateDirectory(file("/x", true), { HOME: "/home/me" })).toBe(
      "/home/me/.local/state/gateway/built-in",
    );
  });

  it("puts the socket elsewhere when its path would be too long", () => {
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

  it("says so when the temporary directory's path is too long as well", () => {
    vi.stubEnv("TMPDIR", `/${"t".repeat(100)}`);
    const long = `/${"x".repeat(100)}`;
    expect(() => state.socketPath(long, "admin")).toThrow(/unix sockets have at most 107 bytes/);
    vi.unstubAllEnvs();
  });

  it.runIf(process.getuid?.() === 0)(
    "is not taken where it, or its sockets', is another user's",
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

  it("is made private again where others could enter it", () => {
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

  it("has one owner; one that has died is no owner", async () => {
    const path = join(directory, "state");
    state.takeState(path);
    expect(() => {
      state.takeState(path);
    }).toThrow(new RegExp(`is running already \\(process ${process.pid}\\)`));
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

  it("does not take another process with the same id for the owner", () => {
    const self = identityOf(process.pid);
    expect(isAlive(self)).toBe(true);
    expect(isAlive({ ...self, startTime: "1" })).toBe(false);
  });
});

describe("rotation", () => {
  const log = () => join(directory, "access_llm.log");
  const content = (name: string) => readFileSync(join(directory, name), "utf8");
  const rotation = (keepFiles: number) => {
    let reopened = 0;
    const rules = { directory, maxFileBytes: 10, keepFiles };
    const { check } = createRotation(
      () => rules,
      () => (reopened += 1),
    );
    return { check, reopened: () => reopened };
  };

  it("leaves small files alone", () => {
    writeFileSync(log(), "small");
    const { check, reopened } = rotation(2);
    check();
    expect(reopened()).toBe(0);
    expect(readdirSync(directory)).toEqual(["access_llm.log"]);
  });

  it("renames a large file, keeps as many as it is told, and has Envoy open a new one", () => {
    const { check, reopened } = rotation(2);
    for (const age of ["first", "second", "third"]) {
      writeFileSync(log(), `${age} and more than ten`);
      check();
      expect(existsSync(log())).toBe(false);
    }
    expect(reopened()).toBeGreaterThanOrEqual(3);
    expect(readdirSync(directory).sort()).toEqual(["access_llm.log.1", "access_llm.log.2"]);
    expect(content("access_llm.log.1")).toMatch(/^third/);
    expect(content("access_llm.log.2")).toMatch(/^second/);
  });

  it("keeps nothing when it is told to keep none", () => {
    const { check } = rotation(0);
    writeFileSync(log(), "more than ten bytes");
    check();
    expect(readdirSync(directory)).toEqual([]);
  });

  it("has Envoy open its files anew when somebody else has renamed one", () => {
    writeFileSync(log(), "x");
    const { check, reopened } = rotation(2);
    rmSync(log());
    check();
    expect(reopened()).toBe(1);
    check();
    expect(reopened()).toBe(1);
  });

  it("empties the gateway's own log, which others hold open", () => {
    const own = join(directory, "gateway.log");
    writeFileSync(own, "more than ten bytes");
    const { ino } = statSync(own);
    rotation(2).check();
    expect(statSync(own)).toMatchObject({ ino, size: 0 });
    expect(content("gateway.log.1")).toBe("more than ten bytes");
  });
});
