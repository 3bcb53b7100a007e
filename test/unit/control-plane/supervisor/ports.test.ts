// The check of the listeners' ports before Envoy starts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { commandFor } from "../../../../control-plane/report/command-name.ts";
import type { Listener } from "../../../../model/model.ts";
import { checkPorts, findOwner } from "../../../../control-plane/supervisor/ports.ts";
import { freePort } from "../../../free-port.ts";
import { identityOf } from "../../../../control-plane/processes/process-identity.ts";

describe("the port check", () => {
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

  it("the port check reports the process that uses a port", async () => {
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

  it("the port check reports every port in use, by the listener's key in the file", async () => {
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

  it("the port check reports the configuration of another gateway that uses the port", async () => {
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

  it("the port check rejects an address that the machine does not have", async () => {
    await expect(checkPorts([listener(await freePort(), "192.0.2.77")], nowhere)).rejects.toThrow(
      /no address 192.0.2.77/,
    );
  });
});
