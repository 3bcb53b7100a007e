// compose.yaml as it stands: the gateway and the API of the example, up by one command and down again.
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, it, vi } from "vitest";
import { missingForRateLimitService } from "../../scripts/rate-limit-service.ts";
import { freePorts } from "../cli/gateway-command.ts";
import { docker, EXAMPLE_API_IMAGE, IMAGE, type Outcome, run } from "./docker.ts";
import { requireImages } from "./image.ts";
import { RATELIMIT_IMAGE, REDIS_IMAGE } from "./limits/build.ts";

const SECONDS = { timeout: 60_000, interval: 200 };

const ROOT = join(import.meta.dirname, "../..");

/** Docker's plugin, else the separate program that Debian has; undefined where there is neither. */
async function findCompose(): Promise<string[] | undefined> {
  if ((await docker("compose", "version")).code === 0) return ["docker", "compose"];
  if ((await run("docker-compose", ["version"])).code !== 0) return undefined;
  return ["docker-compose", "--file", withoutOptionalFiles(), "--project-directory", ROOT];
}

/** Returns a copy of compose.yaml without `env_file`: Debian's Compose 1 has no optional files, which came with 2.24. */
function withoutOptionalFiles(): string {
  const text = readFileSync(join(ROOT, "compose.yaml"), "utf8");
  const copy = join(mkdtempSync(join(tmpdir(), "gateway-compose-")), "compose.yaml");
  writeFileSync(copy, text.replaceAll(/^ *env_file: .*\n/gm, ""));
  return copy;
}

const compose = inject("canRunContainers") ? await findCompose() : undefined;
if (inject("canRunContainers") && compose === undefined) {
  console.log("· The test of compose.yaml is skipped: docker compose is not installed");
}

/** One project of compose, with an own name and free ports. */
async function openProject(more: Record<string, string> = {}) {
  const project = `gateway-${randomUUID().slice(0, 8)}`;
  const ports = await freePorts();
  const environment = {
    GATEWAY_IMAGE: IMAGE,
    GATEWAY_EXAMPLE_API_IMAGE: EXAMPLE_API_IMAGE,
    GATEWAY_INGRESS_PORT: String(ports.ingress),
    GATEWAY_EGRESS_PORT: String(ports.egress),
    ...more,
  };
  const call = (...words: string[]): Promise<Outcome> => {
    const [program = "", ...first] = compose ?? [];
    return run(program, [...first, "--project-name", project, ...words], environment);
  };
  const ask = (port: number, content: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "none", messages: [{ role: "user", content }] }),
    });
  return { ports, call, ask };
}

describe.skipIf(compose === undefined)("docker compose up", () => {
  beforeAll(requireImages);

  it("docker compose up answers a prompt by the API of the example", async () => {
    const { ports, call, ask } = await openProject();
    try {
      const up = await call("up", "--detach", "--no-build");
      expect(up.code, up.stderr).toBe(0);
      await vi.waitFor(async () => {
        const response = await ask(ports.ingress, "How much is 20 dollars in EUR?");
        const { choices } = (await response.json()) as {
          choices: { message: { content: string } }[];
        };
        expect(JSON.parse(choices[0]?.message.content ?? "")).toEqual({
          amount: 20,
          from: "USD",
          to: "EUR",
          result: 18.4,
        });
      }, SECONDS);
    } finally {
      await call("down", "--volumes", "--timeout", "5");
    }
  });

  const missing = missingForRateLimitService(process.env);
  it.skipIf(missing !== undefined)(
    "docker compose up --profile limits limits requests by the shared service",
    async () => {
      const { ports, call, ask } = await openProject({
        GATEWAY_YAML: "./examples/shared-limits/gateway.yaml",
        REDIS_IMAGE,
        RATELIMIT_IMAGE,
      });
      const limits = ["--profile", "limits"];
      try {
        const up = await call(...limits, "up", "--detach", "--no-build");
        expect(up.code, up.stderr).toBe(0);
        await vi.waitFor(async () => {
          const response = await ask(ports.egress, "Hello", { "x-user-id": "one" });
          expect(response.status).toBe(429);
        }, SECONDS);
        expect((await ask(ports.egress, "Hello", { "x-user-id": "two" })).status).toBe(200);
        // Not the gateway's own memory: redis has counted.
        const size = await call(...limits, "exec", "-T", "redis", "redis-cli", "dbsize");
        expect(Number(size.stdout.trim())).toBeGreaterThanOrEqual(2);
      } finally {
        await call(...limits, "down", "--volumes", "--timeout", "5");
      }
    },
  );
});
