// Another gateway's configuration → a gateway.yaml that the loader accepts, with comments for what has no equivalent.
import { isRecord } from "../../model/is-record.ts";
import { parseDocument } from "yaml";
import type { Document } from "yaml";
import { GatewayError } from "../report/gateway-error.ts";
import { assemble } from "./assemble.ts";
import type { Parts } from "./assemble.ts";
import { bifrostParts } from "./bifrost.ts";
import type { Values } from "./deployment.ts";
import { litellmParts } from "./litellm.ts";
import type { Kind } from "./kinds.ts";
import { maskComments } from "./masked.ts";
import { convertPlano, PLANO_REASONS } from "./plano.ts";
import { portkeyParts } from "./portkey.ts";
import { prune } from "./prune.ts";
import type { Pruned, Reasons } from "./prune.ts";

/** A gateway whose configurations can be imported. */
interface Source {
  title: string;
  /** What every configuration has. */
  required: string;
  /** Returns the document with the gateway's keys; undefined if the source lacks what is required. */
  convert: (source: Document, all: Values) => Document | undefined;
  reasons?: Reasons;
}

function inParts(partsOf: (source: Document, all: Values) => Parts | undefined): Source["convert"] {
  return (source, all) => {
    const parts = partsOf(source, all);
    return parts === undefined ? undefined : assemble(parts);
  };
}

const PLANO = {
  required: "llm_providers or model_providers",
  reasons: PLANO_REASONS,
  convert(source: Document): Document | undefined {
    if (!source.has("llm_providers") && !source.has("model_providers")) return undefined;
    convertPlano(source);
    return source;
  },
};

const SOURCES: Readonly<Record<Kind, Source>> = {
  litellm: { title: "LiteLLM", required: "model_list", convert: inParts(litellmParts) },
  archgw: { title: "archgw", ...PLANO },
  plano: { title: "Plano", ...PLANO },
  bifrost: { title: "Bifrost", required: "providers", convert: inParts(bifrostParts) },
  portkey: { title: "Portkey", required: "provider or targets", convert: inParts(portkeyParts) },
};

/** Returns the configuration. Throws if the text is not such a file. `name`: the file, for the first line. */
export function importConfiguration(kind: Kind, text: string, name: string): Pruned {
  const { title, required, convert, reasons = {} } = SOURCES[kind];
  const notA = (why: string) =>
    new GatewayError(`${name} is not a configuration of ${title}: ${why}`, { exitCode: 2 });
  const source = parseDocument(text);
  const [error] = source.errors;
  if (error !== undefined) throw notA(error.message.split("\n")[0] ?? "");
  const all = valuesOf(source);
  if (all === undefined) throw notA("its aliases (*name) expand to too many values");
  maskComments(source);
  const document = isRecord(all) ? convert(source, all) : undefined;
  if (document === undefined) throw notA(`it has no ${required}`);
  const head = [
    ` Imported from ${name} of ${title}. Parts without an equivalent are comments that begin with "Not imported";`,
    " docs/migrating.md explains them. Keys stay in the environment, or in a file .env next to this one.",
  ];
  document.commentBefore = [
    ...head,
    ...(document.commentBefore ?? "").split("\n").filter((line) => line !== ""),
  ].join("\n");
  return prune(document, "gateway.yaml", reasons);
}

/** Returns the values of a document; undefined if aliases within aliases expand to too many. */
function valuesOf(source: Document): unknown {
  try {
    return (source.toJS() as unknown) ?? null;
  } catch {
    return undefined;
  }
}
