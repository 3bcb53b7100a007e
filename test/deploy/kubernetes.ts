// What Kubernetes' API accepts, by its own OpenAPI: the schemas check values, the types of the same package check that every
// name is known, which the schemas leave open.
import { join } from "node:path";
import { Deployment, StatefulSet } from "kubernetes-models/apps/v1";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { Ingress, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Service } from "kubernetes-models/v1";
import ts from "typescript";

/** Anything that a manifest holds. */
export type Manifest = Record<string, unknown> & { apiVersion: string; kind: string };

type Kind = new (manifest: never) => { validate(): void };

/** Packages of custom resources, by their API group. */
const CUSTOM: Readonly<Record<string, string>> = {
  "gateway.networking.k8s.io": "@kubernetes-models/gateway-api",
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator",
};

const KINDS: Record<string, Kind> = {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
  StatefulSet,
  ...(await kindsOf("gateway.networking.k8s.io/v1", "HTTPRoute")),
  ...(await kindsOf("monitoring.coreos.com/v1", "PrometheusRule", "ServiceMonitor")),
};

/** Returns the kinds of an API of custom resources. */
async function kindsOf(api: string, ...names: string[]): Promise<Record<string, Kind>> {
  const kinds = (await import(moduleOf(api))) as Record<string, Kind | undefined>;
  return Object.fromEntries(
    names.flatMap((name) => {
      const kind = kinds[name];
      return kind === undefined ? [] : [[name, kind]];
    }),
  );
}

/** Returns the module with the models of an API version. */
function moduleOf(api: string): string {
  return `${CUSTOM[api.split("/")[0] ?? ""] ?? "kubernetes-models"}/${api}`;
}

/** Throws with the place and the reason. */
export function validateValues(manifest: Manifest): void {
  const Kind = KINDS[manifest.kind];
  if (Kind === undefined) throw new Error(`no schema for ${manifest.kind}`);
  new Kind(manifest as never).validate();
}

/** A module of literals that is never written: TypeScript refuses a member of a literal that its type does not have. */
const MODULE = join(import.meta.dirname, "manifests.virtual.ts");

/** What is wrong with the manifests' names, in TypeScript's words. It takes seconds: once for many manifests. */
export function problemsOfNames(manifests: readonly Manifest[]): string[] {
  const text = manifests
    .map((manifest, index) => {
      const type = `import("${moduleOf(manifest.apiVersion)}").I${manifest.kind}`;
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
    })
    .join("\n");
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    types: [],
  };
  const files = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...files,
    fileExists: (file) => file === MODULE || files.fileExists(file),
    getSourceFile: (file, ...rest) =>
      file === MODULE
        ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2022)
        : files.getSourceFile(file, ...rest),
  };
  const program = ts.createProgram([MODULE], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
