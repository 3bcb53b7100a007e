// docs/providers.md: the built-in providers, with what is particular about each.
import type { Cloud, CloudApi } from "../../control-plane/providers/cloud.ts";
import { fill } from "../../control-plane/providers/cloud-address.ts";
import { CLOUDS } from "../../control-plane/providers/clouds.ts";
import { KNOWN_LIMITS } from "../../control-plane/providers/known-limits.ts";
import { CHECKED, type OtherApi } from "../../control-plane/providers/provider.ts";
import {
  baseOf,
  INTERFACES,
  INTERFACE_WORDS,
  PROVIDERS,
} from "../../control-plane/providers/registry.ts";
import type { Provider } from "../../control-plane/providers/registry.ts";
import { HOSTS } from "../../control-plane/providers/rows/hosts.ts";
import { LABS } from "../../control-plane/providers/rows/labs.ts";
import { LOCAL } from "../../control-plane/providers/rows/local.ts";
import { ROUTERS } from "../../control-plane/providers/rows/routers.ts";
import { ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES } from "../../contract/dialects.ts";
import { code, table } from "./markdown.ts";
import { wordsOf } from "./model-limits-page.ts";

const INTRODUCTION = `# Providers

<!-- Written by scripts/generate.ts from control-plane/providers/: change it there. -->

${String(PROVIDERS.length + CLOUDS.length)} providers are built in: an entry needs only \`model: <provider>/<model>\` and its key.

\`\`\`yaml
llm_providers:
  - model: cerebras/gpt-oss-120b
    access_key: $CEREBRAS_API_KEY
  - model: deepseek/deepseek-v4-pro # in Anthropic's format, where the provider has it
    access_key: $DEEPSEEK_API_KEY
    provider_interface: anthropic
\`\`\`

- **Names**: those in parentheses are accepted too, as LiteLLM and others spell them, with \`-\` or \`_\`. Clients use the name as it is written in the file.
- **Formats**: the first one is used. \`provider_interface: anthropic\` or \`openai_responses\` selects another one that is listed. Requests in any client format are translated.
- **Variables**: \`gateway init\`, and a start without a file, use the first that is set, for the providers that are marked with \`*\`.
- What models of a provider do not support is left out or changed, and listed: [model limits](model-limits.md).
- **Another address** of the same provider: \`base_url\`. Any other name works with \`base_url\` and \`provider_interface\`.

Addresses and formats were read on ${CHECKED} in the sources that [Particulars](#particulars) names; none was tried with a key. A mistake can be corrected in the file: [\`base_url\`, \`provider_interface\`](configuration.md#base-urls) and [\`limits\`](configuration.md#limits-of-a-model) win over the tables.`;

/** Returns Markdown; the caller formats it. */
export function providersPage(): string {
  return [
    INTRODUCTION,
    "## Makers of models",
    tableOf(LABS),
    "## Hosts of models",
    tableOf(HOSTS),
    "## Routers and marketplaces",
    tableOf(ROUTERS),
    "## Servers of your own",
    "The address is that of this machine, if there is one; set `base_url` for another.",
    tableOf([...LOCAL, ...PROVIDERS.filter(({ embedded }) => embedded === true)]),
    "## Clouds",
    "These have several APIs, and keys of the entry that are a part of the address. The first API whose models fit is used, unless `provider_interface` selects another.",
    table(
      ["Provider", "Title", "Models", "`provider_interface`", "Requests go to", "Format"],
      unique(CLOUDS.flatMap(cloudRows)),
    ),
    "## Formats of other addresses",
    interfaces(),
    "## Particulars",
    particulars(),
  ].join("\n\n");
}

function tableOf(rows: readonly Provider[]): string {
  return table(
    ["Provider", "Requests go to", "Formats", "Variables"],
    rows.map((row) => [
      nameOf(row),
      requestUrl(row),
      [row, ...(row.apis ?? [])].map(({ dialect }) => FORMATS[dialect.name] ?? "").join(", "),
      keyOf(row),
    ]),
  );
}

