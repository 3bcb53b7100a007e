// compose.yaml as it stands: the gateway and the API of the example, up by one command and down again.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { freePorts } from "../cli/gateway-command.ts";
import { buildImage, docker, type Outcome, run } from "./docker.ts";

const EXAMPLE_API_IMAGE = "gateway-example-api:test";
const SECONDS = { timeout: 60_000, interval: 200 };

/** Docker's plugin, else the program of its own that Debian has; undefined where there is neither. */
async function findCompose(): Promise<string[] | undefined> {
  if ((await docker("compose", "version")).code === 0) return ["docker", "compose"];
  return (await run("docker-compose", ["version"])).code === 0 ? ["docker-compose"] : undefined;
}

const compose = inject("canRunContainers") ? await findCompose() : undefined;
if (inject("canRunContainers") && compose === undefined) {
  console.log("· The test of compose.yaml is skipped: docker compose is not installed");
}

describe.skipIf(compose === undefined)("docker compose up", () => {
  const project = `gateway-${randomUUID().slice(0, 8)}`;
  let ingress = 0;
  let environment: Record<string, string> = {};

  const call = (...words: string[]): Promise<Outcome> => {
    const [program = "", ...first] = compose ?? [];
    return run(program, [...first, "--project-name", project, ...words], environment);
  };

  beforeAll(async () => {
    await buildImage();
    await buildImage(EXAMPLE_API_IMAGE, "example-api");
    const ports = await freePorts();
    ingress = ports.ingress;
    environment = {
      GATEWAY_IMAGE: "gateway:test",
      GATEWAY_EXAMPLE_API_IMAGE: EXAMPLE_API_IMAGE,
      GATEWAY_ADDRESS: "127.0.0.1",
      GATEWAY_INGRESS_PORT: String(ports.ingress),
      GATEWAY_EGRESS_PORT: String(ports.egress),
    };
  });
  afterAll(async () => {
    await call("down", "--volumes", "--timeout", "5");
  });

  it("answers a prompt by the API of the example", async () => {
    const up = await call("up", "--detach", "--no-build");
    expect(up.code, up.stderr).toBe(0);
    const ask = async (content: string) => {
      const reply = await fetch(`http://127.0.0.1:${ingress}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "none", messages: [{ role: "user", content }] }),
      });
      const { choices } = (await reply.json()) as { choices: { message: { content: string } }[] };
      return choices[0]?.message.content ?? "";
    };
    await vi.waitFor(async () => {
      expect(JSON.parse(await ask("How much is 20 dollars in EUR?"))).toEqual({
        amount: 20,
        from: "USD",
        to: "EUR",
        result: 18.4,
      });
    }, SECONDS);
  });
});
