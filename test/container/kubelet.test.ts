// A pod's ConfigMap and Secret change while it serves requests: the container reloads, and no request is lost.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { configurationOn, freePorts } from "../cli/gateway-command.ts";
import { mountAsKubelet } from "../cli/kubelet.ts";
import { ask, keepAsking, stopAllTraffic } from "../cli/reload-traffic.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import { type RunningContainer, startContainer } from "./gateway-container.ts";
import { requireImages } from "./image.ts";

const SECONDS = { timeout: 60_000, interval: 100 };
const FIRST = "sk-first-of-the-secret";
const SECOND = "sk-second-of-the-secret";
/** The kubelet's files belong to the pod's group; here everybody may read them. */
const READABLE = 0o644;

describe.skipIf(!inject("canRunContainers"))("a container with the kubelet's volumes", () => {
  const directory = mkdtempSync(join(tmpdir(), "gateway-kubelet-"));
  let running: RunningContainer | undefined;
  beforeAll(requireImages);
  afterEach(async () => {
    stopAllTraffic();
    await running?.clear();
    rmSync(directory, { recursive: true, force: true });
  });

  it("a changed Secret and a changed ConfigMap are reloads of the container, and no request is lost", async () => {
    const provider = await startOpenaiProvider({ key: [FIRST, SECOND] });
    const ports = await freePorts();
    const configuration = (...models: string[]) => ({
      "gateway.yaml": configurationOn(
        ports,
        `llm_providers:\n${models
          .map(
            (model) =>
              `  - {model: house/${model}, base_url: ${provider.url}/v1, provider_interface: openai, access_key: $HOUSE_KEY}\n`,
          )
          .join("")}`,
      ),
    });
    const configMap = mountAsKubelet(join(directory, "app"), configuration("first"), READABLE);
    const secret = mountAsKubelet(join(directory, "variables"), { HOUSE_KEY: FIRST }, READABLE);
    running = await startContainer({
      environment: { GATEWAY_VARIABLES_DIR: "/run/variables", GATEWAY_RUN_DIR: "/run/gateway" },
      adapt: (container) =>
        container
          .withBindMounts([
            { source: configMap.directory, target: "/app", mode: "ro" },
            { source: secret.directory, target: "/run/variables", mode: "ro" },
          ])
          .withTmpFs({ "/tmp": "", "/run/gateway": "mode=1777" })
          .withCommand(["up", "--watch"]),
    });
    const { execute, output } = running;
    const clients = keepAsking(ports.egress, {}, { count: 4 });
    const credential = () => provider.requests.at(-1)?.headers["authorization"];
    await vi.waitFor(() => {
      expect(credential()).toBe(`Bearer ${FIRST}`);
    }, SECONDS);
    const envoy = async () =>
      (JSON.parse(await execute("gateway", "status", "--json")) as { envoyPid: number }).envoyPid;
    const before = await envoy();
    for (const key of [SECOND, FIRST, SECOND]) {
      secret.update({ HOUSE_KEY: key });
      await vi.waitFor(() => {
        expect(credential()).toBe(`Bearer ${key}`);
      }, SECONDS);
    }
    configMap.update(configuration("first", "second"));
    await vi.waitFor(async () => {
      expect((await ask(ports.egress, { model: "house/second" })).status).toBe(200);
    }, SECONDS);
    expect(await clients.stop()).toEqual([]);
    expect(clients.answered()).toBeGreaterThan(20);
    expect(await envoy()).toBe(before);
    expect(output()).not.toContain(FIRST);
    expect(output()).not.toContain(SECOND);
    // What ends with the process is apart from the state.
    const found = await execute(
      "sh",
      "-c",
      `grep -rl ${SECOND} /tmp /var/log /run/gateway || true`,
    );
    expect(found.split("\n").every((file) => file.startsWith("/run/gateway/"))).toBe(true);
    await provider.stop();
  });
});
