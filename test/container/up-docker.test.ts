// `gateway up --docker`: the command line as it is without docker, with the image in place of processes.
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  it,
  vi,
} from "vitest";
import type { Status } from "../../control-plane/cli/commands/status.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import {
  configurationOn,
  type Desk,
  freePorts,
  openDesk,
  type Ports,
} from "../cli/gateway-command.ts";
import { docker, IMAGE } from "./docker.ts";
import { requireImages } from "./image.ts";

const SECONDS = { timeout: 60_000, interval: 100 };
const KEY = "sk-from-the-shell";

describe.skipIf(!inject("canRunContainers"))("gateway up --docker", () => {
  let desk: Desk;
  let ports: Ports;
  let provider: FakeProvider;

  beforeAll(async () => {
    requireImages();
    provider = await startOpenaiProvider({ key: KEY, models: ["gpt-4o"] });
  });
  afterAll(() => provider.stop());
  beforeEach(async () => {
    ports = await freePorts();
    const providers = [
      "llm_providers:",
      "  - model: openai/gpt-4o",
      "    access_key: $OPENAI_API_KEY",
      `    base_url: ${provider.url}/v1`,
    ].join("\n");
    // On the host's network the image's default address would be open to everybody.
    const configuration = configurationOn(ports, providers).replaceAll("address: 127.0.0.1, ", "");
    desk = openDesk({ "gateway.yaml": configuration });
    desk.environment["GATEWAY_IMAGE"] = IMAGE;
    desk.environment["OPENAI_API_KEY"] = KEY;
  });
  afterEach(async () => {
    await desk.run("down", "gateway.yaml"); // a container, of which the desk has no process
    await desk.clear();
  });

  const ask = async (model = "none"): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${ports.egress}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
    });
    return response.text();
  };

  it("--detach returns when it is ready; status, reload, logs and down know it", async () => {
    const up = await desk.run("up", "--docker", "--detach");
    expect(up.code, up.stderr).toBe(0);
    const [, name = ""] = /Running in the container (\S+)\./.exec(up.stdout) ?? [];
    expect(up.stdout).toContain(`http://127.0.0.1:${ports.egress}/v1`);
    expect(await ask()).toContain("You said: hello");
    expect(provider.violations()).toEqual([]);

    const status = await desk.run("status", "--json");
    expect(status.code).toBe(0);
    const { logs } = desk;
    expect(JSON.parse(status.stdout) as Status).toMatchObject({
      ready: true,
      configuration: join(desk.directory, "gateway.yaml"),
      listeners: [{ address: "127.0.0.1" }, { address: "127.0.0.1" }],
      warnings: [],
      logDirectory: logs,
    });
    const file = join(desk.directory, "gateway.yaml");
    appendFileSync(file, "\nmodel_aliases:\n  fast: {target: openai/gpt-4o}\n");
    const reload = await desk.run("reload");
    expect(reload.code, reload.stderr).toBe(0);
    expect(await ask("fast")).toContain("You said: hello");
    await vi.waitFor(async () => {
      const { stdout } = await desk.run("logs", "--json", "--access", "llm");
      expect(stdout).toContain("/v1/chat/completions");
    }, SECONDS);
    expect(readdirSync(logs)).toContain("access_ingress.log");

    const again = await desk.run("up", "--docker", "--detach");
    expect(again.code).toBe(1);
    expect(again.stderr).toContain(`is already running (container ${name})`);

    const down = await desk.run("down");
    expect(down).toMatchObject({ code: 0, stdout: "The gateway has stopped.\n" });
    await expect(ask()).rejects.toThrow();
    expect((await docker("inspect", name)).code).not.toBe(0);
    expect((await desk.run("status")).code).toBe(1);
  });

  it("gateway up --docker in the foreground prints the container's output, and ends with it", async () => {
    const up = desk.start("up", "--docker");
    await vi.waitFor(() => {
      expect(up.stdout() + up.stderr()).toContain("is ready");
    }, SECONDS);
    expect(await ask()).toContain("You said: hello");
    up.process.kill("SIGTERM");
    expect((await up.ended).code).toBe(0);
    expect(up.stderr()).toContain("Stopping");
    expect((await desk.run("status")).code).toBe(1);
  });

  it("gateway up --docker reports mistakes before it starts anything", async () => {
    delete desk.environment["OPENAI_API_KEY"];
    const unset = await desk.run("up", "--docker");
    expect(unset.code).toBe(2);
    expect(unset.stderr).toContain("OPENAI_API_KEY is not set");

    desk.environment["OPENAI_API_KEY"] = KEY;
    desk.environment["GATEWAY_IMAGE"] = "gateway:never-built";
    const missing = await desk.run("up", "--docker");
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain("There is no image gateway:never-built.");
    expect(missing.stderr).toContain("scripts/container/build-image.sh");
  });
});
