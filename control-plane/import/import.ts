// Another gateway's configuration → a gateway.yaml that the loader accepts, with comments for what has no equivalent.
import { isMap, parseDocument } from "yaml";
import type { Document } from "yaml";
import { GatewayError } from "../config/diagnostics/gateway-error.ts";
import { convertLitellm } from "./litellm.ts";
import type { Kind } from "./kinds.ts";
import { maskComments } from "./masked.ts";
import { convertPlano, PLANO_REASONS } from "./plano.ts";
import { prune } from "./prune.ts";
import type { Pruned } from "./prune.ts";

const TITLES: Readonly<Record<Kind, string>> = {
  litellm: "LiteLLM",
  archgw: "archgw",
  plano: "Plano",
};

/** Returns the configuration. Throws if the text is not such a file. `name`: the file, for the first line. */
export function importConfiguration(kind: Kind, text: string, name: string): Pruned {
  const source = parseDocument(text);
  const [error] = source.errors;
  if (error !== undefined) throw notA(kind, name, error.message.split("\n")[0] ?? "");
  maskComments(source);
  const document = kind === "litellm" ? convertLitellm(source) : planoDocument(source);
  if (document === undefined) {
    const list = kind === "litellm" ? "model_list" : "llm_providers or model_providers";
    throw notA(kind, name, `it has no ${list}`);
  }
  const head = [
    ` Imported from ${name} of ${TITLES[kind]}. Parts without an equivalent are comments that begin with "Not imported";`,
    " docs/migrating.md explains them. Keys stay in the environment, or in a file .env next to this one.",
  ];
  document.commentBefore = [
    ...head,
    ...(document.commentBefore ?? "").split("\n").filter((line) => line !== ""),
  ].join("\n");
  return prune(document, "gateway.yaml", kind === "litellm" ? {} : PLANO_REASONS);
}

function planoDocument(source: Document): Document | undefined {
  const hasModels = source.has("llm_providers") || source.has("model_providers");
  if (!isMap(source.contents) || !hasModels) return undefined;
  convertPlano(source);
  return source;
}

function notA(kind: Kind, name: string, why: string): GatewayError {
  return new GatewayError(`${name} is not a configuration of ${TITLES[kind]}: ${why}`, {
    exitCode: 2,
  });
}
