// What the kubelet makes of the chart's pod: the environment of its container, and the files of its configuration.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Manifest } from "./kubernetes.ts";

/** What tests look at. */
export interface Pod {
  terminationGracePeriodSeconds: number;
  securityContext: { runAsUser: number; runAsGroup: number };
  containers: [Container];
  volumes: { name: string; projected?: { sources: Source[] }; emptyDir?: object }[];
}

interface Container {
  env: {
    name: string;
    value?: string;
    valueFrom?: { secretKeyRef: { name: string; key: string } };
  }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
}

interface Probe {
  httpGet: { path: string; port: string; scheme: "HTTP" | "HTTPS" };
}

type Source = Record<"configMap" | "secret", Items | undefined>;

interface Items {
  name: string;
  items: { key: string; path: string }[];
}

/** Values by the name of a Secret or ConfigMap and the key in it. */
export type Values = Record<string, Record<string, string>>;

export function podOf(manifests: Record<string, Manifest>): Pod {
  const { spec } = manifests["Deployment"] as Manifest & { spec: { template: { spec: Pod } } };
  return spec.template.spec;
}

/** Throws where a Secret or its key is missing: such a pod does not start. */
export function environmentOf(pod: Pod, secrets: Values): Record<string, string> {
  return Object.fromEntries(
    pod.containers[0].env.map(({ name, value = "", valueFrom }) =>
      valueFrom === undefined
        ? [name, value]
        : [name, valueIn(secrets, valueFrom.secretKeyRef.name, valueFrom.secretKeyRef.key)],
    ),
  );
}

/** The volume `configuration`. As in a pod, its names are links into a directory that can be swapped. */
export function writeConfiguration(
  directory: string,
  manifests: Record<string, Manifest>,
  secrets: Values,
): void {
  const { metadata, data } = manifests["ConfigMap"] as Manifest & {
    metadata: { name: string };
    data: Record<string, string>;
  };
  const values = { ...secrets, [metadata.name]: data };
  const volume = podOf(manifests).volumes.find(({ name }) => name === "configuration");
  const names = new Set<string>();
  for (const { configMap, secret } of volume?.projected?.sources ?? []) {
    const { name, items } = configMap ?? secret ?? { name: "", items: [] };
    for (const { key, path } of items) {
      const file = join(directory, "..data", path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, valueIn(values, name, key));
      names.add(path.split("/", 1)[0] ?? path);
    }
  }
  for (const name of names) symlinkSync(join("..data", name), join(directory, name));
}

function valueIn(values: Values, name: string, key: string): string {
  const value = values[name]?.[key];
  if (value === undefined) throw new Error(`there is no ${key} in ${name}`);
  return value;
}