/** Short words: the table is wide. */
const FORMATS: Readonly<Record<string, string>> = {
  [OPENAI_CHAT.name]: "chat",
  [OPENAI_RESPONSES.name]: "responses",
  [ANTHROPIC_MESSAGES.name]: "messages",
};

function nameOf({ name, aliases = [] }: Pick<Provider, "name" | "aliases">): string {
  return aliases.length === 0 ? code(name) : `${code(name)} (${aliases.map(code).join(", ")})`;
}

function keyOf({ variables = [], usualModel, needsKey, embedded }: Provider): string {
  if (embedded === true) return "no key";
  const names = variables.map(code).join(", ");
  if (names === "") return needsKey ? "" : "key optional";
  return `${names}${usualModel === undefined ? "" : " \\*"}`;
}

/** One line for each provider: who it is, what is particular, and where it was read. */
function particulars(): string {
  return PROVIDERS.map((row) => {
    const words = [
      `${row.title}.`,
      row.note ?? "",
      ...(row.apis ?? []).filter(({ baseUrl }) => baseUrl !== undefined).map(apiWords),
      row.asksForUsage || !row.dialect.asksForUsage ? "" : "Streams are not asked for their usage.",
      limitsOf(row.name),
      `_${row.source}_`,
    ];
    return `- ${code(row.name)}: ${words.filter((one) => one !== "").join(" ")}`;
  }).join("\n");
}

function apiWords({ dialect, baseUrl = "" }: OtherApi): string {
  return `${dialect.format.replace(/^./, (letter) => letter.toUpperCase())} at ${code(new URL(baseOf(baseUrl, dialect).path, baseUrl).href)}.`;
}

function limitsOf(name: string): string {
  const { everyModel, families = [] } = KNOWN_LIMITS[name] ?? {};
  const all = everyModel === undefined ? "" : `Every model: ${wordsOf(everyModel.limits)}.`;
  const [section = name] =
    Object.entries(KNOWN_LIMITS).find(([, table]) => table === KNOWN_LIMITS[name]) ?? [];
  const more = families.length === 0 ? "" : `[By model](model-limits.md#${section}).`;
  return [all, more].filter((one) => one !== "").join(" ");
}

function unique(rows: string[][]): string[][] {
  return [...new Map(rows.map((row) => [row.join(" "), row])).values()];
}

function cloudRows(cloud: Cloud): string[][] {
  return cloud.apis.map((api) => [
    nameOf(cloud),
    cloud.title,
    api.models.map(code).join(", "),
    code(api.word),
    cloudUrl(api),
    api.dialect.format,
  ]);
}

function cloudUrl({ baseUrl, endpoint, envelope, query = "", dialect }: CloudApi): string {
  const own =
    envelope === undefined
      ? (endpoint ?? dialect.path.slice(dialect.basePath.length))
      : `${envelope.path}{model}${envelope.method}`;
  const address = fill(`${baseUrl}${own}${query}`, {});
  return code(
    address
      .replace("{vertex_host}", "{location}-aiplatform.googleapis.com")
      .replace("{workspace_host}", "{workspace}")
      .replace("{aws_domain}", "amazonaws.com"),
  );
}

function requestUrl({ baseUrl, embedded, dialect, basePath }: Provider): string {
  if (embedded === true) return "the gateway itself";
  if (baseUrl === undefined) return "`base_url` (required)";
  const { path } = baseOf(baseUrl, dialect, basePath === undefined ? {} : { basePath });
  return code(new URL(path, baseUrl).href);
}

function interfaces(): string {
  const silent = [...INTERFACES].flatMap(([word, { dialect, asksForUsage }]) =>
    dialect.asksForUsage && !asksForUsage ? [code(word)] : [],
  );
  return `Values of \`provider_interface\`: \`openai\` (chat completions), \`anthropic\` (messages), \`openai_responses\`, \`gemini\`, \`converse\`, or the name of a provider, whose format and limits then apply (${String(INTERFACE_WORDS.length)} words in all). With ${silent.slice(0, -1).join(", ")} or ${silent.at(-1) ?? ""} the gateway never asks a stream for its usage (\`stream_options.include_usage\`). For another server that rejects that member set \`limits: {stream_usage: false}\`.`;
}
