// The gateway on a network of containers, as users have it: published ports, and a provider found by its name.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { type StartedTestContainer, Wait } from "testcontainers";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { dockerOutput, ROOT } from "./docker.ts";
import { requireImages } from "./image.ts";
import { ConfinedContainer } from "./gateway-container.ts";

const KEY = "sk-on-the-network";
const EGRESS = 12_000;

describe.skipIf(!inject("canRunContainers"))("on a network of its own", () => {
  const network = `gateway-${randomUUID().slice(0, 8)}`;
  const directory = mkdtempSync(join(tmpdir(), "gateway-network-"));
  const started: StartedTestContainer[] = [];

  beforeAll(async () => {
    requireImages();
    // Not testcontainers' own network, which would publish ports on all addresses of this machine.
    await dockerOutput(
      ...["network", "create", "--label", "org.testcontainers=true"],
      ...["--opt", "com.docker.network.bridge.host_binding_ipv4=127.0.0.1", network],
    );
  });
  afterAll(async () => {
    for (const container of started.reverse()) await container.stop();
    await dockerOutput("network", "rm", network);
    rmSync(directory, { recursive: true });
  });

  it("a container in a separate network reaches a provider by its name, and is reached by published ports", async () => {
    const provider = new ConfinedContainer()
      .withName(`${network}-provider`)
      .withNetworkMode(network)
      .withBindMounts([{ source: ROOT, target: "/repository", mode: "ro" }])
      .withEntrypoint(["node", "/repository/test/container/provider-program.ts", KEY])
      .withWaitStrategy(Wait.forLogMessage("The provider listens."));
    started.push(await provider.start());

    const file = join(directory, "gateway.yaml");
    writeFileSync(
      file,
      `llm_providers:
  - model: openai/gpt-4o
    access_key: $OPENAI_API_KEY
    base_url: http://${network}-provider:9000/v1
`,
    );
    const gateway = await new ConfinedContainer()
      .withName(network)
      .withNetworkMode(network)
      .withBindMounts([{ source: file, target: "/app/gateway.yaml", mode: "ro" }])
      .withEnvironment({ OPENAI_API_KEY: KEY })
      .withExposedPorts(10_000, EGRESS)
      .withWaitStrategy(Wait.forHttp("/healthz", EGRESS))
      .start();
    started.push(gateway);

    const port = gateway.getMappedPort(EGRESS);
    expect(await dockerOutput("port", gateway.getId(), String(EGRESS))).toBe(`127.0.0.1:${port}`);
    const client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "placeholder" });
    const messages = [{ role: "user" as const, content: "hello" }];
    const response = await client.chat.completions.create({ model: "gpt-4o", messages });
    expect(response.choices[0]?.message.content).toBe("You said: hello");
  });
});
