// The gateway with what the kubelet would hand it: the variables, the linked files of the configuration, the probes, the stop.
import { request } from "node:https";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { type Desk, freePorts, openDesk } from "../cli/gateway-command.ts";
import { createAuthority } from "../gateway/certificates.ts";
import { manifestsOf } from "./chart.ts";
import { environmentOf, podOf, writeConfiguration } from "./pod.ts";

const helm = inject("helm");
const STARTED = { timeout: 60_000, interval: 100 };

const configuration = ({ ingress, egress }: { ingress: number; egress: number }) => `
listeners:
  ingress: { address: 127.0.0.1, port: ${ingress} }
  egress:
    address: 127.0.0.1
    port: ${egress}
    tls: { certificate: tls/tls.crt, key: tls/tls.key }
llm_providers:
  - model: demo/gateway-demo
    default: true
  - model: openai/gpt-4o
    access_key: $OPENAI_API_KEY
`;

/** The status, as the kubelet asks: it looks at no certificate. */
function probe({ port, path }: { port: number; path: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, rejectUnauthorized: false, agent: false };
    request(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .once("error", reject)
      .end();
  });
}

describe.skipIf(!inject("canTestChart"))("a pod of the Helm chart", () => {
  let desk: Desk;
  beforeEach(() => {
    desk = openDesk();
  });
  afterEach(() => desk.clear());

  it("a pod of the Helm chart is alive and ready by its probes under TLS, logs to standard output, and ends with 0 when it is stopped", async () => {
    const { cert, key } = createAuthority().issueFor(["gateway.test"], [0, 90 * 86_400_000]);
    const secrets = {
      "gateway-tls": { "tls.crt": cert, "tls.key": key },
      "provider-keys": { openai: "sk-openai-1f0c" },
    };
    const ports = await freePorts();
    const manifests = manifestsOf(helm, {
      configuration: configuration(ports),
      ports,
      keys: [{ variable: "OPENAI_API_KEY", secret: "provider-keys", key: "openai" }],
      tls: { secret: "gateway-tls" },
    });
    const pod = podOf(manifests);
    writeConfiguration(desk.directory, manifests, secrets);
    const [container] = pod.containers;
    Object.assign(desk.environment, environmentOf(pod, secrets), {
      GATEWAY_RUN_DIR: join(desk.directory, "../run"),
      XDG_STATE_HOME: join(desk.directory, "../state"),
    });
    const gateway = desk.start(...container.args);

    for (const { httpGet } of [
      container.startupProbe,
      container.readinessProbe,
      container.livenessProbe,
    ]) {
      expect(httpGet.scheme).toBe("HTTPS");
      const port = container.ports.find(({ name }) => name === httpGet.port)?.containerPort ?? 0;
      await vi.waitFor(async () => {
        expect(await probe({ port, path: httpGet.path }), gateway.stderr()).toBe(200);
      }, STARTED);
    }
    await vi.waitFor(() => {
      expect(gateway.stdout()).toMatch(/^ingress \[.*"GET \/healthz /m);
    }, STARTED);
    gateway.process.kill("SIGTERM");
    expect((await gateway.ended).code).toBe(0);
    expect(gateway.stdout() + gateway.stderr()).not.toContain(secrets["provider-keys"].openai);
  });
});
