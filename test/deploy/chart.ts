// The chart as helm renders it.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { Helm } from "../../scripts/helm.ts";
import { type Manifest, validateValues } from "./kubernetes.ts";

const CHART = join(import.meta.dirname, "../../deploy/helm/gateway");
/** A helm that Go built takes a very old one for granted. */
const KUBERNETES = ["--kube-version", "1.32.0"];

export function lint(helm: Helm, values: object): SpawnSyncReturns<string> {
  return runHelm(helm, ["lint", "--strict", CHART], values);
}

/** `helm template`, as release `prod` in the namespace `models`. */
export function template(helm: Helm, values: object): SpawnSyncReturns<string> {
  return runHelm(helm, ["template", "prod", CHART, "--namespace", "models"], values);
}

/** The manifests by kind (the service of the metrics as "Service metrics"), each checked by Kubernetes' schema. Throws with what helm or the schema says. */
export function manifestsOf(helm: Helm, values: object): Record<string, Manifest> {
  const { status, stdout, stderr } = template(helm, values);
  if (status !== 0) throw new Error(stderr);
  const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  for (const manifest of manifests) validateValues(manifest);
  return Object.fromEntries(
    manifests.map((manifest) => {
      const isMetrics = JSON.stringify(manifest["metadata"]).includes("-metrics");
      return [isMetrics ? `${manifest.kind} metrics` : manifest.kind, manifest];
    }),
  );
}

function runHelm(helm: Helm, words: string[], values: object): SpawnSyncReturns<string> {
  if ("missing" in helm) throw new Error(helm.missing);
  const directory = mkdtempSync(join(tmpdir(), "gateway-chart-"));
  const file = join(directory, "values.json");
  writeFileSync(file, JSON.stringify(values));
  // Nothing of the user's settings and plugins.
  const env = { PATH: process.env["PATH"], HOME: directory };
  const all = [...words, ...KUBERNETES, "--values", file];
  const result = spawnSync(helm.file, all, { encoding: "utf8", env });
  rmSync(directory, { recursive: true });
  return result;
}
