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
  args: string[];
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
  /** Absent: all keys, each as the file of its name. */
  items?: { key: string; path: string }[];
}

/** Values by the name of a Secret or ConfigMap and the key in it. */
export type Values = Record<string, Record<string, string>>;

export function podOf(manifests: Record<string, Manifest>): Pod {
  const workload = manifests["Deployment"] ?? manifests["StatefulSet"];
  const { spec } = workload as Manifest & { spec: { template: { spec: Pod } } };
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
  writeVolume(directory, podOf(manifests), "configuration", {
    ...secrets,
    [metadata.name]: data,
  });
}

/** The volume `variables`. Returns its directory. @param parent of the directory */
export function writeVariables(parent: string, pod: Pod, secrets: Values): string {
  const directory = join(parent, "variables");
  writeVolume(directory, pod, "variables", secrets);
  return directory;
}

function writeVolume(directory: string, pod: Pod, volumeName: string, values: Values): void {
  const volume = pod.volumes.find(({ name }) => name === volumeName);
  const names = new Set<string>();
  for (const { configMap, secret } of volume?.projected?.sources ?? []) {
    const { name, items } = configMap ?? secret ?? { name: "" };
    const all = Object.keys(values[name] ?? {}).map((key) => ({ key, path: key }));
    for (const { key, path } of items ?? all) {
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
