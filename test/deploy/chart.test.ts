// The Helm chart: linted and rendered by the real helm, every manifest checked against Kubernetes' schemas.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Deployment } from "kubernetes-models/apps/v1";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Service } from "kubernetes-models/v1";
import { afterAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { VERSION } from "../../control-plane/version.ts";
import { findHelm } from "./helm.ts";

const CHART = join(import.meta.dirname, "../../deploy/helm/gateway");
/** A helm that Go built takes a very old one for granted. */
const KUBERNETES = ["--kube-version", "1.32.0"];
const isRequired = process.env["GATEWAY_SKIP_NOTHING"] === "1";

const helm = await findHelm();
if ("missing" in helm) console.log(`· The tests of the Helm chart are skipped: ${helm.missing}`);

/** Anything that a manifest holds. */
type Manifest = Record<string, unknown> & { kind: string };

const KINDS: Record<string, new (manifest: never) => { validate(): void }> = {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
};

describe.skipIf("missing" in helm && !isRequired)("the Helm chart", () => {
  const directory = mkdtempSync(join(tmpdir(), "gateway-chart-"));
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  function run(...words: string[]) {
    if ("missing" in helm) throw new Error(helm.missing);
    const env = { PATH: process.env["PATH"], HOME: directory };
    return spawnSync(helm.file, words, { encoding: "utf8", env });
  }

  function withValues(command: string[], values: object) {
    const file = join(directory, "values.json");
    writeFileSync(file, JSON.stringify(values));
    return run(...command, "--values", file);
  }

  /** The manifests by kind, each of them valid. */
  function render(values: object = {}): Record<string, Manifest> {
    const template = ["template", "prod", CHART, "--namespace", "models", ...KUBERNETES];
    const { status, stdout, stderr } = withValues(template, values);
    expect(status, stderr).toBe(0);
    const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
    for (const manifest of manifests) {
      const Kind = KINDS[manifest.kind] ?? expect.fail(`no schema for ${manifest.kind}`);
      new Kind(manifest as never).validate();
    }
    return Object.fromEntries(manifests.map((manifest) => [manifest.kind, manifest]));
  }

  const ALL_VALUES = {
    image: { repository: "registry.example/gateway", tag: "test" },
    imagePullSecrets: [{ name: "registry" }],
    keys: [{ variable: "OPENAI_API_KEY", secret: "provider-keys", key: "openai" }],
    extraEnvironment: [{ name: "TZ", value: "UTC" }],
    ports: { ingress: 8000, egress: 8080 },
    service: { type: "LoadBalancer", annotations: { "example.com/internal": "true" } },
    replicas: 3,
    networkPolicy: {
      from: [{ namespaceSelector: { matchLabels: { team: "a" } } }],
      toPorts: [443, 8443],
      extraEgress: [{ to: [{ podSelector: { matchLabels: { app: "api" } } }] }],
    },
    concurrency: null,
    drainSeconds: 120,
    podAnnotations: { "example.com/scrape": "true" },
    nodeSelector: { disk: "fast" },
    tolerations: [{ key: "models", operator: "Exists" }],
    affinity: { nodeAffinity: {} },
  };

  it("passes helm lint", () => {
    for (const values of [{}, ALL_VALUES]) {
      const { status, stdout, stderr } = withValues(
        ["lint", "--strict", CHART, ...KUBERNETES],
        values,
      );
      expect(status, stdout + stderr).toBe(0);
    }
  });

  it("has the version of the gateway, and a configuration that it accepts", () => {
    const chart = run("show", "chart", CHART).stdout;
    expect(parse(chart)).toMatchObject({ version: VERSION, appVersion: VERSION });
    const { data } = render()["ConfigMap"] as Manifest & { data: Record<string, string> };
    const text = data["gateway.yaml"] ?? "";
    expect(loadConfiguration({ file: "gateway.yaml", text }, {})).toMatchObject({ ok: true });
  });

  it("runs the image as confined as the documentation says", () => {
    const { Deployment: deployment, ...others } = render();
    expect(Object.keys(others).sort()).toEqual(
      Object.keys(KINDS).filter((kind) => kind !== "Deployment"),
    );
    expect(deployment).toMatchObject({
      spec: {
        template: {
          spec: {
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
          },
        },
      },
    });
    // The autoscaler decides.
    expect(deployment).not.toHaveProperty("spec.replicas");
  });

  it("takes keys from secrets, and everything else that can be set", () => {
    const manifests = render(ALL_VALUES);
    const text = JSON.stringify(manifests["Deployment"]);
    for (const part of [
      '{"name":"OPENAI_API_KEY","valueFrom":{"secretKeyRef":{"name":"provider-keys","key":"openai"}}}',
      '"image":"registry.example/gateway:test"',
      '"containerPort":8080',
      '{"name":"GATEWAY_DRAIN_TIME","value":"120s"}',
      '"terminationGracePeriodSeconds":135',
      '"nodeSelector":{"disk":"fast"}',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain("GATEWAY_CONCURRENCY");
    expect(manifests["HorizontalPodAutoscaler"]).toMatchObject({
      spec: { minReplicas: 3, maxReplicas: 10 },
    });
    expect(JSON.stringify(manifests["NetworkPolicy"])).toContain('"port":8443');
  });

  it("leaves out what is switched off, and uses a configuration of somebody else", () => {
    const manifests = render({
      existingConfigMap: "ours",
      autoscaling: { enabled: false },
      podDisruptionBudget: { enabled: false },
      networkPolicy: { enabled: false },
    });
    expect(Object.keys(manifests).sort()).toEqual(["Deployment", "Service"]);
    expect(manifests["Deployment"]).toMatchObject({
      spec: {
        replicas: 2,
        template: { spec: { volumes: [{ configMap: { name: "ours" } }, {}, {}] } },
      },
    });
  });

  it("starts new pods when the configuration changes", () => {
    const checksum = (values: object) =>
      /checksum\/configuration":"(\w+)"/.exec(JSON.stringify(render(values)))?.[1];
    expect(checksum({ configuration: "version: v0.1.0" })).not.toBe(checksum({}));
    expect(checksum({ drainSeconds: 1 })).toBe(checksum({}));
  });

  it("refuses values that it does not know", () => {
    const { status, stderr } = withValues(["template", "prod", CHART, ...KUBERNETES], {
      replicaz: 3,
    });
    expect(status).toBe(1);
    expect(stderr).toContain("replicaz");
  });
});
