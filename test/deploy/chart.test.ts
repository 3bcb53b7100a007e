// The Helm chart: linted and rendered by the real helm, checked against Kubernetes' schemas, and its configurations by the gateway.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { readConfiguration } from "../../control-plane/supervisor/configuration-file.ts";
import { findConfiguration } from "../../control-plane/cli/find-configuration.ts";
import { VERSION } from "../../control-plane/supervisor/package-version.ts";
import { createAuthority } from "../gateway/certificates.ts";
import { lint, manifestsOf, template } from "./chart.ts";
import { problemsOfNames } from "./kubernetes.ts";
import { environmentOf, podOf, writeConfiguration, writeVariables } from "./pod.ts";

const here = import.meta.dirname;
const helm = inject("helm");

const DAY = 24 * 3_600_000;

/** What users could write: a file of values each, and what becomes of it in `golden`. */
const CASES = readdirSync(join(here, "values")).map((file) => file.replace(".yaml", ""));
const valuesOf = (name: string) =>
  (parse(readFileSync(join(here, "values", `${name}.yaml`), "utf8")) ?? {}) as object;

/** The secrets that the values refer to. */
function secrets() {
  const { cert, key } = createAuthority().issueFor(["gateway.test"], [0, 90 * DAY]);
  return {
    "provider-keys": { openai: "sk-openai-1f0c", anthropic: "sk-ant-77d2" },
    "metrics-token": { token: "3c0d".repeat(8) },
    "client-keys": { team: "5b1e".repeat(8) },
    "orders-api": { token: "orders-90aa" },
    "provider-variables": { OPENAI_API_KEY: "sk-openai-1f0c" },
    "more-variables": {},
    "gateway-tls": { "tls.crt": cert, "tls.key": key },
  };
}

