// `gateway reload`: a new configuration for a gateway that is busy, with the real Envoy.
import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { requestReload } from "../../control-plane/supervisor/control.ts";
import { startAnthropicProvider } from "../providers/anthropic.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import { freePorts } from "./gateway-command.ts";
import { ask, keepAsking, keepAskingOverHttp2 } from "./reload-traffic.ts";
import {
  SECONDS,
  KEYS,
  desk,
  ports,
  provider,
  configure,
  upDetached,
  reload,
  controlSocket,
  status,
  stream,
  WHOLE_STREAM,
} from "./reload-desk.ts";

describe("gateway reload", () => {
  it("gateway reload lists the changes, and loses no request of busy HTTP/1.1 and HTTP/2 clients and no stream", async () => {
    configure(["first"]);
    await upDetached();
    const { envoyPid } = await status();
    const clients = [
      keepAsking(ports.egress),
      keepAskingOverHttp2(ports.egress),
      keepAsking(ports.egress, { stream: true }, { count: 2 }),
    ];
    const long = stream(200, 50);
    await provider.requestWith("[pieces 200");
    configure(["first", "model-0"]);
    expect(await desk.run("reload")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("+ model house/model-0\n") as string,
    });
    for (let round = 1; round < 6; round += 1) {
      configure(["first", `model-${round}`]);
      const changes = [
        { kind: "added", what: "model", name: `house/model-${round}`, details: [] },
        { kind: "removed", what: "model", name: `house/model-${round - 1}`, details: [] },
      ];
      expect(await requestReload(controlSocket(), { restart: false })).toMatchObject({
        kind: "applied",
        changes,
      });
      expect((await ask(ports.egress, { model: `model-${round}` })).status).toBe(200);
      expect((await ask(ports.egress, { model: `model-${round - 1}` })).status).toBe(404);
    }
    for (const client of clients) {
      await expect.poll(client.answered).toBeGreaterThan(50);
      expect(await client.stop()).toEqual([]);
    }
    expect((await long).text).toMatch(WHOLE_STREAM);
    expect((await status()).envoyPid).toBe(envoyPid);
    expect((await status()).models).toEqual(["house/first", "house/model-5"]);
  });

  it("a reload keeps connections open: the next request on one has the new configuration", async () => {
    configure(["first"]);
    await upDetached();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const localPort = () => Object.values(agent.freeSockets)[0]?.[0]?.localPort;
    await ask(ports.egress, { agent });
    const before = localPort();
    expect(before).toBeDefined();
    configure(["first", "second"]);
    expect((await reload()).kind).toBe("applied");
    expect((await ask(ports.egress, { agent, model: "second" })).status).toBe(200);
    expect(localPort()).toBe(before);
    agent.destroy();
  });

  it("a reload keeps the budgets of rate limits; a limit with a new amount starts over", async () => {
    const limits = (requests: number): string =>
      `ratelimits:\n  - {model: house/first, limit: {requests: ${requests}, unit: day}}\n`;
    const statuses = async (count: number): Promise<number[]> => {
      const found: number[] = [];
      for (let i = 0; i < count; i++) found.push((await ask(ports.egress)).status);
      return found;
    };
    configure(["first"], limits(2));
    await upDetached();
    expect(await statuses(3)).toEqual([200, 200, 429]);
    configure(["first", "second"], limits(2));
    expect((await reload()).kind).toBe("applied");
    expect(await statuses(1)).toEqual([429]);
    configure(["first", "second"], limits(4));
    expect((await reload()).kind).toBe("applied");
    expect(await statuses(5)).toEqual([200, 200, 200, 200, 429]);
  });

  it("a reload completes a request with a fallback under its first configuration, in both formats", async () => {
    const held: ServerResponse[] = [];
    const failing = createServer((_, response) => held.push(response));
    await new Promise<void>((resolve) => failing.listen(0, "127.0.0.1", resolve));
    const { port } = failing.address() as AddressInfo;
    const anthropic = await startAnthropicProvider({ key: KEYS.OTHER_KEY });
    const withFallback = (more: string) => {
      const [at, fallback] = [`http://127.0.0.1:${port}/v1`, "anthropic/claude-sonnet-4-5"];
      const lines = [
        `  - {model: failing/model, base_url: "${at}", provider_interface: openai, fallbacks: [${fallback}]}`,
        `  - {model: ${fallback}, base_url: "${anthropic.url}", access_key: $OTHER_KEY}`,
      ];
      configure(["first"], `${lines.join("\n")}\n${more}`);
    };
    withFallback("");
    Object.assign(desk.environment, KEYS);
    await upDetached();
    const asked = [false, true].map((stream) =>
      ask(ports.egress, { model: "failing/model", stream }),
    );
    await vi.waitFor(() => {
      expect(held).toHaveLength(2);
    }, SECONDS);
    withFallback("model_aliases: {more: {target: first}}\n");
    expect((await reload()).kind).toBe("applied");
    for (const response of held) response.destroy();
    const [complete, streamed] = await Promise.all(asked);
    expect(complete).toMatchObject({ status: 200 });
    expect(JSON.parse(complete?.text ?? "")).toMatchObject({ object: "chat.completion" });
    expect(streamed?.text).toMatch(WHOLE_STREAM);
    expect(anthropic.violations()).toEqual([]);
    failing.closeAllConnections();
    failing.close();
    await anthropic.stop();
  });

  it("an invalid file changes nothing at a reload, and prints the problems as validate does", async () => {
    configure(["first"]);
    await upDetached();
    const { envoyPid } = await status();
    writeFileSync(join(desk.directory, "gateway.yaml"), "llm_providers:\n  - model: nonsense\n");
    const [told, validated] = [
      await desk.run("reload", "gateway.yaml"),
      await desk.run("validate", "gateway.yaml"),
    ];
    expect(told.code).toBe(2);
    expect(told.stderr).toBe(validated.stderr);
    expect(told.stderr).toContain("gateway.yaml:2:");
    expect((await ask(ports.egress, { model: "first" })).status).toBe(200);
    expect((await status()).envoyPid).toBe(envoyPid);
    configure(["first"]);
    expect(await reload()).toMatchObject({ kind: "unchanged" });
  });

  it("a reload moves a listener to a new port: the other listener is unchanged, and open streams end on the old port", async () => {
    configure(["first"]);
    await upDetached();
    const other = keepAsking(ports.ingress);
    const long = stream(60, 50);
    await provider.requestWith("[pieces 60");
    const fresh = await freePorts();
    configure(["first"], "", { ...ports, egress: fresh.egress });
    const { stdout } = await desk.run("reload");
    expect(stdout).toContain(`~ listener egress: port ${ports.egress} → ${fresh.egress}\n`);
    expect((await ask(fresh.egress)).status).toBe(200);
    await vi.waitFor(() => expect(ask(ports.egress)).rejects.toThrow("ECONNREFUSED"), SECONDS);
    expect((await long).text).toMatch(WHOLE_STREAM);
    expect(await other.stop()).toEqual([]);
    expect((await status()).listeners.map(({ port }) => port)).toEqual([
      ports.ingress,
      fresh.egress,
    ]);
  });

  it("a reload with a new key reports that Envoy must restart, which --restart does without a gap", async () => {
    Object.assign(desk.environment, KEYS);
    const keyed = await startOpenaiProvider({ key: KEYS.OPENAI_API_KEY });
    const withKey = (name: string) => {
      const entry = `  - {model: openai/gpt-4o, base_url: ${keyed.url}/v1, access_key: $${name}}\n`;
      configure(["first"], entry);
    };
    configure(["first"]);
    await upDetached();
    const { envoyPid } = await status();
    withKey("OPENAI_API_KEY");
    const refused = await desk.run("reload");
    expect(refused.code).toBe(3);
    expect(refused.stdout).toContain("+ model openai/gpt-4o\n");
    expect(refused.stderr).toContain("the new variable $OPENAI_API_KEY needs an Envoy restart");
    expect(refused.stderr).toContain("gateway reload --restart");
    expect((await ask(ports.egress, { model: "openai/gpt-4o" })).status).toBe(404);

    const retrying = { retriesUnprocessed: true };
    const clients = [
      keepAsking(ports.egress, {}, retrying),
      keepAskingOverHttp2(ports.egress, {}, retrying),
      keepAsking(ports.egress, { stream: true }, retrying),
    ];
    const long = stream(60, 50);
    await provider.requestWith("[pieces 60");
    const done = await desk.run("reload", "--restart");
    expect(done).toMatchObject({ code: 0 });
    // The threads of the old Envoy may take a moment to stop listening.
    await vi.waitFor(async () => {
      expect((await ask(ports.egress, { model: "openai/gpt-4o" })).status).toBe(200);
    }, SECONDS);
    expect((await long).text).toMatch(WHOLE_STREAM);
    expect((await status()).envoyPid).not.toBe(envoyPid);
    await vi.waitFor(() => {
      expect(() => process.kill(envoyPid ?? 0, 0)).toThrow();
    }, SECONDS);
    for (const client of clients) expect(await client.stop()).toEqual([]);
    // A connection that is being made when the old Envoy stops listening is reset by the system, before a request.
    const seen = new Set(provider.requests.map(({ headers }) => headers["x-request-id"]));
    const retried = clients.flatMap((client) => client.retried());
    expect(retried.filter(({ id }) => seen.has(id))).toEqual([]);

    withKey("OTHER_KEY");
    const other = await reload();
    expect(other).toMatchObject({
      kind: "needs restart",
      reasons: ["the new variable $OTHER_KEY"],
    });
    for (const said of [JSON.stringify(other), refused.stderr, done.stdout, done.stderr]) {
      for (const key of Object.values(KEYS)) expect(said).not.toContain(key);
    }
    await keyed.stop();
  });

  it("a reload with a new log directory reports that a restart is needed", async () => {
    configure(["first"]);
    await upDetached();
    configure(["first"], `access_log: {directory: ${join(desk.directory, "elsewhere")}}`);
    expect(await reload()).toMatchObject({
      kind: "needs restart",
      reasons: ["the new access_log.directory"],
    });
  });

  it("gateway reload fails if no gateway runs", async () => {
    configure(["first"]);
    const { code, stderr } = await desk.run("reload");
    expect(code).toBe(1);
    expect(stderr).toContain("No gateway is running.");
  });
});

describe("requests with a fallback", () => {
  it("requests with a fallback are not lost if a reload replaces the filter of their attempts", async () => {
    const down =
      "  - {model: down/model, base_url: http://127.0.0.1:1/v1, provider_interface: openai, fallbacks: [house/first]}\n";
    configure(["first"], down);
    await upDetached();
    const client = keepAsking(ports.egress, { model: "down/model" });
    for (let round = 0; round < 4; round += 1) {
      configure(["first", `model-${round}`], down);
      expect(await requestReload(controlSocket(), { restart: false })).toMatchObject({
        kind: "applied",
      });
    }
    await expect.poll(client.answered).toBeGreaterThan(20);
    expect(await client.stop()).toEqual([]);
  });
});
