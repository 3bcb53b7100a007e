// The page docs/configuration.md: written from the schema's own descriptions and the provider table, so that it cannot be out of date.
import { DIALECT_ANTHROPIC, DIALECT_OPENAI } from "../../../contract/words.ts";
import { INTERFACES, PROVIDERS, baseOf } from "../../providers/registry.ts";
import type { Provider } from "../../providers/registry.ts";
import { limitRows } from "./reference-page-limits.ts";
import { plainJsonSchema } from "./json-schema.ts";
import type { JsonSchema } from "./json-schema.ts";
import { NOT_SUPPORTED_YET } from "../diagnostics/not-supported-yet.ts";
import {
  BASE_URLS,
  EXAMPLE,
  HEADERS,
  INTRODUCTION,
  KNOWN,
  LIMITS,
  NAMES,
  PROMPT_TARGETS,
  REFERENCES,
} from "./reference-page-text.ts";

/** Markdown; formatted by the caller. */
export function referencePage(): string {
  const schema = plainJsonSchema();
  const part = (...path: string[]): JsonSchema => path.reduce(below, schema);
  return [
    INTRODUCTION,
    EXAMPLE,
    "## Keys at the top level",
    keyTable(schema),
    "## `listeners`",
    part("listeners").description ?? "",
    keyTable(part("listeners", "*")),
    listenerForms(),
    "## `llm_providers`",
    "One entry for each model that clients can call. `model_providers` is the newer name of the same list.",
    keyTable(part("llm_providers", "*")),
    HEADERS,
    BASE_URLS,
    "## Providers",
    "These need no `base_url`, except where the table says so. Any other provider name works with `base_url` and `provider_interface`.",
    providerTable(),
    interfaceWords(),
    LIMITS,
    keyTable(part("llm_providers", "*", "limits")),
    "### What some models refuse",
    KNOWN,
    table(["Models", "What is different"], limitRows()),
    NAMES,
    "## `model_aliases`",
    part("model_aliases").description ?? "",
    keyTable(part("model_aliases", "*")),
    "`model_aliases.<name>.targets[]`:",
    keyTable(part("model_aliases", "*", "targets", "*")),
    "## `retry`",
    `${part("retry").description ?? ""} What happens when a provider fails is told in [fallbacks.md](fallbacks.md).`,
    keyTable(part("retry")),
    "## `limits`",
    keyTable(part("limits")),
    "## `ratelimits`",
    `${part("ratelimits").description ?? ""} How they count is told in [rate-limits.md](rate-limits.md).`,
    keyTable(part("ratelimits", "*")),
    "`ratelimits[].selector`:",
    keyTable(part("ratelimits", "*", "selector")),
    "`ratelimits[].limit`:",
    keyTable(part("ratelimits", "*", "limit")),
    "## `ratelimit_service`",
    part("ratelimit_service").description ?? "",
    keyTable(part("ratelimit_service")),
    "## `upstream`",
    part("upstream").description ?? "",
    keyTable(part("upstream")),
    "`upstream.circuit_breakers`:",
    keyTable(part("upstream", "circuit_breakers")),
    "`upstream.outlier_detection`:",
    keyTable(part("upstream", "outlier_detection")),
    "## `access_log`",
    keyTable(part("access_log")),
    "## `prompt_targets`",
    PROMPT_TARGETS,
    keyTable(part("prompt_targets", "*")),
    "`prompt_targets[].endpoint`:",
    keyTable(part("prompt_targets", "*", "endpoint")),
    "`prompt_targets[].parameters[]`:",
    keyTable(part("prompt_targets", "*", "parameters", "*")),
    "## `endpoints`",
    part("endpoints").description ?? "",
    keyTable(part("endpoints", "*")),
    "## `prompt_guards`",
    part("prompt_guards", "input_guards", "jailbreak").description ?? "",
    "`prompt_guards.input_guards.jailbreak`:",
    keyTable(part("prompt_guards", "input_guards", "jailbreak")),
    "`prompt_guards.input_guards.jailbreak.on_exception`:",
    keyTable(part("prompt_guards", "input_guards", "jailbreak", "on_exception")),
    "## `model_server`",
    part("model_server").description ?? "",
    keyTable(part("model_server")),
    ...["embeddings", "zeroshot", "guard"].flatMap((name) => [
      `\`model_server.${name}\`:`,
      keyTable(part("model_server", name)),
    ]),
    "## `overrides`",
    part("overrides").description ?? "",
    keyTable(part("overrides")),
    REFERENCES,
    "## Not supported yet",
    "These keys are known and checked, and a configuration that uses one is refused: nothing is accepted and then ignored.",
    notSupportedList(),
  ].join("\n\n");
}