describe.skipIf(!inject("canTestChart"))("the Helm chart", () => {
  describe.each(CASES)("with the values of %s", (name) => {
    const values = valuesOf(name);

    it("the Helm chart passes helm lint", () => {
      const { status, stdout, stderr } = lint(helm, values);
      expect(status, stdout + stderr).toBe(0);
    });

    it("the Helm chart is rendered as its golden file", async () => {
      const { stdout } = template(helm, values);
      await expect(stdout.replaceAll(VERSION, "<version>")).toMatchFileSnapshot(
        join(here, "golden", `${name}.yaml`),
      );
    });

    it("the Helm chart gives the gateway a configuration that it accepts, on the ports and with the TLS of the manifests", () => {
      const manifests = manifestsOf(helm, values);
      const pod = podOf(manifests);
      const [{ ports, ...container }] = pod.containers;
      const directory = mkdtempSync(join(tmpdir(), "gateway-pod-"));
      writeConfiguration(directory, manifests, secrets());
      const file = findConfiguration(undefined, directory);
      const environment = environmentOf(pod, secrets());
      if (environment["GATEWAY_VARIABLES_DIR"] !== undefined)
        environment["GATEWAY_VARIABLES_DIR"] = writeVariables(directory, pod, secrets());
      const { model, warnings } = readConfiguration(file, environment);
      rmSync(directory, { recursive: true });
      expect(warnings).toEqual([]);
      expect(ports).toEqual([
        { name: "ingress", containerPort: model.ingress.port },
        { name: "egress", containerPort: model.egress.port },
        ...(model.observability === undefined
          ? []
          : [{ name: "metrics", containerPort: model.observability.metrics.port }]),
      ]);
      const scheme = model.egress.tls === undefined ? "HTTP" : "HTTPS";
      const asked = { port: "egress", scheme };
      expect(container).toMatchObject({
        startupProbe: { httpGet: { ...asked, path: "/healthz" } },
        readinessProbe: { httpGet: { ...asked, path: "/readyz" } },
        livenessProbe: { httpGet: { ...asked, path: "/healthz" } },
      });
    });
  });

  it("the Helm chart uses only fields that Kubernetes knows", () => {
    const manifests = CASES.flatMap((name) => Object.values(manifestsOf(helm, valuesOf(name))));
    // That the check can fail: it is one that has to be noticed.
    const wrong = { apiVersion: "v1", kind: "Service", metadata: { lable: {} } };
    expect(problemsOfNames([...manifests, wrong])).toEqual([expect.stringContaining("lable")]);
  });

  it("the Helm chart runs the image with the confinement that the documentation lists", () => {
    const manifests = manifestsOf(helm, {});
    expect(Object.keys(manifests).sort()).toEqual([
      "ConfigMap",
      "Deployment",
      "HorizontalPodAutoscaler",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Service",
    ]);
    const pod = podOf(manifests);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 45,
      securityContext: { runAsNonRoot: true, runAsUser: 10001 },
      containers: [
        {
          image: `gateway:${VERSION}`,
          securityContext: {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
          },
        },
      ],
    });
    // The autoscaler decides.
    expect(manifests["Deployment"]).not.toHaveProperty("spec.replicas");
  });

  it("the Helm chart serves metrics of each pod on a separate service, to clients that the policy allows", () => {
    const from = [{ namespaceSelector: { matchLabels: { team: "monitoring" } } }];
    const manifests = manifestsOf(helm, {
      configuration: "observability: {}",
      service: { type: "LoadBalancer" },
      metrics: { enabled: true, port: 9999, from },
      networkPolicy: { extraIngress: [{ ports: [{ port: 15020 }] }] },
    });
    expect(manifests["Service metrics"]).toMatchObject({
      metadata: { name: "prod-gateway-metrics" },
      spec: { clusterIP: "None", ports: [{ name: "metrics", port: 9999, targetPort: "metrics" }] },
    });
    expect(JSON.stringify(manifests["Service"])).not.toContain("9999");
    expect(podOf(manifests).containers[0].ports).toContainEqual({
      name: "metrics",
      containerPort: 9999,
    });
    expect(manifests["NetworkPolicy"]).toHaveProperty("spec.ingress", [
      { ports: [{ port: "ingress" }, { port: "egress" }] },
      { ports: [{ port: "metrics" }], from },
      { ports: [{ port: 15020 }] },
    ]);
  });

  it("the Helm chart leaves out what is switched off, and uses an existing configuration", () => {
    const manifests = manifestsOf(helm, {
      existingConfigMap: "ours",
      autoscaling: { enabled: false },
      podDisruptionBudget: { enabled: false },
      networkPolicy: { enabled: false },
    });
    expect(Object.keys(manifests).sort()).toEqual(["Deployment", "Service"]);
    expect(manifests["Deployment"]).toHaveProperty("spec.replicas", 2);
    expect(podOf(manifests).volumes[0]?.projected?.sources).toMatchObject([
      { configMap: { name: "ours" } },
    ]);
  });

  it("the Helm chart leaves the pods as they are when the configuration changes, unless a rollout is configured", () => {
    const changed = { configuration: "version: v0.1.0" };
    const podTemplate = (values: object) => manifestsOf(helm, values)["Deployment"];
    expect(podTemplate(changed)).toEqual(podTemplate({}));
    expect(podOf(manifestsOf(helm, {})).containers[0].args).toEqual(["up", "--watch"]);
    const rollout = { rolloutOnChange: true };
    expect(podTemplate({ ...changed, ...rollout })).not.toEqual(podTemplate(rollout));
  });

  it("the Helm chart keeps state on a volume of each pod, and keys and sockets off it", () => {
    const manifests = manifestsOf(helm, valuesOf("persistent"));
    expect(Object.keys(manifests)).not.toContain("Deployment");
    const [{ env, volumeMounts }] = podOf(manifests).containers;
    const state = volumeMounts.filter(({ name }) => name === "state");
    expect(state.map(({ mountPath }) => mountPath)).toEqual([
      "/var/lib/gateway",
      "/var/log/gateway",
    ]);
    const value = (name: string) => env.find((one) => one.name === name)?.value;
    expect(value("XDG_STATE_HOME")).toBe("/var/lib/gateway");
    const run = podOf(manifests).volumes.find(({ name }) => name === "run");
    expect(run?.emptyDir).toMatchObject({ medium: "Memory" });
    expect(volumeMounts).toContainEqual({ name: "run", mountPath: value("GATEWAY_RUN_DIR") });
    // A mount with subPath is never updated.
    const variables = volumeMounts.find(({ name }) => name === "variables");
    expect(variables).not.toHaveProperty("subPath");
  });

  it("the Helm chart keeps state off the small volume of temporary files without persistence", () => {
    const pod = podOf(manifestsOf(helm, { state: { sizeLimit: "7Gi" } }));
    const [{ env, volumeMounts }] = pod.containers;
    const home = env.find(({ name }) => name === "XDG_STATE_HOME")?.value;
    expect(volumeMounts).toContainEqual({ name: "state", mountPath: home });
    const state = pod.volumes.find(({ name }) => name === "state");
    expect(state?.emptyDir).toEqual({ sizeLimit: "7Gi" });
  });

  it("the Helm chart has the alerts of deploy/prometheus", () => {
    const rules = parse(
      readFileSync(join(here, "../../deploy/prometheus/alerts.yaml"), "utf8"),
    ) as object;
    expect(manifestsOf(helm, valuesOf("everything"))["PrometheusRule"]).toHaveProperty(
      "spec",
      rules,
    );
  });

  it("the Helm chart accepts the values that the documentation prints", () => {
    const page = readFileSync(join(here, "../../docs/kubernetes.md"), "utf8");
    const printed = [...page.matchAll(/```yaml\n(# values\.yaml\n[^]*?)```/g)];
    expect(printed.length).toBeGreaterThan(3);
    for (const [, text = ""] of printed) {
      const { status, stdout, stderr } = lint(helm, parse(text) as object);
      expect(status, text + stdout + stderr).toBe(0);
      manifestsOf(helm, parse(text) as object);
    }
  });

  it.each([
    ["a value that it does not know", { replicaz: 3 }, "replicaz"],
    ["a key's value in place of its secret", { keys: [{ variable: "A", value: "sk" }] }, "secret"],
    ["metrics that the configuration does not serve", { metrics: { enabled: true } }, "9464"],
    [
      "a monitor of metrics without their token",
      {
        configuration: "observability: {}",
        metrics: { enabled: true, serviceMonitor: { enabled: true } },
      },
      "tokenSecret",
    ],
    [
      "keys that each of several pods would have for itself",
      { configuration: "keys: { store: sqlite }", persistence: { enabled: true } },
      "store: redis",
    ],
    ["keys that end with the pod", { configuration: "keys: {}" }, "persistence.enabled"],
    ["a route without a Gateway", { expose: { httpRoute: { enabled: true } } }, "parentRefs"],
    ["an Ingress without a host", { expose: { ingress: { enabled: true } } }, "hosts"],
    ["a certificate that the configuration does not use", { tls: { secret: "a" } }, "tls.crt"],
  ])("the Helm chart refuses %s", (_, values, told) => {
    const { status, stderr } = template(helm, values);
    expect(status).toBe(1);
    expect(stderr).toContain(told);
  });
});
