// `gateway up --watch`, prompt targets that a reload adds, and what `gateway status` shows meanwhile, with the real Envoy.
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { modelServersOf } from "./gateway-command.ts";
import { ask, keepAsking } from "./reload-traffic.ts";
import {
  SECONDS,
  desk,
  ports,
  provider,
  configure,
  upDetached,
  status,
  said,
} from "./reload-desk.ts";

describe("gateway up --watch", () => {
  const models = async () => (await status()).models;

  it("gateway up --watch loads a file that is replaced or written in place, and ignores an invalid one", async () => {
    const text = configure(["first"]);
    await upDetached("--watch");
    const path = join(desk.directory, "gateway.yaml");
    const fresh = join(desk.directory, "fresh");
    writeFileSync(fresh, text.replace("house/first", "house/second"));
    renameSync(fresh, path);
    await vi.waitFor(async () => {
      expect(await models()).toEqual(["house/second"]);
    }, SECONDS);
    writeFileSync(path, "llm_providers: nonsense\n");
    await vi.waitFor(() => {
      expect(said()).toContain("Reload failed: the configuration is invalid");
    }, SECONDS);
    // Neither the .env that is not there nor the reading of the file is a change.
    const reloads = said().match(/^· Reload\b.*/gm) ?? [];
    expect(reloads.map((line) => line.split(",")[0])).toEqual([
      "· Reload complete",
      "· Reload failed: the configuration is invalid",
    ]);
    expect((await ask(ports.egress, { model: "second" })).status).toBe(200);
    configure(["third"]);
    await vi.waitFor(async () => {
      expect(await models()).toEqual(["house/third"]);
    }, SECONDS);
  });

  it("gateway up --watch loads a folder that is swapped behind a link, as Kubernetes does", async () => {
    const text = configure(["first"]);
    const folder = (name: string, content: string) => {
      mkdirSync(join(desk.directory, name));
      writeFileSync(join(desk.directory, name, "mounted.yaml"), content);
    };
    folder("v1", text);
    folder("v2", text.replace("house/first", "house/second"));
    symlinkSync("v1", join(desk.directory, "data"));
    symlinkSync("data/mounted.yaml", join(desk.directory, "mounted.yaml"));
    expect((await desk.run("up", "--detach", "--watch", "mounted.yaml")).code).toBe(0);
    symlinkSync("v2", join(desk.directory, "data-new"));
    renameSync(join(desk.directory, "data-new"), join(desk.directory, "data"));
    await vi.waitFor(async () => {
      const { stdout } = await desk.run("status", "mounted.yaml");
      expect(stdout).toContain("house/second");
    }, SECONDS);
    expect((await desk.run("down", "mounted.yaml")).code).toBe(0);
  });
});

describe("prompt targets", () => {
  const targets = (name: string, more = "") => `prompt_targets:
  - name: ${name}
    description: tells the weather of a city
    endpoint: {name: api, path: /weather}
${more}endpoints:
  api: {endpoint: "127.0.0.1:1", protocol: http}
`;
  const readyz = async () => {
    const response = await fetch(`http://127.0.0.1:${ports.ingress}/readyz`);
    return { status: response.status, body: await response.text() };
  };

  it("prompt targets are added and changed without a gap, and readiness follows the model server", async () => {
    configure(["first"]);
    await upDetached();
    expect(await readyz()).toEqual({ status: 200, body: '{"status":"ready"}' });
    const client = keepAsking(ports.ingress, { content: "Tell me a joke" }, { count: 2 });
    configure(["first"], targets("weather"));
    expect(await desk.run("reload")).toMatchObject({ code: 0, stderr: "" });
    configure(["first"], targets("forecast"));
    expect(await desk.run("reload")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        "+ prompt target forecast\n- prompt target weather\n",
      ) as string,
    });
    expect(await client.stop()).toEqual([]);
    expect((await readyz()).status).toBe(200);
    expect((await desk.run("health")).stdout).toBe("ready\n");

    // The one before the last change may still be there, for prompts in flight.
    const server = Math.max(...modelServersOf((await status()).pid));
    process.kill(server, "SIGKILL");
    await vi.waitFor(
      async () => {
        expect(await readyz()).toMatchObject({
          status: 503,
          body: expect.stringContaining(
            "The model server stopped unexpectedly (signal SIGKILL)",
          ) as string,
        });
      },
      { timeout: 60_000, interval: 10 },
    );
    await vi.waitFor(async () => {
      expect((await desk.run("health")).code).toBe(0);
    }, SECONDS);
    expect(said()).toContain("The model server is ready again.");
  });
});

describe("gateway status", () => {
  it("gateway status shows in-flight requests and the last failed attempt of each provider", async () => {
    configure(["first"]);
    await upDetached();
    expect((await status()).providers).toEqual([
      { name: "house", inFlight: 0, ejected: 0, lastError: null },
    ]);
    await ask(ports.egress, { content: "[error 500]" });
    // Open until the status has been read twice, however long that takes.
    const agent = new Agent();
    const open = { stream: true, content: "[pieces 5000 pace 50]", agent };
    const long = ask(ports.egress, open).catch(() => undefined);
    await provider.requestWith("[pieces 5000");
    await vi.waitFor(async () => {
      expect((await status()).providers[0]).toMatchObject({
        inFlight: 1,
        lastError: { status: 500, flags: null },
      });
    }, SECONDS);
    expect((await desk.run("status")).stdout).toMatch(/^house +1 +0 +500 at 20/m);
    agent.destroy();
    await long;
  });
});