function below(schema: JsonSchema, key: string): JsonSchema {
  if (key !== "*") return schema.properties?.[key] ?? {};
  if (typeof schema.additionalProperties === "object") return schema.additionalProperties;
  // `listeners`: the mapping form; the list form is described in words.
  return schema.items ?? below(schema.anyOf?.[0] ?? {}, key);
}

const code = (text: string): string => `\`${text}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function keyTable(schema: JsonSchema): string {
  const supported = Object.entries(schema.properties ?? {}).filter(([, child]) =>
    isSupported(child),
  );
  const rows = supported.map(([key, child]) => [
    code(key) + (schema.required?.includes(key) === true ? " (required)" : ""),
    typeName(child),
    child.default === undefined ? "" : code(String(child.default)),
    meaning(child),
  ]);
  return table(["Key", "Type", "Default", "Meaning"], rows);
}

/** A mapping of which no key works yet does not work either. */
function isSupported({ deprecationMessage, properties }: JsonSchema): boolean {
  if (deprecationMessage !== undefined) return false;
  return properties === undefined || Object.values(properties).some(isSupported);
}

function meaning({ description = "", examples = [] }: JsonSchema): string {
  if (examples.length === 0) return description;
  const shown = examples.map((example) => code(String(example)));
  return `${description} ${shown.length === 1 ? "Example" : "Examples"}: ${shown.join(", ")}.`;
}

function typeName(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) {
    const types = schema.anyOf.map(({ type }) => type);
    if (types.includes("array"))
      return types.includes("object") ? "mapping or list" : "text or list";
    return "size";
  }
  if (schema.enum !== undefined) return schema.enum.map((word) => code(String(word))).join(" or ");
  if (schema.type === "string")
    return schema.pattern?.includes("ms|s") === true ? "duration" : "text";
  if (schema.type === "array") return "list";
  if (schema.type === "object") return "mapping";
  if (Array.isArray(schema.type)) return "text, number or boolean";
  return schema.type ?? "";
}

function listenerForms(): string {
  return `Names are your own, where \`type\`, the name or the port shows which listener it is:

\`\`\`yaml
listeners:
  our_models: { type: egress, port: 12001, timeout: 60s }
  prompts: { port: 10000 }
\`\`\`

The same as a list:

\`\`\`yaml
listeners:
  - { type: model, port: 12001, timeout: 60s }
  - { type: prompt, port: 10000 }
\`\`\``;
}

function providerTable(): string {
  const rows = PROVIDERS.map((provider) => [
    code(provider.name),
    provider.title,
    requestUrl(provider),
    provider.dialect === DIALECT_ANTHROPIC ? "messages" : "chat completions",
    provider.needsKey ? "required" : provider.embedded === true ? "none" : "optional",
  ]);
  return table(["Provider", "Who", "Requests go to", "Wire format", "`access_key`"], rows);
}

function requestUrl({ baseUrl, embedded, dialect }: Provider): string {
  if (embedded === true) return "the gateway itself";
  if (baseUrl === undefined) return "`base_url` (required)";
  return code(new URL(baseOf(baseUrl, dialect).path, baseUrl).href);
}

function interfaceWords(): string {
  const words = [...INTERFACES.keys()].map(code).join(", ");
  const silent = [...INTERFACES].flatMap(([word, { dialect, asksForUsage }]) =>
    dialect === DIALECT_OPENAI && !asksForUsage ? [code(word)] : [],
  );
  return `Words of \`provider_interface\`: ${words}. With ${silent.join(" or ")} a stream is not asked for its usage (\`stream_options.include_usage\`): for another server that refuses that member say \`limits: {stream_usage: false}\`.`;
}

function notSupportedList(): string {
  // `model_providers` is the same list as `llm_providers`.
  const rows = NOT_SUPPORTED_YET.filter(({ path }) => path[0] !== "model_providers");
  return rows
    .map(({ path, what, isPartial }) => {
      const key = path
        .join(".")
        .replaceAll(/(providers|targets)\.\*/g, "$1[]")
        .replaceAll("*", "<name>");
      return `- ${code(key)}${isPartial === true ? " (some values)" : ""}: ${what}`;
    })
    .join("\n");
}
